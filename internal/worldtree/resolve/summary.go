package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/resolved"
	"github.com/worldfs/worldfs/internal/worldtree/svnmergeinfo"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// Summary returns what a call did.
func (r *Resolution) Summary(d Done) resolved.Summary {
	s := resolved.Nothing()
	s.Operation, s.Done = string(called(r)), r.Operation.Done
	s.Written, s.Removed, s.Resolved = d.Written, d.Removed, d.Resolved
	s.Chosen, s.Others, s.Next = r.chosen, r.index.Others, r.next(d)
	for _, c := range r.Left {
		s.Left = append(s.Left, r.left(c))
	}
	for _, c := range r.Merged.Conflicts {
		if c.Gave {
			s.GaveWay = append(s.GaveWay, c.Told(r.rules.SideNames()))
		}
	}
	for _, x := range slices.Concat(r.Merged.Repairs, r.home.Repairs) {
		s.Repairs = append(s.Repairs, x.String())
	}
	for _, x := range r.Merged.Renumbered {
		s.NewIDs = append(s.NewIDs, x.Told(r.rules.SideNames()))
	}
	s.Sets = append(s.Sets, r.Sets()...)
	for _, x := range r.Stands {
		s.Stands = append(s.Stands, x.String())
	}
	for _, x := range r.Unread {
		s.Unread, s.Why = append(s.Unread, x.File), append(s.Why, x.String())
	}
	return s
}

// called returns what has brought the sides together. A merge of svn's that met no conflict is
// read as an update.
func called(r *Resolution) vcs.OperationKind {
	if s, svn := r.control.(svnControl); svn && s.WentThrough() && svnmergeinfo.IsMerging(r.dir.Root) {
		return vcs.Merging
	}
	return r.Operation.Kind
}

// Sets returns, in lines for people, which edits of disposable ranges went for the other
// side's set.
func (r *Resolution) Sets() []string {
	lines := []string{}
	for _, x := range r.Merged.Discarded {
		lines = append(lines, x.Told(r.rules.SideNames()))
	}
	return lines
}

// Line returns a conflict that is left in a line for people.
func (r *Resolution) Line(c merge.Conflict) string { return r.left(c).String() }

func (r *Resolution) next(d Done) string {
	switch {
	case len(r.Left) > 0 || len(r.Unread) > 0:
		return ""
	case r.Operation.Kind == vcs.Pulling && r.Operation.Next == "":
		return nextPulled(r.control, r.dir)
	case !r.Operation.Done:
		return vcs.Git{Dir: r.dir.Root}.GoesOn(r.Operation.Next)
	case r.isToCommit(d):
		return "git commit"
	}
	return ""
}

func (r *Resolution) left(c merge.Conflict) leftconflict.Conflict {
	l := leftconflict.Conflict{ID: c.ID, Type: c.Type, Name: c.Name, Field: c.Field, Path: c.Path, Base: c.Base, Why: c.Why, Mine: c.Ours, Shared: c.Theirs}
	l.MineBy, l.OtherBy = r.authors[0][c.ID], r.authors[1][c.ID]
	if r.Operation.Mine {
		l.Mine, l.Shared = l.Shared, l.Mine
		l.MineBy, l.OtherBy = l.OtherBy, l.MineBy
	}
	picks := r.Operation.Kind == vcs.CherryPicking || r.Operation.Kind == vcs.Reverting
	l.Unborn = picks && l.Mine.Entity == nil && l.MineBy == leftconflict.Author{}
	return l
}
