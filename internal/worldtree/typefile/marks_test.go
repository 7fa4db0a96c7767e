package typefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

var sides = [2]string{"ours", "theirs"}

func TestAMarkedFileReadsAsOurs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours, theirs := decorated().Draw(t, "ours"), decorated().Draw(t, "theirs")
		theirs.Name = ours.Name
		file := append([]byte("# about all\n\n"), Format(ours)...)
		marked, err := MarkType(file, ours, theirs, sides)
		require.NoError(t, err)
		got, conflict, err := Read(marked, "types/X.toml")
		require.NoError(t, err, "%s", marked)
		require.Equal(t, text(ours), text(got))
		if text(ours) == text(theirs) {
			require.Nil(t, conflict)
			require.Equal(t, file, marked)
			return
		}
		require.True(t, conflict.Conflict)
		lines := strings.Split(string(marked), "\n")
		require.Equal(t, "<<<<<<< ours", lines[conflict.Line-1])
		other, _, err := Read(swapped(lines), "types/X.toml")
		require.NoError(t, err, "%s", marked)
		require.Equal(t, text(theirs), text(other))
	})
}

// swapped returns a marked text with its sides in each other's place.
func swapped(lines []string) []byte {
	var out, first []string
	in := false
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, markOurs):
			in, first = true, nil
			out = append(out, line)
		case line == markMiddle && in:
			in = false
		case strings.HasPrefix(line, markTheirs):
			out = append(append(append(out, markMiddle), first...), line)
		case in:
			first = append(first, line)
		default:
			out = append(out, line)
		}
	}
	return []byte(strings.Join(out, "\n"))
}

func TestATypeThatOneSideTookAwayIsMarkedWhole(t *testing.T) {
	typ := simple("Door", "open")
	marked, err := MarkType(nil, typ, nil, sides)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(marked), "<<<<<<< ours\nname = \"Door\"\n"))
	require.True(t, strings.HasSuffix(string(marked), "=======\n>>>>>>> theirs\n"))
	got, conflict, err := Read(marked, "x")
	require.NoError(t, err)
	require.Equal(t, text(typ), text(got))
	require.Equal(t, 1, conflict.Line)
}

func TestMarkersThatDoNotBelongTogether(t *testing.T) {
	for _, text := range []string{
		"<<<<<<< a\nname = \"X\"\n", "name = \"X\"\n=======\n", "<<<<<<< a\n=======\n=======\n>>>>>>> b\nname = \"X\"\n",
		"<<<<<<< a\nname = 3\n=======\nname = \"X\"\n>>>>>>> b\n",
	} {
		_, _, err := Read([]byte(text), "x.toml")
		require.Error(t, err, text)
		require.False(t, err.(*Error).Conflict)
	}
	// In a string a marker is a text like others.
	typ, conflict, err := Read([]byte("name = \"X\"\nrevision = 1\n[attributes]\ny = '''\n<<<<<<< a\n=======\n>>>>>>> b\n'''\n"), "x.toml")
	require.NoError(t, err)
	require.Nil(t, conflict)
	require.Equal(t, "X", typ.Name)
}

func TestADirectoryWithAMarkedFile(t *testing.T) {
	dir := t.TempDir()
	ours, theirs := simple("Door", "open"), simple("Door", "shut")
	marked, err := MarkType(nil, ours, theirs, sides)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Door.toml"), marked, 0o666))
	types, problems, err := ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.True(t, problems[0].(*Error).Conflict)
	require.Equal(t, text(ours), text(types.Get("Door")))

	// What declares the same leaves it marked; what would decide is refused.
	changed, err := WriteDir(dir, []*entity.Type{ours})
	require.NoError(t, err)
	require.Empty(t, changed)
	_, err = WriteDir(dir, []*entity.Type{theirs})
	require.ErrorContains(t, err, "marker")
}
