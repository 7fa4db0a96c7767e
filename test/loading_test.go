package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/stretchr/testify/require"
)

// loading is a load from the test's side.
type loading struct {
	c      *crash
	cmd    *exec.Cmd
	in     io.Closer
	quiet  chan struct{} // closed when no pack will be saved any more
	done   chan struct{} // closed when all that it told has been noted
	stderr bytes.Buffer
}

func (c *crash) startLoad() *loading {
	self, err := os.Executable()
	require.NoError(c, err)
	l := &loading{c: c, cmd: exec.Command(self), quiet: make(chan struct{}), done: make(chan struct{})}
	l.cmd.Env = append(os.Environ(), loadVariable+"=1")
	l.cmd.Stderr = &l.stderr
	in, err := l.cmd.StdinPipe()
	require.NoError(c, err)
	out, told, err := os.Pipe()
	require.NoError(c, err)
	l.in, l.cmd.Stdout = in, told
	require.NoError(c, l.cmd.Start())
	require.NoError(c, told.Close())
	spec, err := json.Marshal(&c.load)
	require.NoError(c, err)
	_, err = in.Write(append(spec, '\n'))
	require.NoError(c, err)
	go l.listen(out)
	return l
}

// listen notes in the crash what the load tells. Until it is done, nobody else
// looks at that.
func (l *loading) listen(out io.ReadCloser) {
	defer close(l.done)
	defer out.Close()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var file, n int
		line := lines.Text()
		switch {
		case line == "quiet":
			close(l.quiet)
		case scan(line, "begin %d %d", &file, &n):
			l.c.load.Files[file].Last = n
			l.c.begun(l.c.files[file], n)
			l.c.written++
		case scan(line, "synced %d %d", &file, &n):
			l.c.files[file].may = []int{n}
			l.c.synced++
		case scan(line, "saving %d", &n):
			l.c.load.Saves = n
			l.c.begun(l.c.saved(), n)
		case scan(line, "saved %d", &n):
			l.c.saved().may = []int{n}
		}
	}
}

func (c *crash) begun(f *crashFile, n int) { f.may = append(f.may, n) }

// saved is the entity of which the engine says how often it saved.
func (c *crash) saved() *crashFile { return c.files[len(c.files)-1] }

func scan(line, format string, to ...any) bool {
	n, err := fmt.Sscanf(line, format, to...)
	return err == nil && n == len(to)
}

// stop has the load do nothing new, and gives a save that is under way the time
// to get to its place. In a mount that waits for its dead daemon it cannot.
func (l *loading) stop() {
	require.NoError(l.c, l.in.Close())
	select {
	case <-l.quiet:
	case <-l.done: // it failed
	case <-time.After(5 * time.Second):
	}
}

// end waits for its end, and until it is known what it did.
func (l *loading) end() {
	err := l.c.wait(l.cmd)
	<-l.done
	l.c.note("load: %v %.2000s", err, l.stderr.String())
}
