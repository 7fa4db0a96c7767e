package packfile_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

func TestMountParentsOfAPackAreThoseOfItsEntities(t *testing.T) {
	parent := entity.Shape{Kind: entity.KindRef, Direct: true}
	optional := parent
	optional.Optional = true
	vec := entity.Shape{Kind: entity.KindVec3}
	typ := func(name string, on entity.Shape, mount bool) *entity.Type {
		t := &entity.Type{Name: name, Revision: 2, Fields: []*entity.Field{
			{Name: "before", Shape: entity.Shape{Kind: entity.KindBool}},
			{Name: "on", Shape: on, Since: 2}, {Name: "offset", Shape: vec}, {Name: "position", Shape: vec},
		}}
		if mount {
			t.Mount = &entity.Mount{Parent: "on", Offset: []string{"offset"}, Pose: []string{"position"}}
		}
		return t
	}
	types := []*entity.Type{typ("Always", parent, true), typ("Perhaps", optional, true), typ("Never", parent, false)}
	rapid.Check(t, func(t *rapid.T) {
		w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(types...))
		for id := range entity.ID(rapid.IntRange(0, 20).Draw(t, "entities")) {
			l := rapid.SampledFrom(types).Draw(t, "type").Layout(rapid.Uint32Range(1, 2).Draw(t, "revision"))
			e := entity.New(id+1, l)
			if i := l.Index("on"); i >= 0 && rapid.Bool().Draw(t, "mounted") {
				e.Values[i] = entity.NewRef(entity.ID(rapid.Uint32Range(0, 30).Draw(t, "on")))
			}
			w.Put(e)
		}
		want := maps.Collect(entity.MountParents(w))
		p := parse(t, encode(t, w))
		require.Equal(t, want, maps.Collect(entity.MountParents(p)))

		changes := make(map[entity.ID]*entity.Entity)
		for _, id := range w.IDs() {
			switch e, _ := w.Get(id); rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				changes[id] = nil
			case 1:
				if i := e.Layout.Index("on"); i >= 0 {
					e = e.Clone()
					e.Values[i] = entity.NewRef(31)
				}
				changes[id] = e
			}
		}
		over := entity.NewOverlay(p, changes)
		w = entity.NewWorld(entity.GUID{1}, w.Types)
		for e := range over.All() {
			w.Put(e)
		}
		require.Equal(t, maps.Collect(entity.MountParents(w)), maps.Collect(entity.MountParents(over)))
	})
}
