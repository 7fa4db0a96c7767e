// Package vcssync has git and svn hear which entities and types were created and which
// were deleted: svn add and svn delete, git add -N and git rm --cached, a few processes
// for all of them. It never commits, and does nothing in the middle of an operation of
// git's; what is in conflict it leaves alone.
//
// What is there, and what is not, the files say. So a call that fails, or is killed, is
// made good by the next; but svn brings back, at its next update, what is gone without
// its knowledge. Therefore a deletion is on record (Record) before svn is told, and
// stands although svn has brought the file back meanwhile, as it was.
package vcssync

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// What callers decide on.
var (
	ErrNoVCS    = errors.New("the world lies in no working copy of git or svn")
	ErrNotAdded = errors.New("version control does not have this world yet: worldfs vcs add")
)

// MiddleError says that git is in the middle of an operation, so that nothing was done.
type MiddleError struct{ Operation string }

func (e *MiddleError) Error() string {
	return fmt.Sprintf("git is in the middle of a %s: nothing was done; finish it (git status says how), then run this again", e.Operation)
}

// Options are how to tell version control.
type Options struct {
	Dir  *worlddir.Dir
	Note func(Update) (Record, error) // see Note

	// BroughtBack reports whether the file of an entity is there since then because a
	// command of worldfs brought it back, as undo does.
	BroughtBack func(id entity.ID, since time.Time) bool
	// Hidden says that entities/ does not show the world's files, so that none of them
	// is taken for deleted.
	Hidden bool
	// LockTimeout is for how long a lock of another process is waited for.
	LockTimeout time.Duration
}

// Result is what a version control was told.
type Result struct {
	Tool      string   `json:"tool"` // git or svn
	Created   []string `json:"created,omitempty"`
	Deleted   []string `json:"deleted,omitempty"`
	Returned  []string `json:"returned,omitempty"`  // had been deleted, and are there again
	Restored  []string `json:"restored,omitempty"`  // of Deleted: svn had brought them back
	Kept      []string `json:"kept,omitempty"`      // were deleted, and came back from svn in another state
	Conflicts []string `json:"conflicts,omitempty"` // left alone
}

// Empty reports whether there was nothing to tell.
func (r *Result) Empty() bool { return len(r.Created)+len(r.Deleted)+len(r.Returned) == 0 }

// tools are the version controls that a world can be told to.
var tools = []struct {
	name, marker string
	sync         func(*syncing) error
	add          func(*syncing, func() error) error
	local        func(root string) (has []string, out string, err error)
}{
	{"git", ".git", (*syncing).git, (*syncing).addToGit, localInGit},
	{"svn", ".svn", (*syncing).svn, (*syncing).addToSVN, localInSVN},
}

// Sync tells the version control that the world lies in. Where another process has the
// working copy for longer than o.LockTimeout, the error is a *vcs.LockedError, and it is on
// record, for status.
func Sync(o Options) (results []Result, err error) {
	top := workingCopy(o.Dir.Root)
	for _, tool := range tools {
		if _, err := os.Lstat(filepath.Join(top, tool.marker)); top == "" || err != nil {
			continue
		}
		s := syncing{Options: o, done: Result{Tool: tool.name}}
		if err := s.patiently(tool.sync); err != nil {
			return results, s.failed(err)
		}
		results = append(results, s.done)
	}
	if len(results) == 0 {
		return nil, ErrNoVCS
	}
	_, err = o.Note(Update{Failure: new(string)})
	return results, err
}

// Uses reports whether a world lies in a working copy of git or svn, and whether svn's.
func Uses(root string) (any, svn bool) {
	top := workingCopy(root)
	if top == "" {
		return false, false
	}
	_, err := os.Lstat(filepath.Join(top, ".svn"))
	return true, err == nil
}

// workingCopy returns the nearest directory that git or svn has as the top of a working
// copy, "" for none: what lies around it may be another's.
func workingCopy(dir string) string {
	for {
		for _, tool := range tools {
			if _, err := os.Lstat(filepath.Join(dir, tool.marker)); err == nil {
				return dir
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// syncing is one version control being told.
type syncing struct {
	Options
	done Result
}

const retryEvery = 100 * time.Millisecond

// patiently tells until no other process has the working copy.
func (s *syncing) patiently(sync func(*syncing) error) error {
	start := time.Now()
	for {
		err := sync(s)
		var locked *vcs.LockedError
		if !errors.As(err, &locked) || time.Since(start) >= s.LockTimeout {
			return err
		}
		time.Sleep(retryEvery)
		s.done = Result{Tool: s.done.Tool}
	}
}

// failed puts a failure on record.
func (s *syncing) failed(err error) error {
	var middle *MiddleError
	if errors.Is(err, ErrNotAdded) || errors.As(err, &middle) {
		return err
	}
	text := err.Error()
	if _, noteErr := s.Note(Update{Failure: &text}); noteErr != nil {
		return errors.Join(err, noteErr)
	}
	return err
}

// The directories whose files version control hears of.
var names = []string{worlddir.EntitiesName, worlddir.TypesName}

// isThere reports whether a file that is there is to be known: an entity's, where the
// layout has it, or a type's.
func (s *syncing) isThere(name string) bool {
	if file, ok := strings.CutPrefix(name, worlddir.EntitiesName+"/"); ok {
		_, is := s.Dir.Settings.Shard.Entity(file)
		return is && !s.Hidden
	}
	return isType(name)
}

// isOurs reports whether a file that is gone was an entity's, in any layout, or a type's.
func (s *syncing) isOurs(name string) bool {
	if file, ok := strings.CutPrefix(name, worlddir.EntitiesName+"/"); ok {
		_, _, is := layout.Of(file)
		return is && !s.Hidden
	}
	return isType(name)
}

func isType(name string) bool {
	return path.Dir(name) == worlddir.TypesName && path.Ext(name) == ".toml"
}

func (s *syncing) path(name string) string {
	return filepath.Join(s.Dir.Root, filepath.FromSlash(name))
}

func (s *syncing) exists(name string) bool {
	_, err := os.Lstat(s.path(name))
	return err == nil
}
