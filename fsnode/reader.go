package fsnode

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// reader is a process that lists and reads a mount (see ReadAhead). It must be
// another one than this, since one that uses what it serves itself can come to wait
// for itself.
type reader struct {
	cmd       *exec.Cmd
	to        io.WriteCloser
	from      *bufio.Reader
	complaint strings.Builder
}

// startReader starts it. It ends by itself, and is ended when ctx is done.
func startReader(ctx context.Context, command []string) (*reader, error) {
	r := &reader{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	r.cmd.Dir = "/" // the mount must not be busy for its sake
	r.cmd.Stderr = &r.complaint
	from, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.from = bufio.NewReader(from)
	if r.to, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return r, r.cmd.Start()
}

func (r *reader) process() int { return r.cmd.Process.Pid }

// open tells it which directory it is to list, and how much of the kernel's memory
// that may take, in bytes.
func (r *reader) open(dir string, limit int64) error {
	_, err := fmt.Fprintf(r.to, "%d %s\n", limit, strconv.Quote(dir))
	return err
}

// ask has it read files, or list the directory where none is named, and returns how
// many those were.
func (r *reader) ask(names ...string) (files int, err error) {
	if _, err := fmt.Fprintln(r.to, strings.Join(names, separator)); err != nil {
		return 0, err
	}
	said, err := r.from.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(said))
}

// end returns when the process has ended. Whatever went wrong, err or something that
// it found itself, it returns.
func (r *reader) end(err error) error {
	_ = r.to.Close() // it may have ended already
	if ended := r.cmd.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("read ahead: %w: %s", err, strings.TrimSpace(r.complaint.String()))
	}
	return nil
}
