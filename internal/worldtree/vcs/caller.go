package vcs

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// Caller calls git in one repository, for what is more than reading it. As all that this
// package calls, git asks nothing then, and takes no path for a pattern.
type Caller struct {
	ctx        context.Context
	repository *repository
	env        []string
}

// Caller finds the repository that Dir lies in.
func (g Git) Caller() (*Caller, error) {
	r, err := g.open(context.Background())
	if err != nil {
		return nil, err
	}
	return &Caller{ctx: context.Background(), repository: r}, nil
}

// With returns a Caller whose git has variables besides ("NAME=value").
func (c *Caller) With(env ...string) *Caller {
	with := *c
	with.env = slices.Concat(c.env, env)
	return &with
}

// Within returns a Caller whose git is ended once ctx is.
func (c *Caller) Within(ctx context.Context) *Caller {
	within := *c
	within.ctx = ctx
	return &within
}

// Prefix is the path of the directory from the top of the tree: "" or ending in /.
func (c *Caller) Prefix() string { return c.repository.prefix }

// GitDir is git's own directory, of this working tree.
func (c *Caller) GitDir() string { return c.repository.gitDir }

// Call runs a command of git's with an input, and returns what it prints.
func (c *Caller) Call(in []byte, args ...string) ([]byte, error) {
	cmd := c.repository.git(c.ctx, args...)
	cmd.Env = append(slices.Clone(cmd.Env), c.env...)
	if in != nil {
		cmd.Stdin = bytes.NewReader(in)
	}
	return cmd.Text()
}

// Line is Call for what prints one line.
func (c *Caller) Line(args ...string) (string, error) {
	out, err := c.Call(nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// List is Call for what prints texts that end in NUL.
func (c *Caller) List(args ...string) ([]string, error) {
	out, err := c.Call(nil, args...)
	return split(out), err
}

// IsNo reports whether a command of git's ended with the status 1 and said nothing, as one
// does that answers no.
func IsNo(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1
}

// IsLocked reports whether a command of git's failed since another has the index, or a ref.
func IsLocked(err error) bool { return tool.Says(err, ".lock': File exists") }

// IsOvertaken reports whether git did not move a ref since another has moved it meanwhile.
func IsOvertaken(err error) bool { return tool.Says(err, "but expected ") }
