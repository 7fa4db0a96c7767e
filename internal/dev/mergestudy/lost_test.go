package mergestudy

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

const lostCases = 40

// goOn has git finish the operation.
func (r *repository) goOn(way string) {
	r.git("add", "-A")
	switch way {
	case "merge":
		r.try("commit", "-q", "--no-edit")
	case "rebase":
		r.try("rebase", "--continue")
	}
	status := r.git("status")
	require.NotContains(r, status, "in progress")
	require.NotContains(r, status, "merging")
}

func (r *repository) lost() (all entity.ChangeSet) {
	dir, err := worlddir.Open(r.dir)
	require.NoError(r, err)
	lost, _, err := resolve.FindLost(dir, (*worlddir.Dir).Keep, nil, 0)
	require.NoError(r, err)
	again, _, err := resolve.FindLost(dir, (*worlddir.Dir).Keep, nil, 0)
	require.NoError(r, err)
	require.Equal(r, len(lost), len(again))
	for _, l := range lost {
		all = append(all, l.Changes...)
	}
	return all
}

// TestResolveThrowsNothingAway has conflicts of generated cases settled for one side:
// nothing is missed of what is in no conflict.
func TestResolveThrowsNothingAway(t *testing.T) {
	for i := range uint64(lostCases) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			way := []string{"merge", "rebase"}[i%2]
			side := []resolve.Side{resolve.Mine, resolve.Shared}[i/2%2]
			r := newRepository(t)
			r.begin(newCase(testSeed, i), way)
			res, err := resolve.Open(r.dir, resolve.Options{})
			require.NoError(t, err)
			choices, err := res.Choices(side, resolve.Selection{})
			require.NoError(t, err)
			require.NoError(t, res.Choose(choices))
			require.Empty(t, res.Left)
			_, err = res.Apply()
			require.NoError(t, err)
			require.Nil(t, res.Lost)
			r.goOn(way)
			require.Empty(t, r.lost(), "%s %s: %v", way, side, res.Merged.Conflicts)
		})
	}
}

// TestResolveMissesWhatWasThrownAway has whole files of one side taken where git found
// conflicts: with what that threw away of the other side, the world is as it is merged,
// but for what is in conflict.
func TestResolveMissesWhatWasThrownAway(t *testing.T) {
	missed := 0
	for i := range uint64(lostCases) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := newCase(testSeed, i)
			r := newRepository(t)
			r.begin(c, "merge")
			side, tree := []string{"--theirs", "--ours"}[i%2], []string{"theirs", "ours"}[i%2]
			for name := range strings.Lines(r.git("diff", "--name-only", "--diff-filter=U")) {
				name = strings.TrimSpace(name)
				if _, ok := r.try("cat-file", "-e", tree+":"+name); ok {
					r.git("checkout", side, "--", name)
				} else {
					r.git("rm", "-q", "--", name)
				}
			}
			r.goOn("merge")
			lost := r.lost()
			missed += len(lost)

			types, _, err := typefile.ReadDir(filepath.Join(r.dir, "types"))
			require.NoError(t, err)
			have := entity.NewWorld(c.base.ID, types)
			for e := range c.readFiles(r.texts(), &outcome{}).world.All() {
				have.Put(e)
			}
			lost.Apply(have)
			merged, err := merge.Worlds(merge.Of(c.base), merge.Of(c.sides[0].world), merge.Of(c.sides[1].world), merge.Options{Policy: merge.Shared})
			require.NoError(t, err)
			excused := excused(merged)
			for _, change := range entity.Diff(have, merged) {
				require.True(t, excused[about{change.ID, ""}] || excused[about{change.ID, change.Field}], "%v: %v; lost %v", merged.Conflicts, change, lost)
			}
		})
	}
	require.NotZero(t, missed)
}

// about is what a conflict is about, field "" for the entity as a whole.
type about struct {
	id    entity.ID
	field string
}

// excused returns what is in conflict, or was made of itself by a merge.
func excused(r *merge.Result) map[about]bool {
	out := make(map[about]bool)
	for _, x := range r.Conflicts {
		out[about{x.ID, x.Field}] = true
	}
	for _, x := range r.Repairs {
		out[about{x.ID, x.Field}] = true
	}
	for _, x := range r.Renumbered {
		out[about{x.From, ""}], out[about{x.To, ""}] = true, true
	}
	return out
}
