package merge

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// declaring draws worlds that declare one type in their own ways.
type declaring struct {
	*rapid.T
	shapes map[string]entity.Shape
}

var declaredNames = []string{"a", "b", "c", "d"}

func (d declaring) declare() *entity.Type {
	for {
		t := &entity.Type{Name: "Lamp", Revision: rapid.Uint32Range(1, 4).Draw(d.T, "revision")}
		for _, name := range declaredNames {
			if rapid.IntRange(0, 3).Draw(d.T, "lacks "+name) > 0 {
				t.Fields = append(t.Fields, d.field(name))
			}
		}
		if t.Validate() == nil {
			return t
		}
	}
}

func (d declaring) field(name string) *entity.Field {
	f := &entity.Field{Name: name, Shape: d.shapes[name], Since: rapid.Uint32Range(0, 3).Draw(d.T, "since")}
	if rapid.IntRange(0, 4).Draw(d.T, "another shape") == 0 {
		f.Shape = entitytest.Shape(1).Draw(d.T, "shape")
	}
	if rapid.IntRange(0, 2).Draw(d.T, "ends") == 0 {
		f.Until = f.Since + rapid.Uint32Range(1, 3).Draw(d.T, "until")
		f.Successor = rapid.SampledFrom([]string{"", "a", "b"}).Draw(d.T, "successor")
	}
	return f
}

// world draws a world of three entities under a declaration.
func (d declaring) world(t *entity.Type) *entity.World {
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(t))
	for id := entity.ID(1); id <= 3; id++ {
		if rapid.IntRange(0, 5).Draw(d.T, "has") > 0 {
			w.Put(entitytest.Entity(id, t).Draw(d.T, fmt.Sprint("entity ", id)))
		}
	}
	return w
}

// side draws what one side made of a world: some entities under a declaration of its
// own, upgraded or not, and some of them anew.
func (d declaring) side(base *entity.World) *entity.World {
	t := base.Types.Get("Lamp")
	if rapid.Bool().Draw(d.T, "redeclares") {
		t = d.declare()
	}
	w := d.world(t)
	for e := range base.All() {
		if rapid.IntRange(0, 2).Draw(d.T, "anew") == 0 {
			continue
		}
		c := entity.Carry(e, t)
		if up, err := textcodec.Upgrade(c); err == nil && rapid.Bool().Draw(d.T, "upgrades") {
			c = up
		}
		w.Put(c)
	}
	return w
}

// Whatever the sides declare, the result is a world that every form can hold, and a
// side that alone changed something has it as it is.
func TestAnyDeclarationsMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := declaring{t, make(map[string]entity.Shape)}
		for _, name := range declaredNames {
			d.shapes[name] = entitytest.Shape(1).Draw(t, "shape of "+name)
		}
		base := d.world(d.declare())
		a, b := d.side(base), d.side(base)
		for _, policy := range []Policy{Leave, Shared, Mine} {
			o := Options{Policy: policy}
			for _, r := range []*Result{merged(t, base, base, b, o), merged(t, base, b, base, o), merged(t, base, b, b, o)} {
				requireSame(t, b, r)
				require.Empty(t, r.Conflicts)
			}
			requireHeld(t, merged(t, base, a, b, o))
			requireHeld(t, merged(t, base, b, a, o))
		}
	})
}

// requireHeld fails unless texts and the pack of a result read as it is.
func requireHeld(t require.TestingT, r *Result) {
	w := r.World(entity.GUID{})
	for e := range w.All() {
		require.NoError(t, e.Validate())
		res, err := textcodec.Decode(textcodec.Append(nil, e), e.ID, w.Types)
		require.NoError(t, err)
		require.True(t, e.Equal(res.Entity), "the text of\n%s\nreads as\n%s", textcodec.Append(nil, e), textcodec.Append(nil, res.Entity))
	}
	data, err := packfile.Encode(w.ID, w.Types, w)
	require.NoError(t, err)
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	for e := range p.All() {
		same, ok := w.Get(e.ID)
		require.True(t, ok)
		require.True(t, e.Equal(same), "%d", e.ID)
	}
}

// Lines that a side wrote into a field which the other side then declared stay where
// they are no value of it.
func TestLinesThatAreNoValueAreKept(t *testing.T) {
	withLines := func(id entity.ID, lines string) *entity.Entity {
		return &entity.Entity{ID: id, Layout: lamp(1).Layout(1), Unknown: []entity.Raw{{Name: "width", Lines: lines}}}
	}
	base := worldOf(lamp(1), 1, values{}, values{}, values{})
	typ := base.Types.Get("Lamp")
	ours := entity.NewWorld(base.ID, base.Types)
	for id, lines := range map[entity.ID]string{1: "    7", 2: "    1\n    2", 4: "    wide"} {
		e := withLines(id, lines)
		e.Layout = typ.Layout(1)
		ours.Put(e)
	}
	theirs := worldOf(lamp(1, field("width", scalar(entity.KindU32))), 1, values{}, values{"width": u32(9)})
	for _, r := range []*Result{merged(t, base, ours, theirs, Options{}), merged(t, base, theirs, ours, Options{})} {
		requireHeld(t, r)
		require.Equal(t, []string{"lines-kept 2", "lines-kept 4"}, kinds(r))
		for id, want := range map[entity.ID]struct {
			width uint64
			lines []entity.Raw
		}{
			1: {7, nil},
			2: {9, []entity.Raw{{Name: "width_lines", Lines: "    1\n    2"}}},
			4: {0, []entity.Raw{{Name: "width_lines", Lines: "    wide"}}},
		} {
			e, ok := r.Get(id)
			require.True(t, ok)
			require.Equal(t, want.width, e.Value("width").Uint(), "%d", id)
			require.ElementsMatch(t, want.lines, e.Unknown, "%d", id)
		}
	}
}

// Each side's lines of an unknown field can be read, and so can what both made of them.
func TestBracketsOfUnknownLinesClose(t *testing.T) {
	world := func(lines string) *entity.World {
		w := worldOf(lamp(1), 1)
		w.Put(&entity.Entity{ID: 1, Layout: w.Types.Get("Lamp").Layout(1), Unknown: []entity.Raw{{Name: "odd", Lines: lines}}})
		return w
	}
	ours := "    1\n    2"
	r := merged(t, world("    [\n    1\n    2\n    ]"), world(ours), world("    [\n    1\n    ]\n    [\n    2\n    ]"), Options{})
	requireHeld(t, r)
	require.Equal(t, []string{"property 1"}, kinds(r))
	e, _ := r.Get(1)
	require.Equal(t, ours, e.Unknown[0].Lines)
}
