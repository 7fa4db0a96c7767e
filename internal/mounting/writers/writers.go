// Package writers says which program makes a request to the mount, for the history: an
// editor, or git, svn or hg, whichever of its processes it is that writes, or worldfs
// itself where it merges what those bring.
//
// It costs no system call for most requests: what is known of a thread is good for
// maxTrust, and after that one read of its stat says whether it is still the same. Only
// of one that is new are more files of /proc read.
//
// Where /proc does not tell (another namespace of processes, a process that has ended) the
// program is not known, and what it writes counts as an edit.
//
// It also holds up what lists entities while version control is on its way through their
// files (see Cache.AwaitCheckout).
package writers

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/username"
)

// maxTrust is for how long a number of a thread is taken for the same thread: no kernel
// gives a number again so soon.
const maxTrust = time.Second

// maxKnown bounds what is remembered.
const maxKnown = 1024

// known is what is known of a thread.
type known struct {
	writer  *cache.Writer
	started uint64
	at      time.Time // when it was last the same
}

// World is told which program writes.
type World interface {
	NoteWriter(id entity.ID, w *cache.Writer)
	// AwaitsNames reports whether so many files of entities are gone that they are waited
	// for to come back.
	AwaitsNames() bool
}

// Cache knows the writers by their threads. It is safe for concurrent use.
type Cache struct {
	world World
	proc  procFS
	now   func() time.Time

	mu       sync.Mutex // guards all and checkout, not proc
	all      map[uint32]known
	checkout checkout
}

// New returns a cache that knows no process.
func New(world World) *Cache {
	return &Cache{world: world, proc: procFS{root: "/proc"}, now: time.Now, all: make(map[uint32]known)}
}

// Note notes that a thread of a user changes the file of an entity, 0 for none. What a
// request does not tell the program of (thread 0: the kernel writes what was changed in
// memory) stays with what was noted before.
func (c *Cache) Note(id entity.ID, thread, uid uint32) {
	if id == 0 || thread == 0 {
		return
	}
	w := c.of(thread, uid)
	if w.Brought {
		c.noteCheckout(w, c.now())
	}
	c.world.NoteWriter(id, w)
}

// of returns which program a thread is of.
func (c *Cache) of(thread, uid uint32) *cache.Writer {
	now := c.now()
	c.mu.Lock()
	k, ok := c.all[thread]
	c.mu.Unlock()
	if ok && now.Sub(k.at) < maxTrust {
		return k.writer
	}
	st, err := c.proc.stat(thread)
	if err != nil {
		return &cache.Writer{Who: username.Of(uid)}
	}
	if !ok || k.started != st.started {
		w := c.identify(thread)
		w.Who = username.Of(uid)
		k = known{writer: &w, started: st.started}
	}
	k.at = now
	c.remember(thread, k)
	return k.writer
}

func (c *Cache) remember(thread uint32, k known) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= maxKnown {
		clear(c.all) // those that still write are found again
	}
	c.all[thread] = k
}

// identify finds out about a thread's process. What version control has others write for
// it is version control's: the one furthest up that was started for what is done.
func (c *Cache) identify(thread uint32) cache.Writer {
	p, err := c.proc.process(thread)
	if err != nil {
		return cache.Writer{}
	}
	name := p.program()
	w := cache.Writer{Program: name, Session: p.session(), Brought: isVCS(name) || p.isMerging()}
	if !isVCS(name) {
		return w
	}
	top := p
	const most = 16 // generations
	for range most {
		if p, err = c.proc.process(p.parent); err != nil || !isVCS(p.program()) && !isShell(p.program()) {
			break
		}
		if isVCS(p.program()) {
			top = p
		}
	}
	w.Session = top.session()
	if w.Program = vcsOf(top.program()); top.verb() != "" {
		w.Program += " " + top.verb()
	}
	return w
}

// systems are the programs of version control.
var systems = []string{"git", "svn", "hg", "jj"}

// vcsOf returns which system a program is of, "" if none: git-lfs is git's.
func vcsOf(program string) string {
	system, _, _ := strings.Cut(program, "-")
	if slices.Contains(systems, system) {
		return system
	}
	return ""
}

func isVCS(program string) bool { return vcsOf(program) != "" }

func isShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "busybox"}, program)
}

// isMerging reports whether a process is worldfs's and merges what version control brings, with
// no choice of a person's in it.
func (p process) isMerging() bool {
	if p.program() != "worldfs" || !slices.Contains([]string{"resolve", "pull", "vcs"}, p.verb()) {
		return false
	}
	return !slices.ContainsFunc(p.args, isChoice)
}

// isChoice reports whether an argument of worldfs resolve has a person choose.
func isChoice(arg string) bool {
	if option, _, _ := strings.Cut(arg, "="); strings.HasPrefix(option, "--") {
		return slices.Contains([]string{"--take", "--set", "--interactive", "--restore-lost"}, option)
	}
	letters, _, _ := strings.Cut(arg, "C") // what follows that is a directory
	return strings.HasPrefix(arg, "-") && strings.Contains(letters, "i")
}

// process is what /proc tells of a process.
type process struct {
	id      uint32
	parent  uint32
	started uint64 // in ticks since the machine was started
	name    string // as the kernel has it, cut off
	args    []string
}

// idBits is how many bits the number of a process has at the most: the kernel's
// PID_MAX_LIMIT.
const idBits = 22

// session is a number that no other process has, for as long as the machine runs.
func (p process) session() uint64 { return p.started<<idBits ^ uint64(p.id) }

// idOf returns the process whose session it is.
func idOf(session uint64) uint32 { return uint32(session & (1<<idBits - 1)) }

// program returns the process's name, that of its file where the kernel's was cut off.
func (p process) program() string {
	const cut = 15 // what the kernel keeps
	if len(p.name) < cut || len(p.args) == 0 {
		return p.name
	}
	if name := filepath.Base(p.args[0]); strings.HasPrefix(name, p.name) {
		return name
	}
	return p.name
}

// verb returns what version control was told to do: the first argument that is no option
// or the value of one; for git-NAME it is NAME.
func (p process) verb() string {
	if _, verb, ok := strings.Cut(p.program(), "-"); ok {
		return verb
	}
	args := p.args
	if i := slices.IndexFunc(args, func(a string) bool { return filepath.Base(a) == p.name }); i >= 0 {
		args = args[i+1:] // hg is python's: its own name comes second
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "-R", "--cwd", "--config", "--repository", "--config-option", "--role", "--directory"}, a):
			i++
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return ""
}
