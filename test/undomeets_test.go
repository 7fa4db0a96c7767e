package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an update merges into files that were edited and not committed is no edit of one's
// own: undo takes back the edits and leaves what colleagues did.
func TestUndoLeavesWhatAnUpdateMerges(t *testing.T) {
	t.Parallel()
	for name, tool := range inTurn(t, map[string]struct {
		tools  []string
		begin  [][]string // has the world's directory, w, be under version control
		share  [][]string // has it have the world
		clone  []string   // makes bob of it
		commit []string
		send   []string
		update []string // takes in what Bob sent
	}{
		"git": {[]string{"git"}, [][]string{{"git", "init", "-q"}}, [][]string{{"git", "add", "-A"}, {"git", "commit", "-q", "-m", "all"}},
			[]string{"git", "clone", "-q", "w", "bob"}, []string{"git", "commit", "-q", "-a", "-m", "Bob"}, nil,
			[]string{"git", "pull", "-q", "--rebase", "--autostash", "../bob", "main"}},
		"hg": {[]string{"hg"}, [][]string{{"hg", "init"}}, [][]string{{"hg", "addremove", "-q"}, {"hg", "commit", "-u", "Ann", "-m", "all"}},
			[]string{"hg", "clone", "-q", "w", "bob"}, []string{"hg", "commit", "-u", "Bob", "-m", "Bob"}, []string{"hg", "push", "-q", "../w"},
			[]string{"hg", "update", "-q", "--tool", "internal:merge"}},
		"svn": {[]string{"svn", "svnadmin"}, [][]string{{"svnadmin", "create", "../repo"}, {"svn", "checkout", "-q", "file://../repo", "."}}, [][]string{
			{"svn", "add", "-q", "--force", "."}, {"svn", "commit", "-q", "-m", "all"}},
			[]string{"svn", "checkout", "-q", "file://repo", "bob"}, []string{"svn", "commit", "-q", "-m", "Bob"}, nil,
			[]string{"svn", "update", "-q"}},
	}) {
		for _, place := range someOf(t, []string{"plain", "entities", "cover"}, name) {
			t.Run(name+" "+place, func(t *testing.T) {
				t.Parallel()
				if config["plain"] == "false" {
					t.Skip("there are no files while the world is not mounted")
				}
				b := newBench(t, tool.tools...).ownIDs()
				typed := func(b *bench, command []string) {
					if command != nil {
						b.run(command[0], strings.Split(strings.ReplaceAll(strings.Join(command[1:], "\x00"), "file://../repo", "file://"+b.path("../repo")), "\x00")...)
					}
				}
				b.run("worldfs", "demo", "--entities", "60", "w")
				w := b.cd("w")
				w.run("worldfs", "unpack")
				for _, command := range tool.begin {
					typed(w, command)
				}
				w.run("worldfs", "init", "--ignores")
				for _, command := range tool.share {
					typed(w, command)
				}
				b.run(tool.clone[0], strings.Split(strings.ReplaceAll(strings.Join(tool.clone[1:], "\x00"), "file://repo", "file://"+b.path("repo")), "\x00")...)
				bob := b.cd("bob")
				bob.set(6005, `entity_name = "bobs"`)
				bob.set(6001, `entity_name = "bobs too"`)
				typed(bob, tool.commit)
				typed(bob, tool.send)

				w.mountIn(map[string]string{"entities": "mounted", "cover": "cover"}[place])
				w.set(6005, "radius = 4.5")
				w.set(6001, `position.x = 7`)
				typed(w, tool.update)
				w.holds(6005, `entity_name == "bobs" && radius == 4.5`)
				w.holds(6001, `entity_name == "bobs too" && position.x == 7`)

				require.Contains(t, w.run("worldfs", "undo"), "6001")
				w.holds(6001, `entity_name == "bobs too" && position.x != 7`)
				require.Contains(t, w.run("worldfs", "undo"), "6005")
				w.holds(6005, `entity_name == "bobs" && radius != 4.5`)
				out, status := w.try("worldfs", "undo")
				require.Equal(t, 3, status, out)
				require.Contains(t, out, "nothing of your own")
				require.Contains(t, w.run("worldfs", "redo"), "6005")
				w.holds(6005, `entity_name == "bobs" && radius == 4.5`)
			})
		}
	}
}
