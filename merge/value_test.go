package merge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// TestValues has the rule of each kind. Values are in the interchange form;
// conflicts are the paths at which ours stands.
func TestValues(t *testing.T) {
	u8, f32, str, ref := scalar(entity.KindU8), scalar(entity.KindF32), scalar(entity.KindString), scalar(entity.KindRef)
	optional := entity.Shape{Kind: entity.KindU8, Optional: true}
	flags := entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "a"}, {Name: "b", Number: 1}, {Name: "c", Number: 2}}}
	set := entity.Shape{Kind: entity.KindSet, Of: &ref}
	maybeSet := entity.Shape{Kind: entity.KindSet, Of: &ref, Optional: true}
	floats := entity.Shape{Kind: entity.KindArray, Of: &f32}
	pair := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{field("a", u8), field("b", str)}}
	mat := scalar(entity.KindMat3x4)
	pairs := entity.Shape{Kind: entity.KindArray, Of: &pair}
	keyed := entity.Shape{Kind: entity.KindArray, Of: &pair, Key: "a"}
	nested := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{field("p", pair), field("n", keyed)}}

	for _, c := range []struct {
		name                       string
		shape                      entity.Shape
		base, ours, theirs, merged string
		conflicts                  string
	}{
		{"one changed", u8, `1`, `1`, `2`, `2`, ""},
		{"both changed alike", u8, `1`, `2`, `2`, `2`, ""},
		{"both changed", u8, `1`, `2`, `3`, `2`, "x"},
		{"zero and minus zero", f32, `0`, `-0`, `0`, `-0`, ""},
		{"two NaNs", f32, `0`, `"nan"`, `"0x7fc00001"`, `"nan"`, "x"},
		{"taken away", optional, `1`, `null`, `1`, `null`, ""},
		{"taken away and changed", optional, `1`, `2`, `null`, `2`, "x"},
		{"given", optional, `null`, `null`, `0`, `0`, ""},
		{"flags", flags, `["a"]`, `["a","b"]`, `["c"]`, `["b","c"]`, ""},
		{"set", set, `[1,2,3]`, `[1,3,4]`, `[2,3,5]`, `[3,4,5]`, ""},
		{"set from nothing", maybeSet, `null`, `[1]`, `[2]`, `[1,2]`, ""},
		{"set taken away", maybeSet, `[1]`, `null`, `[1,2]`, `null`, "x"},
		{"text, two lines", str, `"a\nb\nc\n"`, `"A\nb\nc\n"`, `"a\nb\nC\n"`, `"A\nb\nC\n"`, ""},
		{"text, lines side by side", str, `"a\nb\n"`, `"A\nb\n"`, `"a\nB\n"`, `"A\nB\n"`, ""},
		{"text, one line", str, `"a\nb\n"`, `"A\nb\n"`, `"AA\nB\n"`, `"A\nb\n"`, "x"},
		{"text, both added", str, `"a\n"`, `"a\nz\n"`, `"a\nb\n"`, `"a\nb\nz\n"`, ""},
		{"text, both gave one", str, `""`, `"z\n"`, `"b\n"`, `"z\n"`, "x"},
		{"text, last line without an end", str, `"a"`, `"a\nc"`, `"a\nb"`, `"a\nb\nc"`, ""},
		{"text, a last line and one behind it", str, `"a\n\n"`, `"A"`, `"\na"`, `"A"`, "x"},
		{"name", str, `"door"`, `"bunker door"`, `"red door"`, `"bunker door"`, "x"},
		{"matrix, one changed", mat, `[1,0,0,0,0,1,0,0,0,0,1,0]`, `[1,0,0,0,0,1,0,0,0,0,1,0]`, `[1,0,0,5,0,1,0,0,0,0,1,0]`, `[1,0,0,5,0,1,0,0,0,0,1,0]`, ""},
		{"matrix, never mixed", mat, `[1,0,0,0,0,1,0,0,0,0,1,0]`, `[1,0,0,4,0,1,0,0,0,0,1,0]`, `[1,0,0,0,0,1,0,5,0,0,1,0]`, `[1,0,0,4,0,1,0,0,0,0,1,0]`, "x"},
		{"struct", pair, `{"a":1,"b":"x"}`, `{"a":2,"b":"x"}`, `{"a":1,"b":"y"}`, `{"a":2,"b":"y"}`, ""},
		{"struct, one member", pair, `{"a":1,"b":"x"}`, `{"a":2,"b":"x"}`, `{"a":3,"b":"y"}`, `{"a":2,"b":"y"}`, "x.a"},
		{"array, in place", floats, `[1,1,1]`, `[0,1,1]`, `[1,1,0]`, `[0,1,0]`, ""},
		{"array, same numbers", floats, `[1,1,1]`, `[1,0,0]`, `[0,1,0]`, `[0,0,0]`, ""},
		{"array, same element", floats, `[1,2,3]`, `[1,5,3]`, `[1,6,3]`, `[1,5,3]`, "x[1]"},
		{"array, moved and changed", floats, `[1,2,3]`, `[2,3,1]`, `[1,2,9]`, `[2,9,1]`, ""},
		{"array, both added", floats, `[1]`, `[1,3]`, `[1,2]`, `[1,2,3]`, ""},
		{"array, both added the same", floats, `[1]`, `[1,2,3]`, `[1,2]`, `[1,2,3]`, ""},
		{"array, removed and changed", floats, `[1,2,3]`, `[1,3]`, `[1,7,3]`, `[1,3]`, "x[1]"},
		{"array of structs", pairs, `[{"a":1,"b":"x"},{"a":1,"b":"y"}]`, `[{"a":2,"b":"x"},{"a":1,"b":"y"}]`,
			`[{"a":1,"b":"z"},{"a":1,"b":"y"}]`, `[{"a":2,"b":"z"},{"a":1,"b":"y"}]`, ""},
		{"keyed", keyed, `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`, `[{"a":2,"b":"y"},{"a":1,"b":"X"}]`,
			`[{"a":1,"b":"x"},{"a":3,"b":"n"},{"a":2,"b":"Y"}]`, `[{"a":3,"b":"n"},{"a":2,"b":"Y"},{"a":1,"b":"X"}]`, ""},
		{"keyed, removed and changed", keyed, `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`, `[{"a":2,"b":"y"}]`,
			`[{"a":1,"b":"X"},{"a":2,"b":"y"}]`, `[{"a":1,"b":"X"},{"a":2,"b":"y"}]`, "x[1]"},
		{"keyed, one member", keyed, `[{"a":1,"b":"x"}]`, `[{"a":1,"b":"y"}]`, `[{"a":1,"b":"z"}]`, `[{"a":1,"b":"y"}]`, "x[1].b"},
		{"keyed, both added", keyed, `[]`, `[{"a":9,"b":"x"}]`, `[{"a":1,"b":"x"}]`, `[{"a":1,"b":"x"},{"a":9,"b":"x"}]`, ""},
		{"nested", nested, `{"p":{"a":1,"b":""},"n":[{"a":1,"b":"x"}]}`, `{"p":{"a":2,"b":""},"n":[{"a":1,"b":"y"}]}`,
			`{"p":{"a":3,"b":"!"},"n":[{"a":1,"b":"x"},{"a":2,"b":"x"}]}`, `{"p":{"a":2,"b":"!"},"n":[{"a":1,"b":"y"},{"a":2,"b":"x"}]}`, "x.p.a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			types := entity.NewTypes(&entity.Type{Name: "T", Revision: 1, Fields: []*entity.Field{field("x", c.shape)}})
			world := func(text string) *entity.World {
				v, err := interchange.ParseValue([]byte(text), &c.shape)
				require.NoError(t, err)
				e := entity.New(1, types.Get("T").Current())
				e.Values[0] = v
				w := entity.NewWorld(entity.GUID{}, types)
				w.Put(e)
				return w
			}
			r := merged(t, world(c.base), world(c.ours), world(c.theirs), Options{})
			e, ok := r.Get(1)
			require.True(t, ok)
			require.Equal(t, c.merged, string(interchange.AppendValue(nil, &c.shape, e.Values[0])))
			var paths []string
			for _, conflict := range r.Conflicts {
				paths = append(paths, conflict.Path)
			}
			require.Equal(t, c.conflicts, strings.Join(paths, " "))
		})
	}
}
