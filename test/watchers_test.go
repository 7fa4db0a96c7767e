package test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// fileWatcher is a program that watches a directory and says what it hears, an event a
// line.
type fileWatcher struct {
	b    *bench
	cmd  *exec.Cmd
	done chan struct{}

	made map[string]bool // files that are new
	all  map[string]bool // what files has returned

	mu    sync.Mutex
	heard map[string]bool // guarded by mu
}

// watchFiles starts a program, which says ready when it watches.
func (b *bench) watchFiles(ready, name string, args ...string) *fileWatcher {
	b.Helper()
	w := &fileWatcher{b: b, cmd: b.command(name, args...), done: make(chan struct{}), made: make(map[string]bool), all: make(map[string]bool), heard: make(map[string]bool)}
	out, in, err := os.Pipe()
	require.NoError(b, err)
	w.cmd.Stdout, w.cmd.Stderr = in, in
	require.NoError(b, w.cmd.Start())
	require.NoError(b, in.Close())
	go w.run(out)
	b.Cleanup(w.end)
	b.eventually(func() bool { return w.take()[ready] })
	return w
}

func (w *fileWatcher) run(out io.ReadCloser) {
	defer close(w.done)
	defer out.Close()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		w.mu.Lock()
		w.heard[lines.Text()] = true
		w.mu.Unlock()
	}
}

func (w *fileWatcher) end() {
	_ = w.cmd.Process.Kill() // it may have ended
	<-w.done
	_ = w.cmd.Wait() // it was killed
}

// take returns what was heard since it was called last.
func (w *fileWatcher) take() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	heard := w.heard
	w.heard = make(map[string]bool)
	return heard
}

// await returns what is heard until it is enough.
func (w *fileWatcher) await(what string, enough func(heard map[string]bool) bool) map[string]bool {
	w.b.Helper()
	all := make(map[string]bool)
	require.Eventually(w.b, func() bool {
		maps.Copy(all, w.take())
		return enough(all)
	}, time.Minute, 5*time.Millisecond, "%s: heard %v", what, all)
	return all
}

// chokidar watches as VS Code's extensions and bundlers do.
func (b *bench) chokidar(dir string) *fileWatcher {
	script, err := filepath.Abs("testdata/chokidar/watch.js")
	require.NoError(b, err)
	require.DirExists(b, filepath.Join(filepath.Dir(script), "node_modules"), "make test installs what the tests need")
	return b.watchFiles("ready", "node", script, dir)
}

func (b *bench) inotifywait(dir string) *fileWatcher {
	return b.watchFiles("Watches established.", "inotifywait", "-m", "-r", "--format", "%e %f",
		"-e", "create", "-e", "modify", "-e", "close_write", "-e", "delete", dir)
}

// files is what was heard of entities' files. That one is new counts, not that it was
// written then, which chokidar says if it looks in between, or a moment later.
func (w *fileWatcher) files(heard map[string]bool) (events []string) {
	for event := range heard {
		if kind, name, _ := strings.Cut(event, " "); kind == "add" {
			w.made[name] = true
		}
	}
	for event := range heard {
		kind, name, _ := strings.Cut(event, " ")
		if strings.HasSuffix(name, layout.Suffix) && !(kind == "change" && w.made[name]) {
			events = append(events, event)
			w.all[event] = true
		}
	}
	return events
}

// turn is one change of a world and what a program would do to plain files for it.
type turn struct {
	name  string
	world func(b *bench)
	plain func(p *plainLamps)
}

// plainLamps is a directory of plain files.
type plainLamps struct {
	*bench
	touched []string // names
}

// toldOf reports whether something was heard of every file that was touched.
func (p *plainLamps) toldOf(heard map[string]bool) bool {
	told := make(map[string]bool)
	for event := range heard {
		_, name, _ := strings.Cut(event, " ")
		told[name] = true
	}
	return !slices.ContainsFunc(p.touched, func(name string) bool { return !told[name] })
}

func (p *plainLamps) write(ids ...int) {
	p.Helper()
	for _, id := range ids {
		path := config.entityPath(strconv.Itoa(id))
		p.touched = append(p.touched, filepath.Base(path))
		require.NoError(p, os.MkdirAll(filepath.Dir(p.path(path)), 0o755))
		p.bench.write(path, "watts "+time.Now().String())
	}
}

func (p *plainLamps) remove(id int) {
	p.Helper()
	path := config.entityPath(strconv.Itoa(id))
	p.touched = append(p.touched, filepath.Base(path))
	require.NoError(p, os.Remove(p.path(path)))
}

// turns are the ways in which a world changes other than through its files. None takes
// a directory that there is not yet.
func turns() []turn {
	write := func(ids ...int) func(*plainLamps) { return func(p *plainLamps) { p.write(ids...) } }
	remove := func(id int) func(*plainLamps) { return func(p *plainLamps) { p.remove(id) } }
	run := func(args ...string) func(*bench) { return func(b *bench) { b.run("worldfs", args...) } }
	return []turn{
		{"set", run("set", "--where", "id <= 2", "watts = 77"), write(1, 2)},
		{"undo", run("undo", "1"), write(1)},
		{"import of what is new and of what is changed", func(b *bench) {
			b.write("more.jsonl", lampLine(11, 1)+lampLine(3, 999))
			b.run("worldfs", "import", "more.jsonl")
		}, write(11, 3)},
		{"undo of what was new", run("undo", "--any", "11"), remove(11)},
		{"import of all but one", func(b *bench) {
			b.write("whole.jsonl", b.run("worldfs", "export"))
			b.run("sed", "-i", `/"id":4[,}]/d`, "whole.jsonl")
			b.run("worldfs", "import", "--whole", "whole.jsonl")
		}, remove(4)},
		{"undo of a deletion", run("undo", "--any", "4"), write(4)},
		{"fmt", run("fmt"), write(5)},
		{"a save of the pack", func(b *bench) {
			e := b.engine()
			e.setWatts(6, 4321)
			e.replace(true)
		}, write(6)},
		{"apply", func(b *bench) {
			b.write("7.changes", "worldfs changes 1\nchange Lamp 7 revision 1\n  watts 7 -> 70\nend\n")
			b.run("worldfs", "apply", "7.changes")
		}, write(7)},
	}
}

func (e *engine) setWatts(id entity.ID, watts uint64) {
	n, ok := e.world.Get(id)
	require.True(e.t, ok)
	n = n.Clone()
	n.Values[n.Layout.Index("watts")] = entity.NewUint(entity.KindU32, watts)
	e.world.Put(n)
}

// chokidar tells of what happens to one file once in such a time, and of what follows
// sooner not at all: 50 ms for a change, 100 for a removal.
const chokidarThrottle = 100 * time.Millisecond

// TestWatchersHearTheSameAsOfPlainFiles has inotifywait and chokidar watch a mount,
// and plain files to which programs do what is done to the world.
func TestWatchersHearTheSameAsOfPlainFiles(t *testing.T) {
	b := newBench(t, "inotifywait", "node", "sed")
	b.run("worldfs", "init", "world")
	plain := &plainLamps{bench: b.cd("plain")}
	b = b.cd("world")
	text := `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u32"}]}}` + "\n"
	for id := 1; id <= 8; id++ {
		text += lampLine(id, id)
		plain.write(id)
	}
	b.write("in.jsonl", text)
	b.run("worldfs", "import", "in.jsonl")
	b.mount()
	b.write(config.entityPath("5"), "Lamp\n1\n5\n\n; watts\n    12\n") // for fmt
	here := []*fileWatcher{b.chokidar("entities"), b.inotifywait("entities")}
	there := []*fileWatcher{plain.chokidar("entities"), plain.inotifywait("entities")}
	for n, turn := range turns() {
		time.Sleep(2 * chokidarThrottle)
		last := fmt.Sprint("last", n)
		plain.touched = nil
		turn.plain(plain)
		plain.bench.write(filepath.Join(filepath.Dir(config.entityPath("1")), last), "")
		turn.world(b)
		for i, end := range []string{"add " + last, "CLOSE_WRITE,CLOSE " + last} {
			want := there[i].files(there[i].await(turn.name, func(heard map[string]bool) bool { return heard[end] && plain.toldOf(heard) }))
			here[i].await(fmt.Sprint(turn.name, ": want ", want), func(heard map[string]bool) bool {
				has := here[i].files(heard)
				return !slices.ContainsFunc(want, func(event string) bool { return !slices.Contains(has, event) })
			})
		}
	}
	time.Sleep(200 * time.Millisecond) // for what is too much
	for i := range here {
		here[i].files(here[i].take())
		require.Equal(t, there[i].all, here[i].all)
	}
}

// TestAnActorThatIsKilledOrStopped kills the process that acts while commands change
// the world and programs write to its files, and stops it before the unmount.
func TestAnActorThatIsKilledOrStopped(t *testing.T) {
	const rounds = 8
	b := newBench(t, "inotifywait")
	b.run("worldfs", "init", "world")
	b = b.cd("world")
	text := `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u32"}]}}` + "\n"
	for id := 1; id <= 200; id++ {
		text += lampLine(id, 0)
	}
	b.write("in.jsonl", text)
	b.run("worldfs", "import", "in.jsonl")
	b.mount()
	w := b.inotifywait("entities")
	for round := 1; round <= rounds; round++ {
		b.run("worldfs", "set", "--where", "id <= 100", fmt.Sprint("watts = ", round))
		for id := 101; id <= 120; id++ { // while watchers are told of the others
			b.write(config.entityPath(strconv.Itoa(id)), lampText(id, round))
		}
		for _, pid := range b.actors() {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
		b.run("worldfs", "undo", "1")
	}
	for id := 101; id <= 120; id++ {
		require.Equal(t, lampText(id, rounds), b.read(config.entityPath(strconv.Itoa(id))))
	}
	require.Equal(t, lampText(100, rounds), b.read(config.entityPath("100")))
	require.Equal(t, lampText(1, 0), b.read(config.entityPath("1")), "the last undo")
	w.take()
	b.run("worldfs", "set", "--where", "id == 150", "watts = 5")
	w.await("set", func(heard map[string]bool) bool { return heard["MODIFY 150.entity_text"] })

	actors := b.actors()
	require.Len(t, actors, 1)
	require.NoError(t, syscall.Kill(actors[0], syscall.SIGSTOP))
	b.run("worldfs", "set", "--where", "id <= 100", "watts = 6")
	w.end()
	b.run("worldfs", "unmount")
	require.Equal(t, 200, strings.Count(b.run("worldfs", "export"), `{"entity"`))
}

// Programs that watch files hear of a great loss when it is allowed, not while it is
// refused, and of a restore that takes it back.
func TestWatchersOfAGreatLoss(t *testing.T) {
	b := newBench(t, "inotifywait")
	b.run("worldfs", "init", "world")
	b = b.cd("world")
	types := `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u32"}]}}` + "\n"
	all, few := types, types
	for id := 1; id <= 300; id++ {
		all += lampLine(id, id)
		if id <= 10 {
			few += lampLine(id, id)
		}
	}
	b.write("all.jsonl", all)
	b.write("few.jsonl", few)
	b.run("worldfs", "import", "all.jsonl")
	b.mount()
	w := b.inotifywait("entities")
	counts := func(heard map[string]bool) (gone, made int) {
		for event := range heard {
			switch kind, name, _ := strings.Cut(event, " "); {
			case !strings.HasSuffix(name, layout.Suffix):
			case kind == "DELETE":
				gone++
			case kind == "CREATE":
				made++
			}
		}
		return gone, made
	}
	all290 := func(of func(gone, made int) int) func(map[string]bool) bool {
		return func(heard map[string]bool) bool { return of(counts(heard)) == 290 }
	}

	out, code := b.try("worldfs", "import", "--whole", "few.jsonl")
	require.Equal(t, 1, code, out)
	b.run("worldfs", "set", "--where", "id == 300", "watts = 7") // what comes after it is heard
	heard := w.await("set", func(heard map[string]bool) bool { return heard["MODIFY 300.entity_text"] })
	gone, made := counts(heard)
	require.Zero(t, gone+made, "%v", heard)

	b.run("worldfs", "import", "--whole", "--allow-loss", "few.jsonl")
	w.await("the loss", all290(func(gone, _ int) int { return gone }))
	b.run("worldfs", "import", "all.jsonl")
	w.await("all of them again", all290(func(_, made int) int { return made }))

	b.run("sh", "-c", "rm "+config.entityPath("*")) // the kernel tells of this one
	b.requireRefused("sync")
	w.take()
	b.restoreLoss()
	w.await("what came back", func(heard map[string]bool) bool { _, made := counts(heard); return made == 300 })
	b.run("worldfs", "sync")
	require.Equal(t, 300, strings.Count(b.run("worldfs", "export"), `{"entity"`))
	require.Equal(t, lampText(300, 300), b.read(config.entityPath("300")))
}

func lampText(id, watts int) string {
	return fmt.Sprintf("Lamp\n1\n%d\n; watts\n    %d\n", id, watts)
}

// actors returns the processes that the daemon has started.
func (b *bench) actors() (pids []int) {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", b.daemon()))
	require.NoError(b, err)
	for _, task := range tasks {
		children, err := os.ReadFile(task)
		require.NoError(b, err)
		for _, pid := range strings.Fields(string(children)) {
			n, err := strconv.Atoi(pid)
			require.NoError(b, err)
			pids = append(pids, n)
		}
	}
	return pids
}
