package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// yield has a type, or a field of it, yield in merges.
func (b *bench) yield(typ, field string) {
	b.Helper()
	line := "/^revision/a yields = true"
	if field != "" {
		line = fmt.Sprintf("/^name = %q/a yields = true", field)
	}
	b.run("sed", "-i", line, "types/"+typ+".toml")
	b.run("worldfs", "fmt")
	require.Contains(b, b.read("world.toml"), "format = 3\n")
	b.commit("all")
}

// branches has Ann and Bob do something on branches of the last commit.
func (b *bench) branches(ann, bob func(b *bench)) {
	b.Helper()
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	for name, do := range map[string]func(b *bench){"ann": ann, "bob": bob} {
		b.run("git", "checkout", "-q", "-b", name, base)
		do(b)
		b.commit(name)
	}
}

// A program moves 3,000 trees onto new terrain while twelve are moved by hand: there is
// no question, whichever side merges the other, in each way that trees may yield.
func TestTerrainMeetsWhatWasMovedByHand(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		field        string
		entities     int
		trees, hands int
	}{{"", 10422, 3000, 12}, {"position", 900, 250, 2}}) {
		t.Run("yields "+c.field, func(t *testing.T) {
			b := resolveWorldOf(t, "plain", c.entities)
			b.yield("Tree", c.field)
			const recomputed = `type == "Tree" && id < 31470`
			b.branches(
				func(b *bench) {
					b.run("worldfs", "set", "--where", recomputed+" && id % 250 == 3 && id < 31253", "position.x = 7")
				},
				func(b *bench) { b.run("worldfs", "set", "--where", recomputed, "position.z = 1000", "position.x = 8") })
			count := func(where string) int { return strings.Count(b.run("worldfs", "ls", "--where", where), "\n") }
			all := count(recomputed)
			require.GreaterOrEqual(t, all, c.trees)
			for _, branch := range []string{"ann", "bob"} {
				b.run("git", "checkout", "-q", "-B", "merged", branch)
				b.try("git", "merge", map[string]string{"ann": "bob", "bob": "ann"}[branch])
				out := b.run("worldfs", "resolve")
				require.NotContains(t, out, "left to settle")
				require.Equal(t, c.hands, strings.Count(out, "gave way: Tree "), "%s", out)
				b.requireNoMore()
				require.Equal(t, c.hands, count(`type == "Tree" && position.x == 7 && position.z != 1000`))
				require.Equal(t, all-c.hands, count(`type == "Tree" && position.z == 1000`))
				b.run("git", "commit", "-q", "-a", "-m", "merged")
				b.run("worldfs", "check")
			}
		})
	}
}

// Two people regenerate the clusters: one set remains, silently.
func TestTwoRegenerateTheClusters(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.yield("Grass_Cluster", "")
	regenerate := func(from int) func(b *bench) {
		return func(b *bench) {
			old := strings.Fields(b.run("sh", "-c", "grep -rl '^Grass_Cluster' entities"))
			text := b.read(old[0])
			id := old[0][strings.LastIndex(old[0], "/")+1 : strings.Index(old[0], ".")]
			b.run("rm", old...)
			for i := range 30 {
				now := fmt.Sprint(from + i)
				b.write(config.entityPath(now), strings.Replace(text, "\n"+id+"\n", "\n"+now+"\n", 1))
			}
		}
	}
	b.branches(regenerate(58500), regenerate(58515))
	b.run("git", "checkout", "-q", "ann")
	b.try("git", "merge", "bob")
	out := b.run("worldfs", "resolve")
	require.NotContains(t, out, "gave way")
	require.NotContains(t, out, "new ID")
	b.requireNoMore()
	require.Equal(t, 30, strings.Count(b.run("worldfs", "ls", "--where", `type == "Grass_Cluster"`), "\n"))
}

// Both delete B and one adds C: there is nothing to say.
func TestBothDeleteAndOneAdds(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.branches(
		func(b *bench) {
			b.run("rm", config.entityPath("6001"))
			b.copyOf("6999", "C")
		},
		func(b *bench) { b.run("rm", config.entityPath("6001")) })
	b.run("git", "checkout", "-q", "ann")
	b.run("git", "merge", "-q", "-m", "merged", "bob")
	require.Contains(t, b.run("worldfs", "resolve"), "merge: nothing changed\n")
	require.Contains(t, b.run("worldfs", "show", "6999"), `"C"`)
}

// A side of which all commits are by a program gives way however little it changed.
func TestAProgramsCommitsGiveWay(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.write("world.toml", b.read("world.toml")+"\n[merge]\nprograms = [\"bob\"]\n")
	b.yield("Door", "position")
	b.branches(
		func(b *bench) { b.set(6555, "position.x = 7") },
		func(b *bench) { b.set(6555, "position.x = 8") })
	for mine, other := range map[string]string{"ann": "bob", "bob": "ann"} {
		b.run("git", "checkout", "-q", "-B", "merged", mine)
		b.try("git", "merge", other)
		require.Contains(t, b.run("worldfs", "resolve"), "gave way: Door 6555")
		b.requireNoMore()
		require.Contains(t, b.run("worldfs", "show", "6555"), "    7.000000 : 40e00000\n")
		b.run("git", "commit", "-q", "-a", "-m", "merged")
	}
}

// A program saves a pack in which it has moved all trees: what a person moved in the mount
// meanwhile stays, and what the program made under an ID that a person gave, too, gets one
// in no disposable range.
func TestASavedPackGivesWay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "900", "w")
	b = b.cd("w")
	b.run("sed", "-i", "/^revision/a yields = true", "types/Tree.toml")
	b.run("worldfs", "fmt")
	b.write("id_ranges", b.read("id_ranges")+"100000 1500000000 Clusters disposable\n")
	b.mount()
	e := b.engine()
	const moved = `type == "Tree" && id % 100 == 3`
	b.run("worldfs", "set", "--where", moved, "position.x = 7")
	b.copyOf("99999", "by hand")
	b.run("worldfs", "sync")

	door, _ := e.world.Get(6555)
	door = door.Clone()
	door.ID = 99999
	e.world.Put(door)
	last := entity.ID(0)
	for n := range e.world.All() {
		if n.Type() == "Tree" {
			e.move(n.ID, 1000)
			last = max(last, n.ID)
		}
	}
	e.replace(true)
	e.come(last)
	count := func(where string) int { return strings.Count(b.run("worldfs", "ls", "--where", where), "\n") }
	require.GreaterOrEqual(t, count(moved), 2)
	require.Equal(t, count(moved), count(moved+" && position.x == 7"))
	require.Equal(t, count(`type == "Tree"`)-count(moved), count(`type == "Tree" && position.x == 1032`))
	require.NotContains(t, b.run("worldfs", "status"), "conflict")
	require.Contains(t, b.run("worldfs", "history", "28003"), "lost by pack", "what gave way is kept")

	out := b.run("worldfs", "ls", "--where", `type == "Door" && id > 90000`)
	require.Equal(t, 2, strings.Count(out, "\n"), "%s", out)
	require.Zero(t, count("id >= 100000 && id < 1500000000"))
	b.run("worldfs", "unmount")
}
