package svnsides

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

var keep = (*worlddir.Dir).Keep

func world(t *testing.T) *worlddir.Dir {
	dir, err := worlddir.Init(t.TempDir()+"/w", worlddir.InitOptions{})
	require.NoError(t, err)
	return dir
}

func TestSidesAreRecordedOnce(t *testing.T) {
	dir := world(t)
	s := &Sides{Name: "entities/1.entity_text", Base: []byte("b\xff"), Mine: []byte{}, Theirs: []byte("t")}
	for range 2 {
		require.NoError(t, Record(dir, keep, s))
	}
	all, damaged, err := Read(dir, keep)
	require.NoError(t, err)
	require.Empty(t, damaged)
	require.Len(t, all, 1)
	require.WithinDuration(t, time.Now(), all[0].Time, time.Hour)
	require.Equal(t, s.Key(), all[0].Key())
	require.Equal(t, s.Base, all[0].Base)
	info, err := os.Stat(filepath.Join(dir.StatePath(), s.file()))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, Forget(dir, keep, s))
	require.NoError(t, Forget(dir, keep, s))
	all, _, err = Read(dir, keep)
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestOtherTextsHaveAnotherKey(t *testing.T) {
	a := Sides{Name: "n", Base: []byte("ab"), Mine: []byte("c")}
	b := Sides{Name: "n", Base: []byte("a"), Mine: []byte("bc")}
	require.NotEqual(t, a.Key(), b.Key())
}

// The oldest give way, and what is too large alone is not kept.
func TestWhatIsKeptIsBounded(t *testing.T) {
	dir := world(t)
	text := bytes.Repeat([]byte("x"), maxTexts-16)
	const most = maxTotal / (maxTexts * 4 / 3) // in JSON
	for i := range most + 3 {
		s := &Sides{Name: fmt.Sprintf("entities/%d.entity_text", i+1), Base: text}
		require.NoError(t, Record(dir, keep, s))
		at := time.Unix(int64(i+1), 0)
		require.NoError(t, os.Chtimes(filepath.Join(dir.StatePath(), s.file()), at, at))
	}
	require.NoError(t, Record(dir, keep, &Sides{Name: "entities/9999.entity_text", Base: append(text, text...)}))
	all, _, err := Read(dir, keep)
	require.NoError(t, err)
	require.Less(t, len(all), most+3)
	require.Greater(t, len(all), most-3)
	require.Equal(t, fmt.Sprintf("entities/%d.entity_text", most+3), all[len(all)-1].Name)
}

// What is damaged is told once; what a newer worldfs has kept, and what is not ours, stays.
func TestDamagedSides(t *testing.T) {
	dir := world(t)
	good := &Sides{Name: "entities/1.entity_text", Base: []byte("b")}
	require.NoError(t, Record(dir, keep, good))
	path := func(digits string) string {
		return filepath.Join(dir.StatePath(), worlddir.SidesName, digits+digits+".json")
	}
	for digits, text := range map[string]string{
		"0000000000000000": "", "1111111111111111": "{", "2222222222222222": `{"version":1,"name":"entities/2.entity_text"}`,
		"3333333333333333": `{"version":2,"name":7}`, "4444444444444444": `{"version":2}`,
	} {
		require.NoError(t, os.WriteFile(path(digits), []byte(text), 0o600))
	}
	all, damaged, err := Read(dir, keep)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Len(t, damaged, 4)
	all, damaged, err = Read(dir, keep)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Empty(t, damaged)
	require.FileExists(t, path("4444444444444444"))
}

func TestSidesBesideFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files []string // base, mine, theirs
		merge bool
	}{
		"update": {[]string{".r9", ".mine", ".r10"}, false},
		"merge":  {[]string{".merge-left.r12", ".working", ".merge-right.r9"}, true},
		"half":   {[]string{".r9", ".mine"}, false},
		"other":  {[]string{".merge-left.r9", ".mine", ".merge-right.r9"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(dir+"/007", 0o777))
			for i, suffix := range c.files {
				require.NoError(t, os.WriteFile(dir+"/007/7.entity_text"+suffix, []byte{'0' + byte(i)}, 0o666))
			}
			all, err := Beside(dir)
			require.NoError(t, err)
			if name == "half" || name == "other" {
				require.Empty(t, all)
				return
			}
			require.Len(t, all, 1)
			require.Equal(t, Sides{Name: "entities/007/7.entity_text", Merge: c.merge, Base: []byte("0"), Mine: []byte("1"), Theirs: []byte("2")}, *all[0])
		})
	}
}

// svn takes the names with empty files first. Texts that do not parse would be kept for
// weeks, since of those it cannot be said what was lost.
func TestSidesThatAreOnTheirWayAreNotKept(t *testing.T) {
	suffixes := []string{".r9", ".mine", ".r10"}
	for _, empty := range suffixes {
		dir := t.TempDir()
		for _, suffix := range suffixes {
			text := "text"
			if suffix == empty {
				text = ""
			}
			require.NoError(t, os.WriteFile(dir+"/7.entity_text"+suffix, []byte(text), 0o666))
		}
		all, err := Beside(dir)
		require.NoError(t, err)
		require.Empty(t, all, empty)
	}
}
