package merge

import (
	"cmp"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/textcodec"
)

// entity merges an entity that both sides have and both changed. base is nil
// where both made it alike.
func (m *merger) entity(base, ours, theirs *entity.Entity) *entity.Entity {
	e := &entityMerge{merger: m, base: base, ours: ours, theirs: theirs}
	if ours.Layout.Type.Unknown != theirs.Layout.Type.Unknown {
		return e.incomparable()
	}
	e.layout = e.target()
	e.b, e.o, e.t = m.view(base, e.layout), m.view(ours, e.layout), m.view(theirs, e.layout)
	out := &entity.Entity{ID: ours.ID, Layout: e.layout, Values: make([]entity.Value, len(e.layout.Fields))}
	for i, f := range e.layout.Fields {
		out.Values[i] = e.field(i, f)
	}
	kept := e.lost()
	e.raw(out)
	out.Unknown = append(slices.Clip(out.Unknown), kept...)
	e.canonicalize(out)
	e.keepLines(out)
	return out
}

// entityMerge is one entity being merged.
type entityMerge struct {
	*merger
	base, ours, theirs *entity.Entity
	layout             *entity.Layout // what the merged entity has
	b, o, t            view
}

// who is the entity as reports name it: as both knew it.
func (e *entityMerge) who() *entity.Entity { return cmp.Or(e.base, e.ours) }

// target returns the type and the revision of the merged entity, which are
// properties like others; of two new revisions the higher counts.
func (e *entityMerge) target() *entity.Layout {
	b, o, t := e.ours, e.ours, e.theirs
	if e.base != nil {
		b = e.base
	}
	name := o.Type()
	if b.Type() == o.Type() {
		name = t.Type()
	} else if o.Type() != t.Type() && b.Type() != t.Type() {
		v := e.yield(e.options.verdict(o.ID, o.Type(), ""), b.Type(), "")
		name = either(v.stands, o, t).Type()
		e.conflict(v, Conflict{Kind: TypeChanged, Path: "type", Why: "both made it another type",
			Base: Version{Text: b.Type()}, Ours: Version{Text: o.Type()}, Theirs: Version{Text: t.Type()}}.about(e.who()))
	}
	var revision uint32
	switch {
	case o.Type() != name:
		revision = t.Revision()
	case t.Type() != name:
		revision = o.Revision()
	case b.Type() == name && b.Revision() == o.Revision():
		revision = t.Revision()
	case b.Type() == name && b.Revision() == t.Revision():
		revision = o.Revision()
	default:
		revision = max(o.Revision(), t.Revision())
	}
	if typ := e.types.Get(name); typ != nil && !o.Layout.Type.Unknown {
		return typ.Layout(revision)
	}
	if o.Type() != name {
		o = t
	}
	return o.Layout.Type.Layout(revision)
}

// incomparable settles an entity that one side has only as text, for it does
// not know the type.
func (e *entityMerge) incomparable() *entity.Entity {
	v := e.options.verdict(e.ours.ID, e.ours.Type(), "")
	e.conflict(v, Conflict{Kind: TypeUnknown,
		Why: "both changed it, and one does not know its type and has it only as text"}.about(e.who()))
	return e.adopt(either(v.stands, e.ours, e.theirs))
}

func (e *entityMerge) field(i int, f *entity.Field) entity.Value {
	b, o, t := e.sides(i, f)
	var v entity.Value
	switch {
	case o.Equal(t), b.Equal(t):
		v = o
	case b.Equal(o):
		v = t
	default:
		v = e.changedByBoth(f, b, o, t)
	}
	if v.IsNull() && !f.Optional && f.SaveWhen == "" {
		return f.DefaultValue()
	}
	return v
}

func (e *entityMerge) changedByBoth(f *entity.Field, b, o, t entity.Value) entity.Value {
	v := e.verdict(e.ours.ID, e.layout.Type.Name, f.Name)
	if stands := e.quiet(f, v, o, t); stands != Neither {
		return either(stands, o, t)
	}
	merge := fieldMerge{verdict: v}
	merge.clash = func(path, why string, stands Party, s *entity.Shape, b, o, t entity.Value) {
		v := v
		v.stands = stands
		e.conflict(v, Conflict{Kind: PropertyChanged, Field: f.Name, Path: joinPath(f.Name, path), Why: why,
			Base: version(s, b), Ours: version(s, o), Theirs: version(s, t)}.about(e.who()))
	}
	return merge.value("", &f.Shape, b, o, t)
}

func joinPath(field, path string) string {
	if path == "" || path[0] == '[' {
		return field + path
	}
	return field + "." + path
}

// quiet returns whose value stands in a field that never conflicts, Neither
// if it is no such field: a change that is one against a change that is
// noise, else the policy's side, else the lesser value.
func (e *entityMerge) quiet(f *entity.Field, v verdict, o, t entity.Value) Party {
	noiseO := f.Derived || e.holds(f.InsignificantWhen, e.ours) || carries(e.merger, Ours, e.ours, f.Name)
	noiseT := f.Derived || e.holds(f.InsignificantWhen, e.theirs) || carries(e.merger, Theirs, e.theirs, f.Name)
	switch {
	case !noiseO && !noiseT:
		return Neither
	case !noiseO:
		return Ours
	case !noiseT:
		return Theirs
	case !v.left:
		return v.stands
	case o.Compare(t) <= 0:
		return Ours
	}
	return Theirs
}

// holds reports whether an expression is true of the entity; one that cannot be
// evaluated is not.
func (m *merger) holds(source string, e *entity.Entity) bool {
	if source == "" || e == nil {
		return false
	}
	x, known := m.expressions[source]
	if !known {
		x, _ = expression.Compile(source) // Validate has told of one that does not compile
		m.expressions[source] = x
	}
	if x == nil {
		return false
	}
	v, err := x.Evaluate(e)
	is, _ := v.(bool)
	return err == nil && is
}

// raw merges what is unknown to the merged entity's type.
func (e *entityMerge) raw(out *entity.Entity) {
	id, typ := e.ours.ID, e.layout.Type.Name
	of := func(name string) verdict {
		if v, ok := e.options.chosen(id, typ, name); ok {
			return v
		}
		return e.verdict(id, typ, "") // its type has no field of that name for which there could be a rule
	}
	out.Unknown = mergeRaw(e.b.raw, e.o.raw, e.t.raw, of, func(name string, v verdict, b, o, t string) {
		e.conflict(v, Conflict{Kind: PropertyChanged, Field: name, Path: name, Why: "both changed the same lines of a field that its type does not know",
			Base: Version{Text: b}, Ours: Version{Text: o}, Theirs: Version{Text: t}}.about(e.who()))
	})
}

// canonicalize brings the merged values into their one form.
func (e *entityMerge) canonicalize(out *entity.Entity) {
	e.takeUnsaved(out, e.b.value)
	for i, f := range e.layout.Fields {
		if out.Values[i].IsNull() && !f.Optional && f.SaveWhen != "" && out.SavesField(i) {
			out.Values[i] = f.DefaultValue() // its condition holds only now
		}
	}
}

// lost goes through the values that the merged entity has no place for: its type is
// another now, a revision dropped the field, or the field is of another kind. It returns,
// as lines, those that stand in a conflict all the same, or that were changed to what the
// field's kind does not hold.
func (e *entityMerge) lost() (kept []entity.Raw) {
	for _, name := range e.homelessNames() {
		b, o, t := e.b.homeless[name], e.o.homeless[name], e.t.homeless[name]
		switch {
		case e.layout.Index(name) >= 0:
			kept = append(kept, e.unfit(name)...)
		case e.mergesAsLines(name):
		case o.is(t):
			e.lose(name, lesserNamed(o, t))
		case b.is(o):
			e.lose(name, t)
		case b.is(t):
			e.lose(name, o)
		default:
			v := e.options.verdict(e.ours.ID, e.layout.Type.Name, name)
			e.loseField(v, name, "one took the field away with the type or the revision, the other changed its value", b, o, t)
			kept = append(kept, either(v.stands, o, t).lines()...)
		}
	}
	return kept
}

// unfit settles values of a field that its kind does not hold. It returns, as lines, what a
// side changed them to.
func (e *entityMerge) unfit(name string) (kept []entity.Raw) {
	b, o, t := ownValue(e.base, name), ownValue(e.ours, name), ownValue(e.theirs, name)
	_, unfitO := e.o.homeless[name]
	_, unfitT := e.t.homeless[name]
	if o.is(t) && unfitO != unfitT {
		return nil // the other side's is the same
	}
	if !b.is(o) && !b.is(t) && !o.is(t) {
		v := e.options.verdict(e.ours.ID, e.layout.Type.Name, name)
		if unfitO != unfitT {
			v.stands = partyIf(unfitT) // only that fits
		}
		e.loseField(v, name, "both changed it, and the field as it is declared does not hold both", b, o, t)
	}
	if unfitO && !b.is(o) {
		kept = append(kept, o.lines()...)
	}
	if unfitT && !b.is(t) && !o.is(t) {
		kept = append(kept, t.lines()...)
	}
	return kept
}

func (e *entityMerge) loseField(v verdict, name, why string, b, o, t homeless) {
	e.conflict(v, Conflict{Kind: FieldLost, Field: name, Path: name, Why: why,
		Base: b.version(), Ours: o.version(), Theirs: t.version()}.about(e.who()))
}

// mergesAsLines reports whether a side has lines of a field that the merged entity has not,
// as where its declaration alone was taken away. The others' values are lines then, too.
func (e *entityMerge) mergesAsLines(name string) bool {
	views := []*view{&e.b, &e.o, &e.t}
	if e.layout.Index(name) >= 0 || !slices.ContainsFunc(views, func(v *view) bool { return hasLines(v.raw, name) }) {
		return false
	}
	for _, v := range views {
		if h := v.homeless[name]; h.field != nil && !h.value.IsNull() {
			v.raw = append(slices.Clip(v.raw), textcodec.Lines(h.field, &h.value))
		}
	}
	return true
}

func partyIf(ours bool) Party {
	if ours {
		return Ours
	}
	return Theirs
}

func (e *entityMerge) homelessNames() []string {
	names := make(map[string]bool)
	for _, v := range []*view{&e.b, &e.o, &e.t} {
		for name := range v.homeless {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// lose lists a value that could not be kept.
func (e *entityMerge) lose(name string, h homeless) {
	if h.isSet() {
		e.repair(Repair{Kind: Dropped, Field: name, From: h.version(),
			Message: "its type or revision, as the other side has it, has no such field; the value is dropped"}.about(e.who()))
	}
}
