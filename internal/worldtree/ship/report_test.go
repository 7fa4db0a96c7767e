package ship_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/packfile"
)

func shipped(t *testing.T, b *ship.Build) *ship.Shipped {
	return &ship.Shipped{Pack: parse(t, b), Map: b.Map}
}

func TestAReportSaysWhatIsNewByTheEditorsIDs(t *testing.T) {
	types := `{"type":{"name":"A","revision":1,"fields":[{"name":"n","kind":"u8"},{"name":"to","kind":"ref"}]}}`
	first := build(t, read(t, types,
		`{"entity":{"id":10,"type":"A","revision":1,"fields":{"to":30}}}`, `{"entity":{"id":20,"type":"A","revision":1}}`, `{"entity":{"id":30,"type":"A","revision":1}}`), dense())
	// The numbers of 10 and 30 are other ones now, and nothing else of 10.
	second := build(t, read(t, types,
		`{"entity":{"id":5,"type":"A","revision":1}}`, `{"entity":{"id":10,"type":"A","revision":1,"fields":{"to":30}}}`, `{"entity":{"id":30,"type":"A","revision":1,"fields":{"n":4}}}`), dense())
	r, err := ship.NewReport(shipped(t, second), shipped(t, first), second.Notes)
	require.NoError(t, err)
	require.Equal(t, []ship.Named{{ID: 5, Type: "A"}}, r.Since.Created)
	require.Equal(t, []ship.Named{{ID: 20, Type: "A"}}, r.Since.Deleted)
	require.Equal(t, []ship.Named{{ID: 30, Type: "A"}}, r.Since.Changed)
	require.Equal(t, first.Map.BuildID(), r.Since.Build)
	require.Equal(t, 3, r.Types[0].LastEntities)
	require.Equal(t, int64(len(second.Pack)), r.Bytes)
}

func TestAReportHasTheLargestFirst(t *testing.T) {
	b := build(t, read(t, flatLines(nested)...), dense())
	r, err := ship.NewReport(shipped(t, b), nil, b.Notes)
	require.NoError(t, err)
	require.Nil(t, r.Since)
	require.Equal(t, entity.ID(20), r.Largest[0].ID)
	require.Len(t, r.Largest, 3)
	require.Equal(t, r.Types[0].Bytes, r.Largest[0].Bytes+r.Largest[1].Bytes+r.Largest[2].Bytes)
}

func TestSizesAreThoseOfThePack(t *testing.T) {
	b := build(t, read(t,
		`{"type":{"name":"A","revision":1,"fields":[{"name":"n","kind":"u8"},{"name":"at","kind":"vec3"},{"name":"s","kind":"string"},{"name":"l","kind":"array","of":"u16"},{"name":"r","kind":"ref"},{"name":"in","kind":"struct","fields":[{"name":"n","kind":"f64"}]}]}}`,
		`{"entity":{"id":1,"type":"A","revision":1}}`, `{"entity":{"id":2,"type":"A","revision":1,"fields":{"s":"abcde","l":[1,2,3]}}}`), dense())
	r, err := ship.NewReport(shipped(t, b), nil, b.Notes)
	require.NoError(t, err)
	bare := int64(4+8+6) + 1 + 12 + 4 + 4 + 4 + 8
	require.Equal(t, []int64{bare + 4 + 8 + 4 + 6, bare}, []int64{r.Largest[0].Bytes, r.Largest[1].Bytes})
}

func TestTheLastBuildIsRead(t *testing.T) {
	b := build(t, read(t, flatLines(nested)...), dense())
	path := filepath.Join(t.TempDir(), "ship.pack")
	_, err := ship.Open(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, b.Pack, 0o600))
	_, err = ship.Open(path)
	require.ErrorContains(t, err, "ship.pack.map")
	require.NoError(t, os.WriteFile(path+ship.MapSuffix, ship.AppendMap(nil, b.Map), 0o600))
	last, err := ship.Open(path)
	require.NoError(t, err)
	require.Equal(t, b.Map, last.Map)
	w, err := last.InEditor()
	require.NoError(t, err)
	e, ok := w.Get(20)
	require.True(t, ok)
	require.Equal(t, entity.ID(900), e.Value("parent").Ref())

	other := build(t, read(t, flatLines(nested)...), ship.Options{})
	require.NoError(t, os.WriteFile(path+ship.MapSuffix, ship.AppendMap(nil, other.Map), 0o600))
	_, err = ship.Open(path)
	require.ErrorIs(t, err, ship.ErrOtherBuild)

	// A pack of before has the editor's IDs, and says no build.
	packfile.SetBasedOn(other.Pack, [32]byte{})
	require.NoError(t, os.WriteFile(path, other.Pack, 0o600))
	last, err = ship.Open(path)
	require.NoError(t, err)
	require.Equal(t, 3, last.Map.Live())
}
