package content

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/support/spelling"
)

// cell is what an entity has in a column: a value, null for nothing.
type cell struct {
	shape *entity.Shape // nil where the value is null
	value entity.Value
}

func cellOf(k entity.Kind, v entity.Value) cell { return cell{&entity.Shape{Kind: k}, v} }

func textCell(text string) cell { return cellOf(entity.KindString, entity.NewString(text)) }

// row is an entity that ls lists.
type row struct {
	entity   *entity.Entity
	place    [3]float64 // with --near
	distance float64    // with --near
}

// always are the columns that are the same whatever fields an entity has.
var always = map[string]func(row) cell{
	"id":   func(r row) cell { return cellOf(entity.KindRef, entity.NewRef(r.entity.ID)) },
	"type": func(r row) cell { return textCell(r.entity.Type()) },
	"revision": func(r row) cell {
		return cellOf(entity.KindU32, entity.NewUint(entity.KindU32, uint64(r.entity.Revision())))
	},
}

// otherwise are the columns of entities that have no field of the name.
var otherwise = map[string]func(row) cell{
	"name": func(r row) cell {
		if name := r.entity.Name(); name != "" {
			return textCell(name)
		}
		return cell{}
	},
	"position": func(r row) cell {
		place, somewhere := placeOf(r.entity)
		if !somewhere {
			return cell{}
		}
		return cellOf(entity.KindVec3, entity.VecOf(entity.KindVec3, float32(place[0]), float32(place[1]), float32(place[2])))
	},
	"position.x": func(r row) cell { return coordinate(r, 0) },
	"position.y": func(r row) cell { return coordinate(r, 1) },
	"position.z": func(r row) cell { return coordinate(r, 2) },
	"parent":     func(r row) cell { return parentOf(r.entity) },
}

// coordinate returns one of the coordinates of where a row's entity is, that has no field
// position.
func coordinate(r row, axis int) cell {
	place, somewhere := placeOf(r.entity)
	if !somewhere || r.entity.Layout.Index("position") >= 0 {
		return cell{}
	}
	return cellOf(entity.KindF32, entity.F32Of(float32(place[axis])))
}

// distanceColumn is one of otherwise, with --near.
const distanceColumn = "distance"

// distanceShape is that of distances, of which people are shown three decimals.
var distanceShape = entity.Shape{Kind: entity.KindF64}

func distanceOf(r row) cell { return cell{&distanceShape, entity.F64Of(r.distance)} }

// parentOf returns the ref to what an entity follows: its mount's, else its first direct one.
func parentOf(e *entity.Entity) cell {
	if m := e.Layout.Type.Mount; m != nil {
		if v := e.Value(m.Parent); v.Ref() != 0 {
			return cellOf(entity.KindRef, v)
		}
		return cell{}
	}
	var parent cell
	e.Refs(func(_ string, direct bool, to entity.ID) bool {
		if direct {
			parent = cellOf(entity.KindRef, entity.NewRef(to))
		}
		return !direct
	})
	return parent
}

// columns are what ls shows of entities, or orders them by: each a path in an entity and
// behind its refs, or a name that stands for something of every entity.
type columns struct {
	world entity.Source
	near  bool // there is a distance
}

// maxRefs is how many refs a path follows.
const maxRefs = 16

// at returns what a row has at a path.
func (c columns) at(r row, path string) cell {
	for range maxRefs {
		if of := always[path]; of != nil {
			return of(r)
		}
		s, v, rest, ok := expression.ValueAt(r.entity, path)
		if !ok {
			if raw, ok := rawOf(r.entity, path); ok {
				return textCell(raw)
			}
			s, v, rest, ok = c.unnamed(r, path)
		}
		switch {
		case !ok || v.IsNull():
			return cell{}
		case rest == "":
			return cell{s, v}
		}
		to, there := c.world.Get(v.Ref())
		if !there {
			return cell{}
		}
		r, path = row{entity: to}, rest
	}
	return cell{}
}

// unnamed returns what a row has at a path that begins with no field's name.
func (c columns) unnamed(r row, path string) (s *entity.Shape, v entity.Value, rest string, ok bool) {
	if path == distanceColumn && c.near {
		d := distanceOf(r)
		return d.shape, d.value, "", true
	}
	if of := otherwise[path]; of != nil {
		found := of(r)
		return found.shape, found.value, "", true
	}
	if rest, ok := strings.CutPrefix(path, "parent."); ok {
		found := parentOf(r.entity)
		return found.shape, found.value, rest, true
	}
	return nil, v, "", false
}

// rawOf returns the lines of a field that the entity's type does not know.
func rawOf(e *entity.Entity, name string) (string, bool) {
	for _, raw := range e.Unknown {
		if raw.Name == name {
			return strings.TrimSpace(raw.Lines), true
		}
	}
	return "", false
}

// check returns an error of usage where a path leads nowhere in any entity of the types
// that are selected; all are those that refs can lead to.
func (c columns) check(flag, path string, selected, all *entity.Types) error {
	if all.Len() == 0 || c.leads(path, selected, all) || c.isRaw(path) {
		return nil
	}
	if path == distanceColumn {
		return cli.Usagef("%s: a distance is that from what --near names, and that is not given", flag)
	}
	if rest, ok := strings.CutPrefix(path, "parent."); ok && !hasField(selected, "parent") {
		return c.check(flag, rest, all, all)
	}
	if x, err := expression.Compile(path); err == nil {
		if wrong := x.Misnamed(selected, all); len(wrong) > 0 {
			return cli.Usagef("%s: %s", flag, c.meant(path, wrong[0], selected))
		}
	}
	if wrong := expression.MisnamedField(path, selected, all); wrong != nil {
		return cli.Usagef("%s: %s", flag, c.meant(path, *wrong, selected))
	}
	return cli.Usagef("%s: no entity has a %s%s", flag, path, spelling.DidYouMean(path, slices.Values(c.names(selected))))
}

// hasField reports whether one of the types has a field of a name.
func hasField(types *entity.Types, name string) bool {
	return slices.ContainsFunc(types.All(), func(t *entity.Type) bool {
		return slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Name == name })
	})
}

// meant says what is wrong with a name; the one that may be meant is one of ls's own, too.
func (c columns) meant(path string, wrong expression.Misnamed, selected *entity.Types) string {
	if wrong.Name == path && spelling.Nearest(path, slices.Values(wrong.Near)) == "" {
		wrong.Near = c.names(selected)
	}
	return wrong.String()
}

// names returns the names that a column may begin with.
func (c columns) names(types *entity.Types) []string {
	names := slices.Concat(slices.Collect(maps.Keys(always)), slices.Collect(maps.Keys(otherwise)), []string{distanceColumn})
	for _, t := range types.All() {
		for _, f := range t.Fields {
			names = append(names, f.Name)
		}
	}
	return spelling.Sorted(slices.Values(names))
}

// leads reports whether a path leads to something in entities of one of the types.
func (c columns) leads(path string, types, all *entity.Types) bool {
	return c.leadsWithin(path, types, all, maxRefs)
}

func (c columns) leadsWithin(path string, types, all *entity.Types, refs int) bool {
	if always[path] != nil || otherwise[path] != nil || path == distanceColumn && c.near && refs == maxRefs {
		return true
	}
	if refs == 0 {
		return false
	}
	for _, t := range types.All() {
		if t.Unknown {
			return true // what it has is not known
		}
		rest, ok := expression.LeadsSomewhere(t, path)
		if ok && (rest == "" || c.leadsWithin(rest, all, all, refs-1)) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(path, "parent.")
	return ok && c.leadsWithin(rest, all, all, refs-1)
}

// object returns columns of a row as a JSON object, in their order, on a line.
func (c columns) object(r row, paths []string) []byte {
	b := []byte{'{'}
	for i, path := range paths {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, path) // what is not UTF-8 is replaced
		b = append(append(b, ':'), c.at(r, path).json()...)
	}
	return append(b, "}\n"...)
}

// isRaw reports whether some entity has a field of the name that its type does not know.
func (c columns) isRaw(name string) bool {
	for e := range c.world.All() {
		if _, ok := rawOf(e, name); ok {
			return true
		}
	}
	return false
}
