package typeloss

import (
	"errors"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/textcodec"
)

// compare finds the values that one text gives under the types of before and not, or not
// the same, under those of after.
func (c *checker) compare(was, now *entity.Entity) {
	if now.Layout.Type.Unknown {
		if !was.Layout.Type.Unknown {
			c.add(was, typeRemoved(was.Type()), Case{})
		}
		return
	}
	for i, f := range was.Layout.Fields {
		if j := now.Layout.Index(f.Name); j >= 0 {
			c.value(was, f, was.Values[i], now.Layout.Fields[j], now.Values[j])
		} else if v := was.Values[i]; !v.IsNull() && !v.Equal(f.DefaultValue()) {
			c.add(was, gone(f, now), Case{Value: brief(&f.Shape, v)})
		}
	}
}

// value compares one field's value.
func (c *checker) value(e *entity.Entity, f *entity.Field, v entity.Value, g *entity.Field, w entity.Value) {
	if v.IsNull() && w.IsNull() && f.Default == nil && g.Default == nil && f.Optional == g.Optional {
		return // whatever kind of nothing it is
	}
	had, has := effective(f, v), effective(g, w)
	if !same(had, &f.Shape, has, &g.Shape) {
		c.add(e, altered(f, v, g, w), Case{Value: brief(&f.Shape, had), Then: brief(&g.Shape, has)})
	}
}

// effective returns what a field's value stands for: one that is not saved, for the default.
func effective(f *entity.Field, v entity.Value) entity.Value {
	if v.IsNull() && f.SaveWhen != "" && !f.Optional {
		return f.DefaultValue()
	}
	return v
}

// same reports whether w of one shape says what v says of another: numbers are the same
// number, names the same names, and lists have the same elements in the same order.
func same(v entity.Value, from *entity.Shape, w entity.Value, to *entity.Shape) bool {
	switch {
	case v.IsNull() || w.IsNull():
		return v.IsNull() && w.IsNull()
	case from.Kind == entity.KindFlags && to.Kind == entity.KindFlags && bits.OnesCount64(v.Uint()) != bits.OnesCount64(w.Uint()):
		return false // a bit without a name was where one with a name has gone
	case from.Kind == entity.KindSet && to.Kind == entity.KindSet: // whose order is no one's
		x, ok := entity.Widen(v, from, to)
		return ok && len(x.Items()) == len(v.Items()) && x.Equal(w)
	case from.Kind.IsList() && to.Kind.IsList():
		return sameItems(v, from, w, to)
	case from.Kind == entity.KindStruct && to.Kind == entity.KindStruct:
		return sameMembers(v, from, w, to)
	}
	if n := from.Kind.Components(); n > 1 && n == to.Kind.Components() {
		return v.Components() == w.Components() // a quat is a vec4
	}
	if isBytes(from.Kind) && isBytes(to.Kind) && v.Text() == "" && w.Text() == "" {
		return true
	}
	if from.Kind == entity.KindF64 && to.Kind == entity.KindF32 { // narrower, and often exact
		v, from, w, to = w, to, v, from
	}
	x, ok := entity.Widen(v, from, to)
	return ok && x.Equal(w)
}

func isBytes(k entity.Kind) bool {
	return k == entity.KindString || k == entity.KindBlob || k == entity.KindExpr
}

func sameItems(v entity.Value, from *entity.Shape, w entity.Value, to *entity.Shape) bool {
	if len(v.Items()) != len(w.Items()) {
		return false
	}
	for i := range v.Items() {
		if !same(v.Items()[i], from.Of, w.Items()[i], to.Of) {
			return false
		}
	}
	return true
}

func sameMembers(v entity.Value, from *entity.Shape, w entity.Value, to *entity.Shape) bool {
	for i, f := range from.Fields {
		j := memberOf(to, f.Name)
		if j < 0 {
			if x := v.Items()[i]; !x.IsNull() && !x.Equal(f.DefaultValue()) {
				return false
			}
			continue
		}
		if !same(v.Items()[i], &f.Shape, w.Items()[j], &to.Fields[j].Shape) {
			return false
		}
	}
	return true
}

func memberOf(s *entity.Shape, name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// unreadable finds the values because of which a text is broken: those that are broken
// when they stand alone. Where none is, the text as a whole is.
func (c *checker) unreadable(was *entity.Entity, broken error) {
	blamed := false
	for i, f := range was.Layout.Fields {
		if was.Values[i].IsNull() {
			continue
		}
		alone := bare(was)
		alone.Values[i] = was.Values[i]
		if err := c.reread(alone); err != nil {
			g := fieldAt(c.after.Get(was.Type()), was.Revision(), f.Name)
			c.add(was, misread(f, g), Case{Value: brief(&f.Shape, was.Values[i]), Then: reason(err)})
			blamed = true
		}
	}
	for _, raw := range was.Unknown {
		alone := bare(was)
		alone.Unknown = []entity.Raw{raw}
		if err := c.reread(alone); err != nil {
			c.add(was, added(raw.Name), Case{Value: clip(raw.Lines), Then: reason(err)})
			blamed = true
		}
	}
	if !blamed {
		c.add(was, misread(nil, nil), Case{Then: reason(broken)})
	}
}

// bare returns e without any value.
func bare(e *entity.Entity) *entity.Entity {
	return &entity.Entity{ID: e.ID, Layout: e.Layout, Values: make([]entity.Value, len(e.Values))}
}

// reread returns why an entity's text cannot be read under the types of after, nil if it
// can be.
func (c *checker) reread(e *entity.Entity) error {
	_, err := textcodec.Decode(textcodec.Append(nil, e), e.ID, c.after)
	return err
}

// fieldAt returns a type's field of that name at a revision, nil for none.
func fieldAt(t *entity.Type, revision uint32, name string) *entity.Field {
	if t == nil {
		return nil
	}
	l := t.Layout(revision)
	if i := l.Index(name); i >= 0 {
		return l.Fields[i]
	}
	return nil
}

// reason returns an error of a text without where in it that is.
func reason(err error) string {
	var at *textcodec.Error
	if errors.As(err, &at) {
		return at.Reason
	}
	return err.Error()
}

// brief returns a value in the interchange form.
func brief(s *entity.Shape, v entity.Value) string {
	return clip(string(interchange.AppendValue(nil, s, v)))
}

// clip returns a text on one line, cut off where it is too long for that.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 60
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
