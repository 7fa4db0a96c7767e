package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestFilesOfAConflictAreFindings(t *testing.T) {
	for name, c := range map[string]struct {
		files      []string
		file, says string // "": it means no conflict
	}{
		"svn update":      {[]string{".mine", ".r9", ".r10"}, "1.entity_text.mine", "1.entity_text.r10 is theirs"},
		"svn merge":       {[]string{".working", ".merge-left.r9", ".merge-right.r12"}, "1.entity_text.working", "1.entity_text.merge-right.r12 is theirs"},
		"patch":           {[]string{".rej", ".orig"}, "1.entity_text.rej", "a part of a change was refused"},
		"a backup":        {[]string{".orig"}, "", ""},
		"half of svn's":   {[]string{".mine"}, "", ""},
		"somebody else's": {[]string{".minerals", ".r", ".r1x", ".bak", "~"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := plainWorld(t)
			entityFile := filepath.Join(dir.EntitiesPath(), "1.entity_text")
			text, err := os.ReadFile(entityFile)
			require.NoError(t, err)
			for _, suffix := range c.files {
				require.NoError(t, os.WriteFile(entityFile+suffix, []byte("other"), 0o644))
			}
			if len(c.files) == 3 {
				require.NoError(t, os.WriteFile(entityFile+c.files[0], text, 0o644))
			}
			found := conflictFiles(t, dir.Root)
			if c.file == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c.file, found[0].File)
			require.Equal(t, entity.ID(1), found[0].ID)
			require.Equal(t, "one", found[0].Name)
			require.Contains(t, found[0].Message, c.says)
			require.Contains(t, found[0].Message, "loaded meanwhile: ")
			if len(c.files) == 3 {
				require.Contains(t, found[0].Message, "loaded meanwhile: what "+c.file+" has")
			}
			for _, suffix := range c.files {
				require.NoError(t, os.Remove(entityFile+suffix))
			}
			require.Empty(t, conflictFiles(t, dir.Root), "it goes with the files")
		})
	}
}

func TestABackupBesideAConflictIsOne(t *testing.T) {
	dir := plainWorld(t)
	entityFile := filepath.Join(dir.EntitiesPath(), "1.entity_text")
	require.NoError(t, os.WriteFile(entityFile, []byte("Door\n1\n1\n<<<<<<< ours\n; name\n    \"a\"\n=======\n; name\n    \"b\"\n>>>>>>> theirs\n"), 0o644))
	require.NoError(t, os.WriteFile(entityFile+".orig", []byte("other"), 0o644))
	found := conflictFiles(t, dir.Root)
	require.Len(t, found, 1)
	require.Equal(t, "1.entity_text.orig", found[0].File)
	require.Contains(t, found[0].Message, "loaded meanwhile: the first side of the markers in its text")
}

func conflictFiles(t *testing.T, root string) (found []entity.Finding) {
	dir, err := worlddir.Open(root)
	require.NoError(t, err)
	w, err := Open(dir, nil)
	require.NoError(t, err)
	st, err := w.Status()
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, f := range st.Findings {
		if f.Code == entity.CodeConflictFiles {
			found = append(found, f)
		}
	}
	return found
}
