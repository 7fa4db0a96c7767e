package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// A value that the field's merged kind does not hold is lines where a side changed it, and
// nothing is told of one that no side changed, or that the other kind holds as well.
func TestAValueThatTheMergedKindDoesNotHold(t *testing.T) {
	of := func(k entity.Kind, v entity.Value) *entity.World {
		return worldOf(lamp(1, field("x", scalar(k))), 1, values{"x": v})
	}
	whole := func(n int64) *entity.World { return of(entity.KindI32, entity.NewInt(entity.KindI32, n)) }
	wide := func(n int64) *entity.World { return of(entity.KindI64, entity.NewInt(entity.KindI64, n)) }
	float := func(f float64) *entity.World { return of(entity.KindF64, entity.F64Of(f)) }
	text := func(s string) *entity.World { return of(entity.KindString, entity.NewString(s)) }
	half := []entity.Raw{{Name: "x_lines", Lines: "    7.500000 : 401e000000000000"}}
	six := []entity.Raw{{Name: "x_lines", Lines: "    6"}}
	for _, c := range []struct {
		name         string
		ours, theirs *entity.World
		policy       Policy
		kinds        []string
		x            string
		lines        []entity.Raw
	}{
		{"unchanged", wide(5), float(5), Leave, []string{"declaration 0"}, "5", nil},
		{"changed alike", wide(6), float(6), Leave, []string{"declaration 0"}, "6", nil},
		{"one changed it", wide(5), float(7.5), Leave, []string{"declaration 0", "lines-kept 1"}, "5", half},
		{"both changed it", wide(6), float(7.5), Leave, []string{"declaration 0", "field-lost 1", "lines-kept 1"}, "6", half},
		{"both, and the kind is theirs", wide(6), float(7.5), Shared, []string{"declaration 0", "property 1"}, "7.5", nil},
		{"both, and the kind is ours", wide(6), float(7.5), Mine, []string{"declaration 0", "field-lost 1", "lines-kept 1"}, "6", half},
		{"the kind is one side's, the value the other's", whole(6), text("5"), Leave, []string{"field-lost 1", "lines-kept 1"}, `"5"`, six},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := merged(t, whole(5), c.ours, c.theirs, Options{Policy: c.policy})
			requireHeld(t, r)
			require.Equal(t, c.kinds, kinds(r))
			e, _ := r.Get(1)
			require.Equal(t, c.x, shown(&e.Layout.Fields[0].Shape, e.Values[0]))
			require.Equal(t, c.lines, e.Unknown)
			for _, conflict := range r.Conflicts {
				if conflict.Kind == FieldLost {
					require.Equal(t, c.x, either(conflict.Stands, conflict.Ours, conflict.Theirs).String())
				}
			}
			for _, left := range r.LeftEntities() {
				for _, side := range []*entity.Entity{left.Ours, left.Theirs} {
					require.NotEqual(t, "0", shown(&side.Layout.Fields[0].Shape, side.Values[0]), "a value that no side has")
				}
			}
			swapped := merged(t, whole(5), c.theirs, c.ours, Options{Policy: [...]Policy{Leave, Mine, Shared}[c.policy]})
			if c.policy != Leave {
				requireSame(t, r.World(entity.GUID{}), swapped)
			}
		})
	}
}

// A made entity's value that the merged kind does not hold is lines, too.
func TestAMadeValueThatTheMergedKindDoesNotHold(t *testing.T) {
	typ := func(k entity.Kind) *entity.Type { return lamp(1, field("x", scalar(k))) }
	made := worldOf(typ(entity.KindF64), 1, values{"x": entity.F64Of(7.5)})
	r := merged(t, worldOf(typ(entity.KindI32), 1), worldOf(typ(entity.KindI64), 1), made, Options{Policy: Mine})
	requireHeld(t, r)
	require.Equal(t, []string{"declaration 0", "lines-kept 1"}, kinds(r))
	e, _ := r.Get(1)
	require.Equal(t, []entity.Raw{{Name: "x_lines", Lines: "    7.500000 : 401e000000000000"}}, e.Unknown)
}

// A field that one side takes away and of which the other widens the kind alone has no edit.
func TestAFieldThatIsTakenAwayAndWidened(t *testing.T) {
	typ := func(k entity.Kind) *entity.Type { return lamp(1, field("x", scalar(k))) }
	base := worldOf(typ(entity.KindI32), 1, values{"x": entity.NewInt(entity.KindI32, 5)})
	wide := worldOf(typ(entity.KindI64), 1, values{"x": entity.NewInt(entity.KindI64, 5)})
	gone := worldOf(lamp(1), 1, values{})
	r := merged(t, base, gone, wide, Options{Policy: Mine})
	require.Equal(t, []string{"declaration 0"}, kinds(r))
	r = merged(t, base, wide, gone, Options{Policy: Shared})
	require.Equal(t, []string{"declaration 0"}, kinds(r))
}
