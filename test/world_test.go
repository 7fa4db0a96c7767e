package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/dev/realworld"
)

// Import, export, import elsewhere, export: equal bytes. Pack, unpack, pack on
// another path: equal packs.
func TestRealWorldsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, world := range realworld.Worlds(t) {
		t.Run(filepath.Base(world), func(t *testing.T) {
			b := newBench(t)
			b.run("worldfs", "init", "one")
			b.run("worldfs", "init", "two")
			b.cd("one").run("worldfs", "import", world)
			b.cd("one").run("worldfs", "export", "-o", "../one.jsonl")
			b.cd("two").run("worldfs", "import", "../one.jsonl")
			b.cd("two").run("worldfs", "export", "-o", "../two.jsonl")
			require.Equal(t, b.read("one.jsonl"), b.read("two.jsonl"))

			require.NoError(t, os.Mkdir(b.path("three"), 0o755))
			b.run("cp", "-r", "one/world.toml", "one/types", "three")
			b.cd("one").run("worldfs", "unpack", "--to", b.path("three/entities"))
			b.cd("three").run("worldfs", "pack")
			require.True(t, b.read("one/world.pack") == b.read("three/world.pack"), "the packs differ")
			require.Empty(t, b.cd("three").run("worldfs", "check"))
		})
	}
}

var floatLine = regexp.MustCompile(`(?m)^    -?[0-9.]+ : [0-9a-f]+$`)

// editable returns the names of n entities' files that have a float in them.
func (b *bench) editable(n int) (names []string) {
	for _, name := range b.names("entities") {
		if len(names) < n && floatLine.MatchString(b.read("entities/"+name)) {
			names = append(names, name)
		}
	}
	require.Len(b, names, n)
	return names
}

func TestGitOnAMountedRealWorld(t *testing.T) {
	t.Parallel()
	world := filepath.Join(realworld.Dir(t), "worlds", "box.jsonl.gz")
	b := newBench(t, "git", "sed", "strace")
	b.run("worldfs", "init", "box")
	b = b.cd("box")
	b.run("worldfs", "import", world)
	b.run("worldfs", "export", "-o", "../before.jsonl")
	b.mount()
	b.run("git", "init", "-q")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-qm", "The world")
	require.Empty(t, b.run("git", "status", "--porcelain"))
	require.Equal(t, strconv.Itoa(len(b.names("entities"))), strings.TrimSpace(b.run("sh", "-c", "git ls-files entities | wc -l")))

	edited := b.editable(5)
	for _, name := range edited {
		b.run("sed", "-i", `0,/^    -\?[0-9.]* : [0-9a-f]*$/s//    3.25/`, "entities/"+name)
	}
	want := ""
	for _, name := range edited {
		want += " M entities/" + name + "\n"
	}
	require.Equal(t, want, b.run("git", "status", "--porcelain"))
	b.run("worldfs", "export", "-o", "../edited.jsonl")
	require.ElementsMatch(t, edited, changedFiles(t, b.read("../before.jsonl"), b.read("../edited.jsonl")))

	b.run("git", "checkout", "-q", ".")
	require.Empty(t, b.run("git", "status", "--porcelain"))
	b.run("worldfs", "export", "-o", "../restored.jsonl")
	require.True(t, b.read("../before.jsonl") == b.read("../restored.jsonl"))
	require.Empty(t, b.run("worldfs", "check"))

	b.writeIndexLater(edited)
	b.run("worldfs", "unmount")
	b.mount()
	trace := b.path("../trace")
	b.run("strace", "-f", "-e", "trace=open,openat", "-o", trace, "git", "status", "--porcelain")
	opened := regexp.MustCompile(`[0-9]+\.entity_text`).FindAllString(b.read("../trace"), 100)
	require.Empty(t, opened, "git status reads no file again")
}

// writeIndexLater has git write its index in a later second than the files were
// written in. Those of the same second git status reads each time, on any file
// system: it does not look at fractions.
func (b *bench) writeIndexLater(names []string) {
	b.Helper()
	var last time.Time
	for _, name := range names {
		info, err := os.Lstat(b.path("entities/" + name))
		require.NoError(b, err)
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	b.eventually(func() bool {
		b.run("git", "update-index", "-q", "--refresh", "--force-write-index")
		info, err := os.Lstat(b.path(".git/index"))
		require.NoError(b, err)
		return info.ModTime().Unix() > last.Unix()
	})
}

// changedFiles returns the names of the files of the entities whose lines
// differ.
func changedFiles(t *testing.T, before, after string) (names []string) {
	id := regexp.MustCompile(`^{"entity":{"id":([0-9]+),`)
	old := make(map[string]bool)
	for line := range strings.Lines(before) {
		old[line] = true
	}
	for line := range strings.Lines(after) {
		if !old[line] {
			m := id.FindStringSubmatch(line)
			require.NotNil(t, m, line)
			names = append(names, strings.TrimPrefix(config.entityPath(m[1]), "entities/"))
		}
	}
	return names
}

func TestABackupAndItsOriginalAreTwoFiles(t *testing.T) {
	t.Parallel()
	b := mountedDemo(t, 50)
	name := b.names("entities")[0]
	text := b.read("entities/" + name)
	b.run("mv", "entities/"+name, "entities/"+name+"~")
	b.write("entities/"+name, "new\n")
	for range 2 {
		require.NotEqual(t, b.ino("entities/"+name), b.ino("entities/"+name+"~"))
		require.Equal(t, "new\n", b.read("entities/"+name))
		require.Equal(t, text, b.read("entities/"+name+"~"))
		b.run("ls", "-l", "entities")
	}
	b.run("mv", "entities/"+name+"~", "entities/"+name)
	require.Equal(t, text, b.read("entities/"+name))
	require.Empty(t, b.run("worldfs", "check"))
}

func (b *bench) ino(name string) uint64 {
	info, err := os.Lstat(b.path(name))
	require.NoError(b, err)
	return info.Sys().(*syscall.Stat_t).Ino
}

// Inode numbers, times, modes and texts, the odd ones too, are the same after
// a remount and after the daemon was killed.
func TestFilesAreTheSameAfterARemountAndAKill(t *testing.T) {
	t.Parallel()
	b := mountedDemo(t, 200)
	names := b.names("entities")
	b.write("entities/"+names[1], strings.ReplaceAll(b.read("entities/"+names[1]), "\n", "\r\n"))
	b.write("entities/"+names[2], "broken\n")
	b.write("entities/notes.txt", "scratch\n")
	b.run("chmod", "600", "entities/"+names[3])
	b.run("touch", "-d", "2001-02-03 04:05:06.789", "entities/"+names[4])
	b.run("sync", "-f", "entities/"+names[4])
	b.run("worldfs", "sync")
	all := config.entityPath("*")
	listing := "stat -c '%n %i %a %s %Y %y %z' " + all + " && cat " + all + " entities/notes.txt | sha256sum"
	before := b.run("sh", "-c", listing)

	b.run("worldfs", "unmount")
	b.mount()
	require.True(t, before == b.run("sh", "-c", listing))

	pid := strings.TrimSpace(b.run("sh", "-c", `sed 's/.*"pid": *\([0-9]*\).*/\1/; /^[0-9]*$/!d' .worldfs/daemon.json | head -1`))
	b.run("kill", "-9", pid)
	b.run("worldfs", "mount")
	require.True(t, before == b.run("sh", "-c", listing))
	out, code := b.try("worldfs", "check")
	require.Equal(t, 1, code)
	require.Contains(t, out, strings.TrimSuffix(filepath.Base(names[2]), ".entity_text"))
}

func TestTheMountIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can try another user's eyes")
	}
	b := newBench(t, "setpriv")
	b.run("worldfs", "demo", "--entities", "10", "w")
	require.NoError(t, os.Chmod(b.dir, 0o755))
	b = b.cd("w")
	b.mount()
	out, code := b.try("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "ls", "entities")
	require.NotZero(t, code, out)
	info, err := os.Stat(b.path(".worldfs"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}
