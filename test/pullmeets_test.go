package test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newMeeting is a shared world in which Bob has published an edit of door 6005 and a file
// besides the world, and Ann has one that is not committed.
func newMeeting(t *testing.T) shared {
	w := newShared(t, "plain", 60)
	w.bob.set(6005, "position.x = 7")
	w.bob.run("mkdir", "docs")
	w.bob.write("docs/note", "Bob's\n")
	w.publish()
	w.ann.set(6005, `entity_name = "Ann's"`)
	return w
}

// requireTaken fails unless all that Bob published is there, and Ann's edit.
func (w shared) requireTaken(b *bench) {
	b.Helper()
	require.Equal(b, w.bob.head(), b.head())
	b.holds(6005, "position.x == 7")
	b.holds(6005, `entity_name == "Ann's"`)
	b.run("git", "fsck", "--no-dangling")
	b.run("worldfs", "check")
	require.Contains(b, b.run("worldfs", "pull"), "nothing comes in")
}

// A checkout that has not all files has those that it had.
func TestPullIntoASparseCheckout(t *testing.T) {
	t.Parallel()
	w := newMeeting(t)
	w.ann.run("git", "sparse-checkout", "set", "--no-cone", "/*", "!/docs/")
	w.ann.pull(0)
	require.Equal(t, " M "+config.entityPath("6005")+"\n", w.ann.dirty())
	require.NoFileExists(t, w.ann.path("docs/note"))
	w.requireTaken(w.ann)
}

// A submodule is git's: what it is to be at is taken in, and the person's is left.
func TestPullOfASubmodule(t *testing.T) {
	t.Parallel()
	w := newMeeting(t)
	w.bob.run("git", "init", "-q", "../lib")
	lib := w.bob.cd("../lib")
	lib.write("code", "1\n")
	lib.run("git", "add", "-A")
	lib.run("git", "commit", "-q", "-m", "lib")
	w.bob.run("git", "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.path("."), "lib")
	w.publish()
	w.ann.pull(0)
	require.Equal(t, " M "+config.entityPath("6005")+"\n", w.ann.dirty())
	w.requireTaken(w.ann)

	w.ann.run("git", "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
	lib.write("code", "2\n")
	lib.run("git", "add", "-A")
	lib.run("git", "commit", "-q", "-m", "lib")
	w.bob.run("git", "-C", "lib", "pull", "-q")
	w.publish()
	w.ann.pull(0)
	require.Equal(t, " M "+config.entityPath("6005")+"\n M lib\n", w.ann.dirty(), "as after git pull")
	require.Equal(t, "1\n", w.ann.read("lib/code"))
	w.requireTaken(w.ann)
}

func TestPullInAShallowClone(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	w.ann.run("git", "clone", "-q", "--depth", "1", "file://"+filepath.Join(w.ann.root, "up.git"), "../shallow")
	b := w.ann.cd("../shallow")
	w.bob.set(6005, "position.x = 7")
	w.publish()
	w.bob.set(6005, "position.y = 7")
	w.publish()
	b.set(6005, `entity_name = "Ann's"`)
	b.commit("Ann")
	b.pull(0)
	require.Empty(t, b.dirty())
	require.Equal(t, w.bob.head(), strings.TrimSpace(b.run("git", "rev-parse", "HEAD~1")))
	b.holds(6005, `position.x == 7 && position.y == 7 && entity_name == "Ann's"`)
	b.run("git", "fsck", "--no-dangling")
}

// Of what is staged in part, all stays in the working tree.
func TestPullOverAStagedHalf(t *testing.T) {
	t.Parallel()
	w := newMeeting(t)
	b := w.ann
	b.run("git", "add", "-A")
	b.set(6005, `entity_name = "Ann's own"`)
	b.set(6001, "position.y = 8")
	b.write("own", "staged\n")
	b.run("git", "add", "own")
	b.write("own", "staged\nand not\n")
	out := b.run("sh", "-c", binary+" pull 2>&1")
	require.Contains(t, out, "not staged any more (git add): "+config.entityPath("6005"))
	b.holds(6005, `entity_name == "Ann's own"`)
	b.holds(6001, "position.y == 8")
	require.Equal(t, "staged\nand not\n", b.read("own"))
	require.Equal(t, "staged\n", b.run("git", "show", ":own"))
	require.Contains(t, b.dirty(), "AM own\n")
	b.set(6005, `entity_name = "Ann's"`)
	w.requireTaken(b)
}

func TestPullInALinkedWorktree(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	main := w.ann.branch()
	w.ann.set(6001, "position.y = 8")
	before, head := w.ann.dirty(), w.ann.head()
	w.ann.run("git", "worktree", "add", "-q", "-b", "topic", "../linked", head)
	b := w.ann.cd("../linked")
	b.run("git", "branch", "-u", "origin/"+main)
	w.bob.set(6005, "position.x = 7")
	w.publish()
	b.set(6005, `entity_name = "Ann's"`)
	b.pull(0)
	w.requireTaken(b)
	require.Equal(t, before, w.ann.dirty())
	require.Equal(t, head, w.ann.head())
	w.ann.pull(0)
	w.ann.holds(6001, "position.y == 8")
}

// A repository that cannot be written is told of, and nothing has changed.
func TestPullIntoAReadOnlyRepository(t *testing.T) {
	t.Parallel()
	w := newMeeting(t)
	b := w.ann
	b.run("git", "fetch", "-q")
	before, head := b.dirty(), b.head()
	b.run("mount", "--bind", ".git", ".git")
	t.Cleanup(func() { b.try("umount", ".git") })
	b.run("mount", "-o", "remount,bind,ro", ".git")
	out, code := b.try("worldfs", "pull", "--offline")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "ead-only file system")
	b.run("umount", ".git")
	require.Equal(t, before, b.dirty())
	require.Equal(t, head, b.head())
	b.pull(0)
	w.requireTaken(b)
}

// Where no file may become larger than so, as on a disk that ends, the next command finishes
// what was begun, or nothing was.
func TestPullWhereFilesAreCutOff(t *testing.T) {
	t.Parallel()
	w := newMeeting(t)
	w.bob.run("worldfs", "set", "--where", "position.x == position.x", "position.z = position.z + 1")
	w.publish()
	w.ann.run("git", "fetch", "-q")
	for _, blocks := range []int{0, 1, 8, 16, 32, 64} {
		w.ann.run("cp", "-a", ".", fmt.Sprint("../cut", blocks))
		b := w.ann.cd(fmt.Sprint("../cut", blocks))
		before := b.dirty()
		out, code := b.try("sh", "-c", fmt.Sprint("ulimit -f ", blocks, "; exec ", binary, " pull --offline"))
		said := b.run("sh", "-c", binary+" status 2>&1")
		if code != 0 && !strings.Contains(said, "finishing a pull") && b.head() != w.bob.head() {
			require.Equal(t, before, b.dirty(), "%d blocks: %s", blocks, out)
			require.Equal(t, w.ann.head(), b.head())
			b.pull(0)
		}
		w.requireTaken(b)
	}
}

// A record of an earlier build, which did not know all of what is kept today.
func TestPullAfterAnOlderBuild(t *testing.T) {
	t.Parallel()
	w := newMeeting(t)
	b := w.ann
	b.run("worldfs", "status")
	b.write(".worldfs/pull.json", fmt.Sprintf(`{"version":1,"head":%q,"tip":%q,"bases":[%q],"shared":%q,"mine":%q,"ended":true}`, b.head(), b.head(), b.head(), b.head(), b.head()))
	b.run("worldfs", "resolve")
	b.pull(0)
	w.requireTaken(b)
}
