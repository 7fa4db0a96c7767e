// Package resolved says what a call of worldfs resolve did and what it left, in words for
// people and in JSON for programs.
package resolved

import (
	"fmt"
	"io"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Summary is what a call did and what is left, for people and for programs.
type Summary struct {
	Operation string                  `json:"operation"`
	Done      bool                    `json:"done"` // git has gone through with it
	Written   int                     `json:"written"`
	Removed   int                     `json:"removed"`
	Resolved  int                     `json:"resolved"` // files that git could not merge
	Left      []leftconflict.Conflict `json:"left"`
	Besides   []leftconflict.Conflict `json:"besides"` // that are marked in files, and are none of the merge's
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

// Nothing is the summary of a call that found nothing to resolve.
func Nothing() Summary {
	return Summary{Left: []leftconflict.Conflict{}, Besides: []leftconflict.Conflict{}, Repairs: []string{}, NewIDs: []string{}, Sets: []string{}, GaveWay: []string{}, Stands: []string{}, Unread: []string{}, Why: []string{}}
}

// WriteTo writes the summary in words: what is left, what was done beyond taking both
// sides' changes, and a line that sums it up.
func (s Summary) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	for _, l := range s.Left {
		fmt.Fprintln(&b, l)
	}
	for _, l := range s.Besides {
		fmt.Fprintf(&b, "marked besides: %s\n", l)
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
		b.WriteString("; nothing is left to finish: the edits of the stash are here, not committed")
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
