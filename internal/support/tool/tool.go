// Package tool runs the tools of version control, with no shell in between, and has what
// they say when they give up.
package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ErrNone says that there is no such tool.
var ErrNone = errors.New("is not installed, or not in the PATH")

// Command is a call of a tool.
type Command struct {
	*exec.Cmd
	stderr limited
}

// New returns a call in the directory dir. It ends with ctx.
func New(ctx context.Context, dir string, env []string, tool string, args ...string) *Command {
	c := &Command{Cmd: exec.CommandContext(ctx, tool, args...)}
	c.Dir, c.Env, c.Stderr = dir, env, &c.stderr
	return c
}

// Text runs the command and returns what it prints.
func (c *Command) Text() ([]byte, error) {
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		return nil, c.started(err)
	}
	err := c.Wait()
	return out.Bytes(), c.Failed(err)
}

// Pipe starts the command and returns what it prints.
func (c *Command) Pipe() (io.Reader, error) {
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return out, c.started(c.Start())
}

func (c *Command) started(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s %w", c.Args[0], ErrNone)
	}
	return err
}

// Failed returns a command's failure in its own words.
func (c *Command) Failed(err error) error {
	if err == nil {
		return nil
	}
	if said := c.stderr.String(); said != "" {
		return &Error{tool: c.Args[0], said: said}
	}
	return fmt.Errorf("%s: %w", c.Args[0], err)
}

// Error is what a tool said before it gave up.
type Error struct{ tool, said string }

// Lines returns what it said, a line each.
func (e *Error) Lines() []string { return strings.Split(strings.TrimSpace(e.said), "\n") }

func (e *Error) Error() string {
	lines := e.Lines()
	for i, line := range lines {
		line = strings.TrimPrefix(strings.TrimSpace(line), e.tool+": ")
		lines[i] = strings.TrimPrefix(line, "fatal: ")
	}
	const most = 4 // lines
	return e.tool + " says: " + strings.Join(lines[:min(len(lines), most)], "; ")
}

// Says reports whether the error is of a tool that said one of the texts.
func Says(err error, texts ...string) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, text := range texts {
		if strings.Contains(e.said, text) {
			return true
		}
	}
	return false
}

// limited keeps the beginning of what is written to it.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	const most = 16 << 10
	if room := most - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// Environment returns the process's own without the variables dropped, and with
// those set ("NAME=value").
func Environment(dropped []map[string]bool, set ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(dropped, func(d map[string]bool) bool { return d[name] })
	})
	return append(env, set...)
}
