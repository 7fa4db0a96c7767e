package mergestudy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// change draws an edit of a field.
func (g *generator) change(s *side, e *entity.Entity, f *entity.Field) []step {
	v := e.Value(f.Name)
	switch {
	case f.Name == "parent":
		return rehang(s, e.ID, pick(g, append([]entity.ID{0}, s.world.IDs()...)))
	case f.Name == "link":
		return different(v, entity.NewRef(pick(g, s.world.IDs())), func(now entity.Value) step { return set(e, f, now) })
	case f.Unique:
		return g.editUnique(s, e, f)
	case f.Name == "notes":
		return g.editLines(e, f)
	case f.Kind == entity.KindFlags:
		return []step{bit(e, f, g.IntN(3))}
	case f.Kind == entity.KindSet:
		return g.editSet(s, e, f)
	case f.Key != "":
		return g.editKeyed(s, e, f)
	case f.Kind == entity.KindArray:
		return g.editArray(e, f)
	case f.Kind == entity.KindStruct:
		i := g.IntN(len(f.Fields))
		return different(v.Items()[i], g.value(&f.Fields[i].Shape), func(now entity.Value) step { return member(e, f, i, now) })
	case f.Kind == entity.KindBlob:
		return []step{set(e, f, g.editBlob(v))}
	case f.Kind != entity.KindF32 && f.Kind.Components() > 0:
		return different(v, g.editVector(v), func(now entity.Value) step { return set(e, f, now) })
	}
	return different(v, g.value(&f.Shape), func(now entity.Value) step { return set(e, f, now) })
}

func different(was, now entity.Value, make func(entity.Value) step) []step {
	if was.Equal(now) {
		return nil
	}
	return []step{make(now)}
}

// field returns a step about a part of a field: to makes the new value, and
// kept looks at the merged one.
func field(e *entity.Entity, f *entity.Field, at, does string, to func(v entity.Value) entity.Value, kept func(v entity.Value, as rename) bool) step {
	p := property{e.ID, successor(f.Name)}
	i := e.Layout.Index(f.Name)
	return step{
		edit: edit{property: p, at: at, does: does, kept: func(o *outcome, side int) bool {
			e := o.get(side, p.id)
			if e == nil {
				return false
			}
			as := func(s *entity.Shape, v entity.Value) entity.Value { return o.as(side, s, v) }
			return o.repaired[property{e.ID, p.field}] || kept(valueOf(e, p.field), as)
		}},
		apply: func(e *entity.Entity) { e.Values[i] = to(e.Values[i]) },
	}
}

// rename is a value with the refs of its side to entities that got new IDs.
type rename func(s *entity.Shape, v entity.Value) entity.Value

func set(e *entity.Entity, f *entity.Field, now entity.Value) step {
	return field(e, f, "", fmt.Sprint("set ", now),
		func(entity.Value) entity.Value { return now },
		func(v entity.Value, as rename) bool { return v.Equal(as(&f.Shape, now)) })
}

// rehang lets an entity follow another, or none. It does nothing where a circle
// would come of it.
func rehang(s *side, id, to entity.ID) []step {
	e, ok := s.world.Get(id)
	if _, there := s.world.Get(to); !ok || to != 0 && !there || to == id || follows(s.world, to, id) {
		return nil
	}
	return different(e.Values[0], entity.NewRef(to), func(now entity.Value) step { return set(e, e.Layout.Fields[0], now) })
}

// editVector changes some of the components.
func (g *generator) editVector(v entity.Value) entity.Value {
	c := v.Components()
	for i := range v.Kind().Components() {
		if g.chance(2) {
			c[i] = entity.F32Of(g.Float32()).F32()
		}
	}
	return entity.NewComponents(v.Kind(), c)
}

// editBlob changes a byte.
func (g *generator) editBlob(v entity.Value) entity.Value {
	b := []byte(v.Text())
	b[g.IntN(len(b))] ^= byte(1 + g.IntN(255))
	return entity.NewBlob(string(b))
}

func bit(e *entity.Entity, f *entity.Field, n int) step {
	now := e.Value(f.Name).Uint() ^ 1<<n
	return field(e, f, fmt.Sprint("#", n), "toggle",
		func(v entity.Value) entity.Value { return entity.NewUint(v.Kind(), v.Uint()^1<<n) },
		func(v entity.Value, _ rename) bool { return v.Uint()>>n&1 == now>>n&1 })
}

func member(e *entity.Entity, f *entity.Field, i int, now entity.Value) step {
	return field(e, f, "."+f.Fields[i].Name, fmt.Sprint("set ", now),
		func(v entity.Value) entity.Value { return with(v, i, now) },
		func(v entity.Value, _ rename) bool { return v.Items()[i].Equal(now) })
}

// with returns a struct or list with another item in one place.
func with(v entity.Value, i int, now entity.Value) entity.Value {
	items := slices.Clone(v.Items())
	items[i] = now
	if v.Kind() == entity.KindStruct {
		return entity.NewStruct(items)
	}
	return entity.NewList(v.Kind(), items)
}

func has(v, item entity.Value) bool { return slices.ContainsFunc(v.Items(), item.Equal) }

func (g *generator) editSet(s *side, e *entity.Entity, f *entity.Field) []step {
	v := e.Value(f.Name)
	if len(v.Items()) > 0 && g.chance(2) {
		return []step{setRemove(e, f, pick(g, v.Items()))}
	}
	item := g.value(f.Of)
	if f.Of.Kind == entity.KindRef {
		item = entity.NewRef(pick(g, s.world.IDs()))
	}
	if has(v, item) {
		return nil
	}
	return []step{setAdd(e, f, item)}
}

func setAdd(e *entity.Entity, f *entity.Field, item entity.Value) step {
	return field(e, f, fmt.Sprintf("{%v}", item), "add",
		func(v entity.Value) entity.Value {
			items, _ := entity.SortSet(append(slices.Clone(v.Items()), item))
			return entity.NewList(v.Kind(), items)
		},
		func(v entity.Value, as rename) bool { return has(v, as(f.Of, item)) })
}

func setRemove(e *entity.Entity, f *entity.Field, item entity.Value) step {
	return field(e, f, fmt.Sprintf("{%v}", item), "remove",
		func(v entity.Value) entity.Value {
			return entity.NewList(v.Kind(), slices.DeleteFunc(slices.Clone(v.Items()), item.Equal))
		},
		func(v entity.Value, _ rename) bool { return !has(v, item) })
}

// editUnique gives a field one of a few numbers that no other entity has, nor
// had in the base: the other side may give it to another.
func (g *generator) editUnique(s *side, e *entity.Entity, f *entity.Field) []step {
	now := entity.NewUint(f.Kind, uint64(1+g.IntN(6)))
	for _, w := range []*entity.World{s.base, s.world} {
		for other := range w.All() {
			if other.Value(f.Name).Equal(now) {
				return nil
			}
		}
	}
	to := set(e, f, now)
	to.unique = now
	return []step{to}
}

// sequence draws an edit of a list whose elements are all different: one
// becomes another, comes or goes.
func sequence[T any](g *generator, list []T, new T) (now []T, at, does string, came, went []T) {
	i := g.IntN(len(list))
	now = slices.Clone(list)
	switch {
	case g.chance(3):
		i = g.IntN(len(list) + 1)
		return slices.Insert(now, i, new), fmt.Sprintf("^%d;", i), fmt.Sprint("insert ", new), []T{new}, nil
	case len(list) > 2 && g.chance(2):
		return slices.Delete(now, i, i+1), fmt.Sprintf("@%d;", i), "remove", nil, list[i : i+1]
	}
	now[i] = new
	return now, fmt.Sprintf("@%d;", i), fmt.Sprint("set ", new), []T{new}, list[i : i+1]
}

func (g *generator) editArray(e *entity.Entity, f *entity.Field) []step {
	if items := e.Value(f.Name).Items(); len(items) > 3 && g.chance(3) {
		return []step{g.move(e, f, items)}
	}
	now, at, does, came, went := sequence(g, e.Value(f.Name).Items(), entity.F32Of(float32(g.next())))
	s := field(e, f, at, does,
		func(entity.Value) entity.Value { return entity.NewList(entity.KindArray, now) },
		func(v entity.Value, _ rename) bool {
			in := func(item entity.Value) bool { return has(v, item) }
			return !slices.ContainsFunc(went, in) && (len(came) == 0 || in(came[0]))
		})
	s.sole = true
	return []step{s}
}

// move moves an element of an array past two others or more, so that it is that
// one which moved.
func (g *generator) move(e *entity.Entity, f *entity.Field, items []entity.Value) step {
	from := g.IntN(2)
	to := from + 2 + g.IntN(len(items)-from-2)
	if g.chance(2) {
		from, to = to, from
	}
	item, past := items[from], items[min(from, to):max(from, to)+1]
	now := slices.Insert(slices.Delete(slices.Clone(items), from, from+1), to, item)
	s := field(e, f, fmt.Sprintf("@%d;", from), fmt.Sprint("move to ", to),
		func(entity.Value) entity.Value { return entity.NewList(entity.KindArray, now) },
		func(v entity.Value, _ rename) bool { return passed(v, changed(v, item, items), past, from < to) })
	s.sole = true
	return s
}

// changed returns what has become of an element: another value, where the other side has
// set it. That is then the only one that was not there, since no side changes two elements.
func changed(v, item entity.Value, items []entity.Value) entity.Value {
	isNew := func(other entity.Value) bool { return !slices.ContainsFunc(items, other.Equal) }
	if i := slices.IndexFunc(v.Items(), isNew); i >= 0 && !has(v, item) {
		return v.Items()[i]
	}
	return item
}

// passed reports whether an element stands once, and behind, or before, one at
// least of those that it was moved past: the other side changes one of them at
// most.
func passed(v, item entity.Value, past []entity.Value, behind bool) bool {
	at := slices.IndexFunc(v.Items(), item.Equal)
	if at < 0 || slices.ContainsFunc(v.Items()[at+1:], item.Equal) {
		return false
	}
	return slices.ContainsFunc(past, func(other entity.Value) bool {
		place := slices.IndexFunc(v.Items(), other.Equal)
		return place >= 0 && place != at && (place < at) == behind
	})
}

func (g *generator) editLines(e *entity.Entity, f *entity.Field) []step {
	lines := slices.Collect(strings.Lines(e.Value(f.Name).Text()))
	now, at, does, came, went := sequence(g, lines, g.line())
	s := field(e, f, at, does,
		func(entity.Value) entity.Value { return entity.NewString(strings.Join(now, "")) },
		func(v entity.Value, _ rename) bool {
			in := func(line string) bool { return slices.Contains(slices.Collect(strings.Lines(v.Text())), line) }
			return !slices.ContainsFunc(went, in) && (len(came) == 0 || in(came[0]))
		})
	s.sole = true
	return []step{s}
}

// editKeyed adds or takes away an element of a keyed array, or changes one.
func (g *generator) editKeyed(s *side, e *entity.Entity, f *entity.Field) []step {
	items := e.Value(f.Name).Items()
	if len(items) == 0 || g.chance(3) {
		key := 100 + g.next()
		if g.chance(2) {
			key = g.IntN(3) // others use it too
		}
		part := g.keyedPart(key, entity.NewRef(pick(g, s.world.IDs())))
		if place(items, part.Items()[0]) >= 0 {
			return nil
		}
		return []step{keyedAdd(e, f, g.IntN(len(items)+1), part)}
	}
	key := pick(g, items).Items()[0]
	switch g.IntN(3) {
	case 0:
		return []step{keyedRemove(e, f, key)}
	case 1:
		return []step{keyedMember(e, f, key, 1, entity.F32Of(float32(g.next())))}
	}
	link := entity.NewRef(pick(g, s.world.IDs()))
	return different(items[place(items, key)].Items()[2], link, func(now entity.Value) step { return keyedMember(e, f, key, 2, now) })
}

// place returns where the element of a key stands, -1 if there is none.
func place(items []entity.Value, key entity.Value) int {
	return slices.IndexFunc(items, func(item entity.Value) bool { return item.Items()[0].Equal(key) })
}

func keyedAdd(e *entity.Entity, f *entity.Field, i int, part entity.Value) step {
	return field(e, f, fmt.Sprintf("[%d]", part.Items()[0].Uint()), fmt.Sprint("add ", part),
		func(v entity.Value) entity.Value {
			return entity.NewList(v.Kind(), slices.Insert(slices.Clone(v.Items()), min(i, len(v.Items())), part))
		},
		func(v entity.Value, as rename) bool { return has(v, as(f.Of, part)) })
}

func keyedRemove(e *entity.Entity, f *entity.Field, key entity.Value) step {
	return field(e, f, fmt.Sprintf("[%d]", key.Uint()), "remove",
		func(v entity.Value) entity.Value {
			i := place(v.Items(), key)
			return entity.NewList(v.Kind(), slices.Delete(slices.Clone(v.Items()), i, i+1))
		},
		func(v entity.Value, _ rename) bool { return place(v.Items(), key) < 0 })
}

func keyedMember(e *entity.Entity, f *entity.Field, key entity.Value, m int, now entity.Value) step {
	return field(e, f, fmt.Sprintf("[%d].%s", key.Uint(), f.Of.Fields[m].Name), fmt.Sprint("set ", now),
		func(v entity.Value) entity.Value {
			i := place(v.Items(), key)
			return with(v, i, with(v.Items()[i], m, now))
		},
		func(v entity.Value, as rename) bool {
			i := place(v.Items(), key)
			return i >= 0 && v.Items()[i].Items()[m].Equal(as(&f.Of.Fields[m].Shape, now))
		})
}
