// Package pull takes in what others have published in git: as a world, and in one step.
//
// It looks ahead first (Look): it has git fetch, and merges what others have shared with
// all that the person has, committed or not, from git's objects alone. So it is known what
// would be in conflict before anything is touched. Then that can be taken in (Take):
//
//  1. The person's commits that are not published are made anew on what came in, each as
//     the merge of the world in it. In a conflict the shared side stands there, so that
//     every commit has a world that loads. Where there are merges among them, one merge
//     is made instead, and they stay as they are. So far there are only new objects.
//  2. It is recorded what is to be done (resolve.Pulled).
//  3. git brings the files besides the world to what came in; what a person has changed
//     there, and came in, too, was refused before.
//  4. The world's files become what the merge of everything is: edits that were not
//     committed are still that. What is in conflict is marked, and left to worldfs resolve.
//  5. The branch moves on, and git's index follows.
//
// Where the person has nothing that the others do not have, git goes forward by itself.
//
// A process that is killed in 3 to 5 leaves a repository that git can read, with a state in
// which all is there; Finish does the rest. What the person had is besides a commit that
// git keeps: refs/worktree/worldfs/mine.
package pull

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// What callers decide on.
var (
	ErrMiddle  = errors.New("git is in the middle of something")
	ErrOutside = errors.New("nothing was touched")
	ErrLoss    = errors.New("a great loss")
)

// Options are how to look at what is to be pulled.
type Options struct {
	Offline   bool         // what git has fetched before, instead of asking
	AllowLoss bool         // that most of the world is gone is meant
	Note      func(string) // told what the person should know; may be nil
	Keep      resolve.Keep // nil: this process replaces the files itself
}

// Incoming is what others have published and this clone does not have.
type Incoming struct {
	Upstream string   // the branch that it comes from, as origin/main
	Commits  []Commit // that come in, the newest first
	Own      int      // commits of the person's that are not published
	Outside  []string // files besides the world that would be in conflict, from the top of the repository
	Loss     Loss     // what of the world is gone in what comes in

	*repository
	options Options
	head    string
	shared  string
	bases   []string
	dirty   []dirty
	mine    string // all that is here, as a commit
	coming  []change
	merged  *resolve.Resolution
}

// Look finds out what others have published, and what would come of taking it in. Nothing
// is touched but what git knows of the other repository.
func Look(root string, o Options) (*Incoming, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	r, err := open(root)
	if err != nil {
		return nil, err
	}
	in := &Incoming{repository: r, options: o}
	if err := in.findUpstream(); err != nil {
		return nil, err
	}
	if err := in.findCommits(); err != nil || in.Nothing() {
		return in, err
	}
	if in.dirty, err = r.findDirty(); err != nil {
		return nil, err
	}
	if in.mine, err = in.commitWorking(); err != nil {
		return nil, fmt.Errorf("read what was not committed: %w", err)
	}
	if in.coming, err = r.diff(in.bases[0], in.shared); err != nil {
		return nil, err
	}
	if in.Loss, err = in.loss(); err != nil {
		return nil, err
	}
	return in, in.findOutside()
}

// Merged returns what comes in merged with what is here, where something comes in.
func (in *Incoming) Merged() (*resolve.Resolution, error) {
	if in.merged != nil {
		return in.merged, nil
	}
	var err error
	in.merged, err = resolve.Ahead(in.root, in.operation(), resolve.Options{Note: in.options.Note, Keep: in.options.Keep})
	return in.merged, err
}

// isForward reports whether nothing of the world is here that the others do not have, so
// that nothing is to be merged.
func (in *Incoming) isForward() bool { return in.Own == 0 && in.mine == in.head }

// Nothing reports whether nothing comes in.
func (in *Incoming) Nothing() bool { return len(in.Commits) == 0 }

func (in *Incoming) operation() *vcs.Operation {
	return (&resolve.Pulled{Bases: in.bases, Shared: in.shared, Mine: in.mine}).Operation()
}

// findUpstream finds the branch that the current one follows, and has git fetch it.
func (in *Incoming) findUpstream() error {
	branch, err := in.git.Line("symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return errors.New("HEAD is on no branch (git switch BRANCH goes to one): there is nothing that it could follow")
	}
	full, err := in.git.Line("rev-parse", "--symbolic-full-name", branch+"@{upstream}")
	if err != nil {
		return fmt.Errorf("the branch %s follows none that others publish; git branch --set-upstream-to=origin/%s makes it follow one", branch, branch)
	}
	remote, _ := in.git.Line("config", "branch."+branch+".remote")
	if !in.options.Offline && remote != "" && remote != "." {
		if _, err := in.asking().Call(nil, "fetch", "--quiet", remote); err != nil {
			return fmt.Errorf("ask %s what others have published: %w (--offline goes by what git has heard before)", remote, err)
		}
	}
	in.Upstream = strings.TrimPrefix(strings.TrimPrefix(full, "refs/remotes/"), "refs/heads/")
	both, err := in.git.Line("rev-parse", full+"^{commit}", "HEAD^{commit}")
	if err != nil {
		return fmt.Errorf("%s or HEAD has no commit yet: %w", in.Upstream, err)
	}
	in.shared, in.head, _ = strings.Cut(both, "\n")
	return nil
}

// findCommits finds what comes in, and what is the person's own.
func (in *Incoming) findCommits() (err error) {
	if in.Commits, err = in.log(in.head + ".." + in.shared); err != nil || in.Nothing() {
		return err
	}
	own, err := in.log(in.shared + ".." + in.head)
	if err != nil {
		return err
	}
	in.Own = len(own)
	if in.bases, err = (vcs.Git{Dir: in.root}).MergeBases(in.head, in.shared); err != nil {
		return err
	}
	if len(in.bases) == 0 {
		return fmt.Errorf("what is here and %s have nothing in common (in a shallow clone git fetch --unshallow brings it)", in.Upstream)
	}
	slices.Sort(in.bases)
	return nil
}
