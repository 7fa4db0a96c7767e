package resolve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitapplied"
	"github.com/worldfs/worldfs/internal/worldtree/svnmoved"
	"github.com/worldfs/worldfs/internal/worldtree/svnrecord"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// control is the version control that has begun a merge.
type control interface {
	name() string
	operation() *vcs.Operation
	index(q vcs.Query) (*vcs.Index, error)
	sides(root string) ([3]*worldform.World, error)         // the base, ours and theirs
	authors(side int, files []string) map[string]vcs.Commit // of ours (0) or theirs (1)

	// isUnmerged reports whether one of some files is in conflict.
	isUnmerged(q vcs.Query) (bool, error)
	// merged reports whether both sides changed one of some files, so that it may be merged
	// line by line though it is in no conflict.
	merged(q vcs.Query) (bool, error)
	// file returns a file as the base, ours and theirs have it. stages are those of one that
	// is unmerged.
	file(index *vcs.Index, name string, stages [3]vcs.Listed) ([3][]byte, error)
}

// findControl returns what has begun a merge in a directory, which may be in both: git, else svn.
func findControl(root string, o Options) (control, error) {
	g := &gitControl{Git: vcs.Git{Dir: root}, op: o.Operation}
	if g.op != nil {
		return g, nil
	}
	var err error
	if g.op, err = g.Operation(); g.op != nil && !g.op.Done {
		return g, nil
	}
	switch pulled, pullErr := findPulled(root); {
	case pullErr != nil:
		return nil, pullErr
	case pulled != nil:
		g.op, err = pulled, nil
	case err == nil || errors.Is(err, vcs.ErrUnmerged):
		if applied, appliedErr := gitapplied.Find(root, err != nil); applied != nil || appliedErr != nil {
			g.op, err = applied, appliedErr
		}
	}
	if g.op != nil && err == nil {
		return g, nil
	}
	if err != nil && !errors.Is(err, vcs.ErrNoRepository) && !errors.Is(err, vcs.ErrNoTool) {
		return nil, err
	}
	s, svnErr := findSVN(root, o)
	if s != nil {
		return s, nil
	}
	noSVN := errors.Is(svnErr, vcs.ErrNoRepository)
	switch {
	case svnErr != nil && !noSVN:
		return nil, svnErr
	case err == nil:
		return nil, fmt.Errorf("%w: %s", ErrNothing, gitapplied.Nothing(root))
	case noSVN:
		return nil, err
	}
	return nil, errNothingOfSVN
}

var errNothingOfSVN = fmt.Errorf("%w: svn has no conflict here from an update, switch or merge", ErrNothing)

// svnControl is svn.
type svnControl struct {
	*vcs.SVNMerge
	moved svnmoved.Files
}

func newSVNControl(m *vcs.SVNMerge) svnControl { return svnControl{m, svnmoved.Find(m)} }

// findSVN returns the merge that svn has begun, nil if there is none.
func findSVN(root string, o Options) (control, error) {
	dir := worlddir.Known(root, entity.GUID{})
	kept, err := svnrecord.Read(dir)
	if errors.Is(err, svnrecord.ErrDamaged) {
		o.Note(fmt.Sprintf("%v: what svn could not merge and has still is found out anew; svn diff shows what was resolved already, and worldfs undo ID takes back what is wrong of it", err))
		err = o.Keep(dir, worlddir.SVNMergeName, nil)
	}
	if err != nil {
		return nil, err
	}
	m, err := vcs.SVN{Dir: root}.Merge(WholeQuery(), kept, svnrecord.Keeper(dir, o.Keep))
	if m == nil || err != nil {
		return nil, err
	}
	return newSVNControl(m), nil
}

// WholeQuery asks for all that is merged: a world's settings besides its texts.
func WholeQuery() vcs.Query {
	q := worldform.TextQuery()
	texts := q.Want
	q.Names = append([]string{worlddir.RangesName}, q.Names...)
	q.Want = func(name string) bool { return name == worlddir.RangesName || texts(name) }
	return q
}

func (s svnControl) name() string { return "svn" }

func (s svnControl) operation() *vcs.Operation { return s.Operation() }

func (s svnControl) index(q vcs.Query) (*vcs.Index, error) {
	x := s.Index(q)
	s.moved.NoteEdits(s.SVNMerge, x)
	return x, nil
}

func (s svnControl) sides(root string) (sides [3]*worldform.World, err error) {
	o := worldform.Options{Dir: root, First: true}
	for _, side := range []int{1, 0, 2} {
		if sides[side], err = worldform.OpenTree(s.moved.Side(s.SVNMerge, side), o); err != nil {
			return sides, err
		}
		o.First, o.Types, o.Like = false, sides[1].Types, append(o.Like, sides[side])
	}
	return sides, nil
}

func (s svnControl) authors(side int, files []string) map[string]vcs.Commit {
	base := 1 // the side that BASE is
	if s.Operation().Kind == vcs.Merging {
		base = 0
	}
	if side != base {
		return nil // it was not committed, or is on a branch
	}
	return s.Authors(files)
}

func (s svnControl) isUnmerged(q vcs.Query) (bool, error) {
	return slices.ContainsFunc(s.Index(q).Files, func(f vcs.Staged) bool { return f.Stage > 0 }), nil
}

// merged says of no file that it is: what svn merged by itself of a world's settings is the
// person's.
func (s svnControl) merged(vcs.Query) (bool, error) { return false, nil }

func (s svnControl) file(index *vcs.Index, _ string, stages [3]vcs.Listed) (sides [3][]byte, err error) {
	for i, l := range stages {
		if l.Object == "" {
			continue
		}
		for f, err := range index.Tree(nil).Read([]vcs.Listed{l}) {
			if err != nil {
				return sides, err
			}
			sides[i] = f.Data
		}
	}
	return sides, nil
}
