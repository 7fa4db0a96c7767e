package textcodec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Upgrade is entity.Upgrade for entities that have lines of fields which their
// revision lacked: where the new one has such a field, its lines are read as its
// value, as they will be wherever the text comes to. Lines that are no such
// value, or compete with another one, are refused by name.
func Upgrade(e *entity.Entity) (*entity.Entity, error) {
	up, err := entity.Upgrade(e)
	if err != nil || up == e {
		return up, err
	}
	return adopt(e, up)
}

// Carry is entity.Carry which reads the lines of the fields that the new
// declaration has. Where they cannot be read they stay lines, and the text says
// what is wrong with them.
func Carry(e *entity.Entity, t *entity.Type) *entity.Entity {
	c := entity.Carry(e, t)
	if n, err := adopt(e, c); err == nil {
		return n
	}
	return c
}

// Reread returns e as its own text is read under other types, where it can be: a field
// that they do not have is lines. A type that is not declared any more has lines, and a
// value that is none of its field's new kind is carried over or dropped. Lines that Unfit
// made stay lines where reading drops them.
func Reread(e *entity.Entity, types *entity.Types) *entity.Entity {
	res, err := Decode(Append(nil, e), e.ID, types)
	if err == nil && !dropsLines(e, res.Findings) {
		return res.Entity
	}
	n := *Carry(e, types.Get(e.Type())) // declared: lines are read whatever they are
	for i, f := range e.Layout.Fields {
		if n.Layout.Index(f.Name) < 0 && !e.Values[i].IsNull() {
			n.Unknown = append(slices.Clip(n.Unknown), Lines(f, &e.Values[i]))
		}
	}
	return &n
}

// dropsLines reports whether findings say of lines of an entity, whose type is known, that they
// are of a field that is not saved.
func dropsLines(e *entity.Entity, findings []entity.Finding) bool {
	return !e.Layout.Type.Unknown && slices.ContainsFunc(findings, func(f entity.Finding) bool {
		named := func(raw entity.Raw) bool { return raw.Name == f.Field }
		return f.Code == entity.CodeFieldNotSaved && slices.ContainsFunc(e.Unknown, named)
	})
}

// Unfit returns, as lines of their fields, the values of e that Reread has dropped from n:
// those that are not their field's default, and under the other types none of its kind, or
// not saved.
func Unfit(e, n *entity.Entity) (lines []entity.Raw) {
	for i, f := range e.Layout.Fields {
		to := n.Layout.Index(f.Name)
		if to < 0 || e.Values[i].IsNull() || e.Values[i].Equal(f.DefaultValue()) {
			continue
		}
		field := n.Layout.Fields[to]
		if _, fits := entity.Widen(e.Values[i], &f.Shape, &field.Shape); fits && n.SavesField(to) {
			continue
		}
		if is := n.Values[to]; is.IsNull() || is.Equal(field.DefaultValue()) {
			lines = append(lines, Lines(f, &e.Values[i]))
		}
	}
	return lines
}

// Lines returns a value as the lines of its field, as which an entity has it whose type
// does not know the field.
func Lines(f *entity.Field, v *entity.Value) entity.Raw {
	lines := string(appendValue(nil, &f.Shape, v, fieldDepth+step))
	return entity.Raw{Name: f.Name, Lines: strings.TrimSuffix(lines, "\n")}
}

// adopt returns n, into which e was made, with the values that its unknown lines
// give to fields that it has.
func adopt(e, n *entity.Entity) (*entity.Entity, error) {
	names := make(map[string]bool)
	for _, raw := range n.Unknown {
		i := n.Layout.Index(raw.Name)
		if i < 0 {
			continue
		}
		if names[raw.Name] {
			return nil, refused(e, raw.Name, "its lines stand twice in the text; take one of them away")
		}
		if f := n.Layout.Fields[i]; !n.Values[i].IsNull() && !n.Values[i].Equal(f.DefaultValue()) {
			return nil, refused(e, raw.Name, "revision %d gives it the value of the field that it succeeds, and the text another one; take one of them away", n.Revision())
		}
		names[raw.Name] = true
	}
	if len(names) == 0 {
		return n, nil
	}
	return read(e, n, names)
}

// read reads n's own text, in which the named fields stand as lines.
func read(e, n *entity.Entity, names map[string]bool) (*entity.Entity, error) {
	bare := n.Clone()
	for name := range names { // their lines alone are to give the value
		bare.Values[bare.Layout.Index(name)] = entity.Value{}
	}
	res, err := Decode(Append(nil, bare), n.ID, entity.NewTypes(n.Layout.Type))
	var at *Error
	switch {
	case errors.As(err, &at):
		return nil, refused(e, at.Field, "revision %d has the field, and its lines are not its value: %s", n.Revision(), at.Reason)
	case err != nil:
		return nil, err
	}
	lost := slices.IndexFunc(res.Findings, func(f entity.Finding) bool { return f.Code == entity.CodeFieldNotSaved })
	if lost >= 0 {
		return nil, refused(e, res.Findings[lost].Field, "%s", res.Findings[lost].Message)
	}
	return res.Entity, nil
}

func refused(e *entity.Entity, field, format string, args ...any) error {
	return &entity.FieldError{Subject: e.String(), Field: field, Reason: fmt.Sprintf(format, args...)}
}
