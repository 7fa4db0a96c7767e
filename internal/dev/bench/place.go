package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// place is a directory, entities/, with every entity as a file in it, behind
// some filesystem. Beside entities/ is ordinary ground, where a repository may
// lie.
type place struct {
	name    string
	root    string
	mount   func() error // nil: it is always there
	unmount func() error
	kill    func()       // ends it at once, whatever is asked of it; nil: it never hangs
	warm    func() error // returns when what is read ahead has been; nil: nothing is
	peer    bool         // another filesystem than ours: it may be slow, and lack what a row needs
	archive string       // the file that the place is, "" if it is none
	// requests tells how many requests the kernel has made since the mount; nil:
	// it is not known.
	requests func() (map[string]uint64, error)
}

func (p *place) entities() string { return filepath.Join(p.root, "entities") }

// remount gives the place a kernel that knows nothing of its files.
func (p *place) remount() error {
	if p.mount == nil {
		return nil
	}
	if err := p.unmount(); err != nil {
		return err
	}
	return p.mount()
}

func (p *place) warmed() error {
	if p.warm == nil {
		return nil
	}
	return p.warm()
}

// command runs a command that must succeed.
func command(dir, name string, args ...string) error {
	_, err := output(dir, name, args...)
	return err
}

func output(dir, name string, args ...string) ([]byte, error) {
	// By env: a process that changes its child's directory before the child has
	// become another program waits for the filesystem of that directory, wholly,
	// and could not kill what serves it.
	cmd := exec.Command("env", append([]string{"-C", dir, name}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@example.com",
		"GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@example.com")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// plainPlace is an ordinary directory with the texts as files.
func plainPlace(name, root string, s *subject) (*place, error) {
	p := &place{name: name, root: root}
	if err := os.MkdirAll(p.entities(), 0o755); err != nil {
		return nil, err
	}
	return p, s.writeTexts(p.entities())
}

// world is a world directory and the binary that serves it.
type world struct {
	binary string
	root   string
	args   []string // of mount
}

// worldPlace is a mounted world.
func worldPlace(name, root, binary string, entities int) (*place, error) {
	if err := command(".", binary, "demo", "--entities", fmt.Sprint(entities), root); err != nil {
		return nil, err
	}
	return (&world{binary: binary, root: root}).place(name), nil
}

func (w *world) place(name string) *place {
	return &place{
		name: name, root: w.root, mount: w.mount, unmount: w.unmount, warm: w.warm, requests: w.requests,
		kill: func() { endMounts(w.root) },
	}
}

func (w *world) mount() error {
	return command(w.root, w.binary, append([]string{"mount"}, w.args...)...)
}

// unmount does not let go of w.root while it waits: the covered one is not the
// one below it.
func (w *world) unmount() error {
	return command(filepath.Dir(w.root), w.binary, "-C", w.root, "unmount")
}

// status is what the bench wants to know of a mounted world.
type status struct {
	Pid      int `json:"pid"`
	Counters struct {
		Requests map[string]uint64 `json:"requests"`
		Warming  bool              `json:"warming"`
	} `json:"counters"`
}

func (w *world) status() (s status, err error) {
	out, err := output(filepath.Dir(w.root), w.binary, "-C", w.root, "status", "--json")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(out, &s)
}

func (w *world) requests() (map[string]uint64, error) {
	s, err := w.status()
	return s.Counters.Requests, err
}

// warm waits until the daemon has pushed what it means to push.
func (w *world) warm() error {
	for range 3000 {
		s, err := w.status()
		if err != nil {
			return err
		}
		if !s.Counters.Warming {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s: contents are still being pushed after a minute", w.root)
}
