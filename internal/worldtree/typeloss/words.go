package typeloss

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

func typeRemoved(name string) Loss {
	return Loss{Cause: TypeRemoved, Effect: Kept,
		What: "nothing declares the type any more; its entities are lines that no tool reads",
		Mend: fmt.Sprintf("bring its file in types/ back, or delete the entities first: worldfs ls --type %q lists them", name)}
}

// gone is the loss of a field that entities of now's revision do not have any more.
func gone(f *entity.Field, now *entity.Entity) Loss {
	t, revision := now.Layout.Type, now.Revision()
	l := Loss{Field: f.Name, Cause: FieldRemoved, Effect: Kept}
	if i := slices.IndexFunc(t.Fields, func(g *entity.Field) bool { return g.Name == f.Name }); i >= 0 {
		g := t.Fields[i]
		l.Cause = FieldMoved
		l.What = fmt.Sprintf("the field is declared %s now; entities of revision %d have it", ages(g), revision)
		l.Mend = fmt.Sprintf("give it back %s: a field may end at the next revision, and begin at it, not before", ages(f))
		return l
	}
	l.What = "the field is removed"
	l.Mend = fmt.Sprintf("declare it again with until = %d, raise the type's revision to that, and name the field that takes over its values: successor = %s",
		max(now.Revision(), t.Revision)+1, successor(f, now))
	return l
}

// ages says between which revisions a field is declared.
func ages(f *entity.Field) string {
	switch {
	case f.Since == 0 && f.Until == 0:
		return "for all revisions"
	case f.Until == 0:
		return fmt.Sprintf("since %d", f.Since)
	}
	return fmt.Sprintf("since %d until %d", f.Since, f.Until)
}

// successor returns the name of the one field of now's type that might be f renamed: one
// of the same shape that the text does not give. Else it is dots.
func successor(f *entity.Field, now *entity.Entity) string {
	var names []string
	for i, g := range now.Layout.Fields {
		if g.Kind == f.Kind && (now.Values[i].IsNull() || now.Values[i].Equal(g.DefaultValue())) {
			names = append(names, g.Name)
		}
	}
	if len(names) != 1 {
		return `"…"`
	}
	return fmt.Sprintf("%q", names[0])
}

// altered is the loss of a field whose value is read as another one.
func altered(f *entity.Field, v entity.Value, g *entity.Field, w entity.Value) Loss {
	l := Loss{Field: f.Name, Effect: Changed}
	switch {
	case v.IsNull() && f.SaveWhen == "":
		l.Cause, l.What = NotOptional, "the field is not optional any more, and absent values become the default"
		l.Mend = "leave it optional, or give these entities the value that they are to have: worldfs set"
	case v.IsNull() && f.SaveWhen != "", w.Equal(g.DefaultValue()) && v.Equal(f.DefaultValue()) && f.Kind == g.Kind:
		l.Cause, l.What = DefaultMoved, "entities that do not give the field have another default"
		l.Mend = "leave the default as it was, or give these entities the value first: worldfs fmt, worldfs set"
	case w.IsNull():
		l.Cause, l.Effect = NotSaved, Dropped
		l.What = fmt.Sprintf("the field is saved only when %s", g.SaveWhen)
		l.Mend = "widen save_when to these entities, or change their values first: worldfs set"
	default:
		l.Cause, l.What, l.Mend = reshaped(f, g)
	}
	return l
}

// misread is the loss of a text that is broken because of a field's value, or as a whole.
func misread(f, g *entity.Field) Loss {
	l := Loss{Effect: Unreadable, Cause: KindChanged, What: "their texts cannot be read any more", Mend: "take the change back"}
	if f == nil {
		return l
	}
	l.Field = f.Name
	if g != nil {
		l.Cause, l.What, l.Mend = reshaped(f, g)
	}
	return l
}

// reshaped says how g differs from f in what its values look like.
func reshaped(f, g *entity.Field) (cause Cause, what, mend string) {
	old, now := &f.Shape, &g.Shape
	for old.Kind == now.Kind && old.Kind.IsList() {
		old, now = old.Of, now.Of
	}
	switch {
	case old.Kind != now.Kind:
		return KindChanged, fmt.Sprintf("the field was %s and is %s", old.Kind, now.Kind), anew(f)
	case lostName(old, now) != "":
		name := lostName(old, now)
		return NameRemoved, fmt.Sprintf("the %s has no %q any more", old.Kind, name),
			fmt.Sprintf("declare %q again, beside its new name if it has one, and change these entities first: worldfs set", name)
	case old.Kind == entity.KindStruct:
		return MemberChanged, "the struct's members have changed", anew(f)
	case old.Optional && !now.Optional:
		return NotOptional, "the elements are not optional any more", "leave them optional, or give them values first: worldfs set"
	}
	return KindChanged, "the field is declared otherwise", anew(f)
}

// anew says how a field changes so that its values are carried over.
func anew(f *entity.Field) string {
	return fmt.Sprintf("let the old declaration end at the next revision (until = N) and declare %q anew since then (since = N): "+
		"fmt --upgrade carries the values over that fit, and names the others", f.Name)
}

// lostName returns the first name of an enum or of flags that there is no more.
func lostName(old, now *entity.Shape) string {
	for _, n := range old.Names {
		if _, ok := now.NumberOf(n.Name); !ok {
			return n.Name
		}
	}
	return ""
}

// added is the loss of a text that has lines of a field which the type did not have, and
// has now.
func added(name string) Loss {
	return Loss{Field: name, Cause: FieldAdded, Effect: Unreadable,
		What: "the field is new, and texts have lines of that name that are none of its values",
		Mend: "give the field another name or kind, or take the lines out first"}
}
