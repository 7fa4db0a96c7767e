package merge

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/sequence"
	"github.com/worldfs/worldfs/textcodec"
)

// mergeRaw merges the fields that are unknown to the entity's type: by name,
// then by their lines. of returns the verdict about a field, "" for their order; clash is
// told of those whose same lines both changed.
func mergeRaw(base, ours, theirs []entity.Raw, of func(name string) verdict, clash func(name string, v verdict, b, o, t string)) []entity.Raw {
	switch {
	case slices.Equal(ours, theirs), slices.Equal(base, theirs):
		return ours
	case slices.Equal(base, ours):
		return theirs
	}
	r := newRawMerge(base, ours, theirs)
	out := make(map[int]entity.Raw)
	for symbol, key := range r.keys {
		v := of(key.Name)
		f := r.field(symbol, v, func(stands Party, b, o, t string) {
			v.stands = stands
			clash(key.Name, v, b, o, t)
		})
		if f.there {
			out[symbol] = entity.Raw{Name: key.Name, Lines: f.lines}
		}
	}
	order, _ := mergeOrder(r.order[0], r.order[1], r.order[2], of("").stands, func(symbol int) bool {
		_, ok := out[symbol]
		return ok
	})
	merged := make([]entity.Raw, len(order))
	for i, symbol := range order {
		merged[i] = out[symbol]
	}
	return merged
}

type rawMerge struct {
	keys   []sequence.NameKey
	order  [3][]int
	fields [3]map[int]rawField
}

// rawField is the lines of a field, if it is there.
type rawField struct {
	there bool
	lines string
}

// field merges one field. One that the one took away and the other changed
// stays where it is left to people.
func (r *rawMerge) field(symbol int, v verdict, clash func(stands Party, b, o, t string)) rawField {
	b, o, t := r.fields[0][symbol], r.fields[1][symbol], r.fields[2][symbol]
	switch {
	case o == t, b == t:
		return o
	case b == o:
		return t
	case o.there && t.there:
		lines, clashes := sequence.MergeLines(b.lines, o.lines, t.lines, v.stands != Theirs)
		if !isRaw(lines) && isRaw(o.lines) && isRaw(t.lines) {
			lines, clashes = either(v.stands, o.lines, t.lines), true
		}
		if clashes {
			clash(v.stands, b.lines, o.lines, t.lines)
		}
		return rawField{true, lines}
	}
	stands := v.stands
	if v.left {
		stands = partyIf(o.there)
	}
	clash(stands, b.lines, o.lines, t.lines)
	return either(stands, o, t)
}

func newRawMerge(lists ...[]entity.Raw) *rawMerge {
	names := make([][]string, len(lists))
	for i, list := range lists {
		for _, raw := range list {
			names[i] = append(names[i], raw.Name)
		}
	}
	r := &rawMerge{keys: sequence.NameKeys(names)}
	for i, list := range lists {
		r.order[i] = sequence.SymbolsOfNames(r.keys, names[i])
		r.fields[i] = make(map[int]rawField, len(list))
		for n, symbol := range r.order[i] {
			r.fields[i][symbol] = rawField{true, list[n].Lines}
		}
	}
	return r
}

// isRaw reports whether lines are read as those of one unknown field: what two sides
// made of them can have brackets that do not close.
func isRaw(lines string) bool {
	e := &entity.Entity{ID: 1, Layout: entity.UnknownType("a").Layout(1), Unknown: []entity.Raw{{Name: "b", Lines: lines}}}
	r, err := textcodec.Decode(textcodec.Append(nil, e), e.ID, nil)
	return err == nil && r.Entity.Equal(e)
}

// keepLines gives another name to lines of a field that the entity's type declares.
// They are no value of it, and under its name the text of the entity could not be read.
func (m *merger) keepLines(e *entity.Entity) {
	cloned := false
	for i, raw := range e.Unknown {
		at := e.Layout.Index(raw.Name)
		if at < 0 {
			continue
		}
		if !cloned {
			e.Unknown, cloned = slices.Clone(e.Unknown), true
		}
		e.Unknown[i].Name = spareName(e, raw.Name)
		m.repair(Repair{Kind: LinesKept, Field: raw.Name, From: Version{Text: raw.Lines},
			To:      version(&e.Layout.Fields[at].Shape, e.Values[at]),
			Message: fmt.Sprintf("the lines are no value of the field as it is declared; they are kept as %s", e.Unknown[i].Name)}.about(e))
	}
}

// hasFieldLines reports whether an entity has lines under the name of a field of its type.
func hasFieldLines(e *entity.Entity) bool {
	return slices.ContainsFunc(e.Unknown, func(r entity.Raw) bool { return e.Layout.Index(r.Name) >= 0 })
}

// spareName returns a name for lines that no field of the entity has.
func spareName(e *entity.Entity, name string) string {
	for name += "_lines"; hasField(e, name); {
		name += "_lines"
	}
	return name
}
