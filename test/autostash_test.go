package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where git pull could not take local edits in again that it had stashed, and the stash was
// dropped before they were resolved, they are the person's own edits still, and nothing is left
// to commit of any operation.
func TestResolveAfterAStashWasDropped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pull      []string
		committed bool
	}{
		"fast-forward": {pull: []string{"-c", "merge.autoStash=true", "pull", "-q", "--no-rebase"}},
		"merge":        {pull: []string{"pull", "-q", "--no-rebase", "--no-edit", "--autostash"}, committed: true},
		"rebase":       {pull: []string{"-c", "rebase.autoStash=true", "pull", "-q", "--rebase"}, committed: true},
	} {
		t.Run(name, func(t *testing.T) {
			bob := resolveWorld(t, "plain")
			bob.run("git", "clone", "-q", ".", "../ann")
			ann := bob.cd("../ann")
			bob.set(6555, "position = [50, 108.1, 8.7]")
			bob.set(6005, "radius = 4")
			bob.commit("Bob")
			if c.committed {
				ann.set(1002, "position.x = 9")
				ann.commit("Ann")
			}
			ann.set(6555, "position = [46, 108.1, 8.7]")
			ann.set(6006, "position.x = 9")
			ann.try("git", c.pull...)
			ann.run("git", "stash", "drop", "-q")
			require.Contains(t, ann.left(), `position: yours 46, 108.1, 8.7 (`)

			out := ann.run("worldfs", "resolve", "--take", "mine")
			require.Contains(t, out, "stash: 1 file written, 0 removed, 1 resolved; nothing is left to finish: the edits of the stash are here, not committed\n")
			require.NotContains(t, out, "git commit")
			require.Contains(t, ann.valueOf("6555", "position"), "46.0")
			out = ann.run("worldfs", "resolve")
			require.Regexp(t, "nothing changed\n|nothing to resolve", out)
			require.NotContains(t, out, "git commit")
			require.Contains(t, ann.valueOf("6555", "position"), "46.0")
			require.Contains(t, ann.valueOf("6006", "position"), "9.0")
		})
	}
}
