package arrivals_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/arrivals"
)

// nodes is a world of nodes: each has a direct ref, and one that may go in a circle.
func nodes(refs map[entity.ID][2]entity.ID) *entity.World {
	layout := (&entity.Type{Name: "Node", Revision: 1, Fields: []*entity.Field{
		{Shape: entity.Shape{Kind: entity.KindRef, Direct: true}, Name: "follows"},
		{Shape: entity.Shape{Kind: entity.KindRef}, Name: "about"},
	}}).Current()
	w := &entity.World{}
	for id, to := range refs {
		w.Put(&entity.Entity{ID: id, Layout: layout, Values: []entity.Value{entity.NewRef(to[0]), entity.NewRef(to[1])}})
	}
	return w
}

func amended(u *arrivals.Update) map[entity.ID][2]entity.ID {
	out := make(map[entity.ID][2]entity.ID)
	for id, e := range u.Amended() {
		out[id] = [2]entity.ID{e.Values[0].Ref(), e.Values[1].Ref()}
	}
	return out
}

func TestARefToWhatWasDeletedHereCameWithTheUpdate(t *testing.T) {
	ours := nodes(map[entity.ID][2]entity.ID{1: {9, 9}, 2: {}})
	theirs := nodes(map[entity.ID][2]entity.ID{1: {9, 9}, 2: {}, 9: {}})
	here := func(id entity.ID) bool { return id == 9 }
	require.Equal(t, map[entity.ID][2]entity.ID{1: {}}, amended(arrivals.New(ours, ours, theirs, here)))
	elsewhere := func(entity.ID) bool { return false }
	require.Empty(t, amended(arrivals.New(ours, ours, theirs, elsewhere)), "it came as it is")
}

func TestACircleIsOpenedWhereTheUpdateClosedIt(t *testing.T) {
	// 1 follows 2 by an edit made here, 2 follows 3 and 3 follows 1 by the update.
	ours := nodes(map[entity.ID][2]entity.ID{1: {2}, 2: {3, 1}, 3: {1}, 4: {1}})
	theirs := nodes(map[entity.ID][2]entity.ID{1: {}, 2: {3, 1}, 3: {1}, 4: {1}})
	got := amended(arrivals.New(theirs, ours, theirs, func(entity.ID) bool { return false }))
	require.Equal(t, map[entity.ID][2]entity.ID{2: {0, 1}, 3: {}}, got)
}

func TestWhatAnEditReferredToWasRemovedByTheUpdate(t *testing.T) {
	ours := nodes(map[entity.ID][2]entity.ID{1: {7, 8}, 2: {6}, 8: {}})
	theirs := nodes(map[entity.ID][2]entity.ID{1: {}, 2: {6}, 8: {}})
	missing := arrivals.New(theirs, ours, theirs, func(entity.ID) bool { return false }).Missing()
	require.Equal(t, []entity.ID{7}, slices.Sorted(maps.Keys(missing)), "2 was not edited here")
}
