package resolve

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/svnmergeinfo"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// Summary is what a call did and what is left, for people and for programs.
type Summary struct {
	Operation string                  `json:"operation"`
	Done      bool                    `json:"done"` // git has gone through with it
	Written   int                     `json:"written"`
	Removed   int                     `json:"removed"`
	Resolved  int                     `json:"resolved"` // files that git could not merge
	Left      []leftconflict.Conflict `json:"left"`
	Repairs   []string                `json:"repairs"` // beyond taking both sides' changes
	NewIDs    []string                `json:"new_ids"`
	Sets      []string                `json:"sets"`     // edits in disposable ranges that went for the other side's set
	GaveWay   []string                `json:"gave_way"` // a program's bulk changes, to a person's
	Stands    []string                `json:"stands"`   // edits of the working copy, instead of merged values
	Unread    []string                `json:"unread"`   // files that are left as they are
	Why       []string                `json:"why_unread"`
	Chosen    int                     `json:"chosen"` // conflicts that stand as was chosen in an earlier call
	Others    int                     `json:"others"` // files that are none of the world's and that git could not merge
	Next      string                  `json:"next"`
}

// NothingDone is the summary of a call that found nothing to resolve.
func NothingDone() Summary {
	return Summary{Left: []leftconflict.Conflict{}, Repairs: []string{}, NewIDs: []string{}, Sets: []string{}, GaveWay: []string{}, Stands: []string{}, Unread: []string{}, Why: []string{}}
}

// Summary returns what a call did.
func (r *Resolution) Summary(d Done) Summary {
	s := Summary{
		Operation: string(called(r)), Done: r.Operation.Done,
		Written: d.Written, Removed: d.Removed, Resolved: d.Resolved,
		Left: []leftconflict.Conflict{}, Repairs: []string{}, NewIDs: []string{}, Sets: []string{}, GaveWay: []string{}, Stands: []string{}, Unread: []string{}, Why: []string{}, Chosen: r.chosen,
		Others: r.index.Others, Next: r.next(d),
	}
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
		return r.Operation.Next
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

// WriteTo writes the summary in words: what is left, what was done beyond taking both
// sides' changes, and a line that sums it up.
func (s Summary) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	for _, l := range s.Left {
		fmt.Fprintln(&b, l)
	}
	for _, part := range []struct {
		what  string
		lines []string
	}{{"repair", s.Repairs}, {"new ID", s.NewIDs}, {"set", s.Sets}, {"gave way", s.GaveWay}, {"your edit stands", s.Stands}, {"left as it is", s.Why}} {
		for _, line := range part.lines {
			fmt.Fprintf(&b, "%s: %s\n", part.what, line)
		}
	}
	if s.Chosen > 0 {
		fmt.Fprintf(&b, "as you chose before: %d (worldfs resolve --take SIDE ID changes one)\n", s.Chosen)
	}
	fmt.Fprintf(&b, "%s: %s", s.Operation, s.did())
	if n := len(s.Left); n > 0 {
		fmt.Fprintf(&b, "; %d left to settle", n)
	}
	switch {
	case s.Next != "" && s.Others > 0:
		fmt.Fprintf(&b, "; next: settle %d other files that git could not merge, then %s", s.Others, s.Next)
	case s.Next != "":
		fmt.Fprintf(&b, "; next: %s", s.Next)
	case s.Operation == string(vcs.Unstashing) && len(s.Left)+len(s.Unread) == 0:
		b.WriteString("; the stash is dropped, and nothing is left to finish: its edits are here, not committed")
	}
	b.WriteByte('\n')
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (s *Summary) did() string {
	if s.Written+s.Removed+s.Resolved == 0 {
		return "nothing changed"
	}
	files := "files"
	if s.Written == 1 {
		files = "file"
	}
	return fmt.Sprintf("%d %s written, %d removed, %d resolved", s.Written, files, s.Removed, s.Resolved)
}
