package test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// event is a line of worldfs watch, as docs/watch.md describes it.
type event struct {
	Position   uint64                     `json:"position"`
	Time       time.Time                  `json:"time"`
	Event      string                     `json:"event"`
	ID         int                        `json:"id"`
	Type       string                     `json:"type"`
	Attributes map[string]json.RawMessage `json:"attributes"`
	Fields     map[string]struct{ Old, New, Attributes json.RawMessage }
	Old, New   json.RawMessage
	Note       string
}

func (e event) String() string { return e.Event + " " + strconv.Itoa(e.ID) }

// watcher is a worldfs watch that runs.
type watcher struct {
	*bench
	cmd   *exec.Cmd
	lines chan event
	ended chan error
}

func (b *bench) watch(args ...string) *watcher {
	b.Helper()
	w := &watcher{bench: b, cmd: b.command(binary, append([]string{"watch"}, args...)...), lines: make(chan event, 1000), ended: make(chan error, 1)}
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, w.cmd.Start())
	b.Cleanup(func() { _ = w.cmd.Process.Kill() }) // it has ended, unless the test failed
	go func() {
		defer close(w.lines)
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				w.ended <- w.cmd.Wait()
				return
			}
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				e.Event = "no JSON: " + string(line)
			}
			w.lines <- e
		}
	}()
	return w
}

// next returns the next event.
func (w *watcher) next() event {
	w.Helper()
	select {
	case e, ok := <-w.lines:
		require.True(w, ok, "watch has ended")
		return e
	case <-time.After(time.Minute):
		require.Fail(w, "nothing is told")
	}
	return event{}
}

// until returns the events up to one that reads so.
func (w *watcher) until(want string) (events []event) {
	w.Helper()
	for {
		e := w.next()
		events = append(events, e)
		if e.String() == want {
			return events
		}
	}
}

func (w *watcher) requireEnded() {
	w.Helper()
	select {
	case err := <-w.ended:
		require.NoError(w, err)
	case <-time.After(time.Minute):
		require.Fail(w, "watch does not end")
	}
}

const watchedWorld = `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u16","attributes":{"unit":"W"}},{"name":"position","kind":"vec3"}],"attributes":{"icon":"lamp"}}}
{"entity":{"id":1,"type":"Lamp","revision":1,"fields":{"watts":10,"position":[1,2,3]}}}
{"entity":{"id":2,"type":"Lamp","revision":1,"fields":{"watts":20,"position":[1,2,3]}}}
`

func watchedBench(t *testing.T) *bench {
	b := newBench(t, "sed")
	b.run("worldfs", "init", "w")
	b = b.cd("w")
	b.write("../world.jsonl", watchedWorld)
	b.run("worldfs", "import", "../world.jsonl")
	b.mount()
	return b
}

// replace puts text in the place of a file in one step.
func (b *bench) replace(name, text string) {
	b.Helper()
	b.write(name+".new", text)
	require.NoError(b, os.Rename(b.path(name+".new"), b.path(name)))
}

func TestWatchTellsWhatHappens(t *testing.T) {
	b := watchedBench(t)
	w := b.watch("--from", "0")
	require.Equal(t, "created 1", w.next().String())
	require.Equal(t, "created 2", w.next().String())

	b.run("sed", "-i", "s/^    10$/    11/", config.entityPath("1"))
	e := w.next()
	require.Equal(t, "changed 1", e.String())
	require.Equal(t, "Lamp", e.Type)
	require.JSONEq(t, `"lamp"`, string(e.Attributes["icon"]))
	require.Len(t, e.Fields, 1)
	require.Equal(t, "10 11", string(e.Fields["watts"].Old)+" "+string(e.Fields["watts"].New))
	require.JSONEq(t, `{"unit":"W"}`, string(e.Fields["watts"].Attributes))
	require.WithinDuration(t, time.Now(), e.Time, time.Hour)

	b.replace(config.entityPath("1"), "Lamp\n1\n1\n; watts\n    many\n")
	e = w.next()
	require.Equal(t, "broken 1", e.String())
	require.Contains(t, e.Note, "line 5")
	b.replace(config.entityPath("1"), strings.ReplaceAll(b.read(config.entityPath("2")), "\n2\n", "\n1\n"))
	require.Equal(t, "mended 1", w.next().String())
	e = w.next()
	require.Equal(t, "changed 1", e.String())
	require.Equal(t, "20", string(e.Fields["watts"].New))

	b.run("rm", config.entityPath("2"))
	e = w.next()
	require.Equal(t, "deleted 2", e.String())
	require.Contains(t, string(e.Old), `"watts":20`)
	b.write("../more.jsonl", `{"entity":{"id":3,"type":"Lamp","revision":1,"fields":{"watts":30,"position":[0,0,0]}}}`+"\n")
	b.run("worldfs", "import", "../more.jsonl")
	e = w.next()
	require.Equal(t, "created 3", e.String())
	require.JSONEq(t, `{"id":3,"type":"Lamp","revision":1,"fields":{"watts":30,"position":[0,0,0]}}`, string(e.New))

	b.run("worldfs", "unmount")
	w.requireEnded()
	require.Empty(t, w.lines)
}

// A watcher goes on from its position where it left off, also after a remount
// and a kill, and is told when the history does not reach back so far.
func TestWatchIsResumed(t *testing.T) {
	b := watchedBench(t)
	w := b.watch("--from", "0")
	position := w.until("created 2")[1].Position
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	w.requireEnded()

	b.run("sed", "-i", "s/^    10$/    11/", config.entityPath("1"))
	b.run("worldfs", "unmount")
	b.run("worldfs", "import", "../world.jsonl")
	b.mount()
	b.run("sed", "-i", "s/^    20$/    22/", config.entityPath("2"))
	b.run("worldfs", "sync")
	require.NoError(t, syscall.Kill(b.daemon(), syscall.SIGKILL))
	b.run("worldfs", "mount")

	w = b.watch("--from", strconv.FormatUint(position, 10))
	events := w.until("changed 2")
	require.Len(t, events, 3)
	for i, want := range []string{"11", "10"} {
		require.Equal(t, "changed 1", events[i].String())
		require.Equal(t, want, string(events[i].Fields["watts"].New))
		require.Greater(t, events[i].Position, position)
		position = events[i].Position
	}
	future := b.watch("--from", "9000000000000000")
	require.Equal(t, "resync", future.next().Event)
	past := b.watch("--from", "1")
	require.Equal(t, "resync", past.next().Event)
	b.run("rm", config.entityPath("2"))
	for _, w := range []*watcher{w, future, past} {
		require.Equal(t, "deleted 2", w.next().String())
	}
	b.run("worldfs", "unmount")
	for _, w := range []*watcher{w, future, past} {
		w.requireEnded()
	}
}

// A watcher that does not read delays nobody, neither edits nor unmounting.
func TestAWatcherThatDoesNotReadDelaysNobody(t *testing.T) {
	b := watchedBench(t)
	w := b.command(binary, "watch", "--from", "0")
	pipe, err := w.StdoutPipe() // which nobody reads
	require.NoError(t, err)
	require.NoError(t, w.Start())
	_, err = pipe.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, w.Process.Signal(syscall.SIGSTOP))

	reader := b.watch()
	var lines strings.Builder
	for id := 100; id < 4100; id++ {
		lines.WriteString(`{"entity":{"id":` + strconv.Itoa(id) + `,"type":"Lamp","revision":1,"fields":{"watts":1,"position":[0,0,0]}}}` + "\n")
	}
	b.write("../many.jsonl", lines.String())
	for _, watts := range []string{`:1,`, `:2,`} {
		b.write("../many.jsonl", strings.ReplaceAll(lines.String(), `"watts":1,`, `"watts"`+watts))
		b.run("worldfs", "import", "../many.jsonl")
	}
	events := 0
	for ; events < 8000; events++ {
		reader.next()
	}
	b.run("worldfs", "unmount")
	reader.requireEnded()
	require.NoError(t, w.Process.Kill())
	require.Error(t, w.Wait())
}
