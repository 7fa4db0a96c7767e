package prefetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Process is a process that lists and reads a mount (see Serve). It must be
// another one than this, since one that uses what it serves itself can come to wait
// for itself.
type Process struct {
	cmd       *exec.Cmd
	to        io.WriteCloser
	from      *bufio.Reader
	complaint strings.Builder
}

// StartProcess starts it. It ends by itself, and is ended when ctx is done.
func StartProcess(ctx context.Context, command []string) (*Process, error) {
	p := &Process{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	p.cmd.Dir = "/" // the mount must not be busy for its sake
	p.cmd.Stderr = &p.complaint
	from, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.from = bufio.NewReader(from)
	if p.to, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// PID returns its ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Open tells it which directory it is to list, and how much of the kernel's memory
// that may take, in bytes.
func (p *Process) Open(dir string, limit int64) error {
	_, err := fmt.Fprintf(p.to, "%d %s\n", limit, strconv.Quote(dir))
	return err
}

// Ask has it read files, or list the directory where none is named, and returns how
// many those were.
func (p *Process) Ask(names ...string) (files int, err error) {
	if _, err := fmt.Fprintln(p.to, strings.Join(names, separator)); err != nil {
		return 0, err
	}
	said, err := p.from.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(said))
}

// End returns when the process has ended. Whatever went wrong, err or something that
// it found itself, it returns.
func (p *Process) End(err error) error {
	_ = p.to.Close() // it may have ended already
	if ended := p.cmd.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("read ahead: %w: %s", err, strings.TrimSpace(p.complaint.String()))
	}
	return nil
}
