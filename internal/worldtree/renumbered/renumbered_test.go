package renumbered

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// Whatever goes where, no two entities come to have the same ID, and what is to go somewhere
// goes there.
func TestClosedIsOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := &entity.World{}
		ids := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 12), 1, 8, rapid.ID).Draw(t, "has")
		for _, id := range ids {
			in.Put(&entity.Entity{ID: entity.ID(id), Layout: &entity.Layout{}})
		}
		froms := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, len(ids), rapid.ID).Draw(t, "from")
		tos := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 12), len(froms), len(froms), rapid.ID).Draw(t, "to")
		moves := make(map[entity.ID]entity.ID)
		for i, from := range froms {
			moves[entity.ID(from)] = entity.ID(tos[i])
		}
		all := closed(moves, in)
		seen := make(map[entity.ID]bool)
		for _, id := range ids {
			to, ok := all[entity.ID(id)]
			if !ok {
				to = entity.ID(id)
			}
			require.False(t, seen[to], "%d twice", to)
			seen[to] = true
		}
		for from, to := range moves {
			require.Equal(t, to, all[from])
		}
	})
}

func TestIn(t *testing.T) {
	all := []merge.Renumbering{{From: 1, To: 2, Side: merge.Ours}, {From: 3, To: 4, Side: merge.Theirs}}
	op := &vcs.Operation{Kind: vcs.Merging, Ours: "o", Theirs: "t"}
	require.Equal(t, []Entity{{Commit: "o", Other: "t", From: 1, To: 2}, {Commit: "t", Other: "o", From: 3, To: 4}}, In(op, all))
	op.Kind = vcs.Rebasing
	require.Equal(t, []Entity{{Commit: "o", From: 1, To: 2}, {Commit: "t", Other: "o", From: 3, To: 4}}, In(op, all), "what follows on ours has no commit yet")
}

func TestNameSaysTheSidesOwnIDs(t *testing.T) {
	all := []merge.Renumbering{{From: 1, To: 2, Side: merge.Theirs}, {From: 1, To: 3, Side: merge.Ours}}
	Followed{nil, {1: 7}}.Name(all)
	require.Equal(t, entity.ID(7), all[0].From)
	require.Equal(t, entity.ID(1), all[1].From)
}
