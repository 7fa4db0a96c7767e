package conflicts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/conflicts"
)

func TestWhatFilesBesideAnEntitySay(t *testing.T) {
	w := open(t, lamp(7, lampType(1), 2))
	text := w.text(7)
	const svn, svnMerge, patch, backup = "7.entity_text.mine", "7.entity_text.working", "7.entity_text.rej", "7.entity_text.orig"
	for what, x := range map[string]struct {
		files map[string]string
		code  string // of the finding about the entity's text
		file  string // "": there is no conflict
		says  []string
	}{
		"svn": {map[string]string{svn: text, "7.entity_text.r9": "a", "7.entity_text.r10": "b"}, "", svn,
			[]string{"svn left a conflict at ", "7.entity_text.r10 is theirs", "loaded meanwhile: what " + svn + " has"}},
		"svn, theirs loaded": {map[string]string{svn: "a", "7.entity_text.r10": text}, "", svn, []string{"loaded meanwhile: what 7.entity_text.r10 has"}},
		"svn merge": {map[string]string{svnMerge: "a", "7.entity_text.merge-left.r7": "b", "7.entity_text.merge-right.r12": "c"}, "", svnMerge,
			[]string{svnMerge + " is yours", "merge-right.r12 is theirs", "loaded meanwhile: what its file has now"}},
		"a revision beyond all":      {map[string]string{svn: "a", "7.entity_text.r99999999999999999999": "b", "7.entity_text.r3": "c"}, "", svn, []string{"r99999999999999999999 is theirs"}},
		"patch":                      {map[string]string{patch: "a", backup: "b"}, "", patch, []string{"a part of a change was refused"}},
		"a backup":                   {map[string]string{backup: "b"}, "", "", nil},
		"a backup beside markers":    {map[string]string{backup: "b"}, entity.CodeConflict, backup, []string{"settle the conflict", "the first side of the markers"}},
		"a backup of what is broken": {map[string]string{backup: "b"}, entity.CodeBroken, backup, []string{"the last good values"}},
		"a backup of what is old":    {map[string]string{backup: "b"}, entity.CodeNotCanonical, "", nil},
		"half of svn's":              {map[string]string{svn: "a"}, "", "", nil},
		"the other half":             {map[string]string{"7.entity_text.r9": "a", "7.entity_text.r10": "b"}, "", "", nil},
		"names of others":            {map[string]string{"07.entity_text.rej": "a", "x.entity_text.rej": "a", "7.entity_text.rej~": "a", "x/7.entity_text.rej": "a"}, "", "", nil},
		"in a shard":                 {map[string]string{"3/7.entity_text.rej": "a"}, "", patch, []string{"refused"}},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range x.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			known := []entity.Finding{{Code: x.code, ID: 7, Line: 4}, {Code: entity.CodeBroken, ID: 8, Line: 5}}
			found, err := conflicts.Leftovers(w.World, dir, known)
			require.NoError(t, err)
			if x.file == "" {
				for _, f := range found { // what else there is means no conflict
					require.Contains(t, []string{entity.CodeConflictRest, entity.CodeFileName}, f.Code)
				}
				return
			}
			require.Len(t, found, 1)
			f := found[0]
			require.Equal(t, []any{entity.CodeConflictFiles, entity.ID(7), "Lamp", x.file}, []any{f.Code, f.ID, f.Type, f.File})
			for _, says := range x.says {
				require.Contains(t, f.Message, says)
			}
			require.Equal(t, x.code != "", f.Line == 4)
		})
	}
}

func TestLeftoversOfManyEntities(t *testing.T) {
	w := open(t, lamp(7, lampType(1), 2))
	dir := t.TempDir()
	at := time.Date(2026, 3, 4, 14, 30, 12, 0, time.Local)
	for id := 7; id < 20; id++ {
		path := filepath.Join(dir, fmt.Sprintf("%d.entity_text.rej", id))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	require.NoError(t, os.Symlink("7.entity_text.rej", filepath.Join(dir, "6.entity_text.rej")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "5.entity_text.rej"), 0o755))
	found, err := conflicts.Leftovers(w.World, dir, nil)
	require.NoError(t, err)
	require.Len(t, found, 13)
	for i, f := range found {
		require.Equal(t, entity.ID(i+7), f.ID)
		require.Contains(t, f.Message, "at 2026-03-04 14:30:12")
	}
	require.Contains(t, found[1].Message, "loaded meanwhile: nothing, since its file is gone")
	_, err = conflicts.Leftovers(w.World, filepath.Join(dir, "none"), nil)
	require.ErrorContains(t, err, "look for files of conflicts")
}

func TestFilesWhoseNamesAreNearlyAnEntitys(t *testing.T) {
	w := open(t, lamp(7, lampType(1), 2))
	dir := t.TempDir()
	for _, name := range []string{"07.entity_text", "08.entity_text", "9 (copy).entity_txt", "0.entity_text", "7.entity_text.theirs", "11.entity_text.mine", "notes.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	found, err := conflicts.Leftovers(w.World, dir, nil)
	require.NoError(t, err)
	got := make([]string, len(found))
	for i, f := range found {
		got[i] = fmt.Sprintf("%s %d %d %s", f.Code, f.ID, f.Other, f.Mend)
		require.False(t, f.Blocks)
		require.Contains(t, f.Message, f.File)
	}
	require.Equal(t, []string{
		"file-name 0 0 rm -i entities/0.entity_text",
		"file-name 0 7 rm -i entities/07.entity_text",
		"file-name 0 0 mv -n entities/08.entity_text entities/8.entity_text",
		"file-name 0 0 mv -n 'entities/9 (copy).entity_txt' entities/9.entity_text",
		"conflict-rest 7 0 ",
		"conflict-rest 11 0 ",
	}, got)
	require.Contains(t, found[1].Message, "Lamp 7")
	require.Contains(t, found[4].Message, "a conflict that is over")
	require.Contains(t, found[5].Message, "an entity that is not there any more")
}
