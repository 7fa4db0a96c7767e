package filemerge_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/textcodec"
)

// What only one side changed is in the result, what both changed alike, too; other
// conflicts are marked, with both sides' values; and whatever the files are, there is no
// panic.
func TestFilesAreMergedAlone(t *testing.T) {
	top := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		root, err := os.MkdirTemp(top, "w")
		require.NoError(t, err)
		_, err = typefile.WriteDir(root+"/types", []*entity.Type{typ})
		require.NoError(t, err)
		f := filemerge.File{Root: root, Name: "entities/" + layout.FileName(7)}
		var entities [3]*entity.Entity
		for i, text := range []*[]byte{&f.Base, &f.Ours, &f.Theirs} {
			entities[i] = entitytest.Entity(7, typ).Draw(t, "entity")
			if i > 0 && rapid.Bool().Draw(t, "unchanged") {
				entities[i] = entities[0]
			}
			*text = textcodec.Append(nil, entities[i])
		}
		merged, clean, err := f.Merge()
		if errors.Is(err, filemerge.ErrAlone) {
			return
		}
		require.NoError(t, err)
		types := entity.NewTypes(typ)
		read, err := textcodec.Decode(merged, 7, types)
		require.NoError(t, err)
		require.Equal(t, !clean, textcodec.HasMarkers(merged))
		switch base, ours, theirs := entities[0], entities[1], entities[2]; {
		case base.Same(ours):
			require.Equal(t, string(f.Theirs), string(merged))
		case base.Same(theirs), ours.Same(theirs):
			require.Equal(t, string(f.Ours), string(merged))
		default:
			requireBothSides(t, read.Entity, base, ours, theirs)
		}
	})
}

// requireBothSides fails unless each field that one side alone changed is as that side has
// it, where all sides are of one revision.
func requireBothSides(t *rapid.T, merged, base, ours, theirs *entity.Entity) {
	if base.Layout != ours.Layout || base.Layout != theirs.Layout {
		return
	}
	for i, f := range base.Layout.Fields {
		b, o, s := base.Values[i], ours.Values[i], theirs.Values[i]
		if f.SaveWhen != "" || f.Derived {
			continue
		}
		if b.Equal(o) && !b.Equal(s) {
			require.True(t, merged.Value(f.Name).Equal(s), f.Name)
		} else if b.Equal(s) {
			require.True(t, merged.Value(f.Name).Equal(o), f.Name)
		}
	}
}

func TestBrokenFilesAreNotMergedAlone(t *testing.T) {
	root := t.TempDir()
	lamp := &entity.Type{Name: "Lamp", Revision: 2, Fields: []*entity.Field{{Name: "radius", Shape: entity.Shape{Kind: entity.KindU32}}}}
	_, err := typefile.WriteDir(root+"/types", []*entity.Type{lamp})
	require.NoError(t, err)
	good := "Lamp\n2\n7\n; radius\n    1\n"
	for what, text := range map[string]string{
		"empty": "", "broken": "Lamp\n2\n7\n; radius\n    much\n", "another ID": "Lamp\n2\n8\n; radius\n    1\n",
		"a newer revision": "Lamp\n3\n7\n; radius\n    1\n", "another type": "Door\n2\n7\n", "an unknown field": good + "; colour\n    red\n",
		"markers": "<<<<<<< ours\n" + good + "=======\n>>>>>>> theirs\n", "bytes": "\x00\xff\x00",
	} {
		for i := range 3 {
			texts := slices.Repeat([][]byte{[]byte(good)}, 3)
			texts[i] = []byte(text)
			for _, name := range []string{"entities/7.entity_text", "entities/7/7.entity_text", "types/Lamp.toml", "entities/notes.txt"} {
				f := filemerge.File{Root: root, Name: name, Base: texts[0], Ours: texts[1], Theirs: texts[2]}
				_, _, err := f.Merge()
				require.ErrorIs(t, err, filemerge.ErrAlone, "%s %d %s", what, i, name)
			}
		}
	}
	f := filemerge.File{Root: t.TempDir(), Name: "entities/7.entity_text", Base: []byte(good), Ours: []byte(good), Theirs: []byte(good)}
	_, _, err = f.Merge()
	require.ErrorIs(t, err, filemerge.ErrAlone, "there are no types")
}

func FuzzMerge(f *testing.F) {
	f.Add("entities/7.entity_text", []byte("Lamp\n2\n7\n"), []byte("Lamp\n2\n7\n; radius\n    1\n"), []byte("x"))
	f.Add("types/Lamp.toml", []byte("name = \"Lamp\"\n"), []byte("name = \"Lamp\"\nrevision = 2\n"), []byte("name = \"Lamp\"\n# a\n"))
	f.Add("world.toml", []byte("a = 1\n"), []byte("a = 1\nb = 2\n"), []byte("[c]\na = 1\n"))
	f.Add("id_ranges", []byte("1 2 A\n"), []byte("1 2 A\n3 4 B\n"), []byte(""))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, name string, base, ours, theirs []byte) {
		file := filemerge.File{Root: root, Name: name, Base: base, Ours: ours, Theirs: theirs}
		if merged, _, err := file.Merge(); err == nil && string(ours) == string(theirs) && len(merged) == 0 {
			t.Fatal("what both have is gone")
		}
	})
}
