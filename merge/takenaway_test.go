package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// A value that a side edited of a field that the other side's declaration took away is in
// the conflict for either side to be chosen, and where it stands the entity has it as lines.
func TestAnEditOfAFieldThatIsTakenAway(t *testing.T) {
	n, x := field("n", scalar(entity.KindU32)), field("x", scalar(entity.KindU32))
	base := worldOf(lamp(1, n, x), 1, values{"n": u32(1), "x": u32(5)})
	edits := worldOf(lamp(1, n, x), 1, values{"n": u32(1), "x": u32(6)})
	takes := worldOf(lamp(1, n), 1, values{"n": u32(2)})
	lines := []entity.Raw{{Name: "x", Lines: "    6"}}
	of := func(p Party) func(entity.ID, string, string) Party {
		return func(_ entity.ID, _, field string) Party {
			if field == "x" {
				return p
			}
			return Neither
		}
	}
	for _, c := range []struct {
		o            Options
		ours, theirs *entity.World
		unknown      []entity.Raw
	}{
		{Options{}, edits, takes, lines},
		{Options{}, takes, edits, nil},
		{Options{Policy: Mine}, edits, takes, lines},
		{Options{Policy: Shared}, edits, takes, nil},
		{Options{Choose: of(Ours)}, edits, takes, lines},
		{Options{Choose: of(Theirs)}, edits, takes, nil},
		{Options{Choose: of(Theirs)}, takes, edits, lines},
	} {
		r := merged(t, base, c.ours, c.theirs, c.o)
		requireHeld(t, r)
		e, _ := r.Get(1)
		require.Equal(t, c.unknown, e.Unknown, "%+v", c.o)
		require.Equal(t, u32(2), e.Value("n"))
		require.Equal(t, []string{"field-lost 1"}, kinds(r))
		require.Equal(t, c.unknown != nil, either(r.Conflicts[0].Stands, c.ours, c.theirs) == edits)
		for _, left := range r.LeftEntities() {
			require.Equal(t, lines, either(partyIf(c.ours == edits), left.Ours, left.Theirs).Unknown)
			require.Equal(t, []entity.Raw{{Name: "x", Lines: "    5"}}, left.Base.Unknown)
			require.Contains(t, string(r.Marked()[1]), "; x\n    6\n")
		}
	}
}

// Where a declaration alone was taken away, the texts have the field's lines still: they are
// the value that there was, and an edit of the other side's stands.
func TestAnEditOfAFieldWhoseDeclarationAloneIsTakenAway(t *testing.T) {
	n, x := field("n", scalar(entity.KindU32)), field("x", scalar(entity.KindU32))
	world := func(v uint64) *entity.World { return worldOf(lamp(1, n, x), 1, values{"x": u32(v)}) }
	takes := func(lines string) *entity.World {
		w := worldOf(lamp(1, n), 1, values{"n": u32(2)})
		e, _ := w.Get(1)
		e.Unknown = []entity.Raw{{Name: "x", Lines: lines}}
		return w
	}
	for _, c := range []struct {
		base, edit uint64
		lines      string
		want       string
		conflicts  int
	}{
		{5, 6, "    5", "    6", 0},
		{0, 6, "    0", "    6", 0},
		{5, 5, "    7", "    7", 0},
		{5, 6, "    6", "    6", 0},
		{5, 6, "    7", "    6", 1},
	} {
		r := merged(t, world(c.base), world(c.edit), takes(c.lines), Options{})
		e, _ := r.Get(1)
		require.Equal(t, []entity.Raw{{Name: "x", Lines: c.want}}, e.Unknown, "%+v", c)
		require.Len(t, r.Conflicts, c.conflicts)
		require.Empty(t, r.Repairs)
		swapped := merged(t, world(c.base), takes(c.lines), world(c.edit), Options{Policy: Shared})
		requireSame(t, merged(t, world(c.base), world(c.edit), takes(c.lines), Options{Policy: Mine}).World(entity.GUID{}), swapped)
	}
}

// The report says what each side did to a declaration that one of them took away, and shows
// expressions as they are written.
func TestReportsOfDeclarations(t *testing.T) {
	x := func(k entity.Kind, saved string) *entity.Field {
		f := field("x", scalar(k))
		f.SaveWhen = saved
		return f
	}
	base := worldOf(lamp(1, x(entity.KindU16, "")), 1)
	r := merged(t, base, worldOf(lamp(1), 1), worldOf(lamp(1, x(entity.KindU32, "")), 1), Options{})
	require.Equal(t, `type Lamp, x: base "declared it", yours "took it away", shared "changed it": `+
		"one took the field away, the other changed its declaration (left to people, shared stands meanwhile)", r.Conflicts[0].String())
	r = merged(t, base, worldOf(lamp(1, x(entity.KindU16, "x > 1")), 1), worldOf(lamp(1, x(entity.KindU16, "x < 2 && true")), 1), Options{})
	require.Contains(t, r.Conflicts[0].String(), `yours "x > 1", shared "x < 2 && true"`)
}
