package engine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

const doors = `{"type":{"name":"Door","revision":72,"fields":[{"name":"position","kind":"vec3"},{"name":"entity_name","kind":"string"},{"name":"target","kind":"ref"}]}}
{"entity":{"id":6001,"type":"Door","revision":72,"fields":{"position":[1,2,3],"entity_name":"front door","target":0}}}
{"entity":{"id":6555,"type":"Door","revision":72,"fields":{"position":[46.10353,108.07968,8.694907],"entity_name":"bunker door","target":6002}}}
`

// world is a world directory that the built program works on.
type world struct {
	t       *testing.T
	program string
	dir     string
}

// newMounted returns a mounted world of two doors, of which one refers to none.
func newMounted(t *testing.T) *world {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no /dev/fuse")
		}
		t.Skip("there is no /dev/fuse")
	}
	w := &world{t: t, program: filepath.Join(scratch, "worldfs"), dir: filepath.Join(t.TempDir(), "w")}
	out, err := exec.Command("go", "build", "-trimpath", "-o", w.program, "../cmd/worldfs").CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	require.NoError(t, os.Mkdir(w.dir, 0o755))
	file := filepath.Join(t.TempDir(), "doors.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(doors), 0o644))
	w.run("init")
	w.run("import", file)
	w.run("mount")
	t.Cleanup(func() {
		cmd := exec.Command(w.program, "unmount") // where the test has not
		cmd.Dir = w.dir
		_ = cmd.Run()
	})
	return w
}

func (w *world) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(w.program, args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%v: %s", args, out)
	return string(out)
}

func (w *world) pack() string { return filepath.Join(w.dir, "world.pack") }

// control calls the daemon by the C header.
func (w *world) control(args ...string) (out string, result int) {
	w.t.Helper()
	out, _, result = run(w.t, tool(w.t), append([]string{"control", w.dir}, args...)...)
	return out, result
}

// The results of worldfs_control.h.
const (
	controlOK = iota
	controlNone
	controlRefused
	controlLong
)

func TestADaemonIsCalled(t *testing.T) {
	w := newMounted(t)
	out, result := w.control("findings")
	require.Equal(t, "6555 6002 0 [ref-dangling] [warning] [target]\n", out)
	require.Equal(t, controlOK, result)
	out, result = w.control("call", "ping", "{}")
	require.Equal(t, controlOK, result)
	require.Regexp(t, `^200 \{"protocol":\d+`, out)
	out, result = w.control("call", "text", `{"ID":1}`)
	require.Equal(t, controlRefused, result)
	require.Contains(t, out, `422 {"error":"there is no entity 1"`)
	for range 20 { // the daemon hangs up at once: its answer is read all the same
		out, result = w.control("call", "nothing", "{}")
		require.Equal(t, controlRefused, result)
		require.Contains(t, out, "404 ")
	}
	out, _ = w.control("call", "history", `{"ID":6555}`)
	require.Contains(t, out, `"bunker door"`)
	t.Setenv("WFS_CAPACITY", "100")
	_, result = w.control("findings")
	require.Equal(t, controlLong, result)
	t.Setenv("WFS_CAPACITY", "")
	w.run("unmount")
	_, result = w.control("findings")
	require.Equal(t, controlNone, result)
}

// TestAWorldIsWatched watches what has happened, and what happens then, until the world is
// unmounted.
func TestAWorldIsWatched(t *testing.T) {
	w := newMounted(t)
	out, result := w.control("watch", "0", "2")
	require.Equal(t, controlOK, result)
	require.Len(t, strings.Split(strings.TrimSpace(out), "\n"), 2)
	require.Contains(t, out, `"event":"created","id":6001`)
	var seen bytes.Buffer
	cmd := exec.Command(tool(t), "control", w.dir, "watch", "0", "1000")
	cmd.Stdout = &seen
	require.NoError(t, cmd.Start())
	w.run("set", "--where", "id == 6001", `entity_name = "moved on"`)
	w.run("unmount")
	err := cmd.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, controlNone, exit.ExitCode(), "the end of the watch")
	require.Contains(t, seen.String(), `"event":"changed","id":6001`)
}

// TestASaveOfAStaleLoadIsMerged has an engine save a pack that it loaded before others went
// on: the edits of both are there.
func TestASaveOfAStaleLoadIsMerged(t *testing.T) {
	w := newMounted(t)
	stale := filepath.Join(t.TempDir(), "loaded.pack")
	loaded, err := os.ReadFile(w.pack())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(stale, loaded, 0o644))

	// The world goes on: one door by a command, the other in its text.
	w.run("set", "--where", "id == 6001", `entity_name = "moved on"`)
	file := filepath.Join(w.dir, "entities", "6555.entity_text")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Replace(text, []byte("bunker door"), []byte("vault door"), 1), 0o644))
	w.run("sync")

	// The engine saves: it has moved the one, and made a third.
	_, failed, status := run(t, tool(t), "edit", stale, w.pack(), "set", "6555", "position", "50,60,70", "set", "6555", "target", "7000",
		"new", "7000", "Door", "72", "set", "7000", "entity_name", "new door")
	require.Zero(t, status, failed)
	p := w.published(func(p *packfile.Pack) bool { return p.Has(7000) })
	name := func(id entity.ID) string {
		e, ok := p.Get(id)
		require.True(t, ok, "entity %d", id)
		return e.Name()
	}
	require.Equal(t, []string{"moved on", "vault door", "new door"}, []string{name(6001), name(6555), name(7000)})
	e, _ := p.Get(6555)
	require.Equal(t, entity.VecOf(entity.KindVec3, 50, 60, 70), e.Value("position"))
	require.Equal(t, entity.ID(7000), e.Value("target").Ref())
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "vault door")
	w.run("unmount")
}

// published waits until the published pack is as wanted and names no base: then worldfs
// has written it.
func (w *world) published(wanted func(*packfile.Pack) bool) *packfile.Pack {
	w.t.Helper()
	var p *packfile.Pack
	require.Eventually(w.t, func() bool {
		data, err := os.ReadFile(w.pack())
		if err != nil {
			return false
		}
		p, err = packfile.Parse(data)
		return err == nil && p.BasedOn() == [32]byte{} && wanted(p)
	}, 2*time.Minute, 20*time.Millisecond)
	return p
}

// What is selected by the game is told to the tools beside it, and the other way round.
func TestWhatIsSelectedIsToldBothWays(t *testing.T) {
	w := newMounted(t)
	seen := filepath.Join(t.TempDir(), "seen")
	f, err := os.Create(seen)
	require.NoError(t, err)
	defer f.Close()
	follow := exec.Command(tool(t), "control", w.dir, "selections", "4")
	follow.Stdout = f
	require.NoError(t, follow.Start())
	told := func(line string) { // before the next is made: a slow reader is told the latest
		t.Helper()
		require.Eventually(t, func() bool {
			text, err := os.ReadFile(seen)
			return err == nil && strings.HasSuffix(string(text), line)
		}, 2*time.Minute, 20*time.Millisecond)
	}
	told("0\n")
	out, result := w.control("select", "6555", "6001")
	require.Equal(t, controlOK, result)
	require.Equal(t, "2 6555 6001\n", out)
	require.Contains(t, w.run("select"), `"bunker door"`)
	out, result = w.control("select", "7")
	require.Equal(t, controlRefused, result)
	require.Contains(t, out, "there is no entity 7")
	told("2 6555 6001\n")
	w.run("select", "6001")
	told("1 6001\n")
	out, _ = w.control("select")
	require.Equal(t, "0\n", out)
	require.NoError(t, follow.Wait())
	text, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Equal(t, "0\n2 6555 6001\n1 6001\n0\n", string(text))
	t.Setenv("WFS_CAPACITY", "50")
	_, result = w.control("select", "6555", "6001")
	require.Equal(t, controlLong, result)
	t.Setenv("WFS_CAPACITY", "")
	w.run("unmount")
	_, result = w.control("select", "6555")
	require.Equal(t, controlNone, result)
}
