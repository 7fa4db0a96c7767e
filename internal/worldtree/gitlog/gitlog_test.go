package gitlog

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// repository is a git repository with a world in a directory.
type repository struct {
	*testing.T
	dir, world string
}

func newRepository(t *testing.T, world string) *repository {
	r := &repository{t, t.TempDir(), world}
	r.git("init", "-q", "-b", "main")
	r.write("entities/1.entity_text", "one")
	r.write("types/Lamp.toml", "a type")
	r.commit("first\tof all")
	return r
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=@100 +0000",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	require.NoError(r, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (r *repository) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, r.world, name)
	require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r, os.WriteFile(path, []byte(text), 0o644))
}

func (r *repository) commit(message string) (id string) {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repository) object(text string) string {
	r.Helper()
	path := filepath.Join(r.TempDir(), "object")
	require.NoError(r, os.WriteFile(path, []byte(text), 0o644))
	return r.git("hash-object", path)
}

func (r *repository) read(options ...string) []Commit {
	r.Helper()
	commits, err := Read(vcs.Git{Dir: filepath.Join(r.dir, r.world)}, options)
	require.NoError(r, err)
	return commits
}

const none = "0000000000000000000000000000000000000000"

// Wherever the world lies in the repository, its files are named from its root.
func TestRead(t *testing.T) {
	for _, world := range []string{"", "game/world", "Wélt", "a \"world\"\twith \\ all\nof it"} {
		t.Run(world, func(t *testing.T) {
			r := newRepository(t, world)
			first := r.git("rev-parse", "HEAD")
			r.write("entities/1.entity_text", "one more")
			r.write("entities/05/305.entity_text", "shard")
			r.write("entities/notes.txt", "no entity")
			second := r.commit(": second")
			require.Equal(t, []Commit{
				{ID: second, Parents: []string{first}, Known: "100 a@example.com : second", Changes: []Change{
					{305, "entities/05/305.entity_text", none, r.object("shard")},
					{1, "entities/1.entity_text", r.object("one"), r.object("one more")},
				}},
				{ID: first, Parents: []string{}, Known: "100 a@example.com first\tof all", Changes: []Change{
					{1, "entities/1.entity_text", none, r.object("one")},
				}},
			}, r.read("main"))
		})
	}
}

// Of a merge the log can have what is in neither parent.
func TestReadOfMerges(t *testing.T) {
	r := newRepository(t, "Wélt")
	r.git("checkout", "-q", "-b", "side")
	r.write("entities/2.entity_text", "two")
	side := r.commit("side")
	r.git("checkout", "-q", "main")
	r.write("entities/3.entity_text", "three")
	own := r.commit("own")
	r.git("merge", "-q", "--no-commit", "side")
	r.write("entities/4.entity_text", "four")
	merged := r.commit("merged")
	require.Equal(t, []Commit{{ID: merged, Parents: []string{own, side}, Known: "100 a@example.com merged",
		Changes: []Change{{4, "entities/4.entity_text", none, r.object("four")}}}}, r.read("--merges", "-c", "--diff-filter=A", "main"))
}

func TestReadWithoutCommits(t *testing.T) {
	r := newRepository(t, "")
	require.Empty(t, r.read("main", "^main"))
	_, err := Read(vcs.Git{Dir: r.dir}, []string{"no-such-branch"})
	require.Error(t, err)
}

// Whatever is read, no more is made of it than it says.
func FuzzParse(f *testing.F) {
	f.Add("\x01a b\x00s\x00\n:1 1 a b M\x00entities/1.entity_text\x00")
	f.Add("\x01a b c\x00s\x00\n::1 1 1 a b c AA\x00entities/7/1.entity_text\x00\x00\x01b\x00")
	f.Add("\x01a b\x00s\x00\n:1 1 a b M\x00w/entities/1.entity_text\x00")
	f.Add(":1 1 a b M\x00entities/1.entity_text")
	f.Fuzz(func(t *testing.T, log string) {
		for _, c := range parse(log, "w/") {
			require.NotEmpty(t, c.ID)
			for _, change := range c.Changes {
				require.NotEqual(t, entity.ID(0), change.Entity)
				require.Contains(t, log, change.Name)
			}
		}
	})
}

func TestByWhomAFileWasMade(t *testing.T) {
	r := newRepository(t, "worlds/w")
	by := func(person string, files map[string]string) {
		for name, text := range files {
			r.write(name, text)
		}
		r.git("add", "-A")
		r.git("commit", "-q", "--author", person+" <x@y>", "-m", "x")
	}
	base := r.git("rev-parse", "HEAD")
	by("Ann", map[string]string{"entities/7": "seven\nlines\n", "entities/1.entity_text": "other"})
	by("Bob", map[string]string{"entities/7": "seven\nwords\n", "entities/8": "seven\nlines\n"})
	git := vcs.Git{Dir: filepath.Join(r.dir, r.world)}
	names := []string{"entities/7", "entities/8", "entities/1.entity_text", "entities/9"}
	made, err := Creators(git, []string{base}, "HEAD", names)
	require.NoError(t, err)
	require.Len(t, made, 2)
	require.Equal(t, "Ann", made["entities/7"].Author)
	require.Equal(t, "Bob", made["entities/8"].Author)
	last, err := Authors(git, []string{base}, "HEAD", names)
	require.NoError(t, err)
	require.Equal(t, "Bob", last["entities/7"].Author)
	require.Equal(t, "Ann", last["entities/1.entity_text"].Author)
	none, err := Authors(git, []string{base}, "HEAD", nil)
	require.NoError(t, err)
	require.Empty(t, none)
}
