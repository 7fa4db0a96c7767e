package listing_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/listing"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// dir is an entities directory with some other names in it.
type dir struct{ others, gone []string }

func (d *dir) Inos() (self, above uint64) { return 1, 2 }

func (d *dir) HoldsIn(l layout.Layout) (int, bool) { return cache.Top, !l.Sharded() }

func (d *dir) Others() (out []listing.Entry, err error) {
	for _, name := range d.others {
		out = append(out, listing.Entry{Name: name, Mode: unix.S_IFREG})
	}
	return out, nil
}

func (d *dir) InoOf(name string) (uint64, error) {
	if slices.Contains(d.gone, name) {
		return 0, unix.ENOENT
	}
	return 99, nil
}

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

func rest(t *testing.T, l *listing.Listing) (all []listing.Entry) {
	t.Helper()
	for {
		e, err := l.Read()
		require.NoError(t, err)
		if e == nil {
			return all
		}
		all = append(all, *e)
	}
}

func namesOf(all []listing.Entry) (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

func TestEntitiesComeFirstAndTheOthersInOrder(t *testing.T) {
	w := newWorld(t, 20, 3)
	l := listing.New(w, &dir{others: []string{"z", "lost", "a"}, gone: []string{"lost"}})
	require.Equal(t, []string{".", "..", "3.entity_text", "20.entity_text", "a", "z"}, namesOf(rest(t, l)))
}

func TestACookieLeadsBack(t *testing.T) {
	w := newWorld(t, 3, 20)
	d := &dir{others: []string{"a", "z"}}
	all := rest(t, listing.New(w, d))
	for i, e := range all {
		l := listing.New(w, d)
		require.NoError(t, l.Seek(e.Next))
		require.Equal(t, namesOf(all[i+1:]), namesOf(rest(t, l)), "after %s", e.Name)
		require.NoError(t, l.Seek(0))
		require.Equal(t, all, rest(t, l))
	}
}

func TestWhatComesAndGoesMovesNothingElse(t *testing.T) {
	w := newWorld(t, 3, 20, 30)
	l := listing.New(w, &dir{})
	for range 3 {
		_, err := l.Read() // to the first entity
		require.NoError(t, err)
	}
	require.NoError(t, w.Remove(3))
	require.NoError(t, w.Remove(20))
	_, err := w.Create(25, 0o644, 0, 0)
	require.NoError(t, err)
	require.Contains(t, namesOf(rest(t, l)), "30.entity_text")
}
