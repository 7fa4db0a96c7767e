package mergestudy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// declarable are the fields that a side may declare, and unknownNames those whose
// lines may stand in a text whose type does not know them.
var (
	declarable   = []string{"extra1", "extra2"}
	unknownNames = []string{"extra1", "extra2", "odd1", "odd2"}
)

// isUnknown reports whether a type need not know a field. Lines that are no value of
// the field which they are named for have another name.
func isUnknown(field string) bool {
	return slices.Contains(unknownNames, strings.TrimSuffix(field, linesSuffix))
}

const linesSuffix = "_lines"

// successor returns the name of a field in the newest revision.
func successor(field string) string {
	if field == "size" {
		return "width"
	}
	return field
}

// valueOf returns the value of a field of the newest revision.
func valueOf(e *entity.Entity, field string) entity.Value {
	if field == "width" && e.Layout.Index(field) < 0 {
		field = "size"
	}
	return e.Value(field)
}

// redeclare has a side declare a field. It does so before all else.
func (g *generator) redeclare(s *side) {
	name := pick(g, declarable)
	declared := together(s.base.Types, declaring(s.base.Types, name))
	w := entity.NewWorld(s.base.ID, declared)
	for e := range s.world.All() {
		w.Put(textcodec.Carry(e, declared.Get(e.Type())))
	}
	s.world = w
	s.edits = append(s.edits, edit{property: property{field: "Node." + name}, does: "declare",
		kept: func(o *outcome, _ int) bool { return hasField(o.world.Types, name) }})
}

func declaring(types *entity.Types, name string) *entity.Types {
	node := types.Get("Node")
	fields := append(slices.Clone(node.Fields), &entity.Field{Name: name, Shape: entity.Shape{Kind: entity.KindU32}})
	return entity.NewTypes(&entity.Type{Name: node.Name, Revision: node.Revision, Fields: fields})
}

func hasField(types *entity.Types, name string) bool {
	return slices.ContainsFunc(types.Get("Node").Fields, func(f *entity.Field) bool { return f.Name == name })
}

// together returns the base's types with all that others declare.
func together(base *entity.Types, others ...*entity.Types) *entity.Types {
	all := base
	for _, name := range declarable {
		if slices.ContainsFunc(others, func(t *entity.Types) bool { return hasField(t, name) }) {
			all = declaring(all, name)
		}
	}
	if all == base {
		return base
	}
	return entity.NewTypes(base.Get("Leaf"), all.Get("Node"))
}

// upgrade brings an entity to the newest revision.
func upgrade(s *side, id entity.ID) []step {
	e, ok := s.world.Get(id)
	if !ok || e.Revision() == e.Layout.Type.Revision {
		return nil
	}
	up, err := textcodec.Upgrade(e)
	if err != nil {
		return nil
	}
	return []step{{
		edit: edit{property: property{id, "revision"}, does: "upgrade", upgrades: true, kept: func(o *outcome, side int) bool {
			e := o.get(side, id)
			return e == nil || e.Revision() == up.Revision()
		}},
		apply: func(e *entity.Entity) { *e = *up },
	}}
}

// rawLine is the line of a number that there was not before.
func (g *generator) rawLine() string { return fmt.Sprintf("    %d", g.next()) }

// unknownLines writes lines of a field that the type does not know. They are a number
// or they are none.
func (g *generator) unknownLines(s *side, id entity.ID) []step {
	e, _ := s.world.Get(id)
	name, lines := pick(g, unknownNames), g.rawLine()
	if e.Layout.Index(name) >= 0 {
		return nil
	}
	if g.chance(2) {
		lines += "\n" + g.rawLine()
	}
	return []step{{
		edit: edit{property: property{id, name}, does: "lines " + lines, kept: func(o *outcome, side int) bool {
			e := o.get(side, id)
			return e != nil && hasLines(e, name, lines)
		}},
		apply: func(e *entity.Entity) {
			e.Unknown = append(slices.DeleteFunc(slices.Clone(e.Unknown), func(r entity.Raw) bool { return r.Name == name }),
				entity.Raw{Name: name, Lines: lines})
		},
	}}
}

// hasLines reports whether an entity has lines, or the number that they are.
func hasLines(e *entity.Entity, name, lines string) bool {
	for _, r := range e.Unknown {
		if strings.TrimSuffix(r.Name, linesSuffix) == name && r.Lines == lines {
			return true
		}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(lines), 10, 32)
	return err == nil && e.Value(name).Equal(entity.NewUint(entity.KindU32, n))
}

// ranges has the IDs that a program gives.
var ranges = merge.Ranges{List: []merge.Range{{From: firstDisposable, To: mostIDs + 1, Owners: []string{"Program"}, Disposable: true}}}

const firstDisposable = mostIDs - 3

func isDisposable(id entity.ID) bool { return id >= firstDisposable && id <= mostIDs }

func (c *threeWay) options() merge.Options {
	if !c.disposable {
		return merge.Options{}
	}
	return merge.Options{Ranges: ranges}
}

// dispose finds the edits of ours that count for nothing. Where they are deletions, what
// was deleted with them is disputed: something that follows it is there again.
func (c *threeWay) dispose() {
	ours := c.sides[0].edits
	c.void = make([]bool, len(ours))
	inRange := func(e edit) bool { return isDisposable(e.id) }
	if !c.disposable || !slices.ContainsFunc(ours, inRange) || !slices.ContainsFunc(c.sides[1].edits, inRange) || c.areApart() {
		return
	}
	for i := range ours {
		c.void[i] = inRange(ours[i])
	}
	for i, e := range ours {
		if e.deletes && !c.void[i] && slices.ContainsFunc(ours, func(o edit) bool { return inRange(o) && follows(c.base, o.id, e.id) }) {
			c.overlapping[0][i], c.disagreements[e.id] = true, true
		}
	}
}

// areApart reports whether the sides changed different entities of the range by hand, and
// neither made one or deleted one: then both stand.
func (c *threeWay) areApart() bool {
	changed := make(map[entity.ID]bool)
	for i, s := range c.sides {
		for _, e := range s.edits {
			if !isDisposable(e.id) {
				continue
			}
			if e.creates || e.deletes || i == 1 && changed[e.id] {
				return false
			}
			if i == 0 {
				changed[e.id] = true
			}
		}
	}
	return true
}
