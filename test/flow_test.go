package test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// flow is something that people do with a working copy. It is done to a
// mounted world and to a plain directory with the same files, step by step:
// after each step both have printed the same, ended alike, and left the same
// tree. Then the world is unmounted and mounted again, and is the same still.
//
// A step is a line of sh, run in the working copy w, and must succeed. Beside
// the working copy a flow makes what directories it likes. @6555 is the file of
// that entity, $all those of all entities. worldfs is the program under test on
// the one side and does nothing, with success, on the other.
type flow struct {
	name    string
	steps   string
	facts   string // what version control says in the end, as a step; "" is gitFacts
	unclean bool   // the flow ends with findings that check tells
}

// gitFacts is what git knows of a working copy. The dates being fixed, equal
// histories have equal hashes.
const gitFacts = `git status --porcelain=v2 --branch; git ls-files -s; git log --all --format='%H %s'; git for-each-ref; git stash list; git fsck`

// helpers are there in every step. worldfs is called from outside of what it
// covers or uncovers.
const helpers = `
name() { sed -i "/^; entity_name/{n;s/\".*\"/\"$2\"/}" "$1" && is "$2" "$1"; }
is() { tr -d '\r' <"$2" | grep -qx "    \"$1\""; }
add() { sed "3s/.*/$2/" "$1" >"$3"; }
type() { TERM=xterm python3 "$TESTDATA/type.py" "$@"; }
worldfs() { there=$PWD && cd .. && command worldfs -C "$there" "$@" && cd "$there"; }
repo=file://$(cd .. && pwd -P)/svn-repo
`

func TestGit(t *testing.T)       { runFlows(t, someOf(t, gitFlows), "git", "sed") }
func TestMercurial(t *testing.T) { runFlows(t, someOf(t, hgFlows), "hg", "sed") }
func TestTools(t *testing.T)     { runFlows(t, someOf(t, toolFlows), tools...) }

func runFlows(t *testing.T, flows []flow, tools ...string) {
	t.Parallel()
	for _, f := range flows {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.run(t, tools...)
		})
	}
}

func (f flow) run(t *testing.T, tools ...string) {
	mount, plain := newSide(t, true, tools...), newSide(t, false, tools...)
	mount.cd("w").mount()
	for i, step := range lines(f.steps) {
		requireSame(t, fmt.Sprintf("step %d: %s", i+1, step), step, mount, plain)
	}
	facts := f.facts
	if facts == "" {
		facts = gitFacts
	}
	requireSame(t, "in the end", facts, mount, plain)
	mount.requireClean(!f.unclean)
	mount.cd("w").requireNoDescriptorLeft()

	stamps := mount.stamps()
	mount.requireStep("worldfs unmount")
	if config["plain"] != "false" {
		requireSame(t, "unmounted", facts, mount, plain)
	}
	mount.requireStep("worldfs mount")
	require.Equal(t, stamps, mount.stamps(), "a remount changed what git compares")
	requireSame(t, "mounted again", facts, mount, plain)
}

// lines returns the steps, one a line; lines that begin with # are for readers.
func lines(text string) (steps []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			steps = append(steps, line)
		}
	}
	return steps
}

// side is where one half of a flow is done.
type side struct{ *bench }

func newSide(t *testing.T, mounted bool, tools ...string) side {
	s := side{newBench(t, tools...)}
	s.run("cp", "-a", seed(t), "w")
	bin := t.TempDir()
	program := "#!/bin/sh\n"
	if mounted {
		if config.cover() {
			program += `case " $* " in *" mount "*) set -- "$@" --cover . ;; esac` + "\n"
		}
		program += `exec "` + binary + `" "$@" >&2` + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(bin, "worldfs"), []byte(program), 0o755))
	data, err := filepath.Abs("testdata")
	require.NoError(t, err)
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"), "TESTDATA="+data)
	return s
}

// seed returns a world directory of plain files, in a git repository, that has
// one commit.
func seed(t *testing.T) string {
	dir, err := seedOnce()
	require.NoError(t, err)
	return dir
}

var seedOnce = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(binary), "seed")
	cmd := exec.Command("sh", "-euc", `"$0" demo --entities 40 "$1" && cd "$1" && "$0" shard "$2" && "$0" unpack --to entities && rm -r world.pack .worldfs
		git init -q -b main && git add -A && git commit -qm world`, binary, dir, config.layout().String())
	cmd.Env = append(os.Environ(), config.environment()...)
	cmd.Env = append(cmd.Env, "GIT_AUTHOR_DATE="+aDate, "GIT_COMMITTER_DATE="+aDate,
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("make world: %w\n%s", err, out)
	}
	return dir, err
})

// step runs a step and returns what it printed and how it ended.
func (s side) step(step string) (out string, code int) {
	s.Helper()
	step = entityMark.ReplaceAllStringFunc(step, func(mark string) string { return config.entityPath(mark[1:]) })
	return s.cd("w").try("sh", "-euc", helpers+"all='"+config.entityPath("*")+"'\n"+step)
}

func (s side) requireStep(step string) {
	s.Helper()
	out, code := s.step(step)
	require.Zero(s, code, "%s\n%s", step, out)
}

var entityMark = regexp.MustCompile(`@[0-9]+\b`)

// requireSame requires that a step succeeds on both sides and does the same.
func requireSame(t *testing.T, when, step string, mount, plain side) {
	t.Helper()
	got, code := mount.step(step)
	want, wantCode := plain.step(step)
	where := strings.NewReplacer(mount.root, "", plain.root, "")
	require.Equal(t, where.Replace(want), where.Replace(got), when)
	require.Zero(t, wantCode, "%s, in a plain directory\n%s", when, want)
	require.Zero(t, code, "%s\n%s", when, got)
	require.Empty(t, differences(plain.tree(), mount.tree()), when)
}

func differences(want, got map[string]string) (lines []string) {
	for name := range got {
		if _, ok := want[name]; !ok {
			lines = append(lines, fmt.Sprintf("%s: only on the mount", name))
		}
	}
	for name, w := range want {
		if g, ok := got[name]; !ok {
			lines = append(lines, fmt.Sprintf("%s: missing on the mount", name))
		} else if g != w {
			lines = append(lines, fmt.Sprintf("%s: %.1000q, on the mount %.1000q", name, w, g))
		}
	}
	slices.Sort(lines)
	return lines
}

// tree returns what lies in the side's directory: names, modes and contents.
// What is version control's or worldfs's own is left out, and so is entities/
// itself, which git removes when it is empty and which, mounted, stays.
func (s side) tree() map[string]string {
	tree := make(map[string]string)
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch d.Name() {
		case ".git", ".hg", ".svn", "svn-repo", ".worldfs":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil // a worktree's .git names where it lies
		case "world.pack", "NOT-MOUNTED.txt", "entities":
			return nil
		}
		if strings.HasPrefix(d.Name(), ".world.pack.") {
			return nil // the next pack, being written
		}
		name := strings.TrimPrefix(path, s.root)
		tree[name], err = describe(path, d)
		return err
	})
	require.NoError(s, err)
	return tree
}

func describe(path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	var content string
	switch d.Type() {
	case 0:
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		content = string(data)
	case fs.ModeSymlink:
		if content, err = os.Readlink(path); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%v %s", info.Mode(), content), nil
}

// stamps is what git compares to see whether it must read a file again.
func (s side) stamps() string {
	return s.run("sh", "-c", `find w/entities -name '*.entity_text' -printf '%p %i %m %U %G %s %T@ %C@\n' | sort`)
}

// requireClean requires that check finds nothing that would stop a ship build; or, if not
// clean, something.
func (s side) requireClean(clean bool) {
	s.Helper()
	out, code := s.cd("w").try("worldfs", "check")
	if clean {
		require.Zero(s, code, "check: %s", out)
	} else {
		require.Equal(s, 1, code, "check: %s", out)
	}
}
