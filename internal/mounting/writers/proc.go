package writers

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// procFS reads /proc.
type procFS struct {
	root string
	read atomic.Int64 // how many files were read
}

func (f *procFS) file(id uint32, name string) ([]byte, error) {
	f.read.Add(1)
	return os.ReadFile(filepath.Join(f.root, strconv.FormatUint(uint64(id), 10), name))
}

// stat is what is used of /proc/PID/stat.
type stat struct {
	name    string
	state   string // "Z": it has ended, and its parent has not noticed
	parent  uint32
	started uint64
}

var errStat = errors.New("stat of a process is not as expected")

// stat reads about a thread, which need not be its process's first.
func (f *procFS) stat(id uint32) (s stat, err error) {
	data, err := f.file(id, "stat")
	if err != nil {
		return s, err
	}
	// The name may hold anything, and ends with the last parenthesis.
	begin, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if begin < 0 || end < begin {
		return s, errStat
	}
	s.name = string(data[begin+1 : end])
	const state, parent, started = 0, 1, 19 // of the fields after the name
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) <= started {
		return s, errStat
	}
	s.state = fields[state]
	up, err := strconv.ParseUint(fields[parent], 10, 32)
	if err != nil {
		return s, err
	}
	s.parent = uint32(up)
	s.started, err = strconv.ParseUint(fields[started], 10, 64)
	return s, err
}

// process reads about the process of a thread.
func (f *procFS) process(thread uint32) (p process, err error) {
	if p.id, err = f.processOf(thread); err != nil {
		return p, err
	}
	s, err := f.stat(p.id)
	if err != nil {
		return p, err
	}
	p.name, p.parent, p.started = s.name, s.parent, s.started
	if line, err := f.file(p.id, "cmdline"); err == nil {
		p.args = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	}
	return p, nil
}

// processOf returns the process of a thread.
func (f *procFS) processOf(thread uint32) (uint32, error) {
	status, err := f.file(thread, "status")
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(status), "\nTgid:")
	if !ok {
		return 0, errStat
	}
	line, _, _ := strings.Cut(rest, "\n")
	id, err := strconv.ParseUint(strings.TrimSpace(line), 10, 32)
	return uint32(id), err
}

// runs reports whether the process of a session has not ended.
func (f *procFS) runs(session uint64) bool {
	id := idOf(session)
	s, err := f.stat(id)
	return err == nil && s.state != "Z" && process{id: id, started: s.started}.session() == session
}
