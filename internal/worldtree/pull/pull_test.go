package pull_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/pull"
)

// files are a repository's, by name. One without a text is taken away.
type files map[string]string

// repository is a git repository with a world beneath its top. The branch main follows
// the branch theirs, which stands for what others have published.
type repository struct {
	*testing.T
	top, root string
}

// history is what a repository is made of.
type history struct{ base, theirs, own, staged, working files }

func newRepository(t *testing.T, h history) repository {
	for key, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true",
		"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", "GIT_CONFIG_KEY_1": "core.fsync", "GIT_CONFIG_VALUE_1": "none",
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(key, value)
	}
	top := filepath.Join(t.TempDir(), "r")
	r := repository{t, top, filepath.Join(top, "w")}
	require.NoError(t, os.MkdirAll(r.root, 0o755))
	r.git("init", "-q", "-b", "main", "--template=")
	base := files{"w/world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n", "w/types/Lamp.toml": lampType,
		".gitignore": ".worldfs/\n", "notes": "notes\n", name(1): lamp(1, 1, "a"), name(2): lamp(2, 1, "a")}
	maps.Copy(base, h.base)
	r.commit("base", base)
	r.git("checkout", "-q", "-b", "theirs")
	if len(h.theirs) > 0 {
		r.commit("theirs", h.theirs)
	}
	r.git("checkout", "-q", "main")
	r.git("branch", "-q", "-u", "theirs")
	if len(h.own) > 0 {
		r.commit("own", h.own)
	}
	if len(h.staged) > 0 {
		r.write(h.staged)
		r.git("add", "-A")
	}
	r.write(h.working)
	return r
}

const lampType = "name = \"Lamp\"\nrevision = 1\n\n[[fields]]\nname = \"code\"\nkind = \"u32\"\n\n[[fields]]\nname = \"name\"\nkind = \"string\"\n"

func name(id int) string { return fmt.Sprintf("w/entities/%d.entity_text", id) }

func lamp(id, code int, name string) string {
	return fmt.Sprintf("Lamp\n1\n%d\n; code\n    %d\n; name\n    %q\n", id, code, name)
}

func (r repository) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.top
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func (r repository) git(args ...string) string {
	r.Helper()
	out, err := r.try(args...)
	require.NoError(r, err, "git %v: %s", args, out)
	return out
}

func (r repository) write(changes files) {
	r.Helper()
	for name, text := range changes {
		path := filepath.Join(r.top, name)
		require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o755))
		if text == "" {
			require.NoError(r, os.Remove(path))
		} else {
			require.NoError(r, os.WriteFile(path, []byte(text), 0o644))
		}
	}
}

func (r repository) commit(message string, changes files) {
	r.Helper()
	r.write(changes)
	r.git("add", "-A")
	r.git("commit", "-q", "-m", message, "--author", message+" <a@example.com>")
}

// state is all that a person sees: the branch, the index, and the files besides git's and
// what is local to worldfs.
func (r repository) state() files {
	all := files{"": r.git("status", "--porcelain=v2", "--branch", "-uall")}
	require.NoError(r, filepath.WalkDir(r.top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" || d.Name() == ".worldfs":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, r.top+"/")] = string(data)
		return err
	}))
	return all
}

func (r repository) look(o pull.Options) *pull.Incoming {
	r.Helper()
	in, err := pull.Look(r.root, o)
	require.NoError(r, err)
	return in
}

func TestWhatIsTaken(t *testing.T) {
	theirs := files{name(1): lamp(1, 2, "a"), "theirs": "b\n"}
	for what, x := range map[string]struct {
		history
		taken  string // commits, made anew, dropped
		left   int
		head   files // of the branch
		files  files
		status string
	}{
		"nothing":        {history{own: files{name(1): lamp(1, 2, "a")}}, "", 0, nil, nil, ""},
		"forward":        {history{theirs: theirs}, "1 0 0", 0, theirs, theirs, ""},
		"a commit":       {history{theirs: theirs, own: files{name(1): lamp(1, 1, "b")}}, "1 1 0", 0, files{name(1): lamp(1, 2, "b")}, theirs.with(name(1), lamp(1, 2, "b")), ""},
		"what they have": {history{theirs: theirs, own: files{name(1): lamp(1, 2, "a")}}, "1 0 1", 0, theirs, theirs, ""},
		"not committed":  {history{theirs: theirs, working: files{name(1): lamp(1, 1, "b"), name(2): ""}}, "1 0 0", 0, theirs.with(name(2), lamp(2, 1, "a")), files{name(1): lamp(1, 2, "b"), name(2): ""}, " M " + name(1) + "\n D " + name(2)},
		"staged":         {history{theirs: theirs, staged: files{name(3): lamp(3, 1, "c")}, working: files{name(4): "Lamp\n"}}, "1 0 0", 0, theirs.with(name(3), ""), files{name(3): lamp(3, 1, "c"), name(4): "Lamp\n"}, "A  " + name(3) + "\n?? " + name(4)},
		"a conflict":     {history{theirs: theirs, own: files{name(1): lamp(1, 3, "b")}}, "1 1 0", 1, files{name(1): lamp(1, 2, "b")}, files{"theirs": "b\n"}, "UU " + name(1)},
		"besides":        {history{theirs: theirs.with("notes", "notes\nmore\n"), own: files{"own": "c\n"}, working: files{"w/readme": "d\n", "theirs": "b\n"}}, "1 1 0", 0, theirs.with("own", "c\n"), files{"notes": "notes\nmore\n", "own": "c\n", "w/readme": "d\n"}, "?? w/readme"},
		"it lies elsewhere": {history{theirs: files{name(1): "", name(2): "", "w/entities/1/1.entity_text": lamp(1, 1, "a"), "w/entities/2/2.entity_text": lamp(2, 1, "a"),
			"w/world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\nshard = \"last-digit\"\n"}, own: files{name(1): lamp(1, 1, "b")}},
			"1 1 0", 0, files{"w/entities/1/1.entity_text": lamp(1, 1, "b"), name(1): ""}, files{"w/entities/1/1.entity_text": lamp(1, 1, "b"), name(1): ""}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRepository(t, x.history)
			before := r.state()
			in := r.look(pull.Options{})
			require.Equal(t, before, r.state(), "to look touches nothing")
			require.Equal(t, "theirs", in.Upstream)
			if x.taken == "" {
				require.True(t, in.Nothing())
				return
			}
			taken, err := in.Take()
			require.NoError(t, err)
			require.Equal(t, x.taken, fmt.Sprint(taken.Commits, taken.Made, taken.Dropped))
			if taken.Made > 0 {
				require.Equal(t, "own own", r.git("log", "-1", "--format=%an %s"))
			}
			if taken.Resolution != nil {
				require.Len(t, taken.Resolution.Left, x.left)
			}
			require.Equal(t, x.status, r.git("status", "--porcelain", "-uall"))
			for name, text := range x.head {
				have, err := r.try("show", "HEAD:"+name)
				if err != nil {
					have = ""
				}
				require.Equal(t, strings.TrimRight(text, "\n"), have, "%s of HEAD", name)
			}
			state := r.state()
			for name, text := range x.files {
				require.Equal(t, text, state[name], name)
			}
			if x.left > 0 {
				_, err := pull.Look(r.root, pull.Options{})
				require.ErrorIs(t, err, pull.ErrMiddle)
			} else {
				require.True(t, r.look(pull.Options{}).Nothing())
			}
		})
	}
}

// with returns the files with another one, or without it.
func (f files) with(name, text string) files {
	f = maps.Clone(f)
	if f[name] = text; text == "" {
		delete(f, name)
	}
	return f
}

// Where there is a merge among the person's commits, they stay, and one more joins them
// with what came in.
func TestMergesOfThePersonStay(t *testing.T) {
	r := newRepository(t, history{theirs: files{name(1): lamp(1, 2, "a"), "theirs": "b\n"}, own: files{name(1): lamp(1, 1, "b")}})
	r.git("checkout", "-q", "-b", "side", "main~")
	r.commit("side", files{name(2): lamp(2, 2, "a"), "own": "c\n"})
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "-m", "m", "side")
	before := r.git("rev-parse", "main", "refs/heads/theirs")
	taken, err := r.look(pull.Options{}).Take()
	require.NoError(t, err)
	require.True(t, taken.Merged)
	require.Zero(t, taken.Made)
	require.Equal(t, before, r.git("rev-parse", "main^1", "main^2"))
	state := r.state()
	require.Equal(t, []string{lamp(1, 2, "b"), lamp(2, 2, "a"), "b\n", "c\n"}, []string{state[name(1)], state[name(2)], state["theirs"], state["own"]})
	require.Empty(t, r.git("status", "--porcelain"))
}

func TestWhatIsRefusedTouchesNothing(t *testing.T) {
	many := files{}
	for id := range 120 {
		many[name(id+10)] = lamp(id+10, id, "a")
	}
	gone := files{}
	for name := range many {
		gone[name] = ""
	}
	theirs := files{"notes": "theirs\n", name(1): lamp(1, 2, "a")}
	for what, x := range map[string]struct {
		history
		want error
		says string
	}{
		"edited besides":    {history{theirs: theirs, working: files{"notes": "mine\n"}}, pull.ErrOutside, "notes changed here"},
		"committed besides": {history{theirs: theirs, own: files{"notes": "mine\n"}}, pull.ErrOutside, "notes changed here"},
		"added besides":     {history{theirs: files{"w/new": "theirs\n"}, working: files{"w/new": "mine\n"}}, pull.ErrOutside, "w/new changed here"},
		"a great loss":      {history{base: many, theirs: gone, own: files{"own": "a\n"}}, pull.ErrLoss, "of 122 entities 120 are gone"},
		"their types":       {history{theirs: files{"w/types/Lamp.toml": "name = \n"}, own: files{name(1): lamp(1, 2, "a")}}, pull.ErrOutside, "in what comes in the types cannot all be read"},
		"types here":        {history{theirs: theirs, working: files{"w/types/Lamp.toml": "name = \n"}}, pull.ErrOutside, "in what is here the types cannot all be read"},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRepository(t, x.history)
			before := r.state()
			_, err := r.look(pull.Options{}).Take()
			require.ErrorIs(t, err, x.want)
			require.ErrorContains(t, err, x.says)
			require.Equal(t, before, r.state())
			require.NoFileExists(t, filepath.Join(r.root, ".worldfs/pull.json"))
		})
	}
	r := newRepository(t, history{base: many, theirs: gone})
	_, err := r.look(pull.Options{AllowLoss: true}).Take()
	require.NoError(t, err, "it is meant")
	require.NoFileExists(t, filepath.Join(r.top, name(10)))
}

func TestWhereNothingCanBePulled(t *testing.T) {
	for what, x := range map[string]struct {
		do   func(repository)
		says string
	}{
		"no branch":       {func(r repository) { r.git("checkout", "-q", "--detach") }, "HEAD is on no branch"},
		"it follows none": {func(r repository) { r.git("branch", "--unset-upstream") }, "follows none that others publish"},
		"no commit":       {func(r repository) { r.git("checkout", "-q", "--orphan", "other") }, "the branch other follows none"},
		"nothing in common": {func(r repository) {
			r.git("branch", "-f", "theirs", r.git("commit-tree", "HEAD^{tree}", "-m", "other"))
		}, "have nothing in common"},
		"a merge":        {func(r repository) { r.git("merge", "-q", "--no-commit", "--no-ff", "theirs") }, "in the middle of something, a merge"},
		"nobody answers": {func(r repository) { r.follow("../none") }, "ask origin what others have published"},
		"no repository":  {func(r repository) { require.NoError(r, os.RemoveAll(filepath.Join(r.top, ".git"))) }, "it lies in no git repository"},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRepository(t, history{theirs: files{name(1): lamp(1, 2, "a")}})
			x.do(r)
			_, err := pull.Look(r.root, pull.Options{})
			require.ErrorContains(t, err, x.says)
		})
	}
}

// follow has main follow the main of another repository.
func (r repository) follow(url string) {
	r.git("remote", "add", "origin", url)
	r.git("config", "branch.main.remote", "origin")
	r.git("config", "branch.main.merge", "refs/heads/main")
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
}

// Offline goes by what git has heard before; else the others are asked.
func TestTheOthersAreAsked(t *testing.T) {
	r := newRepository(t, history{theirs: files{name(1): lamp(1, 2, "a")}})
	r.git("clone", "-q", "--bare", "-b", "main", ".", "../up")
	r.follow("../up")
	r.git("push", "-q", "../up", "theirs:main")
	require.True(t, r.look(pull.Options{Offline: true}).Nothing())
	in := r.look(pull.Options{})
	require.Equal(t, "origin/main", in.Upstream)
	require.Len(t, in.Commits, 1)
	require.Equal(t, "theirs theirs", in.Commits[0].Author+" "+in.Commits[0].Subject)
	require.False(t, r.look(pull.Options{Offline: true}).Nothing(), "git has heard of it now")
}
