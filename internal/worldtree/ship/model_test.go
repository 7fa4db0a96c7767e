package ship_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// aim has most refs of a value lead to entities that there are.
func aim(t *rapid.T, s *entity.Shape, v entity.Value, ids []entity.ID) entity.Value {
	switch v.Kind() {
	case entity.KindRef:
		if rapid.IntRange(0, 19).Draw(t, "stays") == 0 {
			return v
		}
		return entity.NewRef(rapid.SampledFrom(append([]entity.ID{0}, ids...)).Draw(t, "to"))
	case entity.KindSet, entity.KindArray:
		items := make([]entity.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = aim(t, s.Of, item, ids)
		}
		if v.Kind() == entity.KindSet {
			items, _ = entity.SortSet(items)
		}
		return entity.NewList(v.Kind(), items)
	case entity.KindStruct:
		members := make([]entity.Value, len(v.Items()))
		for i, item := range v.Items() {
			members[i] = aim(t, &s.Fields[i].Shape, item, ids)
		}
		return entity.NewStruct(members)
	}
	return v
}

// hide makes some fields, at any depth, the editor's only.
func hide(t *rapid.T, fields []*entity.Field) {
	for _, f := range fields {
		f.EditorOnly = rapid.IntRange(0, 7).Draw(t, "editor only") == 0
		inner := &f.Shape
		for inner.Of != nil {
			inner = inner.Of
		}
		hide(t, inner.Fields)
	}
}

// drawWorld generates a world whose refs mostly lead somewhere.
func drawWorld(t *rapid.T) ship.World {
	types := rapid.SliceOfNDistinct(entitytest.Type(), 1, 4, func(t *entity.Type) string { return t.Name }).Draw(t, "types")
	for i, typ := range types {
		types[i] = &entity.Type{Name: typ.Name, Revision: typ.Revision, Fields: typ.Fields, EditorOnly: typ.EditorOnly, Yields: typ.Yields}
		hide(t, types[i].Fields)
	}
	w := entity.NewWorld(worldID, entity.NewTypes(types...))
	ids := rapid.SliceOfNDistinct(rapid.Map(rapid.Uint32Min(1), func(n uint32) entity.ID { return entity.ID(n) }), 1, 8, rapid.ID[entity.ID]).Draw(t, "ids")
	for _, id := range ids {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		revision := typ.Revision - min(typ.Revision, rapid.SampledFrom([]uint32{0, 0, 0, 0, 1, 90}).Draw(t, "older"))
		e := entity.New(id, typ.Layout(revision))
		for i, f := range e.Layout.Fields {
			e.Values[i] = aim(t, &f.Shape, entitytest.Value(&f.Shape).Draw(t, f.Name), ids)
		}
		e.Canonicalize()
		w.Put(e)
	}
	return ship.World{ID: worldID, Types: w.Types, Entities: w}
}

// stops reports whether the model says that a world cannot ship: an upgrade loses a value,
// or, with refs that lead nowhere at 0 and what is the editor's only gone, a check finds
// something.
func stops(w ship.World, dense bool) bool {
	model := entity.NewWorld(w.ID, entity.NewTypes())
	for _, t := range w.Types.All() {
		model.Types.Put(t.ForShip())
	}
	ships := func(id entity.ID) bool {
		e, ok := w.Entities.Get(id)
		return ok && !e.Layout.Type.EditorOnly
	}
	followed := false
	for e := range w.Entities.All() {
		if e.Layout.Type.EditorOnly {
			continue
		}
		up, err := textcodec.Upgrade(e)
		if err != nil {
			return true
		}
		n, err := up.ForShip(model.Types.Get(e.Type()))
		if err != nil {
			return true
		}
		n.Refs(func(_ string, direct bool, to entity.ID) bool {
			followed = followed || direct && !ships(to)
			return true
		})
		for i, f := range n.Layout.Fields {
			n.Values[i] = zeroed(&f.Shape, n.Values[i], func(id entity.ID) bool { return !dense || ships(id) })
		}
		model.Put(n)
	}
	for _, f := range entity.Check(model) {
		if f.Blocks && f.Code != entity.CodeRefDangling {
			return true
		}
	}
	return followed
}

func zeroed(s *entity.Shape, v entity.Value, stays func(entity.ID) bool) entity.Value {
	items := make([]entity.Value, len(v.Items()))
	for i, item := range v.Items() {
		if v.Kind() == entity.KindStruct {
			items[i] = zeroed(&s.Fields[i].Shape, item, stays)
		} else {
			items[i] = zeroed(s.Of, item, stays)
		}
	}
	switch v.Kind() {
	case entity.KindRef:
		if !stays(v.Ref()) {
			return entity.NewRef(0)
		}
		return v
	case entity.KindSet:
		items, _ = entity.SortSet(items)
		return entity.NewList(v.Kind(), items)
	case entity.KindArray:
		return entity.NewList(v.Kind(), items)
	case entity.KindStruct:
		return entity.NewStruct(items)
	}
	return v
}

// TestAnyWorldShipsAsItIs builds worlds of any types and refs, one build after another.
func TestAnyWorldShipsAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		o := ship.Options{
			Names: rapid.Bool().Draw(t, "names"), Dense: rapid.Bool().Draw(t, "dense"), ByType: rapid.Bool().Draw(t, "by type"),
		}
		b, err := ship.Make(w, o)
		if stops(w, o.Dense) {
			var refused *ship.RefusedError
			var at *entity.FieldError
			require.True(t, errors.As(err, &refused) || errors.As(err, &at), "%v", err)
			return
		}
		require.NoError(t, err)
		p, err := packfile.Parse(b.Pack)
		require.NoError(t, err)
		requireShipped(t, w, b, p)
		text := ship.AppendMap(nil, b.Map)
		read, err := ship.ParseMap(text)
		require.NoError(t, err)
		require.Equal(t, text, ship.AppendMap(nil, read))

		// The next build lacks some, and the one after that has them again.
		then := ship.World{ID: w.ID, Types: w.Types}
		some := entity.NewWorld(w.ID, w.Types)
		for e := range w.Entities.All() {
			if rapid.Bool().Draw(t, "stays") {
				some.Put(e)
			}
		}
		then.Entities = some
		o.Earlier = read
		second, err := ship.Make(then, o)
		if err != nil {
			require.True(t, stops(then, true), "%v", err)
			return
		}
		o.Earlier = second.Map
		third, err := ship.Make(w, o)
		if err != nil {
			require.True(t, stops(w, true), "%v", err)
			return
		}
		for _, was := range b.Map.Entries {
			is, ok := third.Map.Entity(was.Ship)
			require.True(t, ok)
			require.Equal(t, was, is)
		}
		require.Equal(t, len(b.Map.Entries), len(third.Map.Entries))
	})
}
