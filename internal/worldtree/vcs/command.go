package vcs

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

// command is a call of a tool.
type command struct {
	*exec.Cmd
	stderr limited
}

// newCommand returns a call in the directory dir. It ends with ctx.
func newCommand(ctx context.Context, dir string, env []string, tool string, args ...string) *command {
	c := &command{Cmd: exec.CommandContext(ctx, tool, args...)}
	c.Dir, c.Env, c.Stderr = dir, env, &c.stderr
	return c
}

// output runs the command and returns what it prints.
func (c *command) output() ([]byte, error) {
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		return nil, c.started(err)
	}
	err := c.Wait()
	return out.Bytes(), c.failed(err)
}

// pipe starts the command and returns what it prints.
func (c *command) pipe() (io.Reader, error) {
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return out, c.started(c.Start())
}

func (c *command) started(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s %w", c.Args[0], ErrNoTool)
	}
	return err
}

// failed returns a command's failure in its own words.
func (c *command) failed(err error) error {
	if err == nil {
		return nil
	}
	if said := c.stderr.String(); said != "" {
		return &toolError{tool: c.Args[0], said: said}
	}
	return fmt.Errorf("%s: %w", c.Args[0], err)
}

// toolError is what a tool said before it gave up.
type toolError struct{ tool, said string }

func (e *toolError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.said), "\n")
	for i, line := range lines {
		line = strings.TrimPrefix(strings.TrimSpace(line), e.tool+": ")
		lines[i] = strings.TrimPrefix(line, "fatal: ")
	}
	const most = 4 // lines
	return e.tool + " says: " + strings.Join(lines[:min(len(lines), most)], "; ")
}

// says reports whether the error is of a tool that said one of the texts.
func says(err error, texts ...string) bool {
	var e *toolError
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

// environment returns the process's own without the variables dropped, and with
// those set ("NAME=value").
func environment(dropped []map[string]bool, set ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(dropped, func(d map[string]bool) bool { return d[name] })
	})
	return append(env, set...)
}

// checkRevision refuses names that no tool has for a revision, and all that a
// tool could take for an option.
func checkRevision(tool, rev string) error {
	problem := ""
	switch {
	case rev == "":
		problem = "it is empty"
	case strings.HasPrefix(rev, "-"):
		problem = "it begins with -"
	case strings.ContainsFunc(rev, func(r rune) bool { return r < ' ' || r == 0x7f }):
		problem = "it has control characters"
	default:
		return nil
	}
	return fmt.Errorf("%s revision %q: %w: %s", tool, rev, ErrRevisionName, problem)
}
