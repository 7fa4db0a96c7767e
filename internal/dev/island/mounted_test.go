package island

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// TestMountedEntitiesThatWereLeftBehindAreFound moves parents without their children.
func TestMountedEntitiesThatWereLeftBehindAreFound(t *testing.T) {
	w := Generate(2000, 1)
	require.Empty(t, stale(w))
	children := make(map[entity.ID][]entity.ID)
	for e := range w.All() {
		if on := e.Value("mount_parent_id").Ref(); on != 0 {
			children[on] = append(children[on], e.ID)
		}
	}
	require.NotEmpty(t, children)
	moved := 0
	for on, mounted := range children {
		parent, _ := w.Get(on)
		if parent.Value("mount_parent_id").Ref() != 0 {
			continue // it would be one itself
		}
		move(t, w, on, 1e-5) // which no person sees
		require.Empty(t, stale(w))
		move(t, w, on, 3)
		found := stale(w)
		require.Len(t, found, len(mounted))
		require.ElementsMatch(t, mounted, whose(found))
		for _, f := range found {
			require.Equal(t, on, f.Other)
			require.Contains(t, f.Message, "mounted on "+parent.String())
			require.Regexp(t, `^worldfs set --where 'id == [0-9]+' 'position = \[.*\]' 'orientation = \[.*\]'$`, f.Mend)
			require.False(t, f.Blocks)
		}
		w.Put(parent)
		if moved++; moved == 5 {
			break
		}
	}
}

// TestAnEngineThatCarriesOtherwiseIsLetAlone has every mounted entity somewhere else.
func TestAnEngineThatCarriesOtherwiseIsLetAlone(t *testing.T) {
	w := Generate(2000, 1)
	for e := range w.All() {
		if e.Value("mount_parent_id").Ref() != 0 {
			move(t, w, e.ID, 100)
		}
	}
	found := stale(w)
	require.Less(t, len(found), 100)
	parents := make(map[string]map[entity.ID]bool)
	for _, f := range found {
		if parents[f.Type] == nil {
			parents[f.Type] = make(map[entity.ID]bool)
		}
		parents[f.Type][f.Other] = true
		require.Less(t, len(parents[f.Type]), 8)
	}
}

// move moves an entity along x.
func move(t *testing.T, w *entity.World, id entity.ID, by float32) {
	e, ok := w.Get(id)
	require.True(t, ok)
	e = e.Clone()
	i := e.Layout.Index("position")
	at := components(e.Values[i])
	e.Values[i] = entity.VecOf(entity.KindVec3, at[0]+by, at[1], at[2])
	w.Put(e)
}

func stale(w *entity.World) (found []entity.Finding) {
	for _, f := range entity.Check(w) {
		if f.Code == entity.CodePoseStale {
			found = append(found, f)
		}
	}
	return found
}

func whose(found []entity.Finding) (out []entity.ID) {
	for _, f := range found {
		out = append(out, f.ID)
	}
	return out
}
