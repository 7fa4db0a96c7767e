package test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// output is what a program that runs has printed.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// lazily is a text as it is when it is printed.
type lazily func() string

func (l lazily) String() string { return l() }

// keeping is a worldfs keep that is at work.
type keeping struct {
	*bench
	cmd *exec.Cmd
	out output
}

func (b *bench) keeps() *keeping {
	b.Helper()
	k := b.startsKeep()
	k.says("are kept so")
	return k
}

func (b *bench) startsKeep() *keeping {
	b.Helper()
	k := &keeping{bench: b, cmd: b.command(binary, "keep")}
	k.cmd.Stdout, k.cmd.Stderr = &k.out, &k.out
	require.NoError(b, k.cmd.Start())
	b.Cleanup(func() {
		_ = k.cmd.Process.Kill()
		_ = k.cmd.Wait()                  // it may have been waited for
		_, _ = b.try("worldfs", "select") // takes away the socket of one that did not end by itself
	})
	return k
}

func (k *keeping) says(text string) {
	k.Helper()
	require.Eventually(k, func() bool { return strings.Contains(k.out.String(), text) }, time.Minute, 10*time.Millisecond, "%s", lazily(k.out.String))
}

// ends interrupts keep, and returns its exit status.
func (k *keeping) ends() int {
	k.Helper()
	require.NoError(k, k.cmd.Process.Signal(syscall.SIGINT))
	if err := k.wait(k.cmd); err != nil {
		require.NotNil(k, k.cmd.ProcessState, err)
	}
	return k.cmd.ProcessState.ExitCode()
}

var firstOfPosition = regexp.MustCompile(`(; position\n    )[^\n]*`)

// place writes an entity's text with another x in it.
func (b *bench) place(name, x string) {
	b.Helper()
	b.write(name, firstOfPosition.ReplaceAllString(b.read(name), "${1}"+x))
}

// movable returns the file of an entity that has a position.
func (b *bench) movable() string {
	b.Helper()
	return config.entityPath(b.engine().entities(1)[0].String())
}

// hasAt reports whether a text has an entity at an x.
func (b *bench) hasAt(name, x string) bool {
	b.Helper()
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(firstOfPosition.FindString(b.read(name)), "; position\n")), x)
}

// What the game saves comes into the files, what is edited there into the pack, and both sides'
// edits of one entity are merged, in either shape of files.
func TestKeep(t *testing.T) {
	t.Parallel()
	for _, shard := range []string{"none", "last-digit"} {
		t.Run(shard, func(t *testing.T) {
			b := freshClone(t)
			in, err := layout.Parse(shard)
			require.NoError(t, err)
			if in != config.layout() {
				b.run("worldfs", "shard", shard)
			}
			b.run("worldfs", "pack")
			k := b.keeps()
			e := b.engine()
			ids := e.entities(3)
			text := func(id entity.ID) string { return filepath.Join("entities", in.Path(id)) }

			e.move(ids[0], 1234)
			e.replace(true)
			b.eventually(func() bool { return b.hasAt(text(ids[0]), "1266") })

			before := b.read("world.pack")
			b.place(text(ids[1]), "4321.5")
			b.eventually(func() bool { return b.read("world.pack") != before })

			moved := b.read(text(ids[2]))
			e.move(ids[2], 77) // the game has not loaded the other edit
			e.overwrite(true)
			b.eventually(func() bool { return b.read(text(ids[2])) != moved })
			require.True(t, b.hasAt(text(ids[1]), "4321.5"))

			good := b.read(text(ids[1]))
			b.write(text(ids[1]), strings.Replace(good, "; position\n", "; position\n    what\n", 1))
			k.says("is no decimal number")
			b.write(text(ids[1]), good)
			require.Zero(t, k.ends(), k.out.String())
			require.Equal(t, 1, k.count("is no decimal number"), k.out.String())
			require.Empty(t, b.run("worldfs", "check"))
			require.Contains(t, b.run("worldfs", "show", ids[1].String()), "4321.5")
		})
	}
}

func (k *keeping) count(text string) int { return strings.Count(k.out.String(), text) }

// A checkout comes into the pack.
func TestKeepMeetsACheckout(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	first := b.movable()
	was := b.read("world.pack")
	b.place(first, "4321.5")
	b.run("worldfs", "sync")
	b.run("git", "checkout", "-q", "-b", "moved")
	b.run("git", "commit", "-q", "-am", "moved")
	b.run("git", "checkout", "-q", "-")
	k := b.keeps()
	require.True(t, was == b.read("world.pack"))
	b.run("git", "checkout", "-q", "moved")
	b.eventually(func() bool { return was != b.read("world.pack") })
	k.says("published: 1 changed")
	require.Empty(t, b.run("git", "status", "--porcelain"))
	require.Zero(t, k.ends(), k.out.String())
}

// One keep is at work in a world; one that is killed is in nobody's way.
func TestKeepIsAlone(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	out, code := b.try("worldfs", "keep")
	require.Equal(t, 3, code)
	require.Contains(t, out, "another worldfs keep is at work in this world, or worldfs run without a mount: process ")
	require.NoError(t, k.cmd.Process.Kill())
	_ = k.cmd.Wait()
	k = b.keeps()
	require.Zero(t, k.ends(), k.out.String())
}

// A world without plain files is kept, and told of.
func TestKeepOfAWorldWithoutPlainFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "120", "w")
	b = b.cd("w")
	k := b.startsKeep()
	k.says("plain = true in world.toml")
	id := b.engineMoves()
	k.says("published: 1 changed")
	b.requireMoved(id)
	require.Zero(t, k.ends(), k.out.String())
}

// While the world is mounted its daemon does what keep does.
func TestKeepMeetsAMount(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	b.mount()
	k.says("the world is mounted")
	first := b.movable()
	b.place(first, "4321.5")
	b.run("worldfs", "keep") // which has nothing to do
	b.run("worldfs", "unmount")
	k.says("not mounted any more")
	before := b.read("world.pack")
	b.place(first, "4322.5")
	b.eventually(func() bool { return b.read("world.pack") != before })
	require.Zero(t, k.ends(), k.out.String())
}

// A game that is killed amid a save leaves half a pack: the good one comes back, and what was
// edited meanwhile is in it.
func TestKeepMeetsASaveThatIsCutOff(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	first := b.movable()
	k := b.keeps()
	whole := b.read("world.pack")
	b.write("world.pack", whole[:len(whole)/2])
	b.place(first, "4321.5")
	k.says("a save was cut off")
	b.eventually(func() bool {
		out, code := b.try("worldfs", "check")
		return code == 0 && out == ""
	})
	require.Zero(t, k.ends(), k.out.String())
	require.True(t, b.hasAt(first, "4321.5"))
	require.Greater(t, len(b.read("world.pack")), len(whole)/2)
}

// Most files are gone: the pack keeps them, keep says so, and ends with it.
func TestKeepMeetsAGreatLoss(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	was := b.read("world.pack")
	b.run("sh", "-c", "rm -r entities/*")
	k.says("entities in world.pack")
	require.Equal(t, 1, k.ends(), k.out.String())
	require.True(t, was == b.read("world.pack"))
	b.run("git", "checkout", "-q", "--", "entities")
	k = b.keeps()
	require.Zero(t, k.ends(), k.out.String())
}
