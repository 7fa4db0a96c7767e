package typefile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

func TestFileName(t *testing.T) {
	long := strings.Repeat("x", 300)
	for typ, want := range map[string]string{
		"Door":         "Door.toml",
		"light.spot-2": "light.spot-2.toml",
		"../x":         "%2E%2E%2Fx.toml",
		"a..b":         "a.%2Eb.toml",
		"a/b":          "a%2Fb.toml",
		`a\b:c`:        "a%5Cb%3Ac.toml",
		".hidden":      "%2Ehidden.toml",
		"-rf":          "%2Drf.toml",
		"a%2Fb":        "a%252Fb.toml",
		"CON":          "%43ON.toml",
		"com1.x":       "%63om1.x.toml",
		"Zoë 猫":        "Zo%C3%AB%20%E7%8C%AB.toml",
		long:           strings.Repeat("x", 160) + "-98dfe5fe7e2f5a83.toml",
	} {
		got := FileName(typ)
		if typ == long {
			require.Len(t, got, 160+1+16+5)
			require.NotEqual(t, got, FileName(long+"x"))
			continue
		}
		require.Equal(t, want, got)
	}
}

func TestFileNameIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(entitytest.Text(), 2, 2, rapid.ID[string]).Draw(t, "names")
		a, b := FileName(names[0]), FileName(names[1])
		require.NotEqual(t, a, b)
		require.Regexp(t, `^[A-Za-z0-9._%-]*\.toml$`, a)
		require.NotContains(t, a, "..")
		require.LessOrEqual(t, len(a), 200)
		if names[0] != "" {
			require.False(t, a[0] == '.')
		}
	})
}

func simple(name, field string) *entity.Type {
	return &entity.Type{Name: name, Revision: 1, Fields: []*entity.Field{
		{Name: field, Shape: entity.Shape{Kind: entity.KindBool}},
	}}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640))
}

func names(t *testing.T, dir string) (out []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "types")
	types := []*entity.Type{simple("door", "b"), simple("Door", "a"), simple("../x", "c")}
	changed, err := WriteDir(dir, types)
	require.NoError(t, err)
	require.Len(t, changed, 3)
	require.Equal(t, changed, names(t, dir), "nothing lies beside them")
	require.Contains(t, changed, "Door.toml")
	require.Contains(t, changed, "%2E%2E%2Fx.toml")

	read, problems, err := ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, 3, read.Len())
	for _, typ := range types {
		require.Equal(t, text(typ), text(read.Get(typ.Name)))
	}
	changed, err = WriteDir(dir, types)
	require.NoError(t, err)
	require.Empty(t, changed, "they say the same")
}

func TestWriteDirKeepsTheFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "my doors.toml", "name = 'Door' # mine\n")
	changed, err := WriteDir(dir, []*entity.Type{simple("Door", "open")})
	require.NoError(t, err)
	require.Equal(t, []string{"my doors.toml"}, changed)
	data, err := os.ReadFile(filepath.Join(dir, "my doors.toml"))
	require.NoError(t, err)
	require.Equal(t, "name = \"Door\" # mine\nrevision = 1\n\n[[fields]]\nname = \"open\"\nkind = \"bool\"\n", string(data))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(dir, "my doors.toml"))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o640), info.Mode())
	}
}

func TestBrokenFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	const broken = "name = 'Door'\n<<<<<<< ours\n"
	write(t, dir, "Door.toml", broken)
	_, err := WriteDir(dir, []*entity.Type{simple("Chair", "a"), simple("Door", "open")})
	require.ErrorContains(t, err, "Door.toml:2: a merge has left its marker <<<<<<< here")
	require.Equal(t, []string{"Door.toml"}, names(t, dir), "nothing is written")
	data, err := os.ReadFile(filepath.Join(dir, "Door.toml"))
	require.NoError(t, err)
	require.Equal(t, broken, string(data))
}

func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.toml", "name = 'Door'\nrevision = 1")
	write(t, dir, "b.toml", "name = 'Door'\nrevision = 2")
	write(t, dir, "c.toml", "name = \n")
	write(t, dir, "d.toml", "\ufeffname = 'Light'\r\n")
	write(t, dir, ".e.toml", "no")
	write(t, dir, "f.txt", "no")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "g.toml"), 0o777))
	types, problems, err := ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, 2, types.Len())
	require.Equal(t, uint32(1), types.Get("Door").Revision)
	require.Len(t, problems, 3)
	require.EqualError(t, problems[0], filepath.Join(dir, "b.toml")+`: the type "Door" is declared in a.toml already; remove it from one of them`)
	require.ErrorContains(t, problems[1], "c.toml:1: ")
	require.EqualError(t, problems[2], filepath.Join(dir, "g.toml")+": it is no regular file, and symlinks are not followed")

	types, problems, err = ReadDir(filepath.Join(dir, "none"))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Zero(t, types.Len())
}

func TestALinkIsNeitherTypesNorATypesFile(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	text := "name = \"Door\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(outside, "Door.toml"), []byte(text), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "Door.toml"), filepath.Join(dir, "Door.toml")))
	types, problems, err := ReadDir(dir)
	require.NoError(t, err)
	require.Zero(t, types.Len())
	require.Len(t, problems, 1)
	_, err = WriteDir(dir, []*entity.Type{{Name: "Door", Revision: 2}})
	require.Error(t, err)

	link := filepath.Join(dir, "types")
	require.NoError(t, os.Symlink(outside, link))
	types, problems, err = ReadDir(link)
	require.NoError(t, err)
	require.Zero(t, types.Len())
	require.Len(t, problems, 1)
	require.ErrorContains(t, problems[0], "symlinks are not followed")
	_, err = WriteDir(link, []*entity.Type{{Name: "Other"}})
	require.ErrorContains(t, err, "symlinks are not followed")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
