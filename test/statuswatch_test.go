package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// document is what status --watch --json prints, as far as these tests look at it.
type document struct {
	Mounted  bool   `json:"mounted"`
	Pid      int    `json:"pid"`
	Entities int    `json:"entities"`
	Error    string `json:"error"`
	Findings []struct {
		Code     string `json:"code"`
		ID       int    `json:"id"`
		Severity string `json:"severity"`
		Mend     string `json:"mend"`
	} `json:"findings"`
}

func (d document) has(code string, id int) bool {
	for _, f := range d.Findings {
		if f.Code == code && f.ID == id {
			return true
		}
	}
	return false
}

func (d document) hasCode(code string) bool {
	for _, f := range d.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

// statusWatcher is a worldfs status --watch --json that runs.
type statusWatcher struct {
	*bench
	cmd       *exec.Cmd
	documents chan document
}

func (b *bench) watchStatus() *statusWatcher {
	b.Helper()
	w := &statusWatcher{bench: b, cmd: b.command(binary, "status", "--watch", "--json"), documents: make(chan document, 1000)}
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, w.cmd.Start())
	b.Cleanup(func() { _ = w.cmd.Process.Kill() }) // it has ended, unless the test failed
	go func() {
		defer close(w.documents)
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var d document
			if err := json.Unmarshal(line, &d); err != nil {
				d.Error = "no JSON: " + string(line)
			}
			w.documents <- d
		}
	}()
	return w
}

// until returns the first document that is as it should be.
func (w *statusWatcher) until(what string, is func(document) bool) document {
	w.Helper()
	var seen []string
	for {
		select {
		case d, ok := <-w.documents:
			require.True(w, ok, "status --watch has ended; wanted: %s", what)
			if is(d) {
				return d
			}
			seen = append(seen, fmt.Sprintf("%+v", d))
		case <-time.After(2 * time.Minute):
			require.Fail(w, "nothing is told", "wanted: %s; there was: %s", what, strings.Join(seen, "\n"))
		}
	}
}

// end interrupts it: it ends as one that was meant to.
func (w *statusWatcher) end() {
	w.Helper()
	require.NoError(w, w.cmd.Process.Signal(syscall.SIGINT))
	for range w.documents { // to the end
	}
	require.NoError(w, w.cmd.Wait())
}

// The state of a world is followed through edits, unmounting, plain files, mounting and a
// daemon that is killed.
func TestStatusIsWatched(t *testing.T) {
	for _, plain := range []bool{true, false} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
			b := newBench(t)
			b.run("worldfs", "demo", "--entities", "40", "w")
			b = b.cd("w")
			b.env = append(b.env, fmt.Sprintf("WORLDFS_PLAIN=%v", plain))
			b.mount()
			w := b.watchStatus()
			first := w.until("the mount", func(d document) bool { return d.Mounted && d.Entities == 40 })
			require.Equal(t, b.daemon(), first.Pid)

			name := b.names("entities")[3]
			var id int
			_, err := fmt.Sscanf(name[strings.LastIndexByte(name, '/')+1:], "%d", &id)
			require.NoError(t, err)
			good := b.read("entities/" + name)
			b.write("entities/"+name, good+"; position\n    oops\n")
			w.until("the text that a save broke", func(d document) bool { return d.has("broken", id) })
			b.write("entities/"+name, good)
			w.until("that it is mended", func(d document) bool { return !d.has("broken", id) })

			declared := b.names("types")[0]
			types := b.read("types/" + declared)
			b.write("types/"+declared, types+"\n<<<<<<< a merge\n")
			w.until("the types that cannot be read", func(d document) bool { return d.hasCode("type-file") })
			b.write("types/"+declared, types)
			w.until("that the types are mended", func(d document) bool { return !d.hasCode("type-file") })

			b.run("worldfs", "unmount")
			w.until("that it is not mounted", func(d document) bool { return !d.Mounted && d.Error == "" })
			if plain {
				b.write("entities/"+name, good+"; position\n    oops\n")
				w.until("the plain file that a save broke", func(d document) bool { return d.has("broken", id) })
				b.write("entities/"+name, good)
				w.until("that the plain file is mended", func(d document) bool { return !d.has("broken", id) && !d.Mounted })
			}

			b.mount()
			again := w.until("the next mount", func(d document) bool { return d.Mounted && d.Entities == 40 })
			require.NotEqual(t, first.Pid, again.Pid)
			b.write("entities/"+name, good+"; position\n    oops\n")
			w.until("an edit in the next mount", func(d document) bool { return d.has("broken", id) })

			b.kill()
			w.until("that its daemon was killed", func(d document) bool { return !d.Mounted && d.has("mount-crashed", 0) })
			w.end()
			b.run("worldfs", "status")
		})
	}
}

// On a terminal the screen is drawn anew, as wide as it is and no longer than it is.
func TestStatusIsWatchedOnATerminal(t *testing.T) {
	b := mountedDemo(t, 40)
	b.env = slices.DeleteFunc(b.env, func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") })
	b.env = append(b.env, "TERM=xterm")
	tty := b.onTerminal("status", "--watch")
	tty.resize(24, 100)
	tty.expect("\x1b[H\x1b[2J")
	tty.expect("40 entities")
	name := b.names("entities")[3]
	good := b.read("entities/" + name)
	b.write("entities/"+name, good+"; position\n    oops\n")
	tty.expect("\x1b[H\x1b[2J")
	tty.expect("1 error: would stop a ship build")
	tty.expect("→ worldfs undo ")
	for _, name := range b.names("entities")[10:30] {
		b.write("entities/"+name, b.read("entities/"+name)+"; mood\n    \"dark\"\n; position\n    oops\n")
	}
	tty.expect("more (worldfs status has them)")
	tty.resize(500, 100)
	tty.expect("\x1b[H\x1b[2J")
	tty.expect("21 errors: would stop a ship build")
	tty.press("\x03")
	require.Zero(t, tty.end())
}

// resize gives the terminal another size, of which it tells the program.
func (t *terminal) resize(lines, columns uint16) {
	t.Helper()
	require.NoError(t, unix.IoctlSetWinsize(int(t.keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns}))
}
