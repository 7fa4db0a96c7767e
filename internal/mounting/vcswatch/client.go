package vcswatch

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a thread is doing with svn.
type svnWork int

const (
	noSVN     svnWork = iota
	svnOther          // it has the database of a working copy open
	svnUpdate         // it brings back what svn has not been told of
)

// updating are svn's commands that do.
var updating = []string{"update", "up", "switch", "sw", "merge", "checkout", "co"}

// client is what the last thread that was asked about is doing. A program that changes
// many names changes them one after the other.
type client struct {
	thread uint32
	at     time.Time
	work   svnWork
}

const clientLasts = 100 * time.Millisecond

func (c *client) of(thread uint32) svnWork {
	if now := time.Now(); thread != c.thread || now.Sub(c.at) > clientLasts {
		*c = client{thread: thread, at: now, work: workOf(thread)}
	}
	return c.work
}

// workOf asks the kernel. Of a thread that has ended, or whose files are not to be seen,
// it is not known: that is no svn.
func workOf(thread uint32) svnWork {
	proc := path.Join("/proc", strconv.FormatUint(uint64(thread), 10))
	fds, _ := os.ReadDir(path.Join(proc, "fd"))
	if !slices.ContainsFunc(fds, func(fd os.DirEntry) bool {
		to, err := os.Readlink(path.Join(proc, "fd", fd.Name()))
		return err == nil && strings.HasSuffix(to, "/.svn/wc.db")
	}) {
		return noSVN
	}
	line, err := os.ReadFile(path.Join(proc, "cmdline"))
	args := strings.Split(string(line), "\x00")
	if err == nil && path.Base(args[0]) == "svn" && slices.ContainsFunc(args, func(a string) bool { return slices.Contains(updating, a) }) &&
		!slices.Contains(args, "revert") {
		return svnUpdate
	}
	return svnOther
}
