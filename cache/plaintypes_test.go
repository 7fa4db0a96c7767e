package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
)

// renameWatts has types/ end a field at the revision that its entities have, and give it a
// successor, as a merge can that brings two changes of types together.
func (b *bench) renameWatts() {
	typ := lampType()
	watts := *typ.Fields[1]
	watts.Until, watts.Successor = 3, "power"
	typ.Fields = append(typ.Fields, &entity.Field{Name: "power", Shape: watts.Shape, Since: 3})
	typ.Fields[1] = &watts
	b.declareLamps(typ)
}

// declareLamps writes the declaration of lamps.
func (b *bench) declareLamps(typ *entity.Type) {
	require.NoError(b, os.WriteFile(filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp")), typefile.Format(typ), 0o644))
}

// A declaration and a plain file change at once, as a merge of git's has them: what became
// of the entity's values here by the declaration alone is no edit of theirs.
func TestAPlainFileThatChangesWithItsDeclaration(t *testing.T) {
	b := plainBench(t, 3)
	text := strings.Replace(lampText(2, 0), "; watts\n    0\n", "", 1) + "; power\n    2\n"
	b.renameWatts()
	b.editPlain(2, lampText(2, 2), text)
	r := b.takePlain()
	require.Empty(t, r.Conflicts)
	require.Equal(t, text, b.text(2))
	require.Equal(t, []string{"1 field-missing", "1 field-unknown", "3 field-missing", "3 field-unknown"}, b.codes())
	b.reopen()
	require.Equal(t, text, b.text(2))
	require.Equal(t, lampText(1, 1), b.text(1), "its text is what it was")
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, text, b.plain(2))
}

// The same after an edit here under the declaration that there was: both stand.
func TestAPlainFileThatChangesWithItsDeclarationAndHere(t *testing.T) {
	b := plainBench(t, 3)
	b.edit(2, atX, "2.5\n")
	text := strings.Replace(lampText(2, 0), "; watts\n    0\n", "", 1) + "; power\n    2\n"
	b.renameWatts()
	b.editPlain(2, lampText(2, 2), text)
	require.Empty(t, b.takePlain().Conflicts)
	require.NotContains(t, b.text(2), "watts")
	require.Contains(t, b.text(2), "; power\n    2\n")
	require.Contains(t, b.text(2), "2.5")
}

// declareWatts has types/ say what entities have that give no watts.
func (b *bench) declareWatts(change func(*entity.Field)) {
	typ := lampType()
	watts := *typ.Fields[1]
	change(&watts)
	typ.Fields[1] = &watts
	b.declareLamps(typ)
}

// A text may leave out a field, which has its default then. Whoever writes that out in the
// text, and changes the default with it, has the text say what it said: it is not taken for
// one that the world has changed since.
func TestAFieldWrittenOutAsItsDefaultChanges(t *testing.T) {
	nine := entity.NewUint(entity.KindU16, 9)
	for name, change := range map[string]func(*entity.Field){
		"another default": func(f *entity.Field) { f.Default = &nine },
		"optional":        func(f *entity.Field) { f.Optional = true },
	} {
		t.Run(name, func(t *testing.T) {
			b := plainBench(t, 3)
			short := strings.Replace(lampText(2, 0), "; watts\n    0\n", "", 1)
			b.editPlain(2, lampText(2, 2), short)
			b.takePlain()
			require.NoError(t, b.w.Sync())
			b.declareWatts(change)
			b.editPlain(2, short, lampText(2, 0))
			require.Empty(t, b.takePlain().Conflicts)
			require.Equal(t, lampText(2, 0), b.text(2))
			_, err := b.w.WritePlain("", false)
			require.NoError(t, err)
			require.Equal(t, lampText(2, 0), b.plain(2))
		})
	}
}

// A branch is checked out that has neither a field nor its value, which was typed otherwise
// than worldfs writes it: nobody edited anything, and the file stands as it is.
func TestAPlainFileThatChangesWithItsDeclarationAndWasTyped(t *testing.T) {
	b := plainBench(t, 3)
	typ := lampType()
	typ.Fields = append(typ.Fields, &entity.Field{Name: "glow", Shape: entity.Shape{Kind: entity.KindF32}})
	b.declareLamps(typ)
	was := lampText(2, 2)
	b.editPlain(2, was, was+"; glow\n    7\n")
	b.takePlain()
	require.NoError(t, b.w.Sync())
	b.declareLamps(lampType())
	b.editPlain(2, b.plain(2), was)
	require.Empty(t, b.takePlain().Conflicts)
	require.Equal(t, was, b.plain(2))
	require.Equal(t, was, b.text(2))
}
