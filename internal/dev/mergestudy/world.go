package mergestudy

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// mostIDs is from how few IDs entities get theirs: both sides make one of the
// same ID now and then.
const mostIDs = 18

// types has a type with a field of every kind, and a plain one.
func types() *entity.Types {
	ref := entity.Shape{Kind: entity.KindRef}
	text := entity.Shape{Kind: entity.KindString}
	number := entity.Shape{Kind: entity.KindF32}
	part := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		{Name: "id", Shape: entity.Shape{Kind: entity.KindU16}}, {Name: "weight", Shape: number}, {Name: "link", Shape: ref},
	}}
	fields := []*entity.Field{
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "name", Shape: text},
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "links", Shape: entity.Shape{Kind: entity.KindSet, Of: &ref}},
		{Name: "link", Shape: entity.Shape{Kind: entity.KindRef, Optional: true}},
		{Name: "notes", Shape: text},
		{Name: "tags", Shape: entity.Shape{Kind: entity.KindSet, Of: &text}},
		{Name: "points", Shape: entity.Shape{Kind: entity.KindArray, Of: &number}},
		{Name: "parts", Shape: entity.Shape{Kind: entity.KindArray, Of: &part, Key: "id"}},
		{Name: "box", Shape: entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
			{Name: "width", Shape: number}, {Name: "height", Shape: number}, {Name: "label", Shape: text},
		}}},
	}
	leaf := slices.Clone(fields[:6])
	whole := entity.Shape{Kind: entity.KindU32}
	fields = append(fields, &entity.Field{Name: "serial", Shape: entity.Shape{Kind: entity.KindU32, Optional: true}, Unique: true},
		&entity.Field{Name: "size", Shape: whole, Until: 2, Successor: "width"},
		&entity.Field{Name: "width", Shape: whole, Since: 2},
		&entity.Field{Name: "later", Shape: whole, Since: 2})
	for k := entity.KindBool; k <= entity.KindFlags; k++ {
		if k == entity.KindExpr {
			continue // it merges as a blob does, and the cases stay what they were
		}
		s := entity.Shape{Kind: k}
		if k == entity.KindEnum || k == entity.KindFlags {
			s.Names = []entity.Name{{Name: "a"}, {Name: "b", Number: 1}, {Name: "c", Number: 2}}
		}
		fields = append(fields, &entity.Field{Name: k.String(), Shape: s})
	}
	return entity.NewTypes(
		&entity.Type{Name: "Leaf", Revision: 1, Fields: leaf},
		&entity.Type{Name: "Node", Revision: 2, Fields: fields},
	)
}

// generator makes worlds and edits.
type generator struct {
	*rand.Rand
	types *entity.Types
	count int // makes texts, numbers and keys that there were not before
}

func (g *generator) next() int {
	g.count++
	return g.count
}

// chance reports whether an event occurs that occurs once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

func (g *generator) world() *entity.World {
	w := entity.NewWorld(entity.GUID{1}, g.types)
	ids := g.Perm(mostIDs)[:8+g.IntN(5)]
	for _, i := range ids {
		w.Put(g.entity(entity.ID(i+1), w))
	}
	for _, id := range w.IDs() { // now that there are others to refer to
		e, _ := w.Get(id)
		e = e.Clone()
		for range 3 {
			g.refer(e, w)
		}
		if g.chance(4) {
			e.Unknown = []entity.Raw{{Name: pick(g, unknownNames), Lines: g.rawLine()}}
		}
		w.Put(e)
	}
	return w
}

// entity makes one that follows another or none.
func (g *generator) entity(id entity.ID, w *entity.World) *entity.Entity {
	typ := w.Types.Get(pick(g, []string{"Leaf", "Node", "Node"}))
	e := entity.New(id, typ.Layout(uint32(1+g.IntN(int(typ.Revision)))))
	for i, f := range e.Layout.Fields {
		e.Values[i] = g.value(&f.Shape)
	}
	var lines string
	for range 3 + g.IntN(4) {
		lines += g.line()
	}
	e.Values[e.Layout.Index("notes")] = entity.NewString(lines)
	if w.Len() > 0 && !g.chance(3) {
		e.Values[0] = entity.NewRef(pick(g, w.IDs()))
	}
	return e
}

func (g *generator) line() string { return fmt.Sprintf("line %d\n", g.next()) }

// refer lets an entity refer to one of the world.
func (g *generator) refer(e *entity.Entity, w *entity.World) {
	to := entity.NewRef(pick(g, w.IDs()))
	if g.chance(2) {
		e.Values[e.Layout.Index("link")] = to
	}
	i := e.Layout.Index("links")
	items, _ := entity.SortSet(append(slices.Clone(e.Values[i].Items()), to))
	e.Values[i] = entity.NewList(entity.KindSet, items)
	if i = e.Layout.Index("parts"); i >= 0 {
		e.Values[i] = entity.NewList(entity.KindArray, append(slices.Clone(e.Values[i].Items()), g.part(to)))
	}
}

func (g *generator) part(link entity.Value) entity.Value { return g.keyedPart(100+g.next(), link) }

func (g *generator) keyedPart(key int, link entity.Value) entity.Value {
	return entity.NewStruct([]entity.Value{entity.NewUint(entity.KindU16, uint64(key)), entity.F32Of(float32(g.next())), link})
}

// value makes a value; refs to nothing.
func (g *generator) value(s *entity.Shape) entity.Value {
	switch k := s.Kind; {
	case k == entity.KindRef || s.Optional:
		return s.Zero()
	case k == entity.KindBool:
		return entity.NewBool(g.chance(2))
	case k == entity.KindEnum || k == entity.KindFlags:
		return g.named(k)
	case k.IsSigned():
		return entity.NewInt(k, int64(g.IntN(256)-128))
	case k.IsUnsigned():
		return entity.NewUint(k, g.Uint64N(256))
	case k == entity.KindF64:
		return entity.F64Of(g.Float64() * 1000)
	case k.Components() > 0:
		c := make([]float32, k.Components())
		for i := range c {
			c[i] = g.Float32()
		}
		return entity.VecOf(k, c...)
	case k == entity.KindString:
		return entity.NewString(fmt.Sprintf("text %d", g.next()))
	case k == entity.KindBlob:
		return entity.NewBlob(g.bytes(200))
	case k == entity.KindGUID:
		return entity.NewGUID(entity.GUID([]byte(g.bytes(16))))
	case k == entity.KindStruct:
		return g.members(s)
	}
	return g.list(s)
}

func (g *generator) named(k entity.Kind) entity.Value {
	if k == entity.KindEnum {
		return entity.NewInt(k, int64(g.IntN(3)))
	}
	return entity.NewUint(k, g.Uint64N(8))
}

func (g *generator) bytes(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return string(b)
}

func (g *generator) members(s *entity.Shape) entity.Value {
	members := make([]entity.Value, len(s.Fields))
	for i, f := range s.Fields {
		members[i] = g.value(&f.Shape)
	}
	return entity.NewStruct(members)
}

// list makes the elements of sets and arrays; of refs none.
func (g *generator) list(s *entity.Shape) entity.Value {
	var items []entity.Value
	for range 2 + g.IntN(4) {
		switch {
		case s.Of.Kind == entity.KindRef:
		case s.Key != "":
			items = append(items, g.part(entity.NewRef(0)))
		case s.Of.Kind == entity.KindF32:
			items = append(items, entity.F32Of(float32(g.next())))
		default:
			items = append(items, g.value(s.Of))
		}
	}
	if s.Kind == entity.KindSet {
		items, _ = entity.SortSet(items)
	}
	return entity.NewList(s.Kind, items)
}
