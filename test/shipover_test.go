package test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/packfile"
)

// bareDoors is a world of which nothing is the editor's only, and which names nothing.
const bareDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"width","kind":"u8"},{"name":"to","kind":"ref"}]}}
{"entity":{"id":6555,"type":"Door","revision":1,"fields":{"width":11,"to":6556}}}
{"entity":{"id":6556,"type":"Door","revision":1,"fields":{"width":12}}}
{"entity":{"id":6560,"type":"Door","revision":1,"fields":{"width":13}}}
`

// lowDoors is a world of whose IDs most are in a build that is numbered anew, too.
const lowDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"width","kind":"u8"},{"name":"to","kind":"ref"}]}}
{"entity":{"id":2,"type":"Door","revision":1,"fields":{"width":11,"to":3}}}
{"entity":{"id":3,"type":"Door","revision":1,"fields":{"width":12}}}
{"entity":{"id":4,"type":"Door","revision":1,"fields":{"width":13}}}
{"entity":{"id":6560,"type":"Door","revision":1,"fields":{"width":15}}}
`

// notedDoors is a world with names, and notes that only the editor has.
const notedDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"entity_name","kind":"string"},{"name":"width","kind":"u8"},{"name":"note","kind":"string","editor_only":true}]}}
{"entity":{"id":6555,"type":"Door","revision":1,"fields":{"entity_name":"bunker door","width":11,"note":"too narrow"}}}
{"entity":{"id":6556,"type":"Door","revision":1,"fields":{"entity_name":"other door","width":12,"note":"as it was"}}}
{"entity":{"id":6560,"type":"Door","revision":1,"fields":{"entity_name":"third door","width":13}}}
`

// namedDoors is a world with names.
const namedDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"entity_name","kind":"string"},{"name":"width","kind":"u8"}]}}
{"entity":{"id":6555,"type":"Door","revision":1,"fields":{"entity_name":"bunker door","width":11}}}
{"entity":{"id":6556,"type":"Door","revision":1,"fields":{"entity_name":"other door","width":12}}}
{"entity":{"id":6560,"type":"Door","revision":1,"fields":{"entity_name":"third door","width":13}}}
`

// shipCase is a world, how it ships, and what the build is said to be without.
type shipCase struct {
	world, settings string
	args            []string
	lacks           string
}

func shipCases() map[string]shipCase {
	return map[string]shipCase{
		"names = false":  {world: namedDoors, settings: "\n[ship]\nnames = false\n", lacks: "the entities' names"},
		"default":        {world: notedDoors, lacks: "what only the editor has"},
		"--renumber":     {world: bareDoors, args: []string{"--renumber"}, lacks: "the entities' IDs"},
		"of low IDs":     {world: lowDoors, args: []string{"--renumber"}, lacks: "the entities' IDs"},
		"all of a world": {world: notedDoors, settings: "\n[ship]\nnames = false\n", args: []string{"--renumber"}, lacks: "the entities' names"},
	}
}

// plainWorld returns a world that is not mounted, with plain files.
func plainWorld(t *testing.T, lines string) *bench {
	b := newBench(t)
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("worldfs", "init", "w")
	b = b.cd("w")
	b.write("../world.jsonl", lines)
	b.run("worldfs", "import", "../world.jsonl")
	return b
}

// shipped returns a world of which a ship build lies beside it, made before the last edit.
func (c shipCase) shipped(t *testing.T) *bench {
	b := plainWorld(t, c.world)
	b.write("world.toml", b.read("world.toml")+c.settings)
	b.run("worldfs", append([]string{"pack", "--ship", "-o", "../ship.pack"}, c.args...)...)
	b.run("worldfs", "set", "--where", "id == 6560", "width = 14")
	return b
}

// aside returns what lies in quarantine.
func (b *bench) aside() []string {
	b.Helper()
	files, err := filepath.Glob(b.path(".worldfs/packs/unreadable*"))
	require.NoError(b, err)
	return files
}

// packIs reports whether world.pack has these bytes. It may be about to be replaced.
func (b *bench) packIs(data string) bool {
	got, err := os.ReadFile(b.path("world.pack"))
	return err == nil && string(got) == data
}

// requireAside requires that one file was put aside, with these bytes.
func (b *bench) requireAside(data string) {
	b.Helper()
	files := b.aside()
	require.Len(b, files, 1)
	got, err := os.ReadFile(files[0])
	require.NoError(b, err)
	require.Equal(b, data, string(got))
}

// A ship build that is copied over the world's own pack is no save: it lacks what only the
// editor has, and would take it away.
func TestAShipBuildOverTheWorld(t *testing.T) {
	t.Parallel()
	for name, c := range shipCases() {
		t.Run(name, func(t *testing.T) {
			t.Run("mounted", func(t *testing.T) { c.overMounted(t) })
			t.Run("not mounted", func(t *testing.T) { c.overUnmounted(t) })
			t.Run("left by a kill", func(t *testing.T) { c.overKilled(t) })
		})
	}
}

// overMounted: it is put aside, and the world's pack stands again.
func (c shipCase) overMounted(t *testing.T) {
	b := c.shipped(t)
	b.mount()
	was, pack := b.run("worldfs", "export", "-o", "-"), b.read("world.pack")
	b.run("cp", "-p", "../ship.pack", "world.pack")
	b.eventually(func() bool { return len(b.aside()) == 1 && b.packIs(pack) })
	b.requireAside(b.read("../ship.pack"))
	said, _ := b.try("worldfs", "status")
	require.Contains(t, said, "a ship build")
	require.Contains(t, said, c.lacks)
	require.Equal(t, was, b.run("worldfs", "export", "-o", "-"))
	b.run("worldfs", "unmount")
	require.Equal(t, was, b.run("worldfs", "export", "-o", "-"))
}

// overUnmounted: no command takes it in; each says what it is, and restore puts it aside.
func (c shipCase) overUnmounted(t *testing.T) {
	b := c.shipped(t)
	was, pack := b.run("worldfs", "export", "-o", "-"), b.read("world.pack")
	b.run("cp", "../ship.pack", "world.pack")
	for _, command := range [][]string{{"status"}, {"sync"}, {"check"}, {"pack"}, {"export", "-o", "-"}, {"mount"}, {"ls"}} {
		said, status := b.try("worldfs", command...)
		require.NotZero(t, status, "%s: %s", command, said)
		for _, part := range []string{"world.pack is a ship build", c.lacks, "worldfs restore"} {
			require.Contains(t, said, part, command)
		}
		require.Equal(t, b.read("../ship.pack"), b.read("world.pack"), command)
	}
	said := b.run("worldfs", "restore")
	require.Contains(t, said, "a ship build")
	require.Equal(t, pack, b.read("world.pack"))
	b.requireAside(b.read("../ship.pack"))
	require.Equal(t, was, b.run("worldfs", "export", "-o", "-"))

	// Or it is removed.
	b.run("cp", "../ship.pack", "world.pack")
	b.run("rm", "world.pack")
	require.Equal(t, was, b.run("worldfs", "export", "-o", "-"))
}

// overKilled: what a killed process has left beside world.pack is not taken in either.
func (c shipCase) overKilled(t *testing.T) {
	b := c.shipped(t)
	was := b.run("worldfs", "export", "-o", "-")
	b.run("cp", "../ship.pack", filepath.Base(disk.Beside("world.pack", "next")))
	require.Equal(t, was, b.run("worldfs", "export", "-o", "-"))
	require.Len(t, b.aside(), 1)
}

// Where a world was never opened here nothing is known of its packs.
func TestAShipBuildOverTheWorldOfAFreshClone(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.cd("../../origin/w").run("worldfs", "pack", "--ship", "--allow-loss", "-o", "../../ship.pack")
	b.run("cp", "../../ship.pack", "world.pack")
	said, status := b.try("worldfs", "status")
	require.NotZero(t, status, said)
	require.Contains(t, said, "world.pack is a ship build")
	b.run("rm", "world.pack")
	b.run("worldfs", "pack")
	require.Empty(t, b.run("git", "status", "--short"))
}

// keep and run without a mount put it aside, as a mount does.
func TestAShipBuildOverTheWorldThatIsKept(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	pack := b.read("world.pack")
	b.run("worldfs", "pack", "--ship", "--allow-loss", "-o", "../../ship.pack")
	k := b.keeps()
	b.run("cp", "../../ship.pack", "world.pack")
	b.eventually(func() bool { return len(b.aside()) == 1 && b.packIs(pack) })
	k.says("a ship build")
	require.Zero(t, k.ends(), k.out.String())
	require.NotContains(t, k.out.String(), "published: ")
	require.Empty(t, b.run("git", "status", "--short"))

	r := b.startsWithoutFUSE()
	b.run("cp", "../../ship.pack", "world.pack")
	said, status := r.ends()
	require.Equal(t, 1, status, said)
	require.Contains(t, said, "a ship build")
	require.Equal(t, pack, b.read("world.pack"))
	require.Empty(t, b.run("git", "status", "--short"))
}

// A save that goes on from a save which no one has read says that it is based on itself where
// nothing has changed in between, as a ship build does. It is a save.
func TestASecondSaveOfTheSameIsNoShipBuild(t *testing.T) {
	t.Parallel()
	for name, doors := range map[string]string{"bare": bareDoors, "named": namedDoors, "noted": notedDoors} {
		t.Run(name, func(t *testing.T) {
			b := shipCase{world: doors}.shipped(t)
			e := b.engine()
			e.widen(func(uint64) uint64 { return 100 })
			e.replace(true)
			e.replace(true)
			p, err := packfile.ReadFile(b.path("world.pack"))
			require.NoError(t, err)
			require.Equal(t, p.Hash(), p.BasedOn(), hex.EncodeToString(e.based[:]))
			b.run("worldfs", "sync")
			require.Empty(t, b.aside())
			require.Contains(t, b.run("worldfs", "ls", "--where", "width >= 100"), "6555")
		})
	}
}

// denseDoors is bareDoors with the IDs that a build that is numbered anew would give.
const denseDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"width","kind":"u8"},{"name":"to","kind":"ref"}]}}
{"entity":{"id":1,"type":"Door","revision":1,"fields":{"width":11,"to":2}}}
{"entity":{"id":2,"type":"Door","revision":1,"fields":{"width":12}}}
{"entity":{"id":3,"type":"Door","revision":1,"fields":{"width":13}}}
{"entity":{"id":4,"type":"Door","revision":1,"fields":{"width":14}}}
`

// switchDoors is a world of which many entities have the same values.
const switchDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"width","kind":"u8"}]}}
{"entity":{"id":1,"type":"Door","revision":1,"fields":{"width":0}}}
{"entity":{"id":2,"type":"Door","revision":1,"fields":{"width":1}}}
{"entity":{"id":3,"type":"Door","revision":1,"fields":{"width":0}}}
{"entity":{"id":4,"type":"Door","revision":1,"fields":{"width":1}}}
{"entity":{"id":5,"type":"Door","revision":1,"fields":{"width":0}}}
`

// widen has the engine give each door a width.
func (e *engine) widen(width func(was uint64) uint64) {
	for m := range e.world.All() {
		n, i := m.Clone(), m.Layout.Index("width")
		n.Values[i] = entity.NewUint(entity.KindU8, width(m.Values[i].Uint()))
		e.world.Put(n)
	}
}

// Most of a small world that is changed, of which the last entity is deleted, has IDs such as
// a build that is numbered anew. They are the ones that these entities had.
func TestASecondSaveOfMostOfTheWorldIsNoShipBuild(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		doors string
		width func(was uint64) uint64
	}{
		"all the same": {denseDoors, func(uint64) uint64 { return 100 }},
		"each other":   {denseDoors, func(was uint64) uint64 { return was + 100 }},
		"switched":     {switchDoors, func(was uint64) uint64 { return 1 - was }},
	} {
		t.Run(name, func(t *testing.T) {
			b := plainWorld(t, c.doors)
			e := b.engine()
			e.widen(c.width)
			e.world.Delete(entity.ID(e.world.Len()))
			e.replace(true)
			e.replace(true)
			b.run("worldfs", "sync")
			require.Empty(t, b.aside())
			require.Len(t, b.names("entities"), e.world.Len())
			door, _ := e.world.Get(1)
			where := fmt.Sprintf("id == 1 and width == %d", door.Value("width").Uint())
			require.NotEmpty(t, b.run("worldfs", "ls", "--where", where), where)
		})
	}
}

// Where a field has another name since the game loaded the world, its entities are still the
// ones of their IDs.
func TestASecondSaveOfAFieldOfBeforeIsNoShipBuild(t *testing.T) {
	t.Parallel()
	b := plainWorld(t, denseDoors)
	e := b.engine()
	b.run("worldfs", "new", "Door")
	b.write("types/Door.toml", `name = "Door"
revision = 2
fields = [
 {name="width", kind="u8", until=2, successor="breadth"},
 {name="to", kind="ref"},
 {name="breadth", kind="u8", since=2},
]
`)
	b.run("worldfs", "fmt", "--upgrade")
	b.run("worldfs", "pack")
	now := b.names("entities")
	e.widen(func(was uint64) uint64 { return max(was, 12) })
	e.replace(true)
	e.replace(true)
	b.run("worldfs", "sync")
	require.Empty(t, b.aside())
	require.Equal(t, now, b.names("entities"))
	require.NotEmpty(t, b.run("worldfs", "ls", "--where", "id == 1 and breadth == 12"))
}

// The pack that a world goes on from is its own, whatever it says that it is based on, and
// whatever is declared by now.
func TestAPackThatWasSavedTwiceIsTheWorldsOwn(t *testing.T) {
	t.Parallel()
	b := plainWorld(t, namedDoors)
	e := b.engine()
	e.replace(true)
	e.replace(true)
	b.run("rm", "-r", ".worldfs")
	b.run("worldfs", "status") // it is the base now
	packs, err := filepath.Glob(b.path(".worldfs/packs/*"))
	require.NoError(t, err)
	require.NotEmpty(t, packs)
	b.run("rm", append([]string{"-r"}, packs...)...) // as if it could not be kept
	b.write("types/Door.toml", strings.Replace(b.read("types/Door.toml"), `kind = "u8"`, "kind = \"u8\"\neditor_only = true", 1))
	require.Contains(t, b.run("worldfs", "restore"), "nothing")
	b.run("worldfs", "status")
	b.run("worldfs", "sync")
	require.Empty(t, b.aside())
	require.Len(t, b.names("entities"), 3)
}

// A pack of another world that lies there is said to be another world's: to save again would
// not help.
func TestAnotherWorldsPackOverTheWorld(t *testing.T) {
	t.Parallel()
	b := shipCase{world: namedDoors}.shipped(t)
	o := b.cd("..")
	o.run("worldfs", "init", "other")
	o.cd("other").run("worldfs", "import", "../world.jsonl")
	b.mount()
	pack := b.read("world.pack")
	b.run("cp", "../other/world.pack", "world.pack")
	b.eventually(func() bool { return len(b.aside()) == 1 && b.packIs(pack) })
	said, _ := b.try("worldfs", "status")
	require.Contains(t, said, "another world's pack")
	require.NotContains(t, said, "save again")
}
