package commitcheck_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/commitcheck"
)

// files are a world's, by name. One without a text is taken away.
type files map[string]string

// repository is a git repository with a world beneath its top.
type repository struct {
	*testing.T
	root string // of the world
}

func newRepository(t *testing.T, world files) repository {
	for key, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true",
		"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", "GIT_CONFIG_KEY_1": "core.fsync", "GIT_CONFIG_VALUE_1": "none",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(key, value)
	}
	r := repository{t, filepath.Join(t.TempDir(), "w")}
	require.NoError(t, os.Mkdir(r.root, 0o755))
	r.git("init", "-q", "-b", "main", "..")
	r.commit(with(world, files{"../readme": "a\n"}))
	return r
}

func (r repository) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r repository) git(args ...string) {
	r.Helper()
	out, err := r.try(args...)
	require.NoError(r, err, "git %v: %s", args, out)
}

func (r repository) write(changes files) {
	r.Helper()
	for name, text := range changes {
		path := filepath.Join(r.root, name)
		require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o755))
		if text == "" {
			require.NoError(r, os.Remove(path))
		} else {
			require.NoError(r, os.WriteFile(path, []byte(text), 0o644))
		}
	}
}

func (r repository) stage(changes files) {
	r.Helper()
	r.write(changes)
	r.git("add", "-A", "..")
}

func (r repository) commit(changes files) {
	r.Helper()
	r.stage(changes)
	r.git("commit", "-q", "-m", "c")
}

// verdict returns in words what there is to say about a commit.
func (r repository) verdict(index string) string {
	r.Helper()
	v, err := commitcheck.Check(r.root, index)
	require.NoError(r, err)
	var words []string
	for _, f := range v.Brought {
		about := f.File
		if f.ID != 0 {
			about = fmt.Sprint(f.ID)
		}
		words = append(words, f.Code+" "+about)
	}
	for what, is := range map[string]bool{"crashed": v.Crashed, "pulling": v.Pulling} {
		if is {
			words = append(words, what)
		}
	}
	if v.Gone > 0 {
		words = append(words, fmt.Sprintf("%d of %d gone", v.Gone, v.Had))
	}
	require.Equal(r, len(words) > 0, v.Refuses())
	if v.Before > 0 {
		words = append(words, fmt.Sprintf("%d before", v.Before))
	}
	return strings.Join(words, ", ")
}

const config, lampType, broken, marked = "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n",
	"name = \"Lamp\"\nrevision = 1\n\n[[fields]]\nname = \"code\"\nkind = \"u32\"\nunique = true\n\n[[fields]]\nname = \"next\"\nkind = \"ref\"\ndirect = true\noptional = true\n",
	"Lamp\n1\nbroken\n", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"

func name(id int) string { return fmt.Sprintf("entities/%d.entity_text", id) }

func lamp(id, code int) string { return fmt.Sprintf("Lamp\n1\n%d\n; code\n    %d\n", id, code) }

func lampTo(id, code, to int) string { return lamp(id, code) + fmt.Sprintf("; next\n    %d\n", to) }

// lamps returns a world of lamps 1 to n.
func lamps(n int) files {
	world := files{"world.toml": config, "types/Lamp.toml": lampType, ".gitignore": ".worldfs/\n"}
	for id := range n {
		world[name(id+1)] = lamp(id+1, id+1)
	}
	return world
}

func with(world, changes files) files {
	world = maps.Clone(world)
	maps.Copy(world, changes)
	return world
}

func TestWhatIsSaidOfACommit(t *testing.T) {
	for what, x := range map[string]struct {
		world, staged, working files
		want                   string
	}{
		"nothing wrong":           {lamps(2), files{name(1): lamp(1, 7), name(3): lamp(3, 3)}, nil, ""},
		"besides the world":       {with(lamps(2), files{name(1): broken}), files{"../entities/1.entity_text": broken, "notes": "a\n"}, nil, ""},
		"a broken text":           {lamps(2), files{name(1): broken}, nil, "broken 1"},
		"that is mended since":    {lamps(2), files{name(1): broken}, files{name(1): lamp(1, 1)}, "broken 1"},
		"that is not added":       {lamps(2), files{name(2): lamp(2, 7)}, files{name(1): broken}, ""},
		"that was there before":   {with(lamps(2), files{name(1): broken}), files{name(1): "\n" + broken, name(2): broken}, nil, "broken 2, 1 before"},
		"what stops no build":     {lamps(2), files{name(1): "Lamp\n1\n1\n"}, nil, ""},
		"markers":                 {lamps(2), files{name(1): "Lamp\n1\n1\n; code\n<<<<<<< ours\n    1\n=======\n    2\n>>>>>>> theirs\n"}, nil, "conflict 1"},
		"both sides kept":         {lamps(2), files{name(1): "Lamp\n1\n1\n; code\n    1\n; code\n    3\n"}, nil, "field-twice 1"},
		"the same code":           {lamps(2), files{name(2): lamp(2, 1)}, nil, "not-unique 2"},
		"yet another one":         {with(lamps(3), files{name(2): lamp(2, 1)}), files{name(3): lamp(3, 1)}, nil, "not-unique 3, 1 before"},
		"a ref to nothing":        {lamps(2), files{name(1): lampTo(1, 1, 9)}, nil, "ref-dangling 1"},
		"a ref that it leaves":    {with(lamps(2), files{name(1): lampTo(1, 1, 2)}), files{name(2): ""}, nil, "ref-dangling 1"},
		"to another nothing":      {with(lamps(2), files{name(1): lampTo(1, 1, 9)}), files{name(1): lampTo(1, 1, 8)}, nil, "ref-dangling 1"},
		"a ref to what is broken": {with(lamps(2), files{name(1): lampTo(1, 1, 2)}), files{name(2): broken}, nil, "broken 2"},
		"no type":                 {lamps(1), files{"types/Lamp.toml": ""}, nil, "type-unknown 1"},
		"a broken type":           {lamps(1), files{"types/Lamp.toml": lampType + marked}, nil, "type-file types/Lamp.toml, type-unknown 1"},
		"settings":                {lamps(1), files{"world.toml": config + marked}, nil, "unreadable world.toml"},
		"ranges":                  {lamps(1), files{"id_ranges": marked}, nil, "ranges-file id_ranges"},
		"ranges before":           {with(lamps(1), files{"id_ranges": marked}), files{name(1): lamp(1, 2)}, nil, ""},
		"all of a small world":    {lamps(3), files{name(1): "", name(2): "", name(3): ""}, nil, "3 of 3 gone"},
		"most of a small world":   {lamps(3), files{name(1): "", name(2): ""}, nil, ""},
		"all, with others made":   {lamps(2), files{name(1): "", name(2): "", name(7): lamp(7, 8)}, nil, "2 of 2 gone"},
		"all have other numbers":  {lamps(2), files{name(1): "", name(2): "", name(7): lamp(7, 1), name(8): lamp(8, 2)}, nil, ""},
		"they lie elsewhere":      {lamps(1), files{name(1): "", "entities/1/1.entity_text": lamp(1, 1), "world.toml": config + "shard = \"last-digit\"\n"}, nil, ""},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRepository(t, x.world)
			r.stage(x.staged)
			r.write(x.working)
			require.Equal(t, x.want, r.verdict(""))
		})
	}
}

// Most of a large world is a great loss as soon as it is half, and many.
func TestAGreatLoss(t *testing.T) {
	r := newRepository(t, lamps(210))
	gone := files{}
	for id := 1; id <= 105; id++ {
		gone[name(id)] = ""
	}
	r.stage(gone)
	require.Empty(t, r.verdict(""))
	r.stage(files{name(106): ""})
	require.Equal(t, "106 of 210 gone", r.verdict(""))
	r.stage(files{name(500): lamp(500, 1)})
	require.Empty(t, r.verdict(""), "one has another number now")
	r.git("commit", "-q", "-m", "c")
	require.Empty(t, r.verdict(""), "nothing is about to be committed")
}

func TestTheFirstCommit(t *testing.T) {
	r := newRepository(t, lamps(1))
	r.git("checkout", "-q", "--orphan", "other")
	require.Empty(t, r.verdict(""))
	r.stage(files{name(2): lampTo(2, 1, 2)})
	require.Equal(t, "not-unique 2, ref-cycle 2", r.verdict(""))
	r.git("rm", "-q", "-r", "--cached", "..")
	require.Empty(t, r.verdict(""), "it has nothing")
	r.git("add", "../readme")
	r.git("commit", "-q", "-m", "c")
	r.git("add", ".")
	require.Equal(t, "not-unique 2, ref-cycle 2", r.verdict(""), "there was no world before")
}

// What either side of a merge had is not brought in by it.
func TestAMergeBringsInWhatNeitherSideHad(t *testing.T) {
	r := newRepository(t, lamps(4))
	r.git("checkout", "-q", "-b", "theirs")
	r.commit(files{name(1): lamp(1, 9), name(3): broken})
	r.git("checkout", "-q", "-b", "ours", "main")
	r.commit(files{name(2): lamp(2, 9), name(4): broken})
	_, _ = r.try("merge", "-q", "--no-commit", "theirs")
	require.Equal(t, "not-unique 2, 2 before", r.verdict(""))
	r.git("reset", "-q", "--hard", "main")
	r.git("merge", "-q", "--no-commit", "--no-ff", "theirs")
	require.Equal(t, "1 before", r.verdict(""), "all of it is theirs")
}

// A commit of some files alone has an index of its own.
func TestTheIndexThatIsCommitted(t *testing.T) {
	r := newRepository(t, lamps(2))
	r.stage(files{name(1): broken})
	r.git("read-tree", "--index-output="+filepath.Join(r.root, "../.git/other"), "HEAD")
	other := filepath.Join(r.root, "../.git/other")
	require.Empty(t, r.verdict(other))
	t.Setenv("GIT_INDEX_FILE", other)
	r.git("update-index", "--cacheinfo", "100644,"+r.object(broken)+",w/"+name(2))
	require.Equal(t, "broken 2", r.verdict(other))
	require.Equal(t, "broken 1", r.verdict(""))
}

// object has git keep a text.
func (r repository) object(text string) string {
	r.write(files{"../.git/text": text})
	out, err := r.try("hash-object", "-w", "../.git/text")
	require.NoError(r, err, out)
	return strings.TrimSpace(out)
}

func TestTheLocalStateHoldsACommitBack(t *testing.T) {
	for what, x := range map[string]struct {
		state files
		want  string
	}{
		"a mount that crashed":    {files{".worldfs/plain/1.entity_text": lamp(1, 1)}, "crashed"},
		"a pull":                  {files{".worldfs/pull.json": `{"version":1,"head":"aa","tip":"ab","shared":"ac","mine":"ad"}`}, "pulling"},
		"a pull that has ended":   {files{".worldfs/pull.json": `{"version":1,"ended":true}`}, ""},
		"a pull that is damaged":  {files{".worldfs/pull.json": `{"vers`}, "pulling"},
		"a pull that is no pull":  {files{".worldfs/pull.json": `{"version":1}`}, "pulling"},
		"a pull of a later build": {files{".worldfs/pull.json": `{"version":9,"ended":true}`}, "pulling"},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRepository(t, lamps(1))
			r.write(x.state)
			require.NoError(t, os.Chmod(filepath.Join(r.root, ".worldfs"), 0o700))
			require.Empty(t, r.verdict(""), "the commit is not about the world")
			r.stage(files{name(1): lamp(1, 2)})
			require.Equal(t, x.want, r.verdict(""))
		})
	}
}
