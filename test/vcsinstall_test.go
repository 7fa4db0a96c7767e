package test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// local returns what a clone of git has that vcs install may change: its config, info and
// hooks, with modes and where links lead.
func (b *bench) local() string {
	b.Helper()
	common := strings.TrimSpace(b.run("git", "rev-parse", "--path-format=absolute", "--git-common-dir"))
	var out strings.Builder
	for _, name := range []string{"config", "info", "hooks"} {
		err := filepath.WalkDir(filepath.Join(common, name), func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			require.NoError(b, err)
			info, err := d.Info()
			require.NoError(b, err)
			fmt.Fprintln(&out, path, info.Mode())
			if d.Type()&fs.ModeSymlink != 0 {
				to, err := os.Readlink(path)
				require.NoError(b, err)
				fmt.Fprintln(&out, to)
			} else if d.Type().IsRegular() {
				data, err := os.ReadFile(path)
				require.NoError(b, err)
				fmt.Fprintf(&out, "%s", data)
			}
			return nil
		})
		require.NoError(b, err)
	}
	return out.String()
}

// script writes a program.
func (b *bench) script(name, text string) {
	b.Helper()
	require.NoError(b, os.MkdirAll(filepath.Dir(b.path(name)), 0o777))
	b.write(name, "#!/bin/sh\n"+text+"\n")
	require.NoError(b, os.Chmod(b.path(name), 0o755))
}

// commits tries to commit the index, and returns what git and its hooks said.
func (b *bench) commits(args ...string) (said string, done bool) {
	b.Helper()
	cmd := b.command("git", append([]string{"commit", "-q", "-m", "x"}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestInstallTwiceAndUninstall(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(b *bench){
		"nothing before": func(*bench) {},
		"hooks and attributes before": func(b *bench) {
			b.script(".git/hooks/pre-commit", "echo mine before >&2")
			b.script("tools/merged", "cat")
			require.NoError(b, os.Symlink("../../tools/merged", b.path(".git/hooks/post-merge")))
			b.write(".git/hooks/post-rewrite", "not executable")
			b.write(".git/info/attributes", "*.png binary")
			b.run("git", "config", "merge.other.driver", "true")
		},
		"nothing of a template": func(b *bench) { b.run("rm", "-r", ".git/hooks", ".git/info") },
	} {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			prepare(b)
			before := b.local()
			require.Contains(t, b.run("worldfs", "status"), "this clone lacks the merge driver, the hooks: worldfs vcs install")
			require.Contains(t, b.run("worldfs", "vcs", "install"), "the merge driver")
			installed := b.local()
			require.NotRegexp(t, `(?m)^/.* -.......w.$`, installed, "no file that everyone may write")
			require.Equal(t, "set up already: nothing changed\n", b.run("worldfs", "vcs", "install"))
			require.Equal(t, installed, b.local())
			require.NotContains(t, b.run("worldfs", "status"), "vcs install")
			require.NotContains(t, b.run("worldfs", "status", "--json"), "git_lacks")
			b.run("rm", ".git/hooks/post-merge")
			require.Contains(t, b.run("worldfs", "status"), "lacks the hook post-merge: worldfs vcs install")
			require.Contains(t, b.run("worldfs", "vcs", "install"), "hooks post-merge,")
			require.Equal(t, installed, b.local())
			require.Contains(t, b.run("worldfs", "vcs", "uninstall"), "out of")
			require.Equal(t, before, b.local())
			require.Equal(t, "not set up: nothing changed\n", b.run("worldfs", "vcs", "uninstall"))
			require.Equal(t, before, b.local())
			require.NotContains(t, b.run("git", "status", "--porcelain"), "attributes")
		})
	}
}

// Two worlds of one repository: what one needs goes when the last one does.
func TestTwoWorldsOfOneClone(t *testing.T) {
	b := resolveWorld(t, "below").cd("../..")
	b.run("worldfs", "demo", "--entities", "300", `a "b" c`)
	other := b.cd(`a "b" c`)
	other.run("worldfs", "unpack")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "two")
	before := b.local()
	b.cd("game/island").run("worldfs", "vcs", "install")
	other.run("worldfs", "vcs", "install")
	require.Contains(t, other.run("git", "check-attr", "merge", config.entityPath("6555")), "merge: worldfs")
	require.Contains(t, b.run("git", "check-attr", "merge", "game/island/"+config.entityPath("6555")), "merge: worldfs")
	require.Contains(t, b.run("git", "check-attr", "merge", config.entityPath("6555")), "merge: unspecified")
	other.diverge(bobs, anns)
	_, code := other.try("git", "merge", "bob")
	require.Equal(t, 1, code)
	require.NotContains(t, other.run("git", "diff", "--name-only", "--diff-filter=U"), "toml")
	other.run("git", "reset", "-q", "--hard")
	b.cd("game/island").run("worldfs", "vcs", "uninstall")
	require.NotContains(t, other.run("worldfs", "status"), "vcs install")
	other.run("worldfs", "vcs", "uninstall")
	require.Equal(t, before, b.local())
}

func TestInstallInALinkedTreeAndASubmodule(t *testing.T) {
	t.Parallel()
	t.Run("linked", func(t *testing.T) {
		b := resolveWorld(t, "linked")
		before := b.local()
		b.run("worldfs", "vcs", "install")
		require.NotContains(t, b.cd("../w").run("worldfs", "status"), "vcs install")
		b.set(6555, "map_size = 7")
		b.run("worldfs", "sync")
		b.write(config.entityPath("6005"), "broken\n")
		b.run("git", "add", "-A")
		said, done := b.commits()
		require.False(t, done, said)
		b.run("worldfs", "vcs", "uninstall")
		require.Equal(t, before, b.local())
	})
	t.Run("submodule", func(t *testing.T) {
		b := resolveWorld(t, "plain").cd("..")
		b.run("git", "init", "-q", "outer")
		outer := b.cd("outer")
		outer.run("git", "submodule", "add", "-q", b.path("w"), "inner")
		inner := outer.cd("inner")
		inner.run("worldfs", "status") // git is told what is local
		before := inner.local()
		inner.run("worldfs", "vcs", "install")
		require.NotContains(t, outer.local(), "worldfs vcs")
		inner.diverge(bobs, anns)
		_, code := inner.try("git", "merge", "bob")
		require.Equal(t, 1, code)
		require.NotContains(t, inner.run("git", "diff", "--name-only", "--diff-filter=U"), "toml")
		inner.run("worldfs", "vcs", "uninstall")
		require.Equal(t, before, inner.local())
	})
}

// Hooks that others share are theirs.
func TestHooksThatAreNotTheRepositorysOwn(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.script(".husky/_/pre-commit", `. "$(dirname "$0")/../pre-commit"`)
	b.script(".husky/pre-commit", "echo husky >&2")
	for _, path := range []string{".husky/_", b.path(".husky/_")} {
		b.run("git", "config", "core.hooksPath", path)
		before := b.local()
		husky := b.read(".husky/_/pre-commit") + b.read(".husky/pre-commit")
		out, err := b.command(binary, "vcs", "install").CombinedOutput()
		require.NoError(t, err)
		require.Contains(t, string(out), "which is not this repository's alone, so nothing is written there")
		require.Contains(t, string(out), `pre-commit: if command -v worldfs >/dev/null; then worldfs vcs hook pre-commit "$@" || exit; fi`)
		require.Equal(t, husky, b.read(".husky/_/pre-commit")+b.read(".husky/pre-commit"))
		require.Contains(t, b.run("worldfs", "status"), "lacks the hook pre-commit, the hook post-merge, the hook post-rewrite")
		b.run("worldfs", "vcs", "uninstall")
		require.Equal(t, before, b.local())
	}
	b.run("worldfs", "vcs", "install")
	for _, name := range []string{"pre-commit", "post-merge", "post-rewrite"} {
		b.script(".husky/"+name, fmt.Sprintf("if command -v worldfs >/dev/null; then worldfs vcs hook %s \"$@\" || exit; fi", name))
	}
	require.NotContains(t, b.run("worldfs", "status"), "vcs install")
	b.env = append(b.env, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	b.write(config.entityPath("6005"), "broken\n")
	b.run("git", "add", "entities")
	said, done := b.commits()
	require.False(t, done, said)
	require.Contains(t, said, "this commit brings in 1 finding")
	out, err := b.command(binary, "vcs", "uninstall").CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "calls worldfs: take that line out by hand")

	b.run("git", "config", "core.hooksPath", ".git/own hooks")
	b.run("worldfs", "vcs", "install")
	require.FileExists(t, b.path(".git/own hooks/pre-commit"))
}

func TestInstallWhereItCannotBe(t *testing.T) {
	b := newBench(t, "git", "svnadmin")
	b.run("worldfs", "demo", "--entities", "300", "w")
	out, code := b.cd("w").try("worldfs", "vcs", "install")
	require.Equal(t, 3, code)
	require.Contains(t, out, "lies in no git repository and in no svn working copy")
	b.run("git", "init", "-q", "--bare", "bare.git")
	out, code = b.cd("bare.git").try("worldfs", "vcs", "install")
	require.Equal(t, 3, code)
	require.Contains(t, out, "no world.toml here")
	require.NotContains(t, b.cd("w").run("worldfs", "status"), "vcs install")

	b.run("svnadmin", "create", "repo")
	b.run("svn", "checkout", "-q", "file://"+b.path("repo"), "wc")
	b.run("worldfs", "init", "wc")
	out, code = b.cd("wc").try("worldfs", "vcs", "install")
	require.Equal(t, 3, code)
	require.Contains(t, out, "worldfs vcs add")

	b.run("git", "init", "-q", "w")
	w := b.cd("w")
	b.run("rm", "-r", "w/.git/hooks")
	w.write(".git/hooks", "in the way")
	out, code = w.try("worldfs", "vcs", "install")
	require.Equal(t, 3, code)
	require.Contains(t, out, "install hooks: ")
	b.run("rm", "w/.git/hooks")
	w.run("worldfs", "vcs", "install")
	w.script(".git/hooks/pre-commit", "true") // as a program that takes no account of others
	w.script(".git/hooks/pre-commit.before-worldfs", "true")
	out, code = w.try("worldfs", "vcs", "install")
	require.Equal(t, 3, code)
	require.Contains(t, out, "another program has put its hook over worldfs's")
	_, code = w.try("worldfs", "vcs", "nonsense")
	require.Equal(t, 2, code)
}

// A commit is refused for what it brings in, and for nothing else.
func TestCommitsThatAreRefused(t *testing.T) {
	b := resolveWorldOf(t, "plain", 300)
	b.write(config.entityPath("6005"), "broken before\n")
	b.commit("Ann")
	b.run("worldfs", "vcs", "install")
	door, lamp := config.entityPath("6555"), config.entityPath("10000")
	text := b.read(door)
	for name, c := range map[string]struct {
		make string
		says []string
	}{
		"broken":    {`sed -i 's/^    512$/    much/' ` + door, []string{"brings in 1 finding", "Door 6555", "much is not a whole number", "[worldfs undo 6555]"}},
		"markers":   {`sed -i 's/^; map_size$/<<<<<<< ours\n&/; s/^    512$/&\n=======\n; map_size\n    513\n>>>>>>> theirs/' ` + door, []string{"brings in 1 finding", "Door 6555"}},
		"a parent":  {`rm ` + door, []string{"it refers to entity 6555, which there is not"}},
		"a type":    {`echo '<<<<<<< ours' >>types/Door.toml`, []string{"brings in", "types/Door.toml"}},
		"ranges":    {`echo '<<<<<<< ours' >>id_ranges`, []string{"brings in 1 finding", "id_ranges, line"}},
		"toml":      {`echo '<<<<<<< ours' >>world.toml`, []string{"world.toml, line", "[$EDITOR +", " world.toml]"}},
		"all of it": {`rm -r entities`, []string{"this commit deletes 299 of the 299 entities"}},
	} {
		b.run("sh", "-c", c.make)
		b.run("git", "add", "-A", "-f", "entities", "types", "id_ranges", "world.toml")
		said, done := b.commits()
		require.False(t, done, name)
		for _, say := range append(c.says, "git commit --no-verify makes it all the same") {
			require.Contains(t, said, say, name)
		}
		if name != "a parent" && name != "all of it" {
			require.NotContains(t, said, "6005", name)
		}
		said, done = b.commits("--no-verify")
		require.True(t, done, said)
		b.run("git", "reset", "-q", "--hard", "HEAD^")
	}
	require.Equal(t, text, b.read(door))

	b.set(10000, "position.x = 3")
	b.run("worldfs", "sync")
	b.write(door, strings.Replace(text, "    512\n", "    much\n", 1))
	b.run("git", "add", "-A")
	said, done := b.commits(lamp) // this file alone
	require.True(t, done, said)
	require.Contains(t, said, "1 finding that would stop a ship build was there before this commit")
	said, done = b.commits("-a")
	require.False(t, done, said)
	b.write("notes.txt", "x")
	b.run("git", "add", "notes.txt")
	said, done = b.commits("notes.txt")
	require.True(t, done, said)
	require.Empty(t, said)
}

func TestACommitAfterAMountThatCrashed(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.run("worldfs", "vcs", "install")
	b.mount()
	b.write(config.entityPath("6005"), strings.Replace(b.read(config.entityPath("6005")), "\"\n", " lamp\"\n", 1))
	b.run("sh", "-c", "sync -f "+config.entityPath("6005"))
	b.run("git", "add", config.entityPath("6005"))
	b.set(6555, "map_size = 7")
	b.kill()
	said, done := b.commits()
	require.False(t, done, said)
	if !config.cover() { // where git finds no repository
		require.Contains(t, said, "the mount of this world has crashed")
	}
	b.run("worldfs", "status")
	b.run("git", "add", "-A")
	said, done = b.commits()
	require.True(t, done, said)
	require.Contains(t, b.run("git", "show", "--stat"), "6555")
}

// Hooks that were there go on to run, with their arguments, and decide.
func TestHooksThatWereThereGoOnToRun(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.script(".git/hooks/pre-commit", "echo before >>hooked; [ ! -e refuse ] || exit 7")
	b.script(".git/hooks/post-rewrite", `echo "$1 $(wc -l)" >>hooked`)
	b.run("worldfs", "vcs", "install")
	b.set(6555, "map_size = 7")
	b.run("worldfs", "sync")
	said, done := b.commits("-a")
	require.True(t, done, said)
	b.run("git", "commit", "-q", "--amend", "-m", "again", "--no-verify")
	require.Equal(t, "before\namend 1\n", b.read("hooked"))
	b.write("refuse", "")
	b.set(6555, "map_size = 8")
	b.run("worldfs", "sync")
	_, done = b.commits("-a")
	require.False(t, done)
}

// Where the program has gone, git goes on without it, and says what to do.
func TestTheProgramIsGone(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.run("cp", binary, "../my worldfs's")
	b.run(b.path("../my worldfs's"), "vcs", "install")
	b.diverge(bobs, func(b *bench) {
		anns(b)
		b.run("sed", "-i", "s/    10000/    10000/", config.entityPath("10000"))
	})
	b.set(10001, "position.x = 9")
	b.run("worldfs", "sync")
	require.Contains(t, b.run("git", "diff"), "\n+    9\n")
	b.run("rm", "../my worldfs's")
	require.Contains(t, b.run("git", "diff"), "\n+    9.000000 : 41100000\n")
	said, done := b.commits("-a")
	require.True(t, done, said)
	require.Contains(t, said, "does nothing, since the program that it runs is gone")
	_, code := b.try("git", "merge", "bob")
	require.Equal(t, 1, code)
	require.Contains(t, b.read(config.entityPath("6555")), "<<<<<<< our side\n")
	b.left("--take", "mine", "6555")
	require.Contains(t, b.run("worldfs", "status"), "the program that it runs, "+b.path("../my worldfs's")+", which is gone")
	require.Contains(t, b.run("worldfs", "vcs", "install"), "the merge driver")
}

// What git has gone through with is finished by the hooks.
func TestAMergeAndARebaseAreFinished(t *testing.T) {
	t.Parallel()
	for name, do := range inTurn(t, map[string][]string{
		"merge": {"merge", "-q", "-m", "merged", "bob"}, "rebase": {"rebase", "bob"}, "pull": {"pull", "-q", "--no-rebase", ".", "bob"},
		"pull --rebase": {"pull", "-q", "--rebase", ".", "bob"}, "squash": {"merge", "-q", "--squash", "bob"},
	}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.run("worldfs", "vcs", "install")
			b.diverge(
				func(b *bench) { b.run("rm", config.entityPath("10000")) },
				func(b *bench) { b.set(6555, "targets = [6001, 6005, 10000]") })
			out, err := b.command("git", do...).CombinedOutput()
			require.NoError(t, err, string(out))
			require.Contains(t, string(out), "next: git commit")
			require.Equal(t, "M  "+config.entityPath("6555")+"\n", b.run("git", "status", "--porcelain", config.entityPath("6555")))
			require.NotContains(t, b.run("worldfs", "show", "6555"), "    10000\n")
			b.run("worldfs", "resolve")
			said, done := b.commits()
			require.True(t, done, said)
			require.Empty(t, b.run("git", "status", "--porcelain"))
		})
	}
}

// A merge that another person made is that person's: a fast-forward brings it as it is.
func TestAFastForwardIsLeftAlone(t *testing.T) {
	b := resolveWorld(t, "plain")
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	b.diverge(
		func(b *bench) { b.run("rm", config.entityPath("10000")) },
		func(b *bench) { b.set(6555, "targets = [6001, 6005, 10000]") })
	b.run("git", "merge", "-q", "-m", "merged", "bob")
	b.run("worldfs", "vcs", "install")
	b.run("git", "checkout", "-q", "-b", "third", base)
	out, err := b.command("git", "merge", "ann").CombinedOutput()
	require.NoError(t, err)
	require.NotContains(t, string(out), "next:")
	require.Empty(t, b.run("git", "status", "--porcelain"))
}

// Within an operation nothing is changed.
func TestHooksDoNothingWithinAnOperation(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.run("worldfs", "vcs", "install")
	b.diverge(
		func(b *bench) { b.run("rm", config.entityPath("10000")) },
		func(b *bench) { b.set(6555, "targets = [6001, 6005, 10000]") })
	b.run("git", "checkout", "-q", "-b", "more")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "more")
	b.run("git", "-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-i", "bob")
	b.run("git", "merge", "-q", "--no-ff", "-m", "within", "ann")
	b.run("git", "commit", "-q", "--amend", "--no-verify", "-m", "amended")
	require.Empty(t, b.run("git", "status", "--porcelain"))
	b.run("git", "rebase", "--abort")
}

// The commit of a merge that throws edits away says so, and is made all the same.
func TestPreCommitSaysWhatAMergeCosts(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover", "linked"}) {
		for way, next := range inTurn(t, map[string][]string{
			"merge": {"commit", "-q", "-m", "merged"}, "cherry-pick": {"commit", "-q", "-m", "merged"}, "rebase": {"rebase", "--continue"},
		}) {
			t.Run(place+" "+way, func(t *testing.T) {
				b := resolveWorld(t, place).today()
				b.run("worldfs", "vcs", "install")
				b.clash()
				ann := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
				_, code := b.try("git", way, "bob")
				require.Equal(t, 1, code)
				b.run("git", "checkout", "--theirs", "--", config.entityPath("6555"))
				b.run("git", "add", "-A")
				out, err := b.command("git", next...).CombinedOutput()
				require.NoError(t, err, string(out))
				require.Regexp(t, "thrown away by the "+way+"( [0-9a-f]{7} .*)?:\n", string(out))
				require.Contains(t, string(out), map[bool]string{true: "entity_name", false: "targets"}[way == "rebase"])
				require.Contains(t, string(out), "worldfs resolve --restore-lost")

				b.run("git", "reset", "-q", "--hard", ann)
				b.try("git", way, "bob")
				require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git ")
				out, err = b.command("git", next...).CombinedOutput()
				require.NoError(t, err, string(out))
				require.NotContains(t, string(out), "thrown away")
			})
		}
	}
}
