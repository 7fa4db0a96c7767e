package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a program computed and a merge threw away for a person's edit is no loss; a person's
// edit that a merge threw away for what a program computed is one.
func TestWhatYieldsIsNoLoss(t *testing.T) {
	t.Parallel()
	const trees = `type == "Tree" && id < 31470`
	for name, c := range map[string]struct {
		entities      int
		typ, field    string
		person        []string // sets
		program       []string
		edited, moved string // what is told where the person's edit, or the program's, is thrown away; "" for nothing
	}{
		"by its author": {300, "Door", "position",
			[]string{"id == 6555", "position.x = 7", `entity_name = "by hand"`}, []string{"id == 6555", "position.x = 8", "map_size = 7"}, "position", "map_size"},
		"in bulk": {900, "Tree", "",
			[]string{trees + " && id % 250 == 3 && id < 31253", "position.x = 7"}, []string{trees, "position.x = 8"}, "position", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := resolveWorldOf(t, "plain", c.entities).today()
			if name == "by its author" {
				b.write("world.toml", b.read("world.toml")+"\n[merge]\nprograms = [\"bob\"]\n")
			}
			b.yield(c.typ, c.field)
			b.branches(
				func(b *bench) { b.run("worldfs", append([]string{"set", "--where"}, c.person...)...) },
				func(b *bench) { b.run("worldfs", append([]string{"set", "--where"}, c.program...)...) })
			b.run("git", "checkout", "-q", "ann")
			for side, want := range map[string]string{"--theirs": c.edited, "--ours": c.moved} {
				b.run("git", "reset", "-q", "--hard", "ann")
				b.run("git", "checkout", "-q", "--detach", "ann")
				b.try("git", "merge", "bob")
				b.run("git", "checkout", side, "--", "entities")
				b.run("git", "add", "-A")
				b.as("Ann").run("git", "commit", "-q", "-m", "merged")
				_, lost, told := strings.Cut(b.run("worldfs", "status"), "thrown away by the merge")
				require.Equal(t, want != "", told, "%s: %s", side, lost)
				require.Contains(t, lost, want)
				if side == "--ours" {
					require.NotContains(t, lost, "position")
				}
			}
			b.run("git", "reset", "-q", "--hard", "ann")
			b.try("git", "merge", "bob")
			require.Contains(t, b.run("worldfs", "resolve"), "gave way: "+c.typ)
			b.as("Ann").run("git", "commit", "-q", "-a", "-m", "resolved")
			require.NotContains(t, b.run("worldfs", "status"), "thrown away")
		})
	}
}
