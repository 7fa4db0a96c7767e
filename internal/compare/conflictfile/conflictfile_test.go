package conflictfile

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

func draw(t *rapid.T) (*Document, *entity.Types) {
	typ := entitytest.Type().Draw(t, "type")
	types := entity.NewTypes(typ)
	d := &Document{Names: Names{entitytest.Text().Draw(t, "name"), "ours", "theirs"}}
	if rapid.Bool().Draw(t, "of a type") {
		other := &entity.Type{Name: typ.Name, Revision: typ.Revision + 1, Fields: typ.Fields}
		d.Types = append(d.Types, Type{Stands: typ, Other: other, Conflicts: conflicts(t)}, Type{Stands: typ, Conflicts: conflicts(t)})
	}
	for id := range entity.ID(rapid.IntRange(0, 3).Draw(t, "entities")) {
		side := func(label string) *entity.Entity {
			e := entity.New(id+1, typ.Current())
			for i, f := range e.Layout.Fields {
				e.Values[i] = entitytest.Value(&f.Shape).Draw(t, label)
			}
			e.Canonicalize()
			return e
		}
		e := Entity{Conflicts: conflicts(t), Ours: side("ours")}
		if rapid.Bool().Draw(t, "all") {
			e.Base, e.Theirs = side("base"), side("theirs")
		}
		d.Entities = append(d.Entities, e)
	}
	return d, types
}

func conflicts(t *rapid.T) []Conflict {
	return []Conflict{{Kind: "property", Field: entitytest.Text().Draw(t, "field"), Path: "a.b", Stands: Theirs, Why: "both <changed> it"}}
}

func written(t require.TestingT, d *Document) []byte {
	var b bytes.Buffer
	require.NoError(t, Write(&b, d))
	return b.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, types := draw(t)
		file := written(t, d)
		require.True(t, Is(bufio.NewReader(bytes.NewReader(file))))
		back, err := Read(bytes.NewReader(file), "x.conflicts", types)
		require.NoError(t, err, "%s", file)
		require.Equal(t, string(file), string(written(t, back)))
		require.Equal(t, d.Names, back.Names)
		for i, e := range d.Entities {
			require.True(t, e.Ours.Equal(back.Entities[i].Ours))
		}
		// No beginning of it is taken for the whole.
		cut := rapid.IntRange(0, len(file)-2).Draw(t, "cut")
		_, err = Read(bytes.NewReader(file[:cut]), "x.conflicts", types)
		require.Error(t, err)
	})
}

func lampTypes() *entity.Types {
	return entity.NewTypes(&entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{{Name: "radius", Shape: entity.Shape{Kind: entity.KindU32}}}})
}

// The format is other programs' too: this file stays readable, and is what is
// written for what it says.
func TestTheFormat(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "1.conflicts"))
	require.NoError(t, err)
	d, err := Read(bytes.NewReader(golden), "1.conflicts", lampTypes())
	require.NoError(t, err)
	require.Len(t, d.Types, 1)
	require.Len(t, d.Entities, 2)
	require.Equal(t, entity.ID(7), d.Entities[0].ID())
	require.Equal(t, uint64(3), d.Entities[0].Of(Theirs).Values[0].Uint())
	require.Nil(t, d.Entities[1].Of(Ours))
	require.Equal(t, string(golden), string(written(t, d)))
}

func TestErrorsSayWhere(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "1.conflicts"))
	require.NoError(t, err)
	for _, c := range []struct{ from, to, want string }{
		{`"version":1`, `"version":2`, "x:1: the conflicts are in version 2"},
		{`"radius":3`, `"radius":-3`, "x:3: Lamp 7, field radius: "},
		{`"stands":"ours"`, `"stands":"yours"`, `x:2: the side that stands is "yours"`},
		{`{"end":`, `{"begin":`, "x:5: not a line of conflicts"},
		{`"entities":2`, `"entities":3`, "x:5: the end tells of"},
		{`"name":"Lamp","revision":2`, `"name":"Lump","revision":2`, "x:2: the declarations are of two types"},
	} {
		_, err := Read(strings.NewReader(strings.Replace(string(golden), c.from, c.to, 1)), "x", lampTypes())
		require.ErrorContains(t, err, c.want)
	}
}

func FuzzRead(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "1.conflicts"))
	require.NoError(f, err)
	f.Add(golden)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(bytes.NewReader(data), "x", lampTypes())
		if err != nil {
			return
		}
		file := written(t, d)
		back, err := Read(bytes.NewReader(file), "x", lampTypes())
		require.NoError(t, err, "%s", file)
		require.Equal(t, string(file), string(written(t, back)))
	})
}
