package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// The types that an older build of a game knows, and those of today: a field of the same
// revision, one of the next, one that is renamed then, a name of an enum, a field gone,
// and a type.
const (
	oldDoor = `name = "Door"
revision = 1
fields = [
 {name="name", kind="string"},
 {name="power", kind="u32"},
 {name="state", kind="enum", values=["closed","open"]},
 {name="gone", kind="u8"},
]
`
	newDoor = `name = "Door"
revision = 2
fields = [
 {name="name", kind="string"},
 {name="extra", kind="string"},
 {name="power", kind="u32", until=2, successor="watts"},
 {name="watts", kind="u32", since=2},
 {name="state", kind="enum", values=["closed","open","ajar"]},
 {name="ahead", kind="f32", since=2},
]
`
	newLamp = `name = "Lamp"
revision = 1
fields = [ {name="lit", kind="bool"} ]
`
)

// oldWorld makes a world of six doors and loads it into an engine; then the types go on, and
// entities with them.
func oldWorld(b *bench, mounted bool) (w *bench, e *engine) {
	b.run("worldfs", "init", "w")
	w = b.cd("w")
	w.write("types/Door.toml", oldDoor)
	for _, id := range []string{"1", "2", "3", "4", "5", "6"} {
		require.NoError(b, os.MkdirAll(filepath.Dir(w.path(config.entityPath(id))), 0o777))
		w.write(config.entityPath(id), "Door\n1\n"+id+"\n; name\n    \"door\"\n; power\n    5\n; state\n    closed\n; gone\n    7\n")
	}
	w.run("worldfs", "pack")
	e = w.engine()
	if mounted {
		w.mount()
	}
	w.write("types/Door.toml", newDoor)
	w.write("types/Lamp.toml", newLamp)
	w.run("worldfs", "set", "--where", "id == 1", `extra = "keep me"`)
	w.run("worldfs", "fmt", "--upgrade", "2")
	w.run("worldfs", "set", "--where", "id == 2", "watts = 77", "ahead = 1.5", `extra = "two"`)
	w.run("worldfs", "set", "--where", "id == 3", `state = "ajar"`)
	w.write("lamp.jsonl", `{"entity":{"id":9,"type":"Lamp","revision":1,"fields":{"lit":true}}}`+"\n")
	w.run("worldfs", "import", "lamp.jsonl")
	w.run("worldfs", "sync")
	return w, e
}

// edit has the engine edit what it knows: names of doors, a state, a field that is gone, a
// door more and one less.
func (e *engine) edit() {
	set := func(id entity.ID, field string, v entity.Value) {
		n, _ := e.world.Get(id)
		n = n.Clone()
		n.Values[n.Layout.Index(field)] = v
		e.world.Put(n)
	}
	for id := entity.ID(1); id <= 3; id++ {
		set(id, "name", entity.NewString("renamed"))
	}
	set(4, "state", entity.NewInt(entity.KindEnum, 1))
	set(4, "gone", entity.NewUint(entity.KindU8, 8))
	set(6, "power", entity.NewUint(entity.KindU32, 6))
	four, _ := e.world.Get(4)
	n := *four.Clone()
	n.ID = 20
	e.world.Put(&n)
	e.world.Delete(5)
}

// requireBoth requires that the world has what the engine changed and all that came with the
// newer types.
func requireBoth(w *bench) {
	for id, want := range map[string]string{
		"1":  "Door\n1\n1\n; name\n    \"renamed\"\n; extra\n    \"keep me\"\n; power\n    5\n; state\n    closed\n; gone\n    7\n",
		"2":  "Door\n2\n2\n; name\n    \"renamed\"\n; extra\n    \"two\"\n; watts\n    77\n; state\n    closed\n; ahead\n    1.500000 : 3fc00000\n; gone\n    7\n",
		"3":  "Door\n1\n3\n; name\n    \"renamed\"\n; extra\n    \"\"\n; power\n    5\n; state\n    ajar\n; gone\n    7\n",
		"4":  "Door\n1\n4\n; name\n    \"door\"\n; extra\n    \"\"\n; power\n    5\n; state\n    open\n; gone\n    8\n",
		"6":  "Door\n1\n6\n; name\n    \"door\"\n; extra\n    \"\"\n; power\n    6\n; state\n    closed\n; gone\n    7\n",
		"9":  "Lamp\n1\n9\n; lit\n    true\n",
		"20": "Door\n1\n20\n; name\n    \"door\"\n; extra\n    \"\"\n; power\n    5\n; state\n    open\n; gone\n    8\n",
	} {
		require.Equal(w, want, w.run("worldfs", "show", id), "entity %s", id)
	}
	_, status := w.try("worldfs", "show", "5")
	require.NotZero(w, status, "5 is deleted")
	require.Equal(w, newDoor, w.read("types/Door.toml"))
	require.Equal(w, newLamp, w.read("types/Lamp.toml"))
}

func TestAnEngineOfOlderTypesSavesOverTheMount(t *testing.T) {
	t.Parallel()
	for _, save := range []func(*engine){
		func(e *engine) { e.replace(true) }, func(e *engine) { e.replace(false) },
		func(e *engine) { e.overwrite(true) }, func(e *engine) { e.overwrite(false) },
	} {
		w, e := oldWorld(newBench(t), true)
		e.edit()
		save(e)
		require.Eventually(t, func() bool {
			out, _ := w.try("worldfs", "show", "1")
			return strings.Contains(out, "renamed")
		}, 20*time.Second, 50*time.Millisecond)
		requireBoth(w)
		w.run("worldfs", "unmount")
		requireBoth(w)
	}
}

func TestAnEngineOfOlderTypesSavesWhileNothingIsMounted(t *testing.T) {
	t.Parallel()
	for _, names := range []bool{true, false} {
		w, e := oldWorld(newBench(t), false)
		e.edit()
		e.replace(names)
		w.run("worldfs", "sync")
		requireBoth(w)
	}
}

// The same by the doors that a person opens. A change set names no field that there is not:
// it is refused as a whole, and says which field that is.
func TestAPackOfOlderTypesComesInByHand(t *testing.T) {
	t.Parallel()
	for _, mounted := range []bool{true, false} {
		w, e := oldWorld(newBench(t), mounted)
		w.write("base.pack", string(e.encode(false)))
		e.edit()
		w.write("saved.pack", string(e.encode(true)))
		w.write("x.changes", w.run("worldfs", "diff", "base.pack", "saved.pack"))
		before := w.run("worldfs", "export")
		out, status := w.try("worldfs", "apply", "x.changes")
		require.Equal(t, 3, status, out)
		require.Contains(t, out, "field gone: its type has no such field")
		require.Equal(t, before, w.run("worldfs", "export"))
	}
}
