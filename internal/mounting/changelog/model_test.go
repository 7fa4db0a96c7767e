package changelog_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
)

// Edits, checkouts of many files, imports, commands, renumberings, undos and redos at random: nothing disappears, or
// comes back by an undo, that was not named; what was brought keeps its values where no edit of one's
// own was on top; and undoing all that is undone makes it again.
func TestNothingDisappearsThatWasNotNamed(t *testing.T) {
	defer entitytest.Checks("8")()
	w := open(t)
	from := first
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{rt, w.World, w.dir, w.runs}
		from += 4
		ids := []entity.ID{from, from + 1, from + 2, from + 3}
		id := rapid.SampledFrom(ids)
		lamps := rapid.Custom(func(t *rapid.T) lamp {
			return lamp{rapid.IntRange(0, 3).Draw(t, "watts"), rapid.IntRange(0, 3).Draw(t, "height")}
		})
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			before, at := w.lamps(), id.Draw(rt, "id")
			_, there := before[at]
			text := lamps.Draw(rt, "lamp").text(at)
			if there && rapid.IntRange(0, 4).Draw(rt, "remove") == 0 {
				text = ""
			}
			switch rapid.SampledFrom([]string{"edit", "edit", "git", "checkout", "import", "set", "mv", "undo", "undo", "redo", "undo ID", "redo ID", "undo any"}).Draw(rt, "what") {
			case "edit":
				w.edit(w.editor(), at, text)
			case "git":
				w.edit(w.git(), at, text)
			case "checkout":
				by := w.git()
				for _, id := range ids {
					if _, there := before[id]; there || id == at {
						w.write(&by, id, lamps.Draw(rt, "checked out").text(id))
					}
				}
				w.settle()
			case "mv":
				to := id.Draw(rt, "to")
				if _, taken := before[to]; there && !taken {
					l := before[at]
					w.set(cache.Cause{By: "mv"}, map[entity.ID]*lamp{at: nil, to: &l})
				}
			case "import":
				w.set(cache.Cause{By: cache.ByImport}, map[entity.ID]*lamp{at: {1, 2}})
			case "set":
				l := lamps.Draw(rt, "lamp")
				changed := make(map[entity.ID]*lamp)
				for _, id := range ids {
					if _, there := before[id]; there {
						changed[id] = &l
					}
				}
				w.set(cache.Cause{By: cache.BySet}, changed)
			case "undo":
				w.request(rt, before, changelog.Request{})
			case "redo":
				w.request(rt, before, changelog.Request{Redo: true})
			case "undo ID":
				w.request(rt, before, changelog.Request{IDs: []entity.ID{at}})
			case "redo ID":
				w.request(rt, before, changelog.Request{IDs: []entity.ID{at}, Redo: true})
			case "undo any":
				w.request(rt, before, changelog.Request{IDs: []entity.ID{at}, Any: true})
			}
		}
	})
}

// request makes a request, whose dry run must have said what it does, and requires that
// entities that were not named are still there, or still gone.
func (w *world) request(t *rapid.T, before map[entity.ID]lamp, r changelog.Request) {
	dry := r
	dry.DryRun = true
	plan, err := changelog.Do(w.World, dry)
	require.Equal(t, before, w.lamps(), "a dry run changes nothing")
	answer, err2 := changelog.Do(w.World, r)
	after := w.lamps()
	if err != nil {
		require.Error(t, err2)
		require.Equal(t, before, after)
		return
	}
	require.NoError(t, err2)
	require.Len(t, answer.Changes, len(plan.Changes))
	planned := make(map[entity.ID]bool)
	for _, e := range plan.Changes {
		planned[e.ID] = true
	}
	moves := slices.ContainsFunc(plan.Sets, func(s changelog.Summary) bool { return s.Created > 0 && s.Deleted > 0 })
	named := func(id entity.ID) bool {
		return len(r.IDs) == 1 && r.IDs[0] == id || moves && planned[id]
	}
	if moves && (len(r.IDs) == 0 || len(plan.Changes) > 1) && len(answer.Report.Conflicts)+len(answer.Unnamed) == 0 {
		require.Equal(t, len(before), len(after), "an entity with another ID is one entity, if it was not deleted under that")
	}
	for id, was := range before {
		is, there := after[id]
		require.True(t, there || named(id), "%d has disappeared", id)
		require.True(t, !there || is == was || planned[id], "%d has changed, and no plan said so", id)
	}
	for id := range after {
		_, was := before[id]
		require.True(t, was || r.Redo || named(id), "%d has come back", id)
	}
	if len(plan.Changes) == 0 || r.Any || len(answer.Report.Conflicts) > 0 {
		return
	}
	back := r
	back.Redo = !r.Redo
	again, err := changelog.Do(w.World, back)
	require.NoError(t, err)
	if len(again.Report.Conflicts)+len(again.Unnamed) == 0 {
		require.Equal(t, before, w.lamps(), "the other way it is as before")
	}
}
