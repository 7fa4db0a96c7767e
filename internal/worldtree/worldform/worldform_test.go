package worldform_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

func TestAWorldIsTheSameInEveryForm(t *testing.T) {
	w, top := sample(), t.TempDir()
	gitInit(t, filepath.Join(top, "git"))
	svnInit(t, filepath.Join(top, "svn"))
	plain := worldform.Options{Plain: true}
	for _, c := range []struct {
		name    string
		options worldform.Options
		id      bool
	}{
		{"a.pack", worldform.Options{}, true},
		{"a.jsonl", worldform.Options{}, false},
		{"a.jsonl.gz", worldform.Options{}, false},
		{"world", worldform.Options{}, true},
		{"plain", plain, false},
		{"git/world", worldform.Options{}, true},
		{"git/plain", plain, false},
		{"svn/world", worldform.Options{}, true},
	} {
		path := filepath.Join(top, c.name)
		require.NoError(t, worldform.Create(path, w, c.options), c.name)
		got := open(t, path, worldform.Options{})
		require.Equal(t, export(t, w), export(t, got), c.name)
		require.Empty(t, got.Findings, c.name)
		require.Empty(t, got.Texts, c.name)
		if c.id {
			require.Equal(t, open(t, path, worldform.Options{}).ID, got.ID)
			require.NotZero(t, got.ID)
		}
	}
	gitCommit(t, filepath.Join(top, "git"))
	svnCommit(t, filepath.Join(top, "svn"))
	for name, dir := range map[string]string{
		"git:HEAD": "git/world", "git:main": "git/plain", "svn:BASE": "svn/world", "svn:1": "svn/world/types", "svn:HEAD": "svn/world",
	} {
		got := open(t, name, worldform.Options{Dir: filepath.Join(top, dir)})
		require.Equal(t, export(t, w), export(t, got), name)
		require.Equal(t, !strings.HasSuffix(dir, "plain"), got.ID != entity.GUID{}, name)
		require.Empty(t, got.Findings, name)
	}
}

func TestEveryWorldComesThroughItsTexts(t *testing.T) {
	top := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		w := entitytest.World().Draw(rt, "world")
		dir, err := os.MkdirTemp(top, "w")
		require.NoError(rt, err)
		given := &worldform.World{ID: w.ID, Types: w.Types, Source: w}
		require.NoError(rt, worldform.Create(dir, given, worldform.Options{Plain: true}))
		got, err := worldform.Open(dir, worldform.Options{})
		require.NoError(rt, err)
		require.Equal(rt, export(t, given), export(t, got))
	})
}

// A fresh checkout is only read: no state, no pack.
func TestACheckoutIsOnlyRead(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "w")
	d, err := worlddir.Init(root, worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(d.StatePath()))
	write(t, root, map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp("7", "3")})
	w := open(t, root, worldform.Options{})
	require.Equal(t, 1, w.Source.Len())
	require.Equal(t, d.ID, w.ID)
	require.NoDirExists(t, d.StatePath())
	require.NoFileExists(t, d.PackPath())
}

func TestARevisionHasTheTypesOfItsTime(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp("7", "3")})
	gitCommit(t, dir)
	write(t, dir, map[string]string{
		"types/Lamp.toml":        strings.Replace(lampType, "u32", "string", 1),
		"entities/7.entity_text": lamp("7", `"wide"`),
	})
	gitCommit(t, dir)
	write(t, dir, map[string]string{"types/Lamp.toml": "not committed"})
	for rev, kind := range map[string]entity.Kind{"git:HEAD~1": entity.KindU32, "git:HEAD": entity.KindString} {
		w := open(t, rev, worldform.Options{Dir: dir})
		require.Empty(t, w.Findings)
		e, ok := w.Source.Get(7)
		require.True(t, ok)
		require.Equal(t, kind, w.Types.Get("Lamp").Fields[0].Kind)
		require.Equal(t, kind, e.Values[0].Kind())
	}
}

func TestTypesThatCannotBeReadGiveWayToThoseKnown(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"types/Lamp.toml": lampType, "7.entity_text": lamp("7", "3")})
	known := open(t, dir, worldform.Options{}).Types
	requireKnown := func(how string) {
		w := open(t, dir, worldform.Options{Types: known})
		require.NotNil(t, w.Types.Get("Lamp"), how)
		e, _ := w.Source.Get(7)
		require.Empty(t, e.Unknown)
	}
	write(t, dir, map[string]string{"types/Lamp.toml": "<<<<<<< ours\n"})
	requireKnown("markers")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "types")))
	requireKnown("none")
	w := open(t, dir, worldform.Options{})
	require.Equal(t, []string{entity.CodeTypeUnknown}, codes(w.Findings))
}

func TestABadTextStopsNoWorld(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{
		"types/Lamp.toml":         lampType,
		"entities/1.entity_text":  lamp("1", "3"),
		"entities/2.entity_text":  "Lamp\n1\n2\n; radius\n    much",
		"entities/3.entity_text":  lamp("4", "3"),
		"entities/5.entity_text":  strings.ReplaceAll(lamp("5", "3"), "\n", "\r\n"),
		"entities/readme.txt":     "no entity",
		"entities/6.entity_text~": "no entity",
	})
	gitCommit(t, dir)
	for _, name := range []string{dir, "git:HEAD"} {
		w := open(t, name, worldform.Options{Dir: dir})
		require.Equal(t, 3, w.Source.Len())
		require.ElementsMatch(t, []string{entity.CodeBroken, entity.CodeIDDiffers}, codes(w.Findings))
		require.Equal(t, []entity.ID{2}, w.Unread())
		require.Len(t, w.Texts, 1)
		require.Contains(t, string(w.Texts[2]), "much")
		exact := open(t, name, worldform.Options{Dir: dir, Exact: true})
		require.Contains(t, string(exact.Texts[5]), "\r\n")
		require.NotContains(t, exact.Texts, entity.ID(1))
	}
}

// Whatever a repository holds, nothing outside of it is read.
func TestNothingIsFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, filepath.Dir(outside), map[string]string{"secret": lamp("5", "42"), "types.toml": lampType})
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{
		"types/Lamp.toml": lampType, "entities/1.entity_text": lamp("1", "3"),
		"entities/'\";\n-rf *.entity_text": "x", "entities/-9.entity_text": "x", "types/-.toml": "",
	})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "entities/5.entity_text")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "entities/6")))
	require.NoError(t, os.Symlink("../1.entity_text", filepath.Join(dir, "entities/8.entity_text")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "types/A.toml")))
	gitCommit(t, dir)
	svn := filepath.Join(t.TempDir(), "wc")
	svnInit(t, svn)
	write(t, svn, map[string]string{"types/Lamp.toml": lampType, "entities/1.entity_text": lamp("1", "3")})
	require.NoError(t, os.Symlink(outside, filepath.Join(svn, "entities/5.entity_text")))
	svnCommit(t, svn)
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "entities/10.entity_text"), 0o666))
	for name, at := range map[string]string{dir: dir, "git:HEAD": dir, "svn:BASE": svn, "svn:1": svn} {
		w := open(t, name, worldform.Options{Dir: at})
		require.Equal(t, 1, w.Source.Len(), name)
		require.NotEmpty(t, w.Findings, name)
		_, ok := w.Source.Get(5)
		require.False(t, ok, name)
		require.NotContains(t, string(w.Texts[5]), lamp("5", "42"), name)
		require.Contains(t, w.Unread(), entity.ID(5), name)
	}
}

func TestALinkedEntitiesDirectoryIsNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"5.entity_text": lamp("5", "42")})
	write(t, dir, map[string]string{"world.toml": "id = \"6fa459ea-ee8a-4ca4-894e-db77e160355e\"\n"})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "entities")))
	require.Zero(t, open(t, dir, worldform.Options{}).Source.Len())
}

func TestShardsAreRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"types/Lamp.toml": lampType, "entities/5/15.entity_text": lamp("15", "1"),
		"entities/15.entity_text": lamp("15", "2"), "entities/6/16.entity_text": lamp("16", "3"),
		"entities/old/17.entity_text": lamp("17", "3"), "entities/5/5/18.entity_text": lamp("18", "3"),
	})
	w := open(t, dir, worldform.Options{})
	require.Equal(t, 2, w.Source.Len())
	require.Equal(t, []string{entity.CodeUnreadable}, codes(w.Findings))
	require.Equal(t, entity.ID(15), w.Findings[0].ID)
}

// Revisions before and after a conversion are read, each as its world.toml says.
func TestWorldTomlSaysWhereTheTextsAre(t *testing.T) {
	for shard, want := range map[string]string{"": "2", `shard = "none"`: "2", `shard = "last-digit"`: "1", `shard = "tens"`: "3"} {
		dir := t.TempDir()
		gitInit(t, dir)
		write(t, dir, map[string]string{
			"world.toml":      "id = \"6fa459ea-ee8a-4ca4-894e-db77e160355e\"\n" + shard + "\n",
			"types/Lamp.toml": lampType, "entities/5/15.entity_text": lamp("15", "1"),
			"entities/15.entity_text": lamp("15", "2"), "entities/15/15.entity_text": lamp("15", "3"),
			"entities/51/15.entity_text": lamp("15", "4"),
		})
		gitCommit(t, dir)
		w, err := worldform.Open("git:HEAD", worldform.Options{Dir: dir})
		require.NoError(t, err)
		e, ok := w.Source.Get(15)
		require.True(t, ok)
		require.Contains(t, string(textcodec.Append(nil, e)), "\n    "+want+"\n")
		require.Equal(t, []string{entity.CodeMisplaced, entity.CodeMisplaced}, codes(w.Findings))
	}
}

func TestAnEntitiesDirectoryFindsItsTypesBeside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp("7", "3")})
	w := open(t, filepath.Join(dir, "entities"), worldform.Options{})
	require.Equal(t, 1, w.Source.Len())
	require.Empty(t, w.Findings)
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{"readme": "x"})
	gitCommit(t, dir)
	for name, want := range map[string]error{
		filepath.Join(dir, "nosuch"): worldform.ErrNoWorld, filepath.Join(dir, "readme"): worldform.ErrNoWorld,
		dir: worldform.ErrNoWorld, "git:HEAD": worldform.ErrNoWorld, "git:": vcs.ErrRevisionName,
		"git:--output=" + dir + "/x": vcs.ErrRevisionName, "git:;touch " + dir + "/x": vcs.ErrNoRevision,
		"svn:--config-dir=x": vcs.ErrRevisionName, "svn:BASE": vcs.ErrNoRepository, "svn:7": vcs.ErrNoRepository,
		filepath.Join(dir, "x.pack"): os.ErrNotExist, filepath.Join(dir, "x.jsonl"): os.ErrNotExist,
	} {
		_, err := worldform.Open(name, worldform.Options{Dir: dir})
		require.ErrorIs(t, err, want, name)
	}
	require.NoFileExists(t, filepath.Join(dir, "x"))
}

func TestCreateMakesNewDirectoriesOnly(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"full/x": "x", "file": "x"})
	require.NoError(t, os.MkdirAll(filepath.Join(top, "dir.pack"), 0o777))
	require.NoError(t, os.MkdirAll(filepath.Join(top, "empty"), 0o777))
	require.ErrorIs(t, worldform.CheckCreate(filepath.Join(top, "full")), worldform.ErrInUse)
	for _, name := range []string{
		filepath.Join(top, "file"), filepath.Join(top, "file", "x.pack"), filepath.Join(top, "no", "x.jsonl"),
		filepath.Join(top, "no", "dir"), filepath.Join(top, "dir.pack"), "git:HEAD", "svn:BASE",
	} {
		require.Error(t, worldform.CheckCreate(name), name)
		require.Error(t, worldform.Create(name, sample(), worldform.Options{}), name)
	}
	for _, plain := range []bool{true, false} {
		require.NoError(t, worldform.Create(filepath.Join(top, "empty"), sample(), worldform.Options{Plain: plain}))
		require.NoError(t, os.RemoveAll(filepath.Join(top, "empty")))
		require.NoError(t, os.MkdirAll(filepath.Join(top, "empty"), 0o777))
	}
}

// bad is a source that fails half-way.
type bad struct{ entity.Source }

func (bad) Err() error { return os.ErrInvalid }

func TestWhatCannotBeMadeIsNotBegun(t *testing.T) {
	w, top := sample(), t.TempDir()
	w.Source = bad{w.Source}
	for _, o := range []worldform.Options{{}, {Plain: true}} {
		require.ErrorIs(t, worldform.Create(filepath.Join(top, "new"), w, o), os.ErrInvalid)
		require.NoDirExists(t, filepath.Join(top, "new"))
	}
}

// What a merge leaves in conflict stands in the file as it is.
func TestExactTextsStandInDirectories(t *testing.T) {
	types := t.TempDir()
	write(t, types, map[string]string{"types/Lamp.toml": lampType, "1.entity_text": lamp("1", "3"), "2.entity_text": lamp("2", "4")})
	w := open(t, types, worldform.Options{})
	conflict := "Lamp\n1\n1\n; radius\n<<<<<<< ours\n    3\n=======\n    5\n>>>>>>> theirs\n"
	w.Texts = map[entity.ID][]byte{1: []byte(conflict), 9: []byte("broken")}
	for _, o := range []worldform.Options{{}, {Plain: true}} {
		dir := filepath.Join(t.TempDir(), "w")
		require.NoError(t, worldform.Create(dir, w, o))
		text, err := os.ReadFile(filepath.Join(dir, "entities/1.entity_text"))
		require.NoError(t, err)
		require.Equal(t, conflict, string(text))
		got := open(t, dir, worldform.Options{Exact: true})
		require.Equal(t, 2, got.Source.Len())
		require.ElementsMatch(t, []string{entity.CodeConflict, entity.CodeBroken}, codes(got.Findings))
		require.Equal(t, "broken", string(got.Texts[9]))
		require.Equal(t, conflict, string(got.Texts[1]))
	}
}
