package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/reference"

	"pgregory.net/rapid"
)

func field(name string, s entity.Shape) *entity.Field { return &entity.Field{Name: name, Shape: s} }

func scalar(k entity.Kind) entity.Shape { return entity.Shape{Kind: k} }

// sceneTypes has a field for each rule of merging.
func sceneTypes() *entity.Types {
	ref := entity.Shape{Kind: entity.KindRef}
	direct := entity.Shape{Kind: entity.KindRef, Direct: true}
	part := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		field("id", scalar(entity.KindU8)), field("weight", scalar(entity.KindF32)), field("link", ref),
	}}
	text := scalar(entity.KindString)
	number := scalar(entity.KindF32)
	fields := []*entity.Field{
		field("parent", direct),
		field("name", text),
		field("position", scalar(entity.KindVec3)),
		field("flags", entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "a"}, {Name: "b", Number: 1}}}),
		field("link", entity.Shape{Kind: entity.KindRef, Optional: true}),
		field("links", entity.Shape{Kind: entity.KindSet, Of: &ref}),
		field("tags", entity.Shape{Kind: entity.KindSet, Of: &text, Optional: true}),
		field("points", entity.Shape{Kind: entity.KindArray, Of: &number}),
		field("path", entity.Shape{Kind: entity.KindArray, Of: &ref}),
		field("parts", entity.Shape{Kind: entity.KindArray, Of: &part, Key: "id"}),
		field("part", part),
		field("cached", number),
		field("glow", number),
		field("lit", scalar(entity.KindBool)),
		field("code", scalar(entity.KindU16)),
		{Name: "later", Shape: scalar(entity.KindI32), Since: 2},
		{Name: "serial", Shape: entity.Shape{Kind: entity.KindEnum, Optional: true, Names: []entity.Name{{Name: "one"}, {Name: "two", Number: 1}, {Name: "three", Number: 2}}}, Unique: true},
	}
	fields[11].Derived = true
	fields[12].InsignificantWhen = "lit"
	fields[14].SaveWhen = "!lit"
	return entity.NewTypes(
		&entity.Type{Name: "Node", Revision: 2, Fields: fields},
		&entity.Type{Name: "Leaf", Revision: 1, Fields: fields[:4]},
	)
}

// ids are few, so that things meet.
const maxTestID = 14

// near brings refs into the range of the IDs there are.
func near(s *entity.Shape, v entity.Value) entity.Value {
	return reference.Replace(s, v, func(id entity.ID, _ bool) entity.ID { return id % (maxTestID + 1) })
}

func drawEntity(t *rapid.T, id entity.ID, types *entity.Types) *entity.Entity {
	typ := rapid.SampledFrom(types.All()).Draw(t, "type")
	e := entity.New(id, typ.Layout(rapid.Uint32Range(1, max(2, typ.Revision)).Draw(t, "revision")))
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		drawField(t, e)
	}
	settle(e)
	if e.Layout.Index("count") < 0 && rapid.IntRange(0, 3).Draw(t, "has lines") == 0 {
		e.Unknown = []entity.Raw{drawLines(t, "count")}
	}
	return e
}

// settle brings an entity into the form in which it is read.
func settle(e *entity.Entity) {
	e.Canonicalize()
	for i, f := range e.Layout.Fields {
		if e.Values[i].IsNull() && !f.Optional && e.SavesField(i) {
			e.Values[i] = f.DefaultValue()
		}
	}
}

func drawField(t *rapid.T, e *entity.Entity) {
	i := rapid.IntRange(0, len(e.Layout.Fields)-1).Draw(t, "field")
	f := e.Layout.Fields[i]
	e.Values[i] = drawnValue(t, f)
	if f.Unique { // few, so that they meet
		n := rapid.Int64Range(0, 2).Draw(t, f.Name)
		if e.Values[i] = entity.NewUint(f.Kind, uint64(n)); f.Kind == entity.KindEnum {
			e.Values[i] = entity.NewInt(f.Kind, n)
		}
	}
}

// drawnValue draws a value whose refs are near.
func drawnValue(t *rapid.T, f *entity.Field) entity.Value {
	return near(&f.Shape, entitytest.Value(&f.Shape).Draw(t, f.Name))
}

func drawWorld(t *rapid.T) *entity.World {
	w := entity.NewWorld(entity.GUID{7}, sceneTypes())
	for id := entity.ID(1); id <= maxTestID; id++ {
		if rapid.IntRange(0, 2).Draw(t, "there") > 0 {
			w.Put(drawEntity(t, id, w.Types))
		}
	}
	return w
}

// drawSide edits a world. New entities get IDs that leave the remainder when
// divided by 2, or any if that is negative.
func drawSide(t *rapid.T, base *entity.World, remainder int) *entity.World {
	w := entity.NewWorld(base.ID, base.Types)
	for e := range base.All() {
		w.Put(e)
	}
	for range rapid.IntRange(0, 6).Draw(t, "edits") {
		id := entity.ID(rapid.IntRange(1, maxTestID).Draw(t, "id"))
		e, there := w.Get(id)
		_, was := base.Get(id)
		switch op := rapid.IntRange(0, 8).Draw(t, "op"); {
		case !there && (was || remainder >= 0 && int(id)%2 != remainder):
		case !there || op == 1:
			w.Put(drawEntity(t, id, w.Types))
		case op == 0:
			w.Delete(id)
		case op == 2:
			c := e.Clone()
			c.Unknown = nil
			for _, name := range []string{"odd", "count", "amount"} { // which the other side may declare
				if c.Layout.Index(name) < 0 && rapid.Bool().Draw(t, name) {
					c.Unknown = append(c.Unknown, drawLines(t, name))
				}
			}
			w.Put(c)
		case op == 3:
			c := e.Clone()
			c.Values[0] = entity.NewRef(entity.ID(rapid.IntRange(0, maxTestID).Draw(t, "parent")))
			w.Put(c)
		case op >= 7:
			c := e.Clone()
			drawMove(t, c, rapid.SampledFrom([]string{"path", "parts", "points"}).Draw(t, "list"))
			w.Put(c)
		default:
			c := e.Clone()
			drawField(t, c)
			settle(c)
			w.Put(c)
		}
	}
	return w
}

// drawLines draws the lines of a field that is unknown; not all are a number.
func drawLines(t *rapid.T, name string) entity.Raw {
	return entity.Raw{Name: name, Lines: rapid.SampledFrom([]string{"    1", "    3", "    1\n    2", "",
		"    [\n    1\n    2\n    ]", "    [\n    1\n    ]\n    [\n    2\n    ]", "    1\n    2\n    3"}).Draw(t, "lines of "+name)}
}

// drawMove moves an element of an array, if there is one.
func drawMove(t *rapid.T, e *entity.Entity, field string) {
	i := e.Layout.Index(field)
	if i < 0 || len(e.Values[i].Items()) < 2 {
		return
	}
	items := slices.Clone(e.Values[i].Items())
	from := rapid.IntRange(0, len(items)-1).Draw(t, "from")
	v := items[from]
	items = slices.Delete(items, from, from+1)
	e.Values[i] = entity.NewList(entity.KindArray, slices.Insert(items, rapid.IntRange(0, len(items)).Draw(t, "to"), v))
}

// testRanges has a disposable range; no creator has one.
var testRanges = Ranges{List: []Range{{From: 11, To: 14, Owners: []string{"Program"}, Disposable: true}}}
