package test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// engine is a game's editor: it loads world.pack, changes what it has in
// memory, and saves all of that hours later.
type engine struct {
	t     require.TestingT
	b     *bench // nil where it is in a process of its own
	dir   string // of the world
	world *entity.World
	based [32]byte // the pack that it loaded or saved last
}

func (b *bench) engine() *engine {
	b.Helper()
	e := loadEngine(b, b.dir)
	e.b = b
	return e
}

func loadEngine(t require.TestingT, dir string) *engine {
	p, err := packfile.ReadFile(filepath.Join(dir, "world.pack"))
	require.NoError(t, err)
	e := &engine{t: t, dir: dir, world: entity.NewWorld(p.World(), p.Types()), based: p.Hash()}
	for n := range p.All() {
		e.world.Put(n)
	}
	return e
}

// move puts an entity somewhere, further than what is taken for the noise of
// computing where a child is.
func (e *engine) move(id entity.ID, x float32) {
	n, ok := e.world.Get(id)
	require.True(e.t, ok)
	n = n.Clone()
	i := n.Layout.Index("position")
	require.GreaterOrEqual(e.t, i, 0)
	n.Values[i] = entity.NewVec(entity.KindVec3, [4]uint32{math.Float32bits(32 + x)})
	e.world.Put(n)
}

// entities returns n entities that can be moved, which the sun cannot: its pose
// is noise, for it follows the clock.
func (e *engine) entities(n int) (ids []entity.ID) {
	for m := range e.world.All() {
		i := m.Layout.Index("position")
		if i >= 0 && m.Values[i].Kind() == entity.KindVec3 && m.Layout.Fields[i].InsignificantWhen == "" && len(ids) < n {
			ids = append(ids, m.ID)
		}
	}
	require.Len(e.t, ids, n)
	return ids
}

func (e *engine) encode(names bool) []byte {
	data, err := packfile.Encode(e.world.ID, e.world.Types, e.world)
	require.NoError(e.t, err)
	if names {
		packfile.SetBasedOn(data, e.based)
	}
	e.based = packfile.Hash(data)
	return data
}

func (e *engine) path(name string) string { return filepath.Join(e.dir, name) }

// replace saves beside and renames.
func (e *engine) replace(names bool) {
	require.NoError(e.t, os.WriteFile(e.path("world.pack.tmp"), e.encode(names), 0o644))
	require.NoError(e.t, os.Rename(e.path("world.pack.tmp"), e.path("world.pack")))
}

// overwrite saves as fopen("wb") and many fwrites do.
func (e *engine) overwrite(names bool) {
	f, err := os.Create(e.path("world.pack"))
	require.NoError(e.t, err)
	for data := e.encode(names); len(data) > 0; {
		n := min(len(data), 4096)
		_, err := f.Write(data[:n])
		require.NoError(e.t, err)
		data = data[n:]
	}
	require.NoError(e.t, f.Close())
}

// come waits until an entity's text in the mount has what the engine gave it.
func (e *engine) come(id entity.ID) {
	e.b.Helper()
	n, _ := e.world.Get(id)
	text := "position\n    " // and then the decimal, of which the hex is enough
	hex := n.Value("position").Component(0)
	want := " : " + strings.ToLower(hexOf(hex)) + "\n"
	e.b.eventually(func() bool {
		got := e.b.read(config.entityPath(id.String()))
		_, after, _ := strings.Cut(got, text)
		line, _, _ := strings.Cut(after, "\n")
		return strings.HasSuffix(line+"\n", want)
	})
}

func hexOf(u uint32) string {
	const digits = "0123456789abcdef"
	var out []byte
	for ; u > 0; u >>= 4 {
		out = append([]byte{digits[u&15]}, out...)
	}
	return string(out)
}

// inBothShapes runs a test on a mounted island in the shape for git and in the
// one for svn.
func inBothShapes(t *testing.T, do func(b *bench)) {
	for name, args := range map[string][]string{"entities": {"mount"}, "cover": {"mount", "--cover", "."}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.run("worldfs", "demo", "--entities", "100", "w")
			b = b.cd("w")
			b.run("worldfs", args...)
			b.Cleanup(func() { b.try("worldfs", "unmount") })
			do(b)
			b.requireNoDescriptorLeft() // of packs that were saved through the mount
			require.Empty(t, b.run("worldfs", "check"))
			b.run("worldfs", "unmount")
		})
	}
}

// The engine loads; a teammate's pull comes in and is published; the engine
// saves, and saves again. Nothing of either is lost.
func TestAnEngineSavesWhatItLoadedLongAgo(t *testing.T) {
	t.Parallel()
	inBothShapes(t, func(b *bench) {
		for i, save := range []func(*engine, bool){(*engine).replace, (*engine).overwrite} {
			for k, names := range []bool{true, false} {
				e := b.engine()
				ids := e.entities(40)[10*(2*i+k):]
				theirs := config.entityPath(ids[0].String())
				for _, x := range []string{"77.5", "78.5"} {
					b.run("sed", "-i", "/^; position/{n;s/.*/    "+x+"/}", theirs)
					b.run("worldfs", "sync")
				}
				text := b.read(theirs)
				require.Contains(b, text, "78.5")
				untouched := b.run("stat", "-c", "%i %y %z", config.entityPath(ids[1].String()))

				e.move(ids[2], 7)
				save(e, names)
				e.come(ids[2])
				e.move(ids[3], 8)
				e.move(ids[2], 9)
				save(e, names)
				e.come(ids[3])
				e.come(ids[2])
				require.Equal(b, text, b.read(theirs), "the teammate's work")
				require.Equal(b, untouched, b.run("stat", "-c", "%i %y %z", config.entityPath(ids[1].String())))
				b.run("worldfs", "sync")
			}
		}
	})
}

func TestAnEngineThatIsCutOff(t *testing.T) {
	t.Parallel()
	inBothShapes(t, func(b *bench) {
		good := b.read("world.pack")
		e := b.engine()
		id := e.entities(1)[0]
		e.move(id, 7)
		whole := e.encode(true)
		require.NoError(b, os.WriteFile(b.path("world.pack"), whole[:len(whole)/2], 0o644))
		b.eventually(func() bool { return b.read("world.pack") == good })
		b.eventually(func() bool {
			aside, err := filepath.Glob(b.path(".worldfs/packs/unreadable*"))
			require.NoError(b, err)
			if len(aside) != 1 {
				return false
			}
			data, err := os.ReadFile(aside[0])
			return err == nil && bytes.Equal(data, whole[:len(whole)/2])
		})
		require.Contains(b, b.run("worldfs", "status"), "put aside")
		require.NoError(b, os.WriteFile(b.path("world.pack"), whole, 0o644))
		e.come(id)
	})
}

// The daemon is killed while saves come in: none is lost, none comes in twice.
func TestADaemonKilledWhileAnEngineSaves(t *testing.T) {
	t.Parallel()
	b := mountedDemo(t, 100)
	e := b.engine()
	ids := e.entities(6)
	for i, id := range ids {
		e.move(id, float32(10+i))
		e.replace(i%2 == 0)
		time.Sleep(time.Duration(i*i) * 5 * time.Millisecond) // at another point of the intake each time
		b.kill()
		b.run("worldfs", "mount")
		e.come(id)
	}
	for _, id := range ids {
		e.come(id)
	}
	require.Empty(t, b.run("worldfs", "check"))
	require.Len(t, b.names("entities"), 100)
}
