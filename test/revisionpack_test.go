package test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A world is checked and packed at a revision as in its directory, of git, of a bare
// repository and of svn, sharded or not, while another state is mounted.
func TestARevisionIsCheckedAndPackedAsItsDirectoryIs(t *testing.T) {
	t.Parallel()
	b := newBench(t, "git", "svn", "svnadmin", "find")
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("worldfs", "demo", "--entities", "60", "w")
	w := b.cd("w")
	w.run("worldfs", "unpack")
	name := w.names("entities")[0]
	w.write("entities/"+name, strings.Replace(w.read("entities/"+name), "\n; ", "\n; nonsense", 1))
	_, status := w.try("worldfs", "check")
	require.Equal(t, 0, status)
	w.write("entities/"+w.names("entities")[1], "broken\n")
	w.run("rm", "-r", ".worldfs", "world.pack") // a fresh clone has no last good values
	found, status := w.try("worldfs", "check", "--json", "-q")
	require.Equal(t, 1, status, found)
	w.run("worldfs", "pack", "-o", "../want.pack")

	w.run("git", "init", "-q")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-qm", "The world")
	b.run("git", "clone", "-q", "--bare", "w", "bare.git")
	b.run("svnadmin", "create", "repo")
	b.run("svn", "import", "-q", "-m", "x", "w/types", "file://"+b.path("repo")+"/types")
	b.run("svn", "co", "-q", "file://"+b.path("repo"), "wc")
	b.run("cp", "-r", "w/world.toml", "w/entities", "wc")
	b.cd("wc").run("svn", "add", "-q", "--force", "world.toml", "entities")
	b.cd("wc").run("svn", "commit", "-qm", "The world")
	b.cd("wc").run("svn", "update", "-q")
	b.cd("wc").run("svn", "delete", "-q", "--force", "entities")
	require.NoFileExists(t, b.path("wc/.worldfs"))

	w.run("worldfs", "set", "--where", "id == 6555", `entity_name = "later"`)
	w.mount()
	for dir, rev := range map[string]string{"w": "git:HEAD", "bare.git": "git:HEAD", "wc": "svn:BASE"} {
		in := b.cd(dir)
		before := b.run("sh", "-c", "ls -A "+dir)
		got, status := in.try("worldfs", "check", "--from", rev, "--json", "-q")
		require.Equal(t, 1, status, got)
		require.Equal(t, found, got, rev)
		out, status := in.try("worldfs", "pack", "--from", rev, "-o", "../got.pack")
		require.Zero(t, status, out)
		require.True(t, b.read("want.pack") == b.read("got.pack"), "the packs of %s differ", dir)
		require.Equal(t, before, b.run("sh", "-c", "ls -A "+dir), "nothing is written beside")
	}
}

// A revision of svn without its entities is not packed in silence, whatever it is called,
// nor one of a bare repository whose world lies in a directory of it.
func TestAnEmptiedRevisionIsNotPacked(t *testing.T) {
	t.Parallel()
	b := newBench(t, "git", "svn", "svnadmin")
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("mkdir", "top")
	b.run("worldfs", "demo", "--entities", "60", "top/w")
	w := b.cd("top/w")
	w.run("worldfs", "shard", "last-digit")
	w.run("worldfs", "unpack")
	b.run("svnadmin", "create", "repo")
	b.run("svn", "mkdir", "-q", "-m", "w", "file://"+b.path("repo")+"/w")
	b.run("svn", "co", "-q", "file://"+b.path("repo"), "wc")
	for _, name := range []string{"world.toml", "types", "entities"} {
		b.run("cp", "-r", "top/w/"+name, "wc/w")
	}
	wc := b.cd("wc/w")
	wc.run("svn", "add", "-q", "--force", "world.toml", "types", "entities")
	wc.run("svn", "commit", "-qm", "The world")
	wc.run("svn", "delete", "-q", "entities")
	wc.run("svn", "commit", "-qm", "Emptied")
	wc.run("svn", "update", "-q")

	top := b.cd("top")
	top.run("git", "init", "-q")
	top.run("git", "add", "-A")
	top.run("git", "commit", "-qm", "The world")
	top.run("git", "rm", "-rq", "w/entities")
	top.run("git", "commit", "-qm", "Emptied")
	b.run("git", "clone", "-q", "--bare", "top", "bare.git")

	for _, c := range []struct{ dir, rev, before, says string }{
		{"wc/w", "svn:3", "svn:2", "60 of the 60 entities of the revision before are gone at svn:3"},
		{"wc/w", "svn:BASE", "svn:2", "svn:BASE has no entity"},
		{"wc/w", "svn:HEAD", "svn:2", "svn:HEAD has no entity"},
		{"top/w", "git:HEAD", "git:HEAD~1", "60 of the 60 entities of the revision before are gone at git:HEAD"},
	} {
		in := b.cd(c.dir)
		out, status := in.try("worldfs", "pack", "--from", c.rev, "-o", b.path("got.pack"))
		require.Equal(t, 1, status, out)
		require.Contains(t, out, c.says)
		require.NoFileExists(t, b.path("got.pack"))
		out, status = in.try("worldfs", "check", "--from", c.rev, "--json", "-q")
		require.Equal(t, 1, status, out)
		require.Contains(t, out, `"code":"great-loss"`)
		in.run("worldfs", "check", "--from", c.before)
		in.run("worldfs", "pack", "--from", c.rev, "-o", b.path("got.pack"), "--allow-loss")
		require.NoError(t, os.Remove(b.path("got.pack")))
	}
}
