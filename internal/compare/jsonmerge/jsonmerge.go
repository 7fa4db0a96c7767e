// Package jsonmerge merges two versions of a JSON document that come from a common
// base: a game's levels, dialogue, item lists. It merges values, not lines.
//
// Objects merge by key, arrays of objects by their ID field, other arrays as
// sequences (those of numbers that kept their length, such as tile maps, place by
// place), everything else by value. A vector, quaternion or colour is one value: two
// to four numbers in an array, or in an object of x, y, z, w or r, g, b, a, or what
// its name says is one. Rules say otherwise for their paths. Only what both sides changed
// to different values, or one deleted and the other changed, is a conflict: the
// preferred side's value stands there, and the conflict is in the report.
//
// Guarantees: merge(a, a, b), merge(a, b, a) and merge(a, b, b) are b. With the
// sides and the preference swapped the merged value is the same. What one side alone
// changed is in the result or within a reported conflict. Key order, indentation,
// line ends and the spelling of numbers are those of ours; what comes from theirs is
// laid out alike. A merge whose value is ours returns ours byte for byte, and one
// with ours like the base returns theirs byte for byte.
//
// Documents are in JSON, with comments and commas behind last items or without, or in
// SJSON; each keeps its notation. Comments belong to values, move with them, and merge
// like them.
//
// Values are compared exactly: 1, 1.0 and 1e0 are one number in different
// spellings, and a spelling that one side alone changed is merged like a value; -0
// is not 0. Members' order in an object means nothing, elements' order in an array
// does.
//
// Costs: time and memory proportional to the documents, some forty times their size
// at worst (arrays of single digits); long arrays that differ everywhere take up to
// a second more.
package jsonmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep objects and arrays may lie in each other.
const MaxDepth = 1000

// Side is one of the two versions.
type Side uint8

// The sides.
const (
	Ours Side = iota
	Theirs
)

func (s Side) String() string {
	if s == Theirs {
		return "theirs"
	}
	return "ours"
}

// MarshalText is for reports in JSON.
func (s Side) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSide reads what String returns.
func ParseSide(s string) (Side, error) {
	switch s {
	case "ours":
		return Ours, nil
	case "theirs":
		return Theirs, nil
	}
	return Ours, fmt.Errorf(`unknown side %q: want "ours" or "theirs"`, s)
}

// Options says how to merge.
type Options struct {
	Prefer Side // whose value stands where they disagree

	// IDFields are the members that tell the objects of an array apart; the first
	// counts that all of them have, each another, else the first that tells most of
	// them apart. Nil means DefaultIDFields; with an empty list all arrays merge as
	// sequences.
	IDFields []string

	Rules *Rules // how the values of some paths merge; may be nil

	Dialect Dialect // the notation of all three

	// The documents' names for errors; "base", "ours" and "theirs" where empty.
	BaseName, OursName, TheirsName string
}

// DefaultIDFields returns the names of members that are IDs unless Options says
// otherwise.
func DefaultIDFields() []string { return []string{"id", "ID", "guid", "uuid", "name", "key"} }

// Merge merges two versions of a document. An empty base stands for a document that
// both sides created. An error about a document is an *Error. The report's values
// are parts of the arguments, not copies.
func Merge(base, ours, theirs []byte, o Options) ([]byte, Report, error) {
	m, err := newMerger(base, ours, theirs, o)
	if err != nil {
		return nil, Report{}, err
	}
	var b *node
	if m.base != nil {
		b = &m.base.root
	}
	r := result{root: m.merge(b, &m.ours.root, &m.theirs.root)}
	r.around = m.mergeOutside()
	switch exact := m.table.noted(r.root.exact, r.around); {
	case exact == m.theirs.exact && bytes.Equal(base, ours):
		return bytes.Clone(theirs), m.report, nil
	case exact == m.ours.exact:
		return bytes.Clone(ours), m.report, nil
	}
	return m.render(r), m.report, nil
}

func newMerger(base, ours, theirs []byte, o Options) (*merger, error) {
	m := &merger{prefer: o.Prefer, table: newTable()}
	p := parser{table: m.table, dialect: o.Dialect}
	if p.dialect == Detect {
		p.dialect = dialectOf(base, ours, theirs)
	}
	m.dialect = p.dialect
	var err error
	if m.dialect == SJSON || len(bytes.TrimSpace(base)) > 0 { // in SJSON nothing is {}
		if m.base, err = p.parse(base, cmp.Or(o.BaseName, "base")); err != nil {
			return nil, err
		}
	}
	if m.ours, err = p.parse(ours, cmp.Or(o.OursName, "ours")); err != nil {
		return nil, err
	}
	if m.theirs, err = p.parse(theirs, cmp.Or(o.TheirsName, "theirs")); err != nil {
		return nil, err
	}
	m.base.like(m.ours, m.table)
	m.theirs.like(m.ours, m.table)
	agree(m.ours, m.theirs, m.base)
	m.components = components(m.table)
	fields := o.IDFields
	if fields == nil {
		fields = DefaultIDFields()
	}
	for _, f := range fields {
		m.idFields = append(m.idFields, newIdentity(m.table, [][]string{{f}}))
	}
	m.mark(o.Rules)
	return m, nil
}

// merger merges three documents.
type merger struct {
	base, ours, theirs *document // base is nil where there is none
	dialect            Dialect
	prefer             Side
	table              *table
	idFields           []identity
	rules              *marker         // nil where there are none
	components         map[int32]uint8 // the names of a vector's members and a colour's
	path               []step
	report             Report
}

// step is a step of the path from the root: a member's name, or an element's index.
type step struct {
	name  []byte // as it is spelled; nil for an element
	index int
	width int // of the grid that the element is in, if a rule tells it
}

// in does something one step further from the root.
func (m *merger) in(s step, do func()) {
	m.path = append(m.path, s)
	do()
	m.path = m.path[:len(m.path)-1]
}

func pointer(path []step) jsontext.Pointer {
	var p []byte
	for _, s := range path {
		p = append(append(p, '/'), pointerToken.Replace(s.String())...)
	}
	return jsontext.Pointer(p)
}

var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")
