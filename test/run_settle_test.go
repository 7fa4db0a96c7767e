package test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/packfile"
)

// withAndWithoutMount runs a test of run in a fresh clone where it mounts, and where it
// cannot: what is done with a save is the same.
func withAndWithoutMount(t *testing.T, do func(t *testing.T, b *bench, starts func() *running)) {
	t.Run("mounted", func(t *testing.T) {
		b := freshClone(t)
		do(t, b, func() *running { return b.starts() })
		require.False(t, b.mounted())
	})
	t.Run("watched", func(t *testing.T) {
		b := freshClone(t)
		do(t, b, b.startsWithoutFUSE)
	})
}

// removeAllBut removes all entities but so many.
func (e *engine) removeAllBut(n int) {
	for _, m := range slices.Collect(e.world.All())[n:] {
		e.world.Delete(m.ID)
	}
}

// A save without most entities is not taken in, which is told, each time.
func TestRunOfAGameThatLosesTheWorld(t *testing.T) {
	t.Parallel()
	withAndWithoutMount(t, func(t *testing.T, b *bench, starts func() *running) {
		for left := range 2 {
			r := starts()
			good := b.read("world.pack")
			e := b.engine()
			e.removeAllBut(left)
			e.replace(true)
			said, status := r.ends()
			require.Equal(t, 1, status, said)
			require.Contains(t, said, "nothing of the save is taken in")
			require.Contains(t, said, "what the game has saved was not taken in")
			require.Equal(t, good, b.read("world.pack"))
			said, status = starts().ends()
			require.Zero(t, status, said)
			require.Contains(t, said, "nothing has changed in this session")
		}
	})
}

// A save that is cut off is put aside, which is told. The good pack is in its place.
func TestRunOfAGameThatIsCutOffAmidItsSave(t *testing.T) {
	t.Parallel()
	withAndWithoutMount(t, func(t *testing.T, b *bench, starts func() *running) {
		r := starts()
		e := b.engine()
		e.move(e.entities(1)[0], 1234)
		data := e.encode(true)
		require.NoError(t, os.WriteFile(b.path("world.pack"), data[:len(data)/2], 0o644))
		said, status := r.ends()
		require.Equal(t, 1, status, said)
		require.Contains(t, said, "could not be taken in was put aside")
		_, err := packfile.ReadFile(b.path("world.pack"))
		require.NoError(t, err)

		r = starts()
		id := b.engineMoves()
		said, status = r.ends()
		require.Zero(t, status, said)
		b.requireMoved(id)
	})
}

// How a game has ended goes before what became of its save, which is told all the same.
func TestRunOfAGameThatFailsAndLosesTheWorld(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	e := b.engine()
	e.removeAllBut(0)
	require.NoError(t, os.WriteFile(b.beside("lossy.pack"), e.encode(true), 0o644))
	out, status := b.try("worldfs", "run", "-q", "--", "sh", "-c", `cp "$1" world.pack.tmp; mv world.pack.tmp world.pack; exit 9`, "sh", b.beside("lossy.pack"))
	require.Equal(t, 9, status)
	require.Contains(t, out, "what the game has saved was not taken in")
	require.False(t, b.mounted())
}

// Where entities are removed in the mount, most of them, that is told, and the world stays
// mounted for a person to decide.
func TestRunInWhichTheWorldIsRemoved(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	r := b.starts()
	b.run("sh", "-c", "find entities -name '*.entity_text' -delete")
	said, status := r.ends()
	require.Equal(t, 1, status, said)
	require.Contains(t, said, "the world stays mounted")
	require.Contains(t, said, "--allow-loss")
	require.True(t, b.mounted())
	b.run("worldfs", "unmount", "--allow-loss")
}

// A process that has a file of the mount open keeps it, which is told; what the game has saved
// is published.
func TestRunWhoseMountIsBusyAtTheEnd(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	r := b.starts()
	id := b.engineMoves()
	holder := b.stand(".")
	name := b.names("entities")[0]
	require.Empty(t, holder.does("exec 9<entities/"+name))
	said, status := r.ends()
	require.Equal(t, 3, status, said)
	require.Contains(t, said, "(process "+strconv.Itoa(holder.cmd.Process.Pid)+") has open "+b.path("entities/"+name))
	require.Contains(t, said, "in this session: 1 changed")
	require.Contains(t, said, "worldfs unmount ends it")
	require.True(t, b.mounted())
	b.requireMoved(id)
	holder.leaves()
	said, status = b.starts().ends() // the next is the last that uses it
	require.Zero(t, status, said)
	require.False(t, b.mounted())
}

// A shell that stands in the mount does not keep it.
func TestRunWhoseMountAShellStandsIn(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	r := b.starts()
	s := b.stand("entities")
	said, status := r.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "bash (process "+strconv.Itoa(s.cmd.Process.Pid)+") is in "+b.path("entities"))
	require.False(t, b.mounted())
	s.leaves()
}

// A daemon that is killed while the game runs loses nothing: the world is as it is without one.
func TestRunWhoseDaemonIsKilled(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	r := b.starts()
	b.kill()
	id := b.engineMoves()
	said, status := r.ends()
	require.Zero(t, status, said)
	require.False(t, b.mounted())
	b.requireMoved(id)
}

// What is edited in the types while the game runs holds at the end.
func TestRunWhileTypesAreEdited(t *testing.T) {
	t.Parallel()
	withAndWithoutMount(t, func(t *testing.T, b *bench, starts func() *running) {
		r := starts()
		e := b.engine()
		id := e.entities(1)[0]
		n, _ := e.world.Get(id)
		file := "types/" + n.Type() + ".toml"
		b.write(file, b.read(file)+"\n[[fields]]\nname = \"mood\"\nkind = \"string\"\noptional = true\n")
		e.move(id, 1234)
		e.replace(true)
		said, status := r.ends()
		require.Zero(t, status, said)
		b.requireMoved(id)
		b.run("worldfs", "set", "--where", "id == "+id.String(), `mood = "merry"`)
		require.Contains(t, b.run("worldfs", "show", id.String()), "merry")
	})
}

// On a full disk the game runs; what of it could not be kept is told, and is there once there
// is room.
func TestRunOnAFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	d := newSmallDisk(t, "tmpfs", false)
	d.run("worldfs", "demo", "--entities", "100", "disk/w")
	b := d.cd("disk/w")
	r := b.starts()
	id := b.engine().entities(1)[0].String()
	b.run("worldfs", "set", "--where", "id == "+id, "position.x = 4321.5")
	d.fill()
	said, status := r.ends()
	require.Contains(t, []int{0, 3}, status, said) // whether the reserve is enough is the disk's matter
	d.run("rm", "-rf", "disk/filler")
	require.Contains(t, b.run("worldfs", "show", id), "4321.5")

	d.fill()
	out, status := b.try("worldfs", "run", "--", "sh", "-c", "echo started; exit 5")
	require.Equal(t, 5, status, out)
	require.Contains(t, out, "started")
	d.run("rm", "-rf", "disk/filler")
	b.try("worldfs", "unmount")
	var st struct{ Failure string }
	require.NoError(t, json.Unmarshal([]byte(b.run("worldfs", "status", "--json")), &st))
	require.Empty(t, st.Failure)
}
