package merge

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// drawTree edits nothing but who follows and who refers to whom, so that
// deletions, moves and circles meet all the time.
func drawTree(t *rapid.T, base *entity.World, edits int) *entity.World {
	const most = 7
	w := entity.NewWorld(base.ID, base.Types)
	for e := range base.All() {
		w.Put(e)
	}
	for range edits {
		id := entity.ID(rapid.IntRange(1, most).Draw(t, "id"))
		e, there := w.Get(id)
		_, was := base.Get(id)
		switch op := rapid.IntRange(0, 5).Draw(t, "op"); {
		case there && op == 0:
			w.Delete(id)
		case there || !was:
			c := entity.New(id, base.Types.Get("Node").Current())
			if there {
				c = e.Clone()
			}
			place := rapid.SampledFrom([]int{0, 0, 0, 4}).Draw(t, "field")
			c.Values[place] = entity.NewRef(entity.ID(rapid.IntRange(0, most).Draw(t, "to")))
			w.Put(c)
		}
	}
	return w
}

func TestTreesStayWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawTree(t, entity.NewWorld(entity.GUID{}, sceneTypes()), 12)
		a, b := drawTree(t, base, 5), drawTree(t, base, 5)
		for _, policy := range []Policy{Leave, Shared, Mine} {
			r := merged(t, base, a, b, Options{Policy: policy})
			if len(r.Renumbered) > 0 {
				continue // the checks below go by ID
			}
			for e := range r.All() {
				require.NoError(t, e.Validate())
				requireRefs(t, e, r, a, b)
			}
			for id := range circular(r) {
				require.True(t, circular(a)[id] || circular(b)[id], "%d follows itself", id)
			}
			requireKept(t, base, a, b, r)
			requireKept(t, base, b, a, r)
			s := merged(t, base, b, a, Options{Policy: policy, Shared: Ours})
			if policy != Leave {
				requireSame(t, r.World(base.ID), s)
				require.Equal(t, r.Repairs, s.Repairs)
			}
		}
	})
}
