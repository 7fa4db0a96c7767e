package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// On a disk without room keep says so once, although it goes on trying, and has the edit in the
// pack once there is room.
func TestKeepMeetsAFullDisk(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tmpfs", "ext4"} {
		t.Run(kind, func(t *testing.T) {
			d := newSmallDisk(t, kind, false)
			d.world(true)
			b := d.cd("disk/w")
			first, before := b.movable(), b.read("world.pack")
			k := b.keeps()
			d.fill()
			b.place(first, "4321.5") // in the block that the file has
			k.says("no space left on device")
			tried := time.After(2 * time.Second) // a few times
			b.place(first, "4321.25")
			<-tried
			require.Equal(t, 1, k.count("no space left on device"), k.out.String())
			require.True(t, before == b.read("world.pack"))
			d.empty()
			k.says("in step again")
			require.NotEqual(t, before, b.read("world.pack"))
			require.Zero(t, k.ends(), k.out.String())
			require.True(t, b.hasAt(first, "4321.25"))
		})
	}
}

// In a linked worktree of git's a checkout that brings other shards is taken in, and what is
// edited in them.
func TestKeepMeetsALinkedWorktree(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("git", "worktree", "add", "-q", "-b", "side", "../../linked")
	linked := b.cd("../../linked/w")
	linked.run("worldfs", "shard", "hundreds")
	linked.run("git", "add", "-A")
	linked.run("git", "commit", "-q", "-m", "shards")
	linked.run("git", "checkout", "-q", "--detach", "HEAD~1")
	linked.run("worldfs", "pack")
	id := linked.engine().entities(1)[0]
	k := linked.keeps()
	for _, to := range []struct{ revision, shard, x string }{{"side", "hundreds", "4321.5"}, {"HEAD~1", config.layout().String(), "4322.5"}} {
		linked.run("git", "checkout", "-q", to.revision)
		in, err := layout.Parse(to.shard)
		require.NoError(t, err)
		was := linked.read("world.pack")
		name := filepath.Join("entities", in.Path(id))
		linked.place(name, to.x)
		linked.eventually(func() bool { return linked.read("world.pack") != was })
		require.Contains(t, linked.run("worldfs", "show", "--from", "world.pack", id.String()), to.x)
		require.Equal(t, " M w/"+name+"\n", linked.run("git", "status", "--porcelain"))
		linked.run("git", "checkout", "-q", ".")
		linked.eventually(func() bool { return linked.read("world.pack") == was })
	}
	require.Zero(t, k.ends(), k.out.String())
}

// An svn update that conflicts is told, the game has its own side meanwhile, and resolve and
// revert are followed.
func TestKeepMeetsAConflictOfSVNs(t *testing.T) {
	team := newSVNTeam(t, "plain")
	name := config.entityPath("6555")
	team.bob.place(name, "50")
	team.bob.svnCommit("Bob")
	b := team.ann
	b.run("worldfs", "sync")
	was := b.read("world.pack")
	k := b.keeps()
	b.place(name, "51")
	b.eventually(func() bool { return was != b.read("world.pack") })
	b.run("svn", "update", "-q", "--accept", "postpone")
	k.says("svn left a conflict")
	require.Contains(t, b.run("worldfs", "show", "--from", "world.pack", "6555"), "\n    51.0")
	b.run("worldfs", "resolve", "--take", "shared")
	b.eventually(func() bool {
		return strings.Contains(b.run("worldfs", "show", "--from", "world.pack", "6555"), "\n    50.0")
	})
	b.place(name, "52")
	b.eventually(func() bool {
		return strings.Contains(b.run("worldfs", "show", "--from", "world.pack", "6555"), "\n    52.0")
	})
	b.run("svn", "revert", "-q", name)
	b.eventually(func() bool {
		return strings.Contains(b.run("worldfs", "show", "--from", "world.pack", "6555"), "\n    50.0")
	})
	require.Zero(t, k.ends(), k.out.String())
	require.Empty(t, b.run("svn", "status", "-q"))
}

// While most files are missing, and are waited for, others have the world: what is said to do
// about it can be done at once.
func TestKeepMeetsALossThatIsMeant(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	b.run("sh", "-c", "rm -r entities/*")
	b.run("worldfs", "sync", "--allow-loss")
	k.says("published: 120 deleted")
	require.NotContains(t, k.out.String(), "have no plain file")
	b.run("git", "checkout", "-q", "--", "entities")
	k.says("published: 120 created")
	require.Zero(t, k.ends(), k.out.String())
}

// A clock that was set back has entities/ changed in the future: what is missing there is not
// waited for until then.
func TestALossInTheFuture(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	b.run("sh", "-c", "rm -r entities/* && touch -d '+1 day' entities")
	out, code := b.try("worldfs", "sync")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "have no plain file")
	b.run("git", "checkout", "-q", "--", "entities")
}

// What is wrong is not told again when the pack could not be read for a while, and another
// world's pack is nothing that was published.
func TestKeepMeetsAnotherWorldsPack(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	b.cd("../..").run("worldfs", "demo", "--entities", "130", "other")
	first := b.movable()
	b.write(first, "what\n")
	k := b.keeps()
	k.says("the text is cut off")
	b.run("cp", "../../other/world.pack", "world.pack")
	k.says("belongs to another world")
	b.run("rm", "world.pack")
	k.says("in step again")
	require.Equal(t, 1, k.count("the text is cut off"), k.out.String())
	require.NotContains(t, k.out.String(), "published")
	b.run("git", "checkout", "-q", "--", first)
	require.Zero(t, k.ends(), k.out.String())
}

// An edit of a pose that is derived has no effect, which keep says, as commands do.
func TestKeepMeetsAPoseThatIsDerived(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	b.place(config.entityPath("6006"), "4321.5") // the panel on the door
	k.says("what was given has no effect")
	require.Zero(t, k.ends(), k.out.String())
}

// While keep has the world, mounts begin and end, and no edit is lost on either side of them.
func TestKeepMeetsMountsAmidEdits(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	ids := b.engine().entities(6)
	k := b.keeps()
	for i, id := range ids {
		b.place(config.entityPath(id.String()), fmt.Sprintf("4%d.5", i))
		if i%2 == 0 {
			b.mount()
		} else {
			b.run("worldfs", "unmount")
		}
	}
	require.Zero(t, k.ends(), k.out.String())
	for i, id := range ids {
		require.Contains(t, b.run("worldfs", "show", "--from", "world.pack", id.String()), fmt.Sprintf("\n    4%d.5", i))
	}
}

// Wherever keep is killed, what both sides edited meanwhile is in pack and files.
func TestKeepIsKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	const rounds = 6
	b := freshClone(t)
	b.run("worldfs", "pack")
	seed := uint64(number(t, "WORLDFS_CRASH_SEED", 1))
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	e := b.engine()
	ids := e.entities(2 * rounds)
	in := func(id entity.ID) string { return config.entityPath(id.String()) }
	for i := range rounds {
		k := b.keeps()
		saved, edited := ids[2*i], ids[2*i+1]
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
			_ = k.cmd.Process.Kill()
		}()
		e.move(saved, float32(1000+i)) // of a world that lacks what the files say since
		if i%2 == 0 {
			e.replace(true)
		} else {
			e.overwrite(true)
		}
		b.place(in(edited), fmt.Sprintf("%d.5", 4000+i))
		<-killed
		_ = k.cmd.Wait()
	}
	k := b.keeps()
	require.Zero(t, k.ends(), k.out.String())
	for i := range rounds {
		for id, x := range map[entity.ID]string{ids[2*i]: fmt.Sprintf("%d", 1032+i), ids[2*i+1]: fmt.Sprintf("%d.5", 4000+i)} {
			require.True(t, b.hasAt(in(id), x), "%v is not at %s:\n%s", id, x, b.read(in(id)))
			require.Contains(t, b.run("worldfs", "show", "--from", "world.pack", id.String()), "\n    "+x)
		}
	}
	require.Empty(t, b.run("worldfs", "check"))
}

// The local state is removed beneath keep: it goes on, is found again, and is alone still.
func TestKeepMeetsTheRemovalOfTheState(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	for _, remove := range []string{"git clean -xdffq", "rm -rf .worldfs world.pack", "rm .worldfs/keeper.json", "rm .worldfs/keeper*"} {
		b.run("sh", "-c", remove)
		b.eventually(func() bool {
			_, err := os.Stat(b.path(".worldfs/keeper.json"))
			return err == nil
		})
		out, code := b.try("worldfs", "keep")
		require.Equal(t, 3, code, remove)
		require.Contains(t, out, fmt.Sprint("process ", k.cmd.Process.Pid), remove)
		require.Contains(t, b.run("worldfs", "status"), "not mounted", remove)
		_, code = b.try("timeout", "1", binary, "watch")
		require.Equal(t, 124, code, "%s: nothing answers", remove)
	}
	first := b.movable()
	before := b.read("world.pack")
	b.place(first, "4323.5")
	b.eventually(func() bool { return b.read("world.pack") != before })
	require.Zero(t, k.ends(), k.out.String())
	_, err := os.Stat(b.path(".worldfs/keeper.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
