// Package pull takes in what others have published in git or svn: as a world, and in one step.
//
// It looks ahead first (Look): it has git fetch, and merges what others have shared with
// all that the person has, committed or not, from git's objects alone. So it is known what
// would be in conflict before anything is touched. Then that can be taken in (Take):
//
//  1. The person's commits that are not published are made anew on what came in, each as
//     the merge of the world in it. In a conflict the shared side stands there, so that
//     every commit has a world that loads. Where there are merges among them, one merge
//     is made instead, and they stay as they are. So far there are only new objects.
//  2. It is recorded what is to be done (pullrecord.Record).
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
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
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

func (o *Options) complete() {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Keep == nil {
		o.Keep = (*worlddir.Dir).Keep
	}
}

func (o *Options) resolving() resolve.Options { return resolve.Options{Note: o.Note, Keep: o.Keep} }

// Incoming is what others have published and is not here.
type Incoming struct {
	Upstream string   // where it comes from, as origin/main
	Commits  []Commit // that come in, the newest first
	Own      int      // commits of the person's that are not published
	Outside  []string // files besides the world that would be in conflict, from the top of the repository
	Loss     Loss     // what of the world is gone in what comes in

	options Options
	way     way
	merged  *resolve.Preview
}

// way is how version control takes it in.
type way interface {
	ahead() (*resolve.Preview, error)
	take() (*Taken, error)
}

// Look finds out what others have published, and what would come of taking it in. Nothing
// is touched but what git knows of the other repository.
func Look(root string, o Options) (*Incoming, error) {
	o.complete()
	in := &Incoming{options: o}
	err := in.lookByGit(root)
	if errors.Is(err, vcs.ErrNoRepository) || errors.Is(err, vcs.ErrNoTool) {
		if svnErr := in.lookBySVN(root); !errors.Is(svnErr, vcs.ErrNoRepository) {
			err = svnErr
		}
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}

// Nothing reports whether nothing comes in.
func (in *Incoming) Nothing() bool { return len(in.Commits) == 0 }

// Merged returns what comes in merged with what is here, where something comes in.
func (in *Incoming) Merged() (*resolve.Preview, error) {
	if in.merged != nil {
		return in.merged, nil
	}
	var err error
	in.merged, err = in.way.ahead()
	return in.merged, err
}

// Worlds returns the world that was in common last, and the one that comes in.
func (in *Incoming) Worlds(merged *resolve.Preview) (base, shared *worldform.World) {
	sides := merged.Sides()
	if merged.Operation.Mine {
		return sides[0], sides[1]
	}
	return sides[0], sides[2]
}

// Taken is what was taken in.
type Taken struct {
	Commits    int                 // that came in
	Made       int                 // of the person's own commits, those that were made anew
	Dropped    int                 // those of which nothing was left, since others have made it, too
	Merged     bool                // the person's own commits stay as they are, and a merge was made
	Resolution *resolve.Resolution // nil where nothing was to be merged
	Done       resolve.Done
}

// Take takes in what was looked at.
func (in *Incoming) Take() (*Taken, error) {
	if len(in.Outside) > 0 {
		return nil, fmt.Errorf("%w: %s changed here, and what comes in changes the same; commit your change or put it away, then pull again (where both are committed, git pull merges them)",
			ErrOutside, strings.Join(in.Outside, ", "))
	}
	if in.Loss.IsGreat() && !in.options.AllowLoss {
		return nil, fmt.Errorf("%w: of %d entities %d are gone in what comes in (worldfs incoming); where that is meant, --allow-loss takes it in", ErrLoss, in.Loss.Had, in.Loss.Gone)
	}
	return in.way.take()
}

// checkTypes refuses what cannot be merged since a declaration cannot be read.
func (in *Incoming) checkTypes() error {
	r, err := in.Merged()
	if err != nil {
		return err
	}
	_, shared := in.Worlds(r)
	sides := r.Sides()
	for _, side := range sides[1:] {
		where := "what is here"
		if side == shared {
			where = "what comes in"
		}
		for _, f := range side.Findings {
			if f.Code == entity.CodeTypeFile {
				return fmt.Errorf("%w: in %s the types cannot all be read, and nothing is merged without them: mend that first: %s", ErrOutside, where, f)
			}
		}
	}
	return nil
}
