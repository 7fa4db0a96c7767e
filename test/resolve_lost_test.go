package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// today has git's commits be made now.
func (b *bench) today() *bench {
	now := *b
	at := fmt.Sprintf("@%d +0000", time.Now().Unix())
	now.env = append(append([]string{}, b.env...), "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	return &now
}

// clash has Ann and Bob change an entity's position, and each something else of it that
// the other does not.
func (b *bench) clash() {
	b.Helper()
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	b.run("git", "checkout", "-q", "-b", "bob")
	b.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bunker gate"`)
	b.commit("Bob")
	b.run("git", "checkout", "-q", "-b", "ann", base)
	b.set(6555, "position.y = 109", "targets = [1002]")
	b.commit("Ann")
}

// People go their old ways: the whole file of one side. What that threw away of the other
// is told, and comes back.
func TestResolveRestoresWhatWasThrownAway(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place).today()
			b.clash()
			door, ann := config.entityPath("6555"), strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
			for _, c := range []struct{ side, lost, has string }{
				{"--theirs", "targets", "; targets\n    [\n    1002\n    ]\n"},
				{"--ours", "entity_name", "bunker gate"},
			} {
				b.run("git", "reset", "-q", "--hard", ann)
				_, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code)
				b.run("git", "checkout", c.side, "--", door)
				b.run("git", "add", "-A")
				out := b.run("worldfs", "resolve")
				require.Contains(t, out, "thrown away by the merge:\n")
				require.Contains(t, out, c.lost)
				require.Contains(t, out, "next: git commit")
				require.Contains(t, b.run("worldfs", "resolve", "--restore-lost"), "1 changed")
				require.Contains(t, b.run("worldfs", "show", "6555"), c.has)
				require.NotContains(t, b.run("worldfs", "resolve"), "thrown away")
				b.run("git", "commit", "-q", "-m", "merged")
				require.Empty(t, b.run("git", "status", "--porcelain"))
				require.NotContains(t, b.run("worldfs", "status"), "thrown away")
			}
		})
	}
}

// It is known afterwards, too, of a merge of which worldfs was told nothing.
func TestResolveKnowsAfterwardsWhatWasThrownAway(t *testing.T) {
	t.Parallel()
	for i, place := range someOf(t, places) {
		for _, how := range [][]string{{"merge", "rebase", "hands"}, {"hands"}, {"rebase"}, {"merge"}, {"rebase"}}[i] {
			t.Run(place+" "+how, func(t *testing.T) {
				b := resolveWorld(t, place).today()
				b.clash()
				door := config.entityPath("6555")
				switch how {
				case "merge":
					b.try("git", "merge", "bob")
					b.run("git", "checkout", "--theirs", "--", door)
					b.run("git", "add", "-A")
					b.as("Ann").run("git", "commit", "-q", "-m", "merged")
				case "hands": // Ann takes her lines out
					b.try("git", "merge", "bob")
					b.write(door, b.run("git", "show", "bob:./"+door))
					b.run("git", "add", "-A")
					b.as("Ann").run("git", "commit", "-q", "-m", "merged")
				case "rebase":
					b.try("git", "rebase", "bob")
					b.run("git", "checkout", "--ours", "--", door) // that is Bob's in a rebase
					b.run("git", "add", "-A")
					b.as("Ann").run("git", "-c", "core.editor=true", "-c", "rebase.keepEmpty=true", "rebase", "--continue")
				}
				b.set(6001, "position.x = position.x + 1")
				b.commit("Ann")
				out := b.run("worldfs", "status")
				require.Regexp(t, "thrown away by the (merge|rebase) [0-9a-f]{7} ", out)
				require.Contains(t, out, "targets")
				require.NotContains(t, out, "entity_name")
				_, first, _ := strings.Cut(out, "thrown away")
				_, again, _ := strings.Cut(b.run("worldfs", "status"), "thrown away")
				require.Equal(t, first, again)
				require.Contains(t, b.run("worldfs", "resolve"), "thrown away")

				require.Contains(t, b.run("worldfs", "resolve", "--restore-lost", "1002"), "nothing that merges have cost")
				require.Contains(t, b.run("worldfs", "resolve", "--restore-lost", "Door"), "1 changed")
				require.NotContains(t, b.run("worldfs", "status"), "thrown away")
				require.Contains(t, b.run("worldfs", "show", "6555"), "; targets\n    [\n    1002\n    ]\n")
				require.Contains(t, b.run("worldfs", "show", "6555"), "bunker gate")
				require.Contains(t, b.run("worldfs", "resolve", "--restore-lost"), "nothing that merges have cost")
			})
		}
	}
}

// What was chosen to be lost is not told again.
func TestResolveDismissesWhatWasThrownAway(t *testing.T) {
	b := resolveWorld(t, "plain").today()
	b.clash()
	b.try("git", "merge", "bob")
	b.run("git", "checkout", "--theirs", "--", config.entityPath("6555"))
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "merged")
	require.Contains(t, b.run("worldfs", "status", "--json"), `"lost":[{"by":`)
	require.Contains(t, b.run("worldfs", "resolve", "--dismiss-lost", "6555"), "3 changes dismissed")
	require.NotContains(t, b.run("worldfs", "status"), "thrown away")
	require.Contains(t, b.run("worldfs", "status", "--json"), `"lost":[]`)
	require.NotContains(t, b.run("worldfs", "resolve"), "thrown away")
	require.NotContains(t, b.run("worldfs", "show", "6555"), "; targets\n    [\n    1002\n    ]\n")
}

// With merge.policy = "shared" nobody is asked, and what lost is told until it is
// dismissed or brought back.
func TestResolveKeepsWhatLostByThePolicy(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place).today()
			b.write("world.toml", b.read("world.toml")+"\n[merge]\npolicy = \"shared\"\n")
			b.commit("Ann")
			b.clash()
			b.try("git", "merge", "bob")
			out := b.run("worldfs", "resolve")
			require.Contains(t, out, "next: git commit")
			require.Contains(t, out, "lost to the other side in the merge (Ann, ")
			require.Contains(t, out, "position")
			b.requireNoMore()
			b.run("git", "commit", "-q", "-m", "merged")
			require.Contains(t, b.run("worldfs", "show", "6555"), "108.099998")
			require.Contains(t, b.run("worldfs", "status"), "lost to the other side in the merge (Ann, ")
			require.Contains(t, b.run("worldfs", "resolve", "--restore-lost"), "1 changed")
			require.Contains(t, b.run("worldfs", "show", "6555"), "109.0")
			require.NotContains(t, b.run("worldfs", "status"), "lost to")
			b.run("git", "checkout", "-q", "HEAD", "--", config.entityPath("6555"))
			require.NotContains(t, b.run("worldfs", "resolve"), "lost to")
		})
	}
}

// Two commits of a rebase lose a value by the policy, of one field or of two. Each is told once,
// and is so while it is not dismissed; of one field the later value comes back.
func TestResolveKeepsWhatTwoCommitsLostByThePolicy(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct {
		second, lost, has string
	}{
		"one field":  {"map_size = 8", "9 → 8", "; map_size\n    8\n"},
		"two fields": {`entity_name = "ann's"`, `"bob's" → "ann's"`, "; map_size\n    7\n"},
	}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain").today()
			b.write("world.toml", b.read("world.toml")+"\n[merge]\npolicy = \"shared\"\n")
			b.commit("Ann")
			b.diverge(
				func(b *bench) { b.set(6555, "map_size = 9", `entity_name = "bob's"`) },
				func(b *bench) { b.set(6555, "map_size = 7"); b.commit("Ann"); b.set(6555, c.second) })
			b.try("git", "rebase", "bob")
			require.Contains(t, b.run("worldfs", "resolve"), "9 → 7")
			b.try("git", "-c", "core.editor=true", "rebase", "--continue")
			require.Contains(t, b.run("worldfs", "resolve"), c.lost)
			b.run("git", "-c", "core.editor=true", "rebase", "--continue")
			for _, call := range []string{"resolve", "status"} {
				out := b.run("worldfs", call)
				require.Equal(t, 1, strings.Count(out, "9 → 7"), out)
				require.Equal(t, 1, strings.Count(out, c.lost), out)
			}
			b.run("worldfs", "resolve", "--restore-lost")
			require.Contains(t, b.run("worldfs", "show", "6555"), c.has)
			require.NotContains(t, b.run("worldfs", "resolve"), "lost to")
		})
	}
	t.Run("dismissed", func(t *testing.T) {
		b := resolveWorld(t, "plain").today()
		b.write("world.toml", b.read("world.toml")+"\n[merge]\npolicy = \"shared\"\n")
		b.commit("Ann")
		b.diverge(
			func(b *bench) { b.set(6555, "map_size = 9") },
			func(b *bench) { b.set(6555, "map_size = 7"); b.commit("Ann"); b.set(6005, "radius = 7") })
		b.try("git", "rebase", "bob")
		require.Contains(t, b.run("worldfs", "resolve"), "9 → 7")
		b.run("worldfs", "resolve", "--dismiss-lost")
		b.run("git", "-c", "core.editor=true", "rebase", "--continue")
		require.NotContains(t, b.run("worldfs", "resolve"), "lost to")
		b.holds(6005, "radius == 7")
	})
}
