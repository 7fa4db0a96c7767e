package leftovers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/leftovers"
)

func TestNamesThatAreNearlyAnEntitys(t *testing.T) {
	for name, want := range map[string]entity.ID{
		"06555.entity_text": 6555, "6555.entity_txt": 6555, "6555.ENTITY_TEXT": 6555, "6555.Entity_Text": 6555,
		"6555.entity-text": 6555, "6555.entitytext": 6555, "6555.entity_tetx": 6555, "6555.entity_text.txt": 6555,
		"6555 .entity_text": 6555, "6555. entity_text": 6555, "6555.entity_text ": 6555, "6555.entity": 6555,
		"6555 - Copy.entity_text": 6555, "6555 (2).entity_text": 6555, "6555 - Copy (2).entity_text": 6555,
		"6555 (copy).entity_text": 6555, "6555 copy.entity_text": 6555, "Copy of 6555.entity_text": 6555, "6555.entity_text (copy)": 6555,
		"0.entity_text": 0, "4294967296.entity_text": 0, "99999999999999999999999.entity_text": 0,
		"55/07000.entity_text": 7000,
	} {
		require.Equal(t, []leftovers.Nearly{{Path: name, ID: want}}, look(t, name).Nearly, name)
	}
	for _, name := range []string{
		"6555.entity_text", "5/6555.entity_text", "x/06555.entity_text", "notes.txt", "6555.txt", "6555", "6555.text",
		".6555.entity_text.swp", "6555.entity_text~", "#6555.entity_text#", ".#6555.entity_text", "6555.entity_text.bak",
		"6555.entity_text.mine", "6555.entity_text.r12", "6555.entity_text.orig", "door.entity_text", "4913", "sedA1b2C3", "-6555.entity_text",
	} {
		require.Empty(t, look(t, name).Nearly, name)
	}
}

func TestSidesThatLieBesideAnEntity(t *testing.T) {
	for _, suffix := range []string{"mine", "theirs", "yours", "ours", "base", "orig", "rej", "r12", "working", "merge-left.r3"} {
		seen := look(t, "6555.entity_text."+suffix)
		require.Len(t, seen.Beside[6555], 1, suffix)
		require.Equal(t, suffix, seen.Beside[6555][0].Suffix)
		_, of := seen.Beside[6555][0].Revision()
		require.Equal(t, suffix == "r12" || suffix == "merge-left.r3", of, suffix)
	}
	_, err := leftovers.Look(filepath.Join(t.TempDir(), "none"))
	require.Error(t, err)
}

// look returns what is seen of a directory with that file.
func look(t *testing.T, name string) leftovers.Seen {
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(dir, "0123.entity_text")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "0124.entity_text"), 0o755))
	seen, err := leftovers.Look(dir)
	require.NoError(t, err)
	return seen
}
