package test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// snapshot returns all that is known of the files below a directory but their atimes.
func (b *bench) snapshot(dir string) string {
	b.Helper()
	return b.run("sh", "-c", `cd "$1" && find . -printf '%p %y %m %U %T@ %C@ %s %i %l\n' | sort && find . -type f -exec sha1sum {} + | sort`, "sh", b.path(dir))
}

// readOnly shows a directory a second time, on a read-only file system, until the test
// ends, and returns the bench in there.
func (b *bench) readOnly(dir string) *bench {
	b.Helper()
	at := dir + "-read-only"
	require.NoError(b, os.Mkdir(b.path(at), 0o755))
	require.NoError(b, unix.Mount(b.path(dir), b.path(at), "", unix.MS_BIND, ""))
	b.Cleanup(func() { require.NoError(b, unix.Unmount(b.path(at), 0)) })
	require.NoError(b, unix.Mount("", b.path(at), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	return b.cd(at)
}

// reads are what the commands that only read make of a world, with its pack and exit
// statuses. Names of directories are left out, and what goes to standard error of what
// is done.
func (b *bench) reads() string {
	b.Helper()
	out := b.path("../out-" + filepath.Base(b.dir))
	var all strings.Builder
	for _, args := range [][]string{
		{"export"}, {"ls"}, {"show", "6555"}, {"find", "door"}, {"find", "bunker", "door"}, {"refs", "6555"},
		{"ls", "--near", "6555", "--columns", "id,name,distance,parent.name"}, {"ls", "--sort", "type,-name"}, {"check"}, {"check", "--json"},
		{"pack", "-o", out + ".pack"}, {"pack", "--ship", "-o", out + ".ship.pack"}, {"unpack", "--to", out},
	} {
		said, code := b.try("worldfs", append(args, "-q")...)
		said = strings.ReplaceAll(said, b.dir, "WORLD")
		all.WriteString(strings.Join(args[:1], " ") + " " + strconv.Itoa(code) + "\n" + strings.ReplaceAll(said, out, "OUT") + "\n")
	}
	for _, file := range []string{out + ".pack", out + ".ship.pack"} {
		data, err := os.ReadFile(file)
		all.WriteString(string(data))
		if err != nil {
			all.WriteString("no pack\n")
		}
	}
	return all.String()
}

// requireReadOnlyIsRead requires that a world is read where it is read-only as a copy of
// it is that can be written to, and that nothing is written there.
func requireReadOnlyIsRead(t *testing.T, b *bench, dir string) *bench {
	t.Helper()
	b.run("cp", "-a", dir, "copy")
	ro := b.readOnly(dir)
	before := b.snapshot(dir)
	got := ro.reads()
	said, code := ro.try("worldfs", "status")
	require.Zero(t, code, said)
	require.Contains(t, said, "read-only here")
	require.Equal(t, before, b.snapshot(dir))
	require.Equal(t, b.cd("copy").reads(), got)
	require.Equal(t, before, b.snapshot(dir))
	return ro
}

func TestAReadOnlyWorldIsRead(t *testing.T) {
	t.Parallel()
	for name, make := range inTurn(t, map[string]string{
		"in use":                        `worldfs sync`,
		"fresh clone":                   `git init -q && worldfs sync && git add -A && git commit -qm x && cd .. && git clone -q w c && rm -rf w && mv c w`,
		"sharded":                       `worldfs sync && worldfs shard last-digit`,
		"pack only":                     `export WORLDFS_PLAIN=false; rm -rf w; worldfs sync`,
		"edited":                        `worldfs sync && sed -i 's/bunker door/other door/' ` + config.entityPath("6555") + ` && rm ` + config.entityPath("6001") + ` && echo broken >` + config.entityPath("1001"),
		"broken types":                  `worldfs sync && for f in types/*.toml; do echo '<<<<<<<' >>$f; done`,
		"broken types of a fresh clone": `worldfs sync && echo '<<<<<<<' >>types/Door.toml && rm -rf .worldfs world.pack`,
		"great loss":                    `worldfs sync && rm ` + config.entityPath("*") + ` && touch -d 2020-01-01 entities`,
		"no entities directory":         `worldfs sync && rm -r entities`,
		"a save of an engine":           `worldfs sync && cp world.pack a.pack && worldfs set --where 'id == 6555' 'entity_name = "x"' && cp a.pack world.pack`,
	}) {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "git", "find")
			plain := "WORLDFS_PLAIN=" + strconv.FormatBool(name != "pack only")
			b.env = append(b.env, plain, "PATH="+b.withProgram())
			b.run("worldfs", "demo", "--entities", "40", "w")
			b.cd("w").run("sh", "-ec", make)
			requireReadOnlyIsRead(t, b, "w")
		})
	}
}

// withProgram returns a PATH on which worldfs is the program under test.
func (b *bench) withProgram() string {
	b.Helper()
	dir := b.T.TempDir()
	require.NoError(b, os.Symlink(binary, filepath.Join(dir, "worldfs")))
	return dir + ":" + os.Getenv("PATH")
}

// What has happened is told where the world is read-only, as it is elsewhere.
func TestTheHistoryOfAReadOnlyWorldIsRead(t *testing.T) {
	t.Parallel()
	for _, cut := range []string{"", "truncate -s -1 .worldfs/history/*.log"} { // as a power cut does
		b := small(t, "find")
		b.run("worldfs", "set", "--where", "id == 6555", "position.z = 3")
		b.run("worldfs", "set", "--where", "id == 6005", "radius = 5")
		b.run("sh", "-c", cut)
		b.run("cp", "-a", ".", "../copy")
		ro, copied := b.cd("..").readOnly(filepath.Base(b.dir)), b.cd("../copy")
		before := b.snapshot(".")
		for _, args := range [][]string{{"history"}, {"history", "--own", "--changes"}, {"history", "6555"}, {"history", "6555", "--json"}} {
			said := ro.run("worldfs", args...)
			require.NotEmpty(t, said)
			require.Equal(t, copied.run("worldfs", args...), said)
		}
		require.Equal(t, before, b.snapshot("."))
	}
}

// What would write says that the world is read-only, and writes nothing.
func TestAReadOnlyWorldIsNotWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("worldfs", "demo", "--entities", "40", "w")
	b.cd("w").run("worldfs", "export", "-o", "../w.jsonl")
	b.run("cp", "-a", "w", "w-fresh")
	require.NoError(t, os.RemoveAll(b.path("w-fresh/.worldfs")))
	for _, dir := range []string{"w", "w-fresh"} {
		ro := b.readOnly(dir)
		before := b.snapshot(dir)
		for _, args := range [][]string{
			{"sync"}, {"pack"}, {"unpack"}, {"mount"}, {"restore"}, {"fmt"}, {"undo", "6555"}, {"shard", "last-digit"},
			{"import", "../w.jsonl"}, {"import", "--whole", "../w.jsonl"}, {"set", "--where", "id == 6555", `entity_name = "x"`},
		} {
			out, code := ro.try("worldfs", args...)
			require.Equal(t, 3, code, "%v: %s", args, out)
			require.Contains(t, out, "worldfs: the world is read-only here, and nothing in it is changed (", "%v", args)
		}
		require.Equal(t, before, b.snapshot(dir))
	}
}

// Where entities/ alone is read-only nothing is changed either: the pack would have what the files
// have not.
func TestAWorldWhoseEntitiesAreReadOnlyIsNotWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("worldfs", "demo", "--entities", "40", "w")
	b = b.cd("w")
	b.run("worldfs", "sync")
	require.NoError(t, unix.Mount(b.path("entities"), b.path("entities"), "", unix.MS_BIND, ""))
	t.Cleanup(func() { require.NoError(t, unix.Unmount(b.path("entities"), unix.MNT_DETACH)) })
	require.NoError(t, unix.Mount("", b.path("entities"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	id, pack := strings.TrimSuffix(b.names("entities")[0], ".entity_text"), b.read("world.pack")
	for _, args := range [][]string{
		{"set", "--where", "id == " + id, `title = "x"`}, {"rm", "--yes", id}, {"mv", id, "1500"}, {"fmt"}, {"sync"},
	} {
		out, code := b.try("worldfs", args...)
		require.Equal(t, 3, code, "%v: %s", args, out)
		require.Contains(t, out, "entities: read-only file system", "%v", args)
		require.Equal(t, pack, b.read("world.pack"), "%v", args)
	}
	require.Contains(t, b.run("worldfs", "status"), "the world is read-only here")
	require.Contains(t, b.run("worldfs", "ls"), id)
}

// What was edited in a mount whose daemon was killed is read, and is said to wait.
func TestAReadOnlyWorldWithEditsOfAKilledDaemon(t *testing.T) {
	t.Parallel()
	b := small(t, "find")
	b.mount()
	text := strings.Replace(b.read(config.entityPath("6555")), `"bunker door"`, `"other door"`, 1)
	require.NoError(t, os.WriteFile(b.path(config.entityPath("6555")), []byte(text), 0o644))
	b.run("sync", config.entityPath("6555"))
	b.kill()
	for _, dir := range []string{b.dir, b.path("entities")} {
		_ = unix.Unmount(dir, unix.MNT_DETACH)
	}
	above := *b
	above.dir = filepath.Dir(b.dir)
	ro := above.readOnly("w")
	before := above.snapshot("w")
	out, code := ro.try("worldfs", "status")
	require.Zero(t, code, out)
	require.Contains(t, ro.said("show", "6555"), "a mount of this world was not ended as it should; what was edited in it and synced is read")
	require.Contains(t, ro.run("worldfs", "show", "6555"), `"other door"`)
	ro.run("worldfs", "pack", "-o", "../ro.pack")
	require.Equal(t, before, above.snapshot("w"))
	b.run("worldfs", "pack")
	require.True(t, above.read("ro.pack") == b.read("world.pack"), "the packs differ")
}

// State of an older format is read as if it were brought to this one.
func TestAReadOnlyWorldWithStateOfAnOlderFormat(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"1", "2", "3"} {
		b := newBench(t, "find")
		b.env = append(b.env, "WORLDFS_PLAIN=false")
		b.run("cp", "-r", mustAbs(t, "../cache/testdata/state-"+format), "w")
		b.cd("w").run("sh", "-ec", `mkdir -m 700 .worldfs; for f in state.db state.wal; do test ! -e $f || mv $f .worldfs; done`)
		requireReadOnlyIsRead(t, b, "w")
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	require.NoError(t, err)
	return abs
}

// Another user's checkout is read as a fresh clone is: its local state is not believed.
func TestAWorldOfAnotherUserIsRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("it takes two users")
	}
	b, run := asSomebody(t)
	b.env = append(b.env, "WORLDFS_PLAIN=true", "TMPDIR="+b.path("run"))
	b.run("worldfs", "demo", "--entities", "40", "w")
	w := b.cd("w")
	w.run("worldfs", "pack", "-o", "../root.pack")
	w.run("sh", "-c", "chmod -R a-w . && chmod -R a+rX . && chmod 700 .worldfs")
	for _, fresh := range []bool{false, true} {
		if fresh {
			require.NoError(t, os.RemoveAll(w.path(".worldfs")))
			require.NoError(t, os.Remove(w.path("world.pack")))
		}
		before := b.snapshot("w")
		for _, args := range [][]string{{"status"}, {"check"}, {"ls"}, {"show", "6555"}, {"export"}, {"pack", "-o", b.path("some.pack")}} {
			out, code := run(append([]string{"-C", b.path("w")}, args...)...)
			require.Zero(t, code, "%v: %s", args, out)
		}
		out, code := run("-C", b.path("w"), "pack")
		require.Equal(t, 3, code)
		require.Contains(t, out, "the world is read-only here, and nothing in it is changed ("+w.dir+": permission denied)")
		require.Equal(t, before, b.snapshot("w"))
		require.True(t, b.read("root.pack") == b.read("some.pack"), "the packs differ")
		require.NoError(t, os.Remove(b.path("some.pack")))
	}

	// Its mount is out of reach.
	w.run("sh", "-c", "chmod -R u+w .")
	w.mount("--shape", "entities") // one that covers the world lets no other user in
	w.run("chmod", "a-w", ".")
	out, code := run("-C", b.path("w"), "ls")
	require.Equal(t, 3, code, out)
	w.run("chmod", "u+w", ".")
}
