package typefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindAKeyOfAField(t *testing.T) {
	dir := t.TempDir()
	text := `# comment
name = "Door"
revision = 2

[[fields]]
name = "old"
kind = "u8"
until = 2
save_when = "a"

[[fields]]
name = "old"
kind = "u16"
since = 2

[[fields]]
name = "poses"
kind = "array"

[fields.of]
kind = "struct"

[[fields.of.fields]]
name = "at.x"
kind = "u8"
insignificant_when = "b"
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Doors of ours.toml"), []byte(text), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Broken.toml"), []byte("name ="), 0o644))
	for _, c := range []struct {
		field, key string
		line       int
	}{
		{"old", "save_when", 9}, {"poses.at.x", "insignificant_when", 26}, {"none", "save_when", 1},
	} {
		at, err := Find(dir, "Door", c.field, c.key)
		require.NoError(t, err)
		require.Equal(t, Place{"Doors of ours.toml", c.line}, at, c.field)
	}
	_, err := Find(dir, "Broken", "old", "save_when")
	require.ErrorIs(t, err, ErrNotDeclared)
}
