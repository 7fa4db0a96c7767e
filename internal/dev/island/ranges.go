package island

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// span is a range of IDs: from is in it, to is not.
type span struct{ from, to entity.ID }

func (s span) size() int { return int(s.to - s.from) }

// role is a person or a team that makes entities, with the IDs given to it.
type role struct {
	name       string
	disposable bool // a program makes these entities, and makes them anew
	first      span // what they were given at the start
	types      []string
}

// roles are in order of their ranges. The IDs between these are given to no role.
var roles = []role{
	{name: "World", first: span{1000, 2000}, types: []string{
		"World_Settings", "Sun", "Group", "Start_Point", "Camera", "Terrain_Patch"}},
	{name: "Puzzles", first: span{6000, 10000}, types: []string{
		"Door", "Puzzle_Panel", "Trigger", "Cable", "Path", "Note"}},
	{name: "Lighting", first: span{10000, 13000}, types: []string{"Lamp", "Particle_Emitter"}},
	{name: "Audio", first: span{13000, 14000}, types: []string{"Sound"}},
	{name: "Architecture", first: span{16000, 20000}, types: []string{
		"Building_Piece", "Stairs", "Railing", "Bridge", "Boat", "Pool", "Decal"}},
	{name: "Nature", first: span{28000, 40000}, types: []string{"Tree", "Rock"}},
	{name: "Clusters", first: span{58000, 70000}, disposable: true, types: []string{"Grass_Cluster"}},
	{name: "Visitors", first: span{90000, 91000}},
}

// firstFree is where ranges are given to those whose first one is used up.
const firstFree = 100_000

// needs returns how many entities of the plan are the role's.
func (r *role) needs(counts map[string]int) int {
	n := 0
	for _, typ := range r.types {
		n += counts[typ]
	}
	return n
}

// spans returns each role's ranges, by the roles' order. A range is used for
// two thirds at most: people leave gaps. A role that needs more has a second one
// beyond all first ones.
func spans(counts map[string]int) [][]span {
	out := make([][]span, len(roles))
	next := entity.ID(firstFree)
	for i := range roles {
		first := roles[i].first
		out[i] = []span{first}
		if over := roles[i].needs(counts) - first.size()*2/3; over > 0 {
			size := entity.ID((over*3/2/1000 + 1) * 1000)
			out[i] = append(out[i], span{next, next + size})
			next += size
		}
	}
	return out
}

// RangesText returns the id_ranges file that goes with an island of so many
// entities: the ranges that its IDs are from, a role each.
func RangesText(entities int) string {
	var first, later strings.Builder
	for i, given := range spans(planned(max(entities, 1))) {
		writeRange(&first, &roles[i], given[0])
		if len(given) > 1 {
			writeRange(&later, &roles[i], given[1])
		}
	}
	return first.String() + later.String()
}

func writeRange(b *strings.Builder, r *role, s span) {
	disposable := ""
	if r.disposable {
		disposable = " disposable"
	}
	fmt.Fprintf(b, "%9d %9d %s%s #%s\n", s.from, s.to, r.name, disposable, r.name)
}

// ids gives a role's IDs in order, with the gaps that deleted entities leave.
type ids struct {
	random random
	spans  []span
	next   entity.ID
}

// The entities of the scene that documentation shows have the IDs that it
// shows. No other entity is given them.
const (
	bunkerPanelID entity.ID = 6001
	bunkerLampID  entity.ID = 6005
	bunkerDoorID  entity.ID = 6555
)

func newIDs(seed uint64, r *role, given []span) *ids {
	s := &ids{random: newRandom(seed, "IDs of "+r.name), spans: given, next: given[0].from}
	if r.name == "Puzzles" {
		s.next = bunkerLampID + 1
	}
	return s
}

// take returns the next ID. A step is 1 most often and 1.14 on average, so that
// what is planned never uses up the ranges, of which it needs two thirds.
func (s *ids) take() entity.ID {
	if s.next >= s.spans[0].to {
		s.spans = s.spans[1:]
		s.next = s.spans[0].from
	}
	id := s.next
	s.next++
	if s.random.percent(3) {
		s.next += entity.ID(s.random.between(1, 8))
	}
	if s.next == bunkerDoorID {
		s.next++
	}
	return id
}
