package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestADay types the commands of docs/day.md: a day on the whole island, one part after the
// other.
func TestADay(t *testing.T) {
	t.Parallel()
	if config["plain"] == "false" {
		t.Skip("git has no entities while the world is not mounted")
	}
	ann, bob := sharedWorld(gitWorld(t, "plain", 10_422).today().as("Ann"))
	ann, bob = ann.ownIDs().role("Lighting"), bob.ownIDs().role("Nature")
	for _, b := range []*bench{ann, bob} {
		b.run("worldfs", "vcs", "install")
	}
	t.Cleanup(func() {
		if ann.mounted() {
			ann.run("worldfs", "unmount")
		}
	})
	parts, commands := readParts(t, "day.md"), 0
	for _, heading := range []string{"The morning", "Work", "Commit", "With Bob", "The evening"} {
		require.Contains(t, parts, heading)
		commands += len(parts[heading].commands)
		done := t.Run(heading, func(t *testing.T) {
			p := newPage(t, "day.md", heading, parts[heading])
			for len(p.left) > 0 {
				p.session(ann.in(t), map[string]*bench{"bob": bob.in(t)})
			}
		})
		if !done {
			return
		}
	}
	require.GreaterOrEqual(t, commands, 40)
	require.Len(t, parts, 6, "every part is typed")
	require.Equal(t, strings.TrimSpace(ann.run("git", "rev-parse", "HEAD")), strings.TrimSpace(bob.run("git", "rev-parse", "HEAD")))
}

// in returns the bench for a part of the test.
func (b *bench) in(t *testing.T) *bench {
	other := *b
	other.T = t
	return &other
}
