package pull

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// repository is the git repository that a world directory lies in.
type repository struct {
	root string // the world directory
	git  *vcs.Caller
}

// open finds the repository, and refuses one that git is in the middle of something in.
func open(root string) (*repository, error) {
	index, err := vcs.Git{Dir: root}.OpenIndex()
	if err != nil {
		return nil, err
	}
	switch middle, err := index.Middle(); {
	case err != nil:
		return nil, err
	case middle == "bisect":
		return nil, fmt.Errorf("%w, a bisect: git bisect reset ends it, and goes back to the branch", ErrMiddle)
	case middle != "":
		return nil, fmt.Errorf("%w, a %s: worldfs resolve settles what it can, and says how to go on", ErrMiddle, middle)
	}
	return find(root)
}

func find(root string) (*repository, error) {
	c, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return nil, err
	}
	return &repository{root: root, git: c}, nil
}

// asking is git that may ask for a password.
func (r *repository) asking() *vcs.Caller { return r.git.With("GIT_TERMINAL_PROMPT=1") }

// isWorlds reports whether a file, named from the top of the tree, is part of the world.
func (r *repository) isWorlds(name string) bool {
	below, inside := strings.CutPrefix(name, r.git.Prefix())
	return inside && resolve.IsWorlds(below)
}

// query asks for a world's files.
func (r *repository) query(rev string) vcs.Query {
	q := worldform.TextQuery()
	q.Rev, q.Names, q.Want = rev, append([]string{"id_ranges"}, q.Names...), resolve.IsWorlds
	return q
}

// Commit is one commit.
type Commit struct {
	ID      string    `json:"id"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"`

	merge bool
}

// log returns the commits of a range, the newest first.
func (r *repository) log(revs string) (all []Commit, err error) {
	lines, err := r.git.List("log", "-z", "--topo-order", "--encoding=UTF-8", "--format=%H%x09%P%x09%at%x09%an%x09%s", revs, "--")
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		words := strings.SplitN(line, "\t", 5)
		if len(words) != 5 {
			return nil, fmt.Errorf("git log printed what cannot be read: %q", line)
		}
		seconds, _ := strconv.ParseInt(words[2], 10, 64) // 0 is long ago
		all = append(all, Commit{ID: words[0], Author: words[3], Time: time.Unix(seconds, 0), Subject: words[4],
			merge: len(strings.Fields(words[1])) > 1})
	}
	return all, nil
}

// commitWorking returns all that the person has as a commit: HEAD itself where nothing of
// the world was changed since. Neither the index nor a branch changes.
func (in *gitPull) commitWorking() (string, error) {
	world := in.dirtyWorld(in.dirty)
	if len(world) == 0 {
		return in.head, nil
	}
	r, changed := in.repository, names(world, func(d dirty) bool { return d.edited })
	var tree string
	err := r.withIndex(func(c *vcs.Caller) (err error) {
		if len(changed) > 0 {
			names := []byte(strings.Join(changed, "\x00") + "\x00")
			if _, err := c.Call(names, "add", "--all", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
				return err
			}
		}
		tree, err = c.Line("write-tree")
		return err
	})
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree, "-p", in.head, "-m", "worldfs pull: what was not committed"}
	commit, err := r.git.Line(args...)
	if err != nil { // git does not know the person
		commit, err = r.git.With("GIT_AUTHOR_NAME=worldfs", "GIT_AUTHOR_EMAIL=worldfs", "GIT_COMMITTER_NAME=worldfs", "GIT_COMMITTER_EMAIL=worldfs").Line(args...)
	}
	return commit, err
}

// withIndex has git work on a copy of the index.
func (r *repository) withIndex(do func(*vcs.Caller) error) error {
	dir, err := os.MkdirTemp("", "worldfs-pull-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "index")
	data, err := os.ReadFile(filepath.Join(r.git.GitDir(), "index"))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return do(r.git.With("GIT_INDEX_FILE=" + path))
}

// mostFetches bounds how often what is published is asked for.
const mostFetches = 10

// fetch has git hear what a remote has. Another that hears it at the same time overtakes this
// one, which then asks again.
func (r *repository) fetch(remote string) (err error) {
	for range mostFetches {
		if err = locking(r.asking(), nil, "fetch", "--quiet", remote); !vcs.IsOvertaken(err) {
			return err
		}
	}
	return err
}

// patience is how long a lock of git's is waited for, which another process has.
const patience = 10 * time.Second

// locking has git do what needs a lock of its, which a status in an editor may have.
func locking(git *vcs.Caller, in []byte, args ...string) error {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, err := git.Call(in, args...)
		switch {
		case !vcs.IsLocked(err):
			return err
		case time.Now().After(end):
			return fmt.Errorf("%w: %w", errLocked, err)
		}
	}
}

// awaitIndex waits until no other process has git's index: what is begun before that is half
// done.
func (r *repository) awaitIndex() error {
	lock := filepath.Join(r.git.GitDir(), "index.lock")
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, err := os.Lstat(lock)
		switch {
		case err != nil:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%w: %w: %s", ErrOutside, errLocked, lock)
		}
	}
}

var errLocked = errors.New("another git, or another worldfs pull, is at work in this clone: try again when it has ended; where none runs, one was killed, and its lock can be removed")
