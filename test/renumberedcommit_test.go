package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ann gives a lamp another ID, which Bob changes meanwhile, and refers to, by the first. That is
// the one entity, whichever of the two merges, and whether git sees it or not: what Bob changed is
// in no conflict, and is not lost.
func TestAnIDThatACommitGave(t *testing.T) {
	t.Parallel()
	goOn := "git -c core.editor=true "
	for name, c := range inTurn(t, map[string]struct {
		place, on, call string
	}{
		"merge":            {"plain", "ann", "git merge -q -m merged bob"},
		"merge, mounted":   {"mounted", "ann", "git merge -q -m merged bob"},
		"merge of hers":    {"plain", "bob", "git merge -q -m merged ann"},
		"rebase":           {"plain", "ann", "git rebase -q bob"},
		"rebase, cover":    {"cover", "ann", "git rebase -q bob"},
		"his rebase":       {"plain", "bob", "git rebase -q ann"},
		"git does not see": {"plain", "ann", "git -c merge.renames=false merge -q -m merged bob"},
	}) {
		for _, install := range someOf(t, []bool{true, false}, name) {
			t.Run(name, func(t *testing.T) {
				b := resolveWorld(t, c.place).today()
				if install {
					b.run("worldfs", "vcs", "install")
				}
				b.diverge(
					func(b *bench) { b.set(6005, "radius = 9"); b.set(6006, "mount_parent_id = 6005") },
					func(b *bench) {
						b.run("worldfs", "mv", "6005", "6700")
						b.commit("Ann")
						b.run("worldfs", "mv", "6700", "6800")
						b.commit("Ann")
						b.set(6800, `entity_name = "lamp"`)
					})
				b.run("git", "checkout", "-q", c.on)
				b.run("worldfs", "sync")
				b.try("sh", "-c", c.call)
				b.run("worldfs", "resolve")
				b.try("sh", "-c", goOn+"commit -q -a -m merged || "+goOn+"rebase --continue || "+goOn+"cherry-pick --continue")
				b.holds(6800, `radius == 9 && entity_name == "lamp"`)
				b.holds(6006, "mount_parent_id == 6800")
				require.NotContains(t, b.names("entities"), config.entityPath("6005")[len("entities/"):])
				require.NotContains(t, b.run("worldfs", "status"), "thrown away")
				require.NotContains(t, b.run("worldfs", "status"), "has stopped")
				b.run("worldfs", "check")
				b.run("worldfs", "resolve")
				require.Empty(t, b.dirty())
			})
		}
	}
}

// What both have set of an entity that one gave another ID is in conflict by that. Another that was
// made since by the first ID is no matter of it, nor is one that was made beside what was deleted.
func TestWhatIsInConflictOfAnIDThatACommitGave(t *testing.T) {
	t.Parallel()
	t.Run("conflict", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		b.diverge(
			func(b *bench) { b.set(6005, "radius = 9") },
			func(b *bench) {
				b.run("worldfs", "mv", "6005", "6800")
				b.commit("Ann")
				b.set(6800, "radius = 7")
				b.copyOf("6005", "new door")
			})
		b.try("git", "merge", "-q", "-m", "merged", "bob")
		require.Contains(t, b.left(), `Lamp 6800 "bunker lamp" radius: yours 7 (ann, 2001-02-03) / shared 9 (bob, 2001-02-03)`)
		require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git commit")
		b.run("git", "commit", "-q", "-m", "merged")
		b.holds(6800, "radius == 9")
		require.Contains(t, b.run("worldfs", "show", "6005"), "new door")
		b.run("worldfs", "check")
	})
	t.Run("another", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		b.diverge(
			func(b *bench) { b.set(6005, "radius = 9") },
			func(b *bench) {
				b.run("worldfs", "new", "Lamp", "--from", "6005", "--offset", "5,0,0")
				b.run("worldfs", "rm", "6005")
			})
		b.run("git", "merge", "-q", "-m", "merged", "bob") // which takes the change into the other
		require.Contains(t, b.run("worldfs", "resolve"), `Lamp 6005 "bunker lamp": removed, although one side changed it`)
		require.NotContains(t, b.run("worldfs", "ls", "--where", "radius == 9"), "bunker lamp")
	})
}
