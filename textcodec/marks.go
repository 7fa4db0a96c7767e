package textcodec

import (
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Marks are the conflicts to show in an entity's text: both sides' lines of a
// property, between markers as git writes them. Such a text reads as ours, with
// a finding, until a person takes the markers out.
type Marks struct {
	Ours, Theirs string         // what the sides are called
	Fields       []string       // known and unknown fields that are in conflict
	Other        *entity.Entity // the entity as theirs has it; nil where it is deleted
	Whole        string         // what is in conflict about the entity as a whole, as DeletedBy says it; "" for nothing
}

// What stands between a side's name and Whole in a marker, and what ends Whole where a side
// deleted the entity. Both are part of the format.
const (
	aboutWhole = ": "
	deletedIt  = " deleted it"
)

// DeletedBy returns the Whole of an entity that one side deleted and the other changed. side
// is what the markers call the one that deleted it.
func DeletedBy(side string) string { return side + deletedIt }

// WholeDeleted returns the side that deleted an entity, by the Whole of its marks. ok is false
// where that says anything else, as a text of a build that named no side does.
func WholeDeleted(whole string) (side string, ok bool) {
	side, ok = strings.CutSuffix(whole, deletedIt)
	if !ok || side == "" {
		return "", false
	}
	return side, true
}

// inHistory is what InHistory says between what it is about and the entity.
const inHistory = ", which worldfs history "

// InHistory returns the Whole of an entity whose text has taken the place of another, which is
// not merged with it: what that was, and that the history has it.
func InHistory(what string, id entity.ID) string { return what + inHistory + id.String() + " shows" }

// AppendMarked appends the canonical text of e with conflicts marked in it.
func AppendMarked(dst []byte, e *entity.Entity, m Marks) []byte {
	if m.Whole == "" && len(m.Fields) == 0 {
		return Append(dst, e)
	}
	w := markedText{marks: m, newer: upgradedTo(e.Layout, m.Other), open: make(map[string]bool)}
	for _, name := range m.Fields {
		w.open[name] = true
	}
	bare := &entity.Entity{ID: e.ID, Layout: headOnly(e.Layout)}
	dst = Append(dst, bare)
	for _, raw := range e.Unknown {
		if raw.Name == "" { // lines before any field
			dst = appendRaw(dst, raw)
		}
	}
	for i, f := range e.Layout.Fields {
		dst = w.field(dst, f.Name, appendField(nil, f, &e.Values[i], fieldDepth))
	}
	for _, raw := range e.Unknown {
		if raw.Name != "" {
			dst = w.field(dst, raw.Name, appendRaw(nil, raw))
		}
	}
	for _, name := range m.Fields { // those that only theirs has
		dst = w.field(dst, name, nil)
	}
	if m.Whole != "" {
		dst = w.between(dst, nil, nil, aboutWhole+m.Whole)
	}
	return dst
}

// headOnly returns a layout of the same type and revision without fields.
func headOnly(l *entity.Layout) *entity.Layout {
	return &entity.Layout{Type: entity.UnknownType(l.Type.Name), Revision: l.Revision}
}

// markedText writes fields, those in conflict with both sides' lines.
type markedText struct {
	marks Marks
	newer *entity.Entity // theirs as it is at a later revision, which ours has; nil where it has none
	open  map[string]bool
}

// upgradedTo returns theirs at the later revision that ours is of, nil if there is none. By
// then a field's value may be another field's, in whose place its lines would be nowhere.
func upgradedTo(ours *entity.Layout, theirs *entity.Entity) *entity.Entity {
	if theirs == nil || theirs.Type() != ours.Type.Name || theirs.Revision() >= ours.Revision {
		return nil
	}
	up, err := Upgrade(Carry(theirs, ours.Type))
	if err != nil || up.Revision() != ours.Revision {
		return nil
	}
	return up
}

func (w *markedText) field(dst []byte, name string, ours []byte) []byte {
	if !w.open[name] {
		return append(dst, ours...)
	}
	delete(w.open, name)
	return w.between(dst, ours, w.theirs(name), "")
}

// theirs returns the lines that theirs has of a field.
func (w *markedText) theirs(name string) []byte {
	if lines := linesOf(w.marks.Other, name); len(lines) > 0 {
		return lines
	}
	return linesOf(w.newer, name)
}

// linesOf returns the lines that an entity has of a field.
func linesOf(e *entity.Entity, name string) (lines []byte) {
	if e == nil {
		return nil
	}
	if i := e.Layout.Index(name); i >= 0 {
		return appendField(nil, e.Layout.Fields[i], &e.Values[i], fieldDepth)
	}
	for _, raw := range e.Unknown {
		if raw.Name == name {
			lines = appendRaw(lines, raw)
		}
	}
	return lines
}

func (w *markedText) between(dst, ours, theirs []byte, about string) []byte {
	dst = append(dst, "<<<<<<< "+w.marks.Ours+about+"\n"...)
	dst = append(dst, ours...)
	dst = append(dst, "=======\n"...)
	dst = append(dst, theirs...)
	return append(dst, ">>>>>>> "+w.marks.Theirs+"\n"...)
}
