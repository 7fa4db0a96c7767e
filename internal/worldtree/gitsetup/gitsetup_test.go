package gitsetup_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// clone is a git repository without any template's files, and a program to set it up for.
type clone struct {
	*testing.T
	dir     string
	program string
}

// oddName is the program's file, from the clone.
const oddName = `../it's 100%A $HOME; "a"\`

func newClone(t *testing.T) clone {
	for key, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true",
		"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", "GIT_CONFIG_KEY_1": "core.fsync", "GIT_CONFIG_VALUE_1": "none",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(key, value)
	}
	dir := filepath.Join(t.TempDir(), "clone")
	c := clone{t, dir, filepath.Join(dir, oddName)}
	require.NoError(t, os.Mkdir(c.dir, 0o777))
	c.git("init", "-q", "-b", "main", "--template=")
	return c
}

func (c clone) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (c clone) git(args ...string) string {
	c.Helper()
	out, err := c.try(args...)
	require.NoError(c, err, "git %v: %s", args, out)
	return out
}

func (c clone) write(name, text string, mode fs.FileMode) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	require.NoError(c, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(c, os.WriteFile(path, []byte(text), 0o666))
	require.NoError(c, os.Chmod(path, mode))
}

func (c clone) remove(name string) { require.NoError(c, os.Remove(filepath.Join(c.dir, name))) }

func (c clone) read(name string) string {
	c.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	require.NoError(c, err)
	return string(data)
}

// runs has the program be a shell script.
func (c clone) runs(script string) { c.write(oddName, "#!/bin/sh\n"+script+"\n", 0o755) }

// open opens the setup for a world of the clone.
func (c clone) open(world string) *gitsetup.Setup {
	c.Helper()
	require.NoError(c, os.MkdirAll(filepath.Join(c.dir, world), 0o777))
	s, err := gitsetup.Open(filepath.Join(c.dir, world))
	require.NoError(c, err)
	return s
}

func (c clone) install(s *gitsetup.Setup) gitsetup.Changes {
	c.Helper()
	return must(c.T, func() (gitsetup.Changes, error) { return s.Install(c.program) })
}

func must[T any](t *testing.T, call func() (T, error)) T {
	t.Helper()
	v, err := call()
	require.NoError(t, err)
	return v
}

// files returns all files below the clone, with their modes and what they have. Of git's
// config it is the settings, since git leaves empty lines there.
func (c clone) files() map[string]string {
	files := make(map[string]string)
	require.NoError(c, filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		require.NoError(c, err)
		text, err := os.Readlink(path)
		if err != nil {
			data, err := os.ReadFile(path)
			require.NoError(c, err)
			text = string(data)
		}
		files[path] = fmt.Sprint(info.Mode(), " ", text)
		return nil
	}))
	files[filepath.Join(c.dir, ".git/config")] = c.git("config", "--local", "--list")
	return files
}

func TestUninstallLeavesAllAsItWas(t *testing.T) {
	for what, before := range map[string]func(clone){
		"nothing":            func(clone) {},
		"a hook":             func(c clone) { c.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 3\n", 0o751) },
		"a hook that sleeps": func(c clone) { c.write(".git/hooks/post-merge", "#!/bin/sh\n", 0o644) },
		"a hook elsewhere": func(c clone) {
			c.write("tools/check", "#!/bin/sh\n", 0o755)
			require.NoError(c, os.MkdirAll(filepath.Join(c.dir, ".git/hooks"), 0o777))
			require.NoError(c, os.Symlink("../../tools/check", filepath.Join(c.dir, ".git/hooks/post-rewrite")))
		},
		"attributes":     func(c clone) { c.write(".git/info/attributes", "*.png -text", 0o600) },
		"another driver": func(c clone) { c.git("config", "merge.other.driver", "x"); c.git("config", "diff.other.textconv", "y") },
		"own hooks path": func(c clone) { c.git("config", "core.hooksPath", ".git/own hooks") },
	} {
		t.Run(what, func(t *testing.T) {
			c := newClone(t)
			before(c)
			c.runs("exit 0")
			s := c.open(".")
			was := c.files()
			require.NotEmpty(t, must(t, s.Lacks))
			changes := c.install(s)
			require.Len(t, changes.Done, 3)
			require.Empty(t, changes.ByHand)
			require.Empty(t, must(t, s.Lacks))
			is := c.files()
			require.NotEqual(t, was, is)
			require.Empty(t, c.install(s), "to install twice changes nothing more")
			require.Equal(t, is, c.files())
			require.Len(t, must(t, s.Uninstall).Done, 3)
			require.Equal(t, was, c.files())
			require.Empty(t, must(t, s.Uninstall))
		})
	}
}

// The attributes are for the files of the world alone, whatever its directory is called.
func TestTheAttributesAreForTheWorldAlone(t *testing.T) {
	c := newClone(t)
	worlds := []string{".", "plain", "a/b", " first", "last ", "#x", "!x", "a*b", "a?b", "[ab]", `a"b`, `a\b`, "a\tb", "a\nb", "a\rb", "\xff"}
	for _, world := range worlds {
		c.install(c.open(world))
	}
	merges := func(names ...string) (out []string) {
		said := strings.Split(c.git(append([]string{"check-attr", "-z", "merge", "--"}, names...)...), "\x00")
		for i := 0; i+2 < len(said); i += 3 {
			if said[i+2] == "worldfs" {
				out = append(out, said[i])
			}
		}
		return out
	}
	var theirs []string
	for _, world := range worlds {
		for _, name := range []string{"entities/1.entity_text", "entities/3f/7.entity_text", "types/Lamp.toml", "world.toml", "id_ranges"} {
			theirs = append(theirs, filepath.Join(world, name))
		}
	}
	require.Equal(t, theirs, merges(theirs...))
	require.Empty(t, merges("readme", "a/b/readme", "axb/world.toml", "b/world.toml", "withspace/world.toml", "plain/types/a/b.toml"))
	roots, err := gitsetup.Worlds(filepath.Join(c.dir, "plain"))
	require.NoError(t, err)
	require.Len(t, roots, len(worlds))
	for i, world := range worlds {
		require.Equal(t, filepath.Join(c.dir, world), roots[i])
		require.Equal(t, []string{"the program that it runs, " + c.program + ", which is gone"}, must(t, c.open(world).Lacks))
	}
	must(t, c.open("plain").Uninstall)
	require.Equal(t, []string{"a/b/world.toml"}, merges("plain/world.toml", "a/b/world.toml"), "the others stay")
	require.FileExists(t, filepath.Join(c.dir, ".git/hooks/pre-commit"))
	for _, world := range worlds {
		must(t, c.open(world).Uninstall)
	}
	require.NoDirExists(t, filepath.Join(c.dir, ".git/hooks"))
	require.NotContains(t, c.read(".git/config"), "worldfs")
}

func TestWhatTheHooksSay(t *testing.T) {
	for what, x := range map[string]struct {
		program string // "": it is gone
		before  string // the hook that was there
		path    string // a program worldfs that the shell finds
		commits bool
		says    string
	}{
		"the program agrees":         {program: `echo "asked $*"`, commits: true, says: "asked vcs hook pre-commit"},
		"it refuses":                 {program: "exit 1"},
		"it does not know":           {program: "exit 2", commits: true},
		"it is gone":                 {commits: true, says: "does nothing, since the program that it runs is gone"},
		"it has moved":               {path: `echo moved; exit 1`, says: "moved"},
		"the one before refuses":     {program: "echo asked", before: "echo before; exit 3", says: "before"},
		"the one before, then ours":  {program: "echo asked; exit 1", before: "echo before", says: "before\nasked"},
		"the one before, then none":  {before: "echo before", commits: true, says: "before"},
		"the one before is switched": {program: "exit 0", before: "-", commits: true},
	} {
		t.Run(what, func(t *testing.T) {
			c := newClone(t)
			if x.before != "" {
				mode := fs.FileMode(0o755)
				if x.before == "-" {
					mode = 0o644
				}
				c.write(".git/hooks/pre-commit", "#!/bin/sh\n"+strings.Trim(x.before, "-")+"\n", mode)
			}
			if x.program != "" {
				c.runs(x.program)
			}
			bin := filepath.Join(c.dir, "../bin")
			c.write("../bin/readme", "", 0o644)
			for _, name := range []string{"git", "sh"} {
				path, err := exec.LookPath(name)
				require.NoError(t, err)
				require.NoError(t, os.Symlink(path, filepath.Join(bin, name)))
			}
			if x.path != "" {
				c.write("../bin/worldfs", "#!/bin/sh\n"+x.path+"\n", 0o755)
			}
			c.install(c.open("."))
			t.Setenv("PATH", bin)
			out, err := c.try("commit", "-q", "--allow-empty", "-m", "c")
			require.Equal(t, x.commits, err == nil, out)
			require.Contains(t, out, x.says)
		})
	}
}

// What was there before cannot stop a hook after the fact.
func TestAHookAfterTheFactRunsInAnyCase(t *testing.T) {
	c := newClone(t)
	c.write(".git/hooks/post-rewrite", "#!/bin/sh\necho before $1; exit 3\n", 0o755)
	c.runs(`echo "asked $*"`)
	c.install(c.open("."))
	c.git("commit", "-q", "--allow-empty", "-m", "c")
	require.Contains(t, c.git("commit", "-q", "--allow-empty", "--amend", "-m", "d"), "before amend\nasked vcs hook post-rewrite amend\n")
}

// Hooks that git does not run any more, since it looks elsewhere for them, are taken away too.
func TestUninstallAfterTheHooksHaveMoved(t *testing.T) {
	for _, path := range []string{".husky", ".git/own"} {
		t.Run(path, func(t *testing.T) {
			c := newClone(t)
			c.write(".git/hooks/pre-commit", "first", 0o755)
			c.runs("exit 0")
			c.install(c.open("."))
			c.git("config", "core.hooksPath", path)
			s := c.open(".")
			require.NotEmpty(t, must(t, s.Lacks))
			if path != ".husky" {
				c.install(s)
			}
			must(t, s.Uninstall)
			left, err := os.ReadDir(filepath.Join(c.dir, ".git/hooks"))
			require.NoError(t, err)
			require.Len(t, left, 1)
			require.Equal(t, "first", strings.TrimSpace(c.read(".git/hooks/pre-commit")))
			require.NoDirExists(t, filepath.Join(c.dir, ".git/own"))
		})
	}
}

func TestHooksThatAreSharedAreNotTouched(t *testing.T) {
	for what, x := range map[string]struct{ path, hooks, byHand string }{
		"in the tree":                          {"hooks", "hooks", "hooks"},
		"a program's, with the person's above": {"hooks/_", "hooks/_", "hooks"},
		"of many repositories":                 {"../shared", "../shared", "../shared"},
		"through a symlink":                    {"", "../shared", "../shared"},
	} {
		t.Run(what, func(t *testing.T) {
			c := newClone(t)
			c.runs("exit 0")
			c.write("../shared/readme", "", 0o644)
			if x.path != "" {
				c.git("config", "core.hooksPath", x.path)
			} else {
				require.NoError(c, os.Symlink("../../shared", filepath.Join(c.dir, ".git/hooks")))
			}
			s := c.open(".")
			changes := c.install(s)
			require.Len(t, changes.Done, 2)
			require.Len(t, changes.ByHand, 1)
			require.NoFileExists(t, filepath.Join(c.dir, x.hooks, "pre-commit"))
			require.Equal(t, []string{"the hook pre-commit", "the hook post-merge", "the hook post-rewrite"}, must(t, s.Lacks))
			for line := range strings.Lines(changes.ByHand[0]) {
				name, line, ok := strings.Cut(strings.TrimSpace(line), ": ")
				if ok && !strings.Contains(name, " ") {
					c.write(filepath.Join(x.byHand, name), "#!/bin/sh\n"+line+"\n", 0o755)
				}
			}
			require.Empty(t, must(t, s.Lacks), "added by hand")
			require.Empty(t, c.install(s).ByHand)
			require.Len(t, must(t, s.Uninstall).ByHand, 3)
			require.FileExists(t, filepath.Join(c.dir, x.byHand, "pre-commit"))
		})
	}
}

// A program that puts its hook over worldfs's, with the one from before still beside it,
// loses neither.
func TestNoHookIsLost(t *testing.T) {
	c := newClone(t)
	c.runs("exit 0")
	c.write(".git/hooks/pre-commit", "first", 0o755)
	s := c.open(".")
	c.install(s)
	c.write(".git/hooks/pre-commit", "second", 0o755)
	require.Equal(t, []string{"the hook pre-commit"}, must(t, s.Lacks))
	_, err := s.Install(c.program)
	require.ErrorContains(t, err, "another program has put its hook over worldfs's")
	require.Len(t, must(t, s.Uninstall).ByHand, 1)
	require.Equal(t, "second", c.read(".git/hooks/pre-commit"))
	require.Equal(t, "first", c.read(".git/hooks/pre-commit.before-worldfs"))
	require.NoFileExists(t, filepath.Join(c.dir, ".git/hooks/post-merge"))
}

// The program pre-commit keeps a hook that was there beside its own, and runs it.
func TestPreCommitRunsTheHook(t *testing.T) {
	c := newClone(t)
	c.runs("exit 0")
	s := c.open(".")
	const theirs = "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n"
	for range 2 {
		c.install(s)
		require.NoError(t, os.Rename(filepath.Join(c.dir, ".git/hooks/pre-commit"), filepath.Join(c.dir, ".git/hooks/pre-commit.legacy")))
		c.write(".git/hooks/pre-commit", theirs, 0o755)
		require.Empty(t, must(t, s.Lacks))
		c.install(s)
		require.Equal(t, theirs, c.read(".git/hooks/pre-commit"))

		require.NoError(t, os.Chmod(filepath.Join(c.dir, ".git/hooks/pre-commit"), 0o644))
		require.NotEmpty(t, must(t, s.Lacks), "git runs neither")
		require.NoError(t, os.Chmod(filepath.Join(c.dir, ".git/hooks/pre-commit"), 0o755))

		require.Empty(t, must(t, s.Uninstall).ByHand)
		require.NoFileExists(t, filepath.Join(c.dir, ".git/hooks/pre-commit.legacy"))
		require.NoFileExists(t, filepath.Join(c.dir, ".git/hooks/pre-commit.before-worldfs"))
		require.Equal(t, theirs, c.read(".git/hooks/pre-commit"))
		// Again, with pre-commit's own as the one that was there first.
	}
}

func TestLacks(t *testing.T) {
	c := newClone(t)
	c.runs("exit 0")
	s := c.open("w")
	c.install(s)
	for what, x := range map[string]struct {
		undo  func(clone)
		lacks string
	}{
		"the world":     {func(c clone) { c.git("config", "--unset", "worldfs.world") }, "the merge driver; the hooks"},
		"the driver":    {func(c clone) { c.git("config", "--unset", "merge.worldfs.driver") }, "the merge driver; the hooks"},
		"the program":   {func(c clone) { c.remove(oddName) }, "the program that it runs, PROGRAM, which is gone"},
		"no attributes": {func(c clone) { c.remove(".git/info/attributes") }, "the merge driver's attributes"},
		"another attribute": {func(c clone) {
			c.write(".git/info/attributes", strings.Replace(c.read(".git/info/attributes"), "=worldfs", "=union", 1), 0o644)
		}, "the merge driver's attributes"},
		"more attributes":                {func(c clone) { c.write(".git/info/attributes", "a b\n"+c.read(".git/info/attributes"), 0o644) }, ""},
		"a hook":                         {func(c clone) { c.remove(".git/hooks/post-merge") }, "the hook post-merge"},
		"another hook":                   {func(c clone) { c.write(".git/hooks/post-merge", "#!/bin/sh\n", 0o755) }, "the hook post-merge"},
		"a hook switched off":            {func(c clone) { require.NoError(c, os.Chmod(filepath.Join(c.dir, ".git/hooks/post-merge"), 0o644)) }, "the hook post-merge"},
		"a hook that everyone may write": {func(c clone) { require.NoError(c, os.Chmod(filepath.Join(c.dir, ".git/hooks/post-merge"), 0o777)) }, "the hook post-merge"},
	} {
		t.Run(what, func(t *testing.T) {
			x.undo(c)
			require.Equal(t, strings.ReplaceAll(x.lacks, "PROGRAM", c.program), strings.Join(must(t, s.Lacks), "; "))
			c.runs("exit 0")
			c.install(s)
			require.Empty(t, must(t, s.Lacks), "to install again mends it")
		})
	}
}

// git runs the driver where both sides have changed a file, and merges its text where the
// driver has no answer.
func TestTheMergeDriver(t *testing.T) {
	const name, byLine = "w/entities/1.entity_text", "ours\nb\nc\nd\ntheirs\n"
	c := newClone(t)
	commit := func(text string) {
		c.write(name, text, 0o644)
		c.git("add", name)
		c.git("commit", "-q", "-m", "c")
	}
	commit("a\nb\nc\nd\ne\n")
	c.git("checkout", "-q", "-b", "theirs")
	commit("a\nb\nc\nd\ntheirs\n")
	c.git("checkout", "-q", "-b", "ours", "main")
	commit("ours\nb\nc\nd\ne\n")
	c.install(c.open("w"))
	for what, x := range map[string]struct {
		script string // "": it is gone
		merges bool
		want   string
	}{
		"a conflict":   {`printf "left\n" > "$4"; exit 1`, false, "left\n"},
		"no answer":    {"exit 2", true, byLine},
		"it is killed": {"kill -9 $$", true, byLine},
		"it is gone":   {"", true, byLine},
		"an answer":    {`echo "$1 $2 $6 $7" > "$4"`, true, "vcs merge-driver 7 " + name + "\n"},
	} {
		t.Run(what, func(t *testing.T) {
			c.git("reset", "-q", "--hard", "ours")
			_ = os.Remove(c.program)
			if x.script != "" {
				c.runs(`[ "$2" = merge-driver ] || exit 0; ` + x.script)
			}
			out, err := c.try("merge", "-q", "--no-commit", "theirs")
			require.Equal(t, x.merges, err == nil, out)
			require.Equal(t, x.want, c.read(name))
		})
	}
}

func TestTheTextForDiffs(t *testing.T) {
	c := newClone(t)
	s := c.open("w")
	c.install(s)
	tracked := func() [2]bool {
		world, entities, err := s.Tracked()
		require.NoError(t, err)
		return [2]bool{world, entities}
	}
	require.Equal(t, [2]bool{false, false}, tracked())
	c.write("w/world.toml", "", 0o644)
	c.git("add", "-A")
	require.Equal(t, [2]bool{true, false}, tracked())
	c.write("w/entities/1.entity_text", "Lamp\n", 0o644)
	c.git("add", "-A")
	require.Equal(t, [2]bool{true, true}, tracked())
	for script, want := range map[string]string{`echo "$1 $2"`: "+vcs textconv", "exit 1": "+Lamp", "": "+Lamp"} {
		_ = os.Remove(c.program)
		if script != "" {
			c.runs(script)
		}
		require.Contains(t, c.git("diff", "--cached"), want)
	}
}

func TestNoRepository(t *testing.T) {
	newClone(t)
	_, err := gitsetup.Open(t.TempDir())
	require.ErrorIs(t, err, vcs.ErrNoRepository)
}
