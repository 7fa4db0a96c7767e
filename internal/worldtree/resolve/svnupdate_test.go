package resolve_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
)

// updated is a working copy of svn with a base, in which ours was written, not committed,
// and into which an update has brought theirs. A file without a text is deleted.
func updated(t *testing.T, base, ours, theirs map[string]string) copyOf {
	top := t.TempDir()
	out, err := exec.Command("svnadmin", "create", filepath.Join(top, "repo")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	c := copyOf{t, filepath.Join(top, "w")}
	require.NoError(t, os.Mkdir(c.dir, 0o755))
	c.svn("checkout", "-q", "file://"+filepath.Join(top, "repo"), ".")
	c.files(map[string]string{"world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n"})
	c.files(base)
	c.svn("commit", "-q", "-m", "base")
	c.files(theirs)
	c.svn("commit", "-q", "-m", "theirs")
	c.svn("update", "-q", "-r", "1")
	c.files(ours)
	c.svn("update", "-q", "--accept", "postpone")
	return c
}

func (c copyOf) files(files map[string]string) {
	for name, text := range files {
		path := filepath.Join(c.dir, name)
		if text == "" {
			c.svn("delete", "-q", name)
			continue
		}
		require.NoError(c, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(c, os.WriteFile(path, []byte(text), 0o644))
		c.svn("add", "-q", "--force", "--parents", name)
	}
}

func (c copyOf) read(name string) string {
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	require.NoError(c, err)
	return string(data)
}

// requireNoConflict fails if something is left to settle.
func (c copyOf) requireNoConflict() {
	r, err := resolve.Open(c.dir, resolve.Options{})
	if !errors.Is(err, resolve.ErrNothing) {
		require.NoError(c, err)
		require.Empty(c, r.Left)
	}
}

// settled resolves twice, the second time with nothing to do.
func (c copyOf) settled() *resolve.Resolution {
	r, err := resolve.Open(c.dir, resolve.Options{})
	require.NoError(c, err)
	_, err = r.Apply()
	require.NoError(c, err)
	again, err := resolve.Open(c.dir, resolve.Options{})
	if errors.Is(err, resolve.ErrNothing) { // the files are as in the repository
		require.Empty(c, c.svn("status", "-q"))
		return r
	}
	require.NoError(c, err)
	done, err := again.Apply()
	require.NoError(c, err)
	require.Equal(c, resolve.Done{}, done)
	require.Equal(c, r.Left, again.Left)
	require.Equal(c, r.Unread, again.Unread)
	return r
}

const (
	postType = "name = \"Post\"\nrevision = 1\n\n[[fields]]\nname = \"on\"\nkind = \"ref\"\ndirect = true\n\n[[fields]]\nname = \"near\"\nkind = \"ref\"\n"
	post1    = "Post\n1\n1\n; on\n    0\n; near\n    0\n"
	post2    = "Post\n1\n2\n; on\n    0\n; near\n    0\n"
)

// An update that met no conflict is settled where what came does not go with what was
// edited here.
func TestAnUpdateWithoutAConflict(t *testing.T) {
	base := map[string]string{"types/Post.toml": postType, "entities/1.entity_text": post1, "entities/2.entity_text": post2,
		"entities/3.entity_text": "Post\n1\n3\n; on\n    2\n; near\n    0\n", "entities/4.entity_text": "Post\n1\n4\n; on\n    0\n; near\n    0\n",
		"other/entities/9.entity_text": "Post\n1\n9\n; on\n    0\n; near\n    0\n"}
	for what, scene := range map[string]struct {
		ours, theirs map[string]string
		repairs      int
		left         int
	}{
		"nothing the matter": {map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    2\n; near\n    0\n"},
			map[string]string{"entities/5.entity_text": "Post\n1\n5\n; on\n    2\n; near\n    2\n"}, 0, 0},
		"another world has what is referred to here": {map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    0\n; near\n    9\n"},
			map[string]string{"entities/5.entity_text": "Post\n1\n5\n; on\n    2\n; near\n    2\n"}, 0, 0},
		"it refers to what was deleted here": {map[string]string{"entities/2.entity_text": "", "entities/3.entity_text": ""},
			map[string]string{"entities/5.entity_text": "Post\n1\n5\n; on\n    0\n; near\n    2\n"}, 1, 0},
		"it follows what was deleted here": {map[string]string{"entities/2.entity_text": "", "entities/3.entity_text": ""},
			map[string]string{"entities/5.entity_text": "Post\n1\n5\n; on\n    2\n; near\n    0\n"}, 0, 1},
		"it closes a circle": {map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    2\n; near\n    0\n"},
			map[string]string{"entities/2.entity_text": "Post\n1\n2\n; on\n    1\n; near\n    0\n"}, 1, 0},
		"it deletes what is referred to here": {map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    0\n; near\n    2\n"},
			map[string]string{"entities/2.entity_text": "", "entities/3.entity_text": ""}, 1, 0},
		"it deletes what is followed here": {map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    2\n; near\n    0\n"},
			map[string]string{"entities/2.entity_text": "", "entities/3.entity_text": ""}, 0, 1},
		"it deletes what that follows, too": {map[string]string{"entities/4.entity_text": "Post\n1\n4\n; on\n    3\n; near\n    0\n"},
			map[string]string{"entities/2.entity_text": "", "entities/3.entity_text": ""}, 0, 2},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := updated(t, base, scene.ours, scene.theirs)
			if scene.repairs+scene.left == 0 {
				_, err := resolve.Open(c.dir, resolve.Options{})
				require.ErrorIs(t, err, resolve.ErrNothing)
				require.NoFileExists(t, filepath.Join(c.dir, ".worldfs", "resolve-svn.json"))
				return
			}
			r := c.settled()
			require.Len(t, r.Merged.Repairs, scene.repairs)
			require.Len(t, r.Left, scene.left)
			if scene.left > 0 {
				r, err := resolve.Open(c.dir, resolve.Options{})
				require.NoError(t, err)
				choices, err := r.Choices(resolve.Shared, resolve.Selection{})
				require.NoError(t, err)
				require.NoError(t, r.Choose(choices))
				_, err = r.Apply()
				require.NoError(t, err)
				c.requireNoConflict()
			}
			c.svn("commit", "-q", "-m", "merged")
			require.Empty(t, c.svn("status", "entities"))
			_, err := resolve.Open(c.dir, resolve.Options{})
			require.ErrorIs(t, err, resolve.ErrNothing)
		})
	}
}

// svn keeps the texts of all worlds of a working copy in one place, those that an update has
// removed from each, too: what comes back is this world's.
func TestAnUpdateRemovesOneIDFromTwoWorlds(t *testing.T) {
	const others = "Post\n1\n2\n; on\n    0\n; near\n    8\n"
	c := updated(t, map[string]string{"types/Post.toml": postType, "entities/1.entity_text": post1, "entities/2.entity_text": post2,
		"an other/world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000002\"\n", "an other/entities/2.entity_text": others},
		map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    2\n; near\n    0\n"},
		map[string]string{"entities/2.entity_text": "", "an other/entities/2.entity_text": ""})
	texts, err := filepath.Glob(filepath.Join(c.dir, ".svn", "pristine", "*", "*"))
	require.NoError(t, err)
	for _, path := range texts {
		if text, err := os.ReadFile(path); err == nil && string(text) == others {
			require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
		}
	}
	require.Len(t, c.settled().Left, 1)
	require.NotContains(t, c.read("entities/2.entity_text"), "8")

	// Where no server tells which world's it was, nothing comes back.
	c = updated(t, map[string]string{"types/Post.toml": postType, "entities/1.entity_text": post1, "entities/2.entity_text": post2,
		"an other/world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000002\"\n"},
		map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    2\n; near\n    0\n"}, map[string]string{"entities/2.entity_text": ""})
	repository := filepath.Join(filepath.Dir(c.dir), "repo")
	require.NoError(t, os.Rename(repository, repository+" away"))
	_, err = resolve.Open(c.dir, resolve.Options{})
	require.ErrorIs(t, err, resolve.ErrNothing)
	require.NoFileExists(t, filepath.Join(c.dir, "entities/2.entity_text"))
}

// A file that is gone without svn's knowledge was not deleted before the update, which would
// have brought it back: nothing is cleared for it.
func TestAFileThatIsGoneIsNoDeletion(t *testing.T) {
	c := updated(t, map[string]string{"types/Post.toml": postType, "entities/1.entity_text": post1},
		map[string]string{"entities/1.entity_text": "Post\n1\n1\n; on\n    0\n; near\n    1\n"},
		map[string]string{"entities/2.entity_text": "Post\n1\n2\n; on\n    0\n; near\n    1\n"})
	require.NoError(t, os.Remove(filepath.Join(c.dir, "entities/1.entity_text")))
	_, err := resolve.Open(c.dir, resolve.Options{})
	require.ErrorIs(t, err, resolve.ErrNothing)
}

// Lines of a field that only one side declares are no value of it: they are kept, whether or
// not the update met a conflict.
func TestLinesOfAFieldThatOneSideDeclares(t *testing.T) {
	base := map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp}
	lines := "; extra\n    1\n    2\n"
	for what, sides := range map[string][2]map[string]string{
		"theirs declares it": {{"entities/7.entity_text": lamp + lines},
			{"types/Lamp.toml": lampType + extra, "entities/7.entity_text": lamp + "; extra\n    0\n"}},
		"ours declares it": {{"types/Lamp.toml": lampType + extra, "entities/7.entity_text": "Lamp\n1\n7\n; name\n    \"b\"\n; radius\n    1\n"},
			{"entities/7.entity_text": lamp + lines}},
	} {
		t.Run(what, func(t *testing.T) {
			c := updated(t, base, sides[0], sides[1])
			r := c.settled()
			require.Empty(t, r.Left)
			require.Empty(t, r.Unread)
			require.Contains(t, c.read("entities/7.entity_text"), "; extra_lines\n    1\n    2\n")
		})
	}
}

const (
	brokenLamp = "Lamp\n1\n7\n; name\n    \"a\"\n; radius\n    much\n"
	otherLamp  = "Lamp\n1\n7\n; name\n    \"a\"\n; radius\n    2\n"
)

// What does not parse on one side and was changed on both is nobody's to throw away.
func TestABrokenTextThatTheOtherSideChanged(t *testing.T) {
	base := map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp, "entities/8.entity_text": strings.Replace(lamp, "7", "8", 1)}
	broken, other := map[string]string{"entities/7.entity_text": brokenLamp}, map[string]string{"entities/7.entity_text": otherLamp}
	t.Run("svn", func(t *testing.T) {
		c := updated(t, base, broken, other)
		requireUnread(t, c.settled())
		require.Contains(t, c.read("entities/7.entity_text"), "much")
	})
	gone, also := map[string]string{"entities/7.entity_text": ""}, map[string]string{"entities/7.entity_text": brokenLamp + "; more\n"}
	for what, sides := range map[string][2]map[string]string{
		"git, ours": {broken, other}, "git, theirs": {other, broken}, "git, both": {broken, also},
		"git, ours, deleted": {broken, gone}, "git, theirs, deleted": {gone, broken},
	} {
		t.Run(what, func(t *testing.T) {
			w := newGitWorld(t)
			w.merge(base, sides[0], sides[1])
			for range 2 {
				r, err := resolve.Open(w.dir, resolve.Options{})
				require.NoError(t, err)
				_, err = r.Apply()
				require.NoError(t, err)
				requireUnread(t, r)
			}
			require.Contains(t, w.read("entities/7.entity_text"), "much")
			w.write(other)
			w.resolve()
		})
	}
}

// requireUnread requires that the one file that is left as it is says why.
func requireUnread(t *testing.T, r *resolve.Resolution) {
	t.Helper()
	require.Len(t, r.Unread, 1)
	require.Equal(t, "entities/7.entity_text", r.Unread[0].File)
	require.Contains(t, r.Unread[0].Why, "field radius: much is not a whole number")
}
