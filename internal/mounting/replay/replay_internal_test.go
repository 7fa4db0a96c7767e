package replay

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newWorld(t *testing.T, ids ...entity.ID) *cache.World {
	t.Helper()
	at, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, at.EnsureState())
	w, err := cache.Open(at, cache.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	for _, id := range ids {
		_, err := w.Create(id, 0o644, 0, 0)
		require.NoError(t, err)
	}
	return w
}

func TestALineSaysAllOfAnEvent(t *testing.T) {
	for _, a := range []event{
		{generation: 1, what: Changed, path: "5/6555.entity_text"},
		{generation: 1 << 60, what: Created, path: "1.entity_text"},
		{generation: 3, what: Removed, path: "1.entity_text"},
		{generation: 4, what: overflow, path: TopDir},
	} {
		got, err := parseEvent(a.line())
		require.NoError(t, err)
		require.Equal(t, a, got)
	}
	for _, line := range []string{"", "x1 a", "m a", "/home"} {
		_, err := parseEvent(line)
		require.Error(t, err, "%q", line)
	}
}

func TestAnEntityWaitsOnceWithItsLastEvent(t *testing.T) {
	q := newEventQueue(newWorld(t, 1, 2))
	q.add([]Notice{{ID: 1, What: Created}, {ID: 2, What: Changed}, {ID: 1, What: Changed}, {ID: 3, What: Changed}})
	batch := q.take(10)
	require.Len(t, batch, 2, "3 is not there")
	require.Equal(t, Created, batch[0].what, "it was not shown yet")
	require.Equal(t, Changed, batch[1].what)
	require.Greater(t, batch[0].generation, batch[1].generation)

	q.again(batch)
	require.True(t, q.newer(1))
	require.Len(t, q.take(10), 2)
	q.add([]Notice{{ID: 1, What: Changed, Moved: true}})
	batch = q.take(10)
	require.Len(t, batch, 1)
	require.Equal(t, overflow, batch[0].what)
}

func TestAnAnswerIsForTheProcessAndForWhatIsStillSo(t *testing.T) {
	w := newWorld(t, 1)
	q := newEventQueue(w)
	a := newAnswers(w, q)
	q.add([]Notice{{ID: 1, What: Created}, {ID: 2, What: Removed}})
	batch := q.take(10)
	a.set("secret", batch)

	_, ok := a.Enter(7, secretXattr+"guess")
	require.False(t, ok)
	require.False(t, a.IsReplayer(7))
	value, ok := a.Enter(8, secretXattr+"secret")
	require.True(t, ok)
	require.Equal(t, "secret", value)
	require.True(t, a.IsReplayer(8))
	require.False(t, a.IsReplayer(0))

	require.True(t, a.Awaits("1.entity_text", Created))
	require.True(t, a.Makes("1.entity_text"))
	require.False(t, a.Makes("1.entity_text"), "it is made")
	id, ino, ok := a.Changing(batch[0].generation)
	require.True(t, ok)
	require.Equal(t, entity.ID(1), id)
	require.Equal(t, batch[0].ino, ino)
	require.True(t, a.Changes(batch[0].generation))
	require.False(t, a.Changes(batch[0].generation), "it is done")

	_, err := w.Create(2, 0o644, 0, 0)
	require.NoError(t, err)
	require.False(t, a.Removes("2.entity_text"), "it is there again")
	left := a.end()
	require.True(t, left[0].done)
	require.False(t, left[1].done)
	a.processEnded()
	require.False(t, a.IsReplayer(8))
}
