package test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// sharded returns a clone whose branch side has another shard, and which entity has a position.
func sharded(t *testing.T) (b *bench, was, is string) {
	b = freshClone(t)
	b.run("git", "checkout", "-q", "-b", "side")
	b.run("worldfs", "shard", "hundreds")
	b.write("slow.txt", "x\n") // which git writes before world.toml
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "shards")
	b.run("git", "checkout", "-q", "--detach", "HEAD~1")
	b.run("worldfs", "pack")
	id := b.engine().entities(1)[0]
	return b, config.entityPath(id.String()), filepath.Join("entities", layout.Hundreds.Path(id))
}

// A checkout that is under way when keep begins to look is waited for, and what it brings is
// looked at by the shard that it has brought.
func TestKeepGoesByTheShardThatACheckoutBrings(t *testing.T) {
	t.Parallel()
	b, was, is := sharded(t)
	b.run("git", "config", "filter.slow.smudge", "sleep 2; cat") // in which keep begins to look
	b.write("../.git/info/attributes", "slow.txt filter=slow\n")
	k := b.keeps()
	pack := b.read("world.pack")
	b.run("git", "checkout", "-q", "side")
	b.place(is, "4321.5")
	b.eventually(func() bool { return b.read("world.pack") != pack })
	require.Equal(t, " M w/"+is+"\n", b.run("git", "status", "--porcelain"))
	require.Zero(t, k.ends(), k.out.String())
	require.NoFileExists(t, b.path(was))
}

// What was written at the old place amid a checkout, and has nothing that version control has
// not, goes although the new file was edited since; an edit stays.
func TestAFileThatWasWrittenAmidACheckoutGoes(t *testing.T) {
	t.Parallel()
	b, was, is := sharded(t)
	text := b.read(was)
	b.run("git", "checkout", "-q", "side")
	b.write(was, text)
	b.place(is, "4321.5")
	b.run("worldfs", "sync")
	require.NoFileExists(t, b.path(was))
	require.Equal(t, " M w/"+is+"\n", b.run("git", "status", "--porcelain"))
	require.Contains(t, b.run("worldfs", "show", "--from", "world.pack", layoutID(is)), "4321.5")

	b.run("git", "checkout", "-q", ".")
	b.run("git", "checkout", "-q", "--detach", "HEAD~1")
	b.run("worldfs", "sync")
	b.run("git", "checkout", "-q", "side")
	b.write(was, text)
	b.place(was, "4322.5")
	b.run("worldfs", "sync")
	require.True(t, b.hasAt(was, "4322.5"), "a person's edit")
}

// layoutID returns the ID of the entity whose file it is.
func layoutID(name string) string {
	id, _ := layout.ParseFileName(filepath.Base(name))
	return id.String()
}
