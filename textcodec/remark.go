package textcodec

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// errRemark says that a marked conflict cannot be marked in another text.
var errRemark = errors.New("the sides of a marked conflict cannot be told apart by their properties")

// Remark returns a text of an entity in which those conflicts stand, too, that are
// marked in other texts of it and are not decided by it: it has the value that ours has
// there. So a change of one property takes no side of a conflict about another away.
func Remark(text []byte, id entity.ID, types *entity.Types, others ...[]byte) ([]byte, error) {
	decides := func(m *marked, ours, _ *entity.Entity, name string) bool { return !sameField(ours, m.ours, name) }
	return remark(text, id, types, decides, others)
}

// RemarkUndecided is Remark of a text that was made without knowing of the conflicts: it decides
// those alone in which it has the value that theirs has.
func RemarkUndecided(text []byte, id entity.ID, types *entity.Types, others ...[]byte) ([]byte, error) {
	decides := func(m *marked, _, theirs *entity.Entity, name string) bool { return sameField(theirs, m.ours, name) }
	return remark(text, id, types, decides, others)
}

// decides reports whether a text decides a conflict about a field, of which there are two sides.
type decides func(m *marked, ours, theirs *entity.Entity, name string) bool

func remark(text []byte, id entity.ID, types *entity.Types, decided decides, others [][]byte) ([]byte, error) {
	m, err := readMarked(text, id, types)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if !HasMarkers(other) {
			continue
		}
		o, err := readMarked(other, id, types)
		if err != nil {
			return nil, err
		}
		if err := m.add(o, decided); err != nil {
			return nil, err
		}
	}
	return AppendMarked(nil, m.ours, m.Marks), nil
}

// MarkAnew returns a text of e in which every conflict stands that is marked in another text
// of it, whatever e has there: nothing in e was written in knowledge of them. Where e has what
// theirs has there is none.
func MarkAnew(e *entity.Entity, types *entity.Types, other []byte) ([]byte, error) {
	m, err := readMarked(other, e.ID, types)
	if err != nil {
		return nil, err
	}
	if m.Other != nil {
		if _, m.Other, err = m.at(e.Layout); err != nil {
			return nil, err
		}
	}
	m.Fields = slices.DeleteFunc(m.Fields, func(name string) bool { return sameField(e, m.Other, name) })
	return AppendMarked(nil, e, m.Marks), nil
}

// Unmark returns a marked text in which conflicts about fields are settled as ours has them,
// and the others stand.
func Unmark(text []byte, id entity.ID, types *entity.Types, fields []string) ([]byte, error) {
	m, err := readMarked(text, id, types)
	if err != nil {
		return nil, err
	}
	m.Fields = slices.DeleteFunc(m.Fields, func(name string) bool { return slices.Contains(fields, name) })
	return AppendMarked(nil, m.ours, m.Marks), nil
}

// marked is a text with conflicts, read.
type marked struct {
	Marks
	ours *entity.Entity
}

// readMarked reads both sides of a text's conflicts, if it has any.
func readMarked(text []byte, id entity.ID, types *entity.Types) (m marked, err error) {
	res, err := Decode(text, id, types)
	if err != nil {
		return m, err
	}
	m.ours = res.Entity
	if !HasMarkers(text) {
		return m, nil
	}
	side, err := takeSide(bytes.TrimPrefix(text, byteOrderMark), theirSide)
	if err != nil {
		return m, err
	}
	if res, err = Decode(side.text, id, types); err != nil {
		return m, err
	}
	m.Other = res.Entity
	m.label(text)
	m.Fields = differing(m.ours, m.Other)
	if m.ours.Type() != m.Other.Type() || m.ours.Revision() != m.Other.Revision() || len(m.Fields) == 0 && m.Whole == "" {
		return m, errRemark
	}
	return m, nil
}

// Theirs returns an entity as the second side of the conflicts in its text has it, nil where
// there is no conflict in it.
func Theirs(text []byte, id entity.ID, types *entity.Types) (*entity.Entity, error) {
	m, err := readMarked(text, id, types)
	return m.Other, err
}

// MarkDeleted returns what is left of an entity that ours has deleted without knowing of the
// conflicts in its text: the entity as theirs has it, and a text of that in which the deletion is
// in conflict. other is nil where the sides have the same values, or cannot be told apart.
func MarkDeleted(text []byte, e *entity.Entity, types *entity.Types) (other *entity.Entity, marked []byte) {
	m, err := readMarked(text, e.ID, types)
	if err != nil || m.Other == nil || m.Other.Equal(e) {
		return nil, nil
	}
	m.Whole, m.Fields = DeletedBy(m.Ours), nil
	return m.Other, AppendMarked(nil, m.Other, m.Marks)
}

// Labels returns the Marks of a text without the fields and the entity: what the markers call
// the sides, and what is in conflict about the entity as a whole.
func Labels(text []byte) (m Marks) {
	m.label(text)
	return m
}

// label reads what the markers call the sides, and what is in conflict about the entity
// as a whole: that stands at a marker of no lines.
func (m *Marks) label(text []byte) {
	begin, empty := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, blank+"\n")
		sign := marker([]byte(line))
		name := strings.TrimSpace(line[min(markerLength, len(line)):])
		switch before, about, ok := strings.Cut(begin, aboutWhole); {
		case sign == '<':
			begin, empty = name, true
		case sign == '=' && empty && ok:
			begin, m.Whole = before, about
		case sign == '>' && m.Ours == "":
			m.Ours, m.Theirs = begin, name
		case sign == 0:
			empty = false
		}
	}
}

// differing returns the names of the fields and unknown fields that two entities have in
// different ways.
func differing(a, b *entity.Entity) (names []string) {
	for _, e := range []*entity.Entity{a, b} {
		for _, f := range e.Layout.Fields {
			if !slices.Contains(names, f.Name) && !sameField(a, b, f.Name) {
				names = append(names, f.Name)
			}
		}
		for _, raw := range e.Unknown {
			if !slices.Contains(names, raw.Name) && !sameField(a, b, raw.Name) {
				names = append(names, raw.Name)
			}
		}
	}
	return names
}

func sameField(a, b *entity.Entity, name string) bool {
	return a.Value(name).Equal(b.Value(name)) && slices.Equal(rawLines(a, name), rawLines(b, name))
}

func rawLines(e *entity.Entity, name string) (lines []string) {
	for _, raw := range e.Unknown {
		if raw.Name == name {
			lines = append(lines, raw.Lines)
		}
	}
	return lines
}

// add adds the conflicts of another text that m's does not decide.
func (m *marked) add(o marked, decided decides) error {
	ours, theirs, err := o.at(m.ours.Layout)
	if err != nil {
		return err
	}
	if m.Ours == "" {
		m.Ours, m.Theirs = o.Ours, o.Theirs
	}
	if m.Whole == "" {
		m.Whole = o.wholeAs(m.Ours, m.Theirs)
	}
	other := m.ours
	if m.Other != nil {
		other = m.Other
	}
	other = other.Clone()
	other.Unknown = slices.Clone(other.Unknown)
	for _, name := range differing(ours, theirs) {
		if slices.Contains(m.Fields, name) || decided(m, ours, theirs, name) {
			continue
		}
		m.Fields = append(m.Fields, name)
		give(other, theirs, name)
	}
	m.Other = other
	return nil
}

// wholeAs returns what is in conflict about the entity as a whole in a text that calls the
// sides otherwise: a side that deleted it goes by its place, unless its name is known there.
func (m *marked) wholeAs(ours, theirs string) string {
	switch by, ok := WholeDeleted(m.Whole); {
	case !ok || by == ours || by == theirs:
		return m.Whole
	case by == m.Ours:
		return DeletedBy(ours)
	case by == m.Theirs:
		return DeletedBy(theirs)
	}
	return m.Whole
}

// at returns both sides with a layout that they can be upgraded to.
func (m *marked) at(l *entity.Layout) (ours, theirs *entity.Entity, err error) {
	sides := []*entity.Entity{m.ours, m.Other}
	for i, e := range sides {
		if e.Revision() != l.Revision {
			if sides[i], err = Upgrade(e); err != nil {
				return nil, nil, err
			}
		}
		if sides[i].Layout != l && !(l.Type.Unknown && sides[i].Layout.Type.Unknown && e.Type() == l.Type.Name) {
			return nil, nil, errRemark
		}
	}
	return sides[0], sides[1], nil
}

// give has an entity have a field as another has it.
func give(to, from *entity.Entity, name string) {
	if i := to.Layout.Index(name); i >= 0 {
		to.Values[i] = from.Values[i]
	}
	to.Unknown = slices.DeleteFunc(to.Unknown, func(r entity.Raw) bool { return r.Name == name })
	for _, raw := range from.Unknown {
		if raw.Name == name {
			to.Unknown = append(to.Unknown, raw)
		}
	}
}

// StillMarked returns those conflicts of a marked text that are marked in a later one, too, with
// the same value of theirs, which may be nowhere else: as they are in the later one, in a text with
// these alone, nil where there are none, and the fields that they are about, "" for the entity as
// a whole.
func StillMarked(before, now []byte, id entity.ID, types *entity.Types) (text []byte, fields []string, err error) {
	if !HasMarkers(before) || !HasMarkers(now) {
		return nil, nil, nil
	}
	b, err := readMarked(before, id, types)
	if err != nil {
		return nil, nil, err
	}
	n, err := readMarked(now, id, types)
	if err != nil {
		return nil, nil, err
	}
	still := Marks{Ours: b.Ours, Theirs: b.Theirs, Other: n.Other}
	for _, name := range b.Fields {
		if slices.Contains(n.Fields, name) && sameField(b.Other, n.Other, name) {
			still.Fields = append(still.Fields, name)
		}
	}
	fields = still.Fields
	if b.Whole != "" && b.wholeAs(n.Ours, n.Theirs) == n.Whole {
		still.Whole = b.Whole
		fields = append(slices.Clone(fields), "")
	}
	if len(fields) == 0 {
		return nil, nil, nil
	}
	return AppendMarked(nil, n.ours, still), fields, nil
}
