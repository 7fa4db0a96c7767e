package island

// DefaultEntities is how many entities the island has unless told otherwise.
const DefaultEntities = 10_422

// share is how many of a type an island of DefaultEntities has.
type share struct {
	typ   string
	count int
	alone bool // there is one of it, however large the island
}

// shares are in order of importance: an island too small for one of each has
// those of the front. Trees are what is left when all others have theirs.
var shares = []share{
	{typ: "Door", count: 64},
	{typ: "Puzzle_Panel", count: 480},
	{typ: "Lamp", count: 620},
	{typ: "Tree"},
	{typ: "Trigger", count: 240},
	{typ: "World_Settings", count: 1, alone: true},
	{typ: "Sun", count: 1, alone: true},
	{typ: "Group", count: 150},
	{typ: "Terrain_Patch", count: 144},
	{typ: "Rock", count: 1500},
	{typ: "Path", count: 40},
	{typ: "Building_Piece", count: 640},
	{typ: "Note", count: 60},
	{typ: "Sound", count: 260},
	{typ: "Start_Point", count: 8},
	{typ: "Camera", count: 24},
	{typ: "Boat", count: 12},
	{typ: "Bridge", count: 18},
	{typ: "Cable", count: 160},
	{typ: "Grass_Cluster", count: 1600},
	{typ: "Decal", count: 520},
	{typ: "Stairs", count: 90},
	{typ: "Railing", count: 220},
	{typ: "Particle_Emitter", count: 90},
	{typ: "Pool", count: 10},
}

// planned returns how many of each type an island of so many entities has.
func planned(entities int) map[string]int {
	counts := make(map[string]int, len(shares))
	for _, s := range shares[:min(entities, len(shares))] {
		counts[s.typ] = 1
	}
	left := max(0, entities-len(shares))
	for _, s := range shares {
		if s.alone || left == 0 {
			continue
		}
		more := min(left, max(0, int(int64(s.count)*int64(entities)/DefaultEntities)-1))
		if s.typ == "Terrain_Patch" {
			more = min(left, squareBelow(more+1)-1) // a square of patches
		}
		counts[s.typ] += more
		left -= more
	}
	counts["Tree"] += left
	return counts
}

func squareBelow(n int) int {
	side := int(squareRoot(int64(n)))
	return side * side
}
