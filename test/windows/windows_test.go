package windows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is made, changed, packed and merged there is what it is here, byte for byte.
func TestWorldfsOnWindows(t *testing.T) {
	w := newWine(t)
	t.Run("a world", w.aWorld)
	t.Run("merge", w.merge)
	t.Run("git", w.git)
	t.Run("keep", w.keep)
	t.Run("refusals", w.refusals)
}

func (w *wine) on(t *testing.T, dir string) *wine {
	other := *w
	other.T, other.dir = t, filepath.Join(w.dir, dir)
	require.NoError(t, os.MkdirAll(other.dir, 0o755))
	return &other
}

// here runs worldfs of this system. Wine closes no directory to others, which it asks for.
func (w *wine) here(args ...string) string {
	w.Helper()
	w.system("sh", "-c", "chmod -R go= .worldfs */.worldfs 2>/dev/null || true")
	return w.system(w.own, args...)
}

func (w *wine) aWorld(t *testing.T) {
	w = w.on(t, "world")
	require.Contains(t, w.run("version"), "windows/amd64")
	w.run("demo", "--entities", "200", "w")
	in := w.in("w")
	in.run("export", "-o", "../island.jsonl")
	require.Contains(t, in.run("status"), "200 entities")
	in.run("check")
	in.write("world.toml", in.read("world.toml")+"\nplain = true\n")
	in.run("set", "--where", "id == 6005", "radius = 2.5")
	require.Contains(t, in.read("entities/6005.entity_text"), "2.5")
	in.write("entities/6005.entity_text", strings.Replace(in.read("entities/6005.entity_text"), "2.5", "3.5", 1))
	require.Contains(t, in.run("show", "6005"), "3.5")
	require.Contains(t, in.run("new", "Lamp", "--from", "6005"), "entities")
	require.Contains(t, in.run("history"), "set by ")
	in.run("pack")
	in.here("check")
	require.Contains(t, in.here("pack", "-o", "../here.pack"), "201 entities")
	in.run("pack", "-o", "../there.pack")
	require.Equal(t, w.read("here.pack"), w.read("there.pack"))

	// A world that was made empty.
	w.run("init", "copy")
	copied := w.in("copy")
	copied.run("import", "../island.jsonl")
	w.here("-C", "copy", "check")
	copied.run("unpack", "--to", "../texts")
	w.here("-C", "w", "unpack", "--to", "../texts-here")
	require.Equal(t, w.read("texts/1000.entity_text"), w.read("texts-here/1000.entity_text"))
	require.NotContains(t, w.read("texts/1000.entity_text"), "\r")
	w.here("-C", "copy", "export", "-o", "../exported.jsonl")
	require.Equal(t, w.read("island.jsonl"), w.read("exported.jsonl"))
}

func (w *wine) merge(t *testing.T) {
	w = w.on(t, "merge")
	w.run("demo", "--entities", "200", "w")
	in := w.in("w")
	in.run("pack", "-o", "../base.pack")
	in.run("set", "--where", "id == 6555", "position.y = 109")
	in.run("pack", "-o", "../ours.pack")
	in.run("undo", "6555")
	in.run("set", "--where", "id == 6555", `entity_name = "gate"`)
	in.run("pack", "-o", "../theirs.pack")
	w.run("merge", "base.pack", "ours.pack", "theirs.pack", "-o", "there.pack")
	w.here("merge", "base.pack", "ours.pack", "theirs.pack", "-o", "here.pack")
	require.Equal(t, w.read("here.pack"), w.read("there.pack"))
}

// Two branches change one entity; git stops, and resolve settles it.
func (w *wine) git(t *testing.T) {
	w = w.on(t, "git")
	w.run("demo", "--entities", "200", "w")
	w = w.in("w")
	w.system("git", "init", "-q", "-b", "main")
	w.run("vcs", "install")
	w.system("git", "add", "-A")
	w.system("git", "commit", "-q", "-m", "base")
	require.NotContains(t, w.system("git", "ls-files"), ".worldfs")
	branch := func(name string, sets ...string) {
		w.system("git", "checkout", "-q", "-b", name, "main")
		w.run(append([]string{"set", "--where", "id == 6555"}, sets...)...)
		w.system("git", "commit", "-q", "-a", "-m", name)
	}
	branch("bob", "position.y = 110", `entity_name = "gate"`)
	branch("ann", "position.y = 109", "open_seconds = 4")
	_, code := w.try("git", "merge", "bob")
	require.Equal(t, 1, code)
	require.Contains(t, w.run("incoming", "--help"), "incoming")
	require.Contains(t, w.fails(1, "resolve"), "1 left to settle")
	require.Contains(t, w.run("resolve", "--take", "mine"), "next: git commit")
	w.system("git", "commit", "-q", "-m", "merged")
	require.Empty(t, w.system("git", "status", "--porcelain"))
	text := w.read("entities/6555.entity_text")
	require.Contains(t, text, "gate")
	require.Contains(t, text, "109.0")
	require.Contains(t, w.run("diff", "git:HEAD~1"), "6555")
	w.run("check")
	w.here("check")
}

func (w *wine) refusals(t *testing.T) {
	w = w.on(t, "refusals")
	w.run("demo", "--entities", "50", "w")
	require.Contains(t, w.in("w").fails(3, "mount"), "worlds cannot be mounted on windows")
	require.Contains(t, w.fails(3, "status"), "no world directory")
}
