package changeset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/island"
)

// requireGolden compares with a file of testdata; with REWRITE set it writes it.
func requireGolden(t *testing.T, name, got string) {
	path := filepath.Join("testdata", name)
	if os.Getenv("REWRITE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func readWorld(t require.TestingT, path string) *entity.World {
	in, err := os.Open(path)
	require.NoError(t, err)
	defer in.Close()
	d, err := interchange.Read(in, path, nil, nil)
	require.NoError(t, err)
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(d.Types...))
	for _, e := range d.Entities {
		w.Put(e)
	}
	return w
}

// doors returns two versions of a small world, with a change of every sort
// between them.
func doors(t require.TestingT) (before, after *entity.World) {
	return readWorld(t, "testdata/before.jsonl"), readWorld(t, "testdata/after.jsonl")
}

func TestGoldenText(t *testing.T) {
	a, b := doors(t)
	requireGolden(t, "doors.changes", formatted(t, entity.Diff(a, b)))
	requireGolden(t, "doors-reverse.changes", formatted(t, entity.Diff(a, b).Invert()))
}

func TestGoldenTable(t *testing.T) {
	a, b := doors(t)
	for name, o := range map[string]struct {
		color bool
		width int
	}{"doors.table": {false, 0}, "doors-80.table": {false, 80}, "doors-color.table": {true, 120}} {
		var out bytes.Buffer
		require.NoError(t, Table(&out, entity.Diff(a, b), o.color, o.width))
		requireGolden(t, name, out.String())
		for line := range strings.Lines(out.String()) {
			require.True(t, o.width == 0 || o.color || length(line) <= o.width+1, line)
		}
	}
	var out bytes.Buffer
	require.NoError(t, Table(&out, nil, false, 80))
	require.Equal(t, "nothing differs\n", out.String())
}

// gardened returns an island on which somebody has moved doors and trees about
// and taken grass away, everywhere or near its middle.
func gardened(w *entity.World, near float64) *entity.World {
	c := copyOf(w)
	n := 0
	for e := range w.All() {
		x, y, _, ok := entity.Position(e)
		if !ok || x*x+y*y > near*near {
			continue
		}
		n++
		switch {
		case e.Type() == "Grass_Cluster" && n%3 == 0:
			c.Delete(e.ID)
		case n%11 == 0:
			m := e.Clone()
			i := e.Layout.PositionField()
			m.Values[i] = entity.VecOf(entity.KindVec3, float32(x)+float32(n%7-3)*5, float32(y)+float32(n%5-2)*6, 0)
			c.Put(m)
		case n%37 == 0:
			m := e.Clone()
			m.ID = e.ID + 4_000_000
			i := e.Layout.PositionField()
			m.Values[i] = entity.VecOf(entity.KindVec3, float32(x)+3, float32(y)-4, 0)
			c.Put(m)
		}
	}
	return c
}

func TestGoldenMap(t *testing.T) {
	w := island.Generate(600, 1)
	for name, near := range map[string]float64{"island.svg": 1e9, "island-part.svg": 45} {
		var one, again bytes.Buffer
		set := entity.Diff(w, gardened(w, near))
		require.NoError(t, Map(&one, set, w))
		require.NoError(t, Map(&again, parsed(t, formatted(t, set), w.Types), w))
		require.Equal(t, one.String(), again.String())
		requireGolden(t, name, one.String())
	}
	a, b := doors(t)
	var out bytes.Buffer
	require.NoError(t, Map(&out, entity.Diff(a, b), a))
	requireGolden(t, "doors.svg", out.String())
	out.Reset()
	require.NoError(t, Map(&out, nil, nil))
	require.Contains(t, out.String(), "nothing that has a place changed")
}

// TestErrors reads each of the wrong texts in testdata/errors, which stand one
// after the other between lines of dashes, and compares what is said.
func TestErrors(t *testing.T) {
	a, _ := doors(t)
	cases, err := os.ReadFile("testdata/errors.txt")
	require.NoError(t, err)
	var got strings.Builder
	for text := range strings.SplitSeq(string(cases), "--------\n") {
		_, err := Parse(strings.NewReader(text), "fix.changes", a.Types)
		require.Error(t, err, text)
		got.WriteString(err.Error() + "\n")
	}
	requireGolden(t, "errors.golden", got.String())
}
