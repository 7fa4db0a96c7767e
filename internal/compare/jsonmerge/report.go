package jsonmerge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Report says what a merge did.
type Report struct {
	// How many values, members and elements were changed, added or removed by ours
	// alone, by theirs alone, and by both alike.
	Ours   int `json:"ours"`
	Theirs int `json:"theirs"`
	Both   int `json:"both"`

	Conflicts []Conflict `json:"conflicts,omitempty"`
	Remarks   []Remark   `json:"remarks,omitempty"` // about the rules
}

// Disagreement says what kind of conflict there is.
type Disagreement string

// The kinds of conflicts.
const (
	Changed Disagreement = "changed" // both changed it, to different values
	Created Disagreement = "created" // both created it, with different values
	Deleted Disagreement = "deleted" // one deleted what the other changed
	Type    Disagreement = "type"    // both changed it, and it is no longer of one type
	Order   Disagreement = "order"   // both moved the same elements of an array
	Size    Disagreement = "size"    // both changed a grid, and one its size
	Comment Disagreement = "comment" // both changed a comment; the values are its text
)

// Conflict is a place where the sides disagree.
type Conflict struct {
	// Path leads to the value in the result. Where the preferred side has deleted
	// it, Path is where it stands in the other.
	Path  jsontext.Pointer `json:"path"`
	Kind  Disagreement     `json:"kind"`
	Taken Side             `json:"taken"`
	Cell  []int            `json:"cell,omitempty"` // its column and row, from 0, in a grid whose width a rule tells

	// As they are spelled in the documents, or in JSON where that is another notation;
	// empty where there is none. For elements of an array that have no pairs, an array
	// of all that are concerned.
	Base   jsontext.Value `json:"base,omitempty"`
	Ours   jsontext.Value `json:"ours,omitempty"`
	Theirs jsontext.Value `json:"theirs,omitempty"`
}

// String says in a line what the sides disagree about.
func (c Conflict) String() string {
	where := string(c.Path)
	if where == "" {
		where = "the whole document"
	}
	if len(c.Cell) == 2 {
		where += fmt.Sprintf(" (column %d, row %d)", c.Cell[0], c.Cell[1])
	}
	return fmt.Sprintf("%s: %s; %s is taken", where, c.what(), c.Taken)
}

func (c Conflict) what() string {
	ours, theirs := excerpt(c.Ours), excerpt(c.Theirs)
	switch c.Kind {
	case Size:
		return "both sides changed the grid, and its size"
	case Order:
		return "both sides moved the same elements"
	case Comment:
		return "the comment: " + cmp.Or(ours, "deleted") + " in ours, " + cmp.Or(theirs, "deleted") + " in theirs"
	case Created:
		return fmt.Sprintf("both sides created it, ours as %s, theirs as %s", ours, theirs)
	case Deleted:
		if len(c.Ours) == 0 {
			return "ours deleted it, theirs changed it to " + theirs
		}
		return "theirs deleted it, ours changed it to " + ours
	case Type:
		return fmt.Sprintf("it was %s, and the types differ: ours has %s, theirs %s", excerpt(c.Base), ours, theirs)
	default:
		return fmt.Sprintf("it was %s, ours has %s, theirs %s", excerpt(c.Base), ours, theirs)
	}
}

// excerpt shortens a value to what a message can bear.
func excerpt(v jsontext.Value) string {
	const most = 48
	s := strings.Join(strings.Fields(string(v)), " ")
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

func (s step) String() string {
	if s.name == nil {
		return strconv.Itoa(s.index)
	}
	return unquote(s.name)
}

// cell returns the column and the row of the innermost grid in a path, if it has a
// width.
func cell(path []step) []int {
	for _, s := range slices.Backward(path) {
		if s.width > 0 {
			return []int{s.index % s.width, s.index / s.width}
		}
	}
	return nil
}

// conflict reports one at the current path.
func (m *merger) conflict(kind Disagreement, base, ours, theirs jsontext.Value) {
	m.report.Conflicts = append(m.report.Conflicts, Conflict{
		Path: pointer(m.path), Cell: cell(m.path), Kind: kind, Taken: m.prefer,
		Base: base, Ours: ours, Theirs: theirs,
	})
}

// disagree reports a conflict about values, which may be nil.
func (m *merger) disagree(kind Disagreement, b, o, t *node) {
	m.conflict(kind, m.base.standard(b), m.ours.standard(o), m.theirs.standard(t))
}
