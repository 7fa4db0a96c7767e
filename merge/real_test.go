package merge

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/realworld"
)

func readWorld(t testing.TB, path string) *entity.World {
	in, err := interchange.Open(path)
	require.NoError(t, err)
	defer in.Close()
	doc, err := interchange.Read(in, path, nil, nil)
	require.NoError(t, err)
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(doc.Types...))
	for _, e := range doc.Entities {
		w.Put(e)
	}
	return w
}

// realMerge is what two people really did to one map at one time.
type realMerge struct{ base, ours, theirs, committed *entity.World }

func readMerge(t testing.TB, name string) realMerge {
	dir := filepath.Join(realworld.Dir(t), "merges", "case-"+name)
	read := func(side string) *entity.World { return readWorld(t, filepath.Join(dir, side+".jsonl.gz")) }
	return realMerge{read("base"), read("ours"), read("theirs"), read("merged")}
}

func (c realMerge) merge(t testing.TB, o Options) *Result {
	return merged(t, c.base, c.ours, c.theirs, o)
}

func TestWhatWasCommitted(t *testing.T) {
	for _, name := range []string{"09", "13", "24", "42", "46"} {
		t.Run(name, func(t *testing.T) {
			c := readMerge(t, name)
			r := c.merge(t, Options{})
			requireSame(t, c.committed, r)
			require.Empty(t, r.Conflicts)
			require.Empty(t, r.Repairs)
		})
	}
}

func TestMadeTwice(t *testing.T) {
	for name, count := range map[string]int{"45": 10, "04": 7} {
		t.Run(name, func(t *testing.T) {
			c := readMerge(t, name)
			r := c.merge(t, Options{})
			require.Len(t, r.Renumbered, count)
			require.Empty(t, r.Conflicts)
			require.Empty(t, r.Repairs)
			require.Equal(t, c.ours.Len()+c.theirs.Len()-c.base.Len(), r.Len())
			for _, n := range r.Renumbered {
				require.Equal(t, Ours, n.Side)
				mine, _ := c.ours.Get(n.From)
				moved, ok := r.Get(n.To)
				require.True(t, ok)
				require.Equal(t, mine.Type(), moved.Type())
				theirs, _ := c.theirs.Get(n.From)
				stays, _ := r.Get(n.From)
				require.True(t, theirs.Same(stays))
			}
		})
	}
}

func TestDeletedAgainstChanged(t *testing.T) {
	c := readMerge(t, "01")
	r := c.merge(t, Options{})
	require.Len(t, r.Conflicts, 1)
	require.Equal(t, Deleted, r.Conflicts[0].Kind)
	require.Equal(t, entity.ID(4720), r.Conflicts[0].ID)
	_, stays := r.Get(4720)
	require.True(t, stays)
	_, stays = c.merge(t, Options{Policy: Shared}).Get(4720)
	require.False(t, stays)
}

func TestThreeProperties(t *testing.T) {
	r := readMerge(t, "06").merge(t, Options{})
	require.Len(t, r.Conflicts, 3)
	for _, conflict := range r.Conflicts {
		require.Contains(t, []Kind{PropertyChanged, FieldLost}, conflict.Kind)
	}
}

func TestBothSidesEditsStay(t *testing.T) {
	c := readMerge(t, "51")
	r := c.merge(t, Options{})
	require.Empty(t, r.Conflicts)
	require.Empty(t, r.Repairs)
	for b, o := range entity.Differing(c.base, c.ours) {
		requireFields(t, b, o, r)
	}
	for b, e := range entity.Differing(c.base, c.theirs) {
		requireFields(t, b, e, r)
	}
}

// requireFields fails unless all that a side changed of an entity is merged.
func requireFields(t *testing.T, base, side *entity.Entity, r *Result) {
	got, ok := r.Get(side.ID)
	require.True(t, ok)
	for i, f := range side.Layout.Fields {
		if !side.Values[i].Equal(base.Value(f.Name)) {
			require.True(t, got.Value(f.Name).Equal(side.Values[i]), "%s, %s", side, f.Name)
		}
	}
}

func BenchmarkRealMerge(b *testing.B) {
	c := readMerge(b, "01")
	for b.Loop() {
		c.merge(b, Options{})
	}
}
