package changeset

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// TestMailed reads texts with somebody's words around them.
func TestMailed(t *testing.T) {
	a, _ := doors(t)
	text, err := os.ReadFile("testdata/mailed.changes")
	require.NoError(t, err)
	set := parsed(t, string(text), a.Types)
	require.Equal(t, `worldfs changes 1
change Door 6555 "bunker door" revision 72
  speed 1.5 -> 2.5
  targets
    - 6001
create Tree 6900
  {"id":6900,"type":"Tree","revision":1,"fields":{"position":[3,2,1]}}
end
`, formatted(t, set))
}

func note(lines ...string) *entity.Entity {
	e := entity.New(1, long.Current())
	e.Values[0] = entity.NewString(strings.Join(lines, "\n") + "\n")
	return e
}

func stops(ids ...uint64) *entity.Entity {
	e := entity.New(1, long.Current())
	var items []entity.Value
	for _, id := range ids {
		// Above a hundred the last two digits are the key, the rest the value.
		items = append(items, entity.NewStruct([]entity.Value{
			entity.NewUint(entity.KindU8, id%100), entity.F32Of(float32(id / 100))}))
	}
	e.Values[2] = entity.NewList(entity.KindArray, items)
	return e
}

// TestHunksInAWorldThatHasMovedOn makes a change on a value that is not what it
// was made from: base is what a merge compares both with, theirs what is to be.
func TestHunksInAWorldThatHasMovedOn(t *testing.T) {
	text := func(s string) *entity.Entity { return note(strings.Split(s, " ")...) }
	for name, c := range map[string]struct{ from, to, now, base, theirs *entity.Entity }{
		"changed elsewhere": {
			text("a b c d e f g h"), text("a b c D e f g h"),
			text("x y a b c d e f"), text("x y a b c d e f"), text("x y a b c D e f")},
		"done already, and more": {
			text("a b c d e f g h"), text("a b c D e f g h"),
			text("x y a b c D e f"), text("x y a b c d e f"), text("x y a b c D e f")},
		"changed here too": {
			text("a b c d e f g h"), text("a b c D e f g h"),
			text("a b c Q e f g h"), text("a b c d e f g h"), text("a b c D e f g h")},
		"gone": {
			text("a b c d e f g h"), text("a b c D e f g h"),
			text("a b c e f g h"), text("a b c d e f g h"), text("a b c D e f g h")},
		"added at an end that has grown": {
			text("a b c d e f"), text("a b c d e f new"),
			text("a b c d e f mine"), text("a b c d e f mine"), text("a b c d e f new mine")},
		"added at a new end already": {
			text("a b c d e f"), text("a b c d e f new"),
			text("a b c d e f new mine"), text("a b c d e f mine"), text("a b c d e f new mine")},
		"beside what has changed": {
			text("a b c d e f g h"), text("a b c D e f g h"),
			text("a b Q d R f g h"), text("a b Q d R f g h"), text("a b Q D R f g h")},
		"nothing is as it was": {
			text("a b c d e f g h"), text("a b c D e f g h"),
			text("1 2 3 4"), text("1 2 3 d 4"), text("1 2 3 D 4")},
		"keyed, moved and changed elsewhere": {
			stops(1, 2, 3, 4, 5, 6, 7, 8), stops(1, 2, 3, 904, 5, 6, 7, 8),
			stops(8, 4, 1, 502), stops(8, 4, 1, 502), stops(8, 904, 1, 502)},
		"keyed, changed here too": {
			stops(1, 2, 3, 4, 5, 6, 7, 8), stops(1, 2, 3, 904, 5, 6, 7, 8),
			stops(8, 704, 1), stops(8, 4, 1), stops(8, 904, 1)},
		"keyed, made on both sides": {
			stops(1, 2, 3, 4, 5, 6, 7), stops(1, 2, 3, 50, 4, 5, 6, 7),
			stops(9, 2, 850, 3, 5), stops(9, 2, 3, 5), stops(9, 2, 3, 50, 5)},
	} {
		set := entity.DiffEntity(c.from, c.to)
		set = parsed(t, formatted(t, set), entity.NewTypes(long))
		require.Equal(t, entity.OpEdit, set[0].Op, name)
		now := entity.NewWorld(entity.GUID{}, nil)
		now.Put(c.now)
		base, theirs, homeless := Sides(set, now)
		require.Empty(t, homeless)
		b, _ := base.Get(1)
		require.Equal(t, line(c.base), line(b), name)
		th, _ := theirs.Get(1)
		require.Equal(t, line(c.theirs), line(th), name)
		require.True(t, set[0].Fits(c.from) && !set[0].Fits(c.to), name)
	}
}

func TestChangesThatHaveNoHome(t *testing.T) {
	a, b := doors(t)
	set := entity.Diff(a, b)
	now := copyOf(a)
	now.Delete(6555)
	now.Put(entity.New(6556, a.Types.Get("Tree").Current()))
	_, theirs, homeless := Sides(set, now)
	var of []string
	for _, c := range homeless {
		of = append(of, fmt.Sprint(c.ID, " ", c.Field))
	}
	require.Equal(t, []string{"6555 position", "6555 orientation", "6555 targets", "6555 targets", "6555 targets",
		"6556 open", "6556 state", "6556 flags", "6556 speed", "6556 precise", "6556 targets", "6556 odd name", "6556 guid",
		"6556 blob", "6556 box"}, of)
	_, there := theirs.Get(6555)
	require.False(t, there)
	tree, _ := theirs.Get(6556)
	require.Equal(t, "Tree", tree.Type())
}

func TestFilters(t *testing.T) {
	a, b := doors(t)
	set := entity.Diff(a, b)
	ids := func(filters ...Filter) (out []entity.ID) {
		for changes := range blocks(Select(set, a, filters...)) {
			out = append(out, changes[0].ID)
		}
		return out
	}
	where, err := expression.Compile(`position.x > 42`)
	require.NoError(t, err)
	require.Equal(t, []entity.ID{6800, 6801, 6802}, ids(Filter{Types: []string{"Tree"}}))
	require.Equal(t, []entity.ID{6801}, ids(Filter{Types: []string{"Tree"}}, Filter{Fields: []string{"position"}}))
	require.Equal(t, []entity.ID{6555, 6556}, ids(Filter{Fields: []string{"targets"}}))
	require.Equal(t, []entity.ID{6555, 6556, 6557, 6802}, ids(Filter{Where: where}))
	require.Equal(t, []entity.ID{6600}, ids(Filter{Near: &Near{At: [3]float64{3, 8, 0}, Radius: 1.5}}))
	require.Equal(t, []entity.ID{6800, 6802}, ids(Filter{Box: &Box{Min: [3]float64{39, 90, -1}, Max: [3]float64{45, 101, 1}}}))
	require.Equal(t, []entity.ID{6600, 6700, 6701}, ids(Filter{Types: []string{"Door", "Tree"}, Not: true}))
	require.Equal(t, []entity.ID{6700}, ids(Filter{Fields: []string{"(unknown)"}}))
}
