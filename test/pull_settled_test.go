package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a pull left in conflict is, once it is settled, as what a pull merges by itself:
// edits that are not committed and were not staged are that still, what comes out as others
// have it is clean, and the next command is told.
func TestWhatAPullLeftIsSettledAsItWasBefore(t *testing.T) {
	t.Parallel()
	file := config.entityPath("6555") + "\n"
	for name, c := range inTurn(t, map[string]struct {
		before string // what Ann does with her edit before she pulls
		settle []string
		status string
		next   string
	}{
		"mine":              {"true", []string{"--take", "mine"}, " M " + file, "next: git commit -a\n"},
		"mine, committed":   {"git commit -qam Ann", []string{"--take", "mine"}, " M " + file, "next: git commit -a\n"},
		"mine, staged":      {"git add -A", []string{"--take", "mine"}, "M  " + file, "next: git commit -a\n"},
		"shared":            {"true", []string{"--take", "shared"}, "", "1 resolved\n"},
		"shared, committed": {"git commit -qam Ann", []string{"--take", "shared"}, "", "1 resolved\n"},
		"a value":           {"true", []string{"--set", "6555", "map_size=97"}, " M " + file, "next: git commit -a\n"},
		"in the file":       {"true", nil, " M " + file, "next: git commit -a\n"},
		"with more to publish": {"git commit -qm Ann -- " + config.entityPath("10000"),
			[]string{"--take", "shared"}, "", "next: git push\n"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newShared(t, "plain", 300)
			w.bob.run("sed", "-i", "s/^    512$/    099/", config.entityPath("6555")) // not as worldfs would write it
			w.publish()
			b := w.ann
			b.set(6555, "map_size = 98")
			if name == "with more to publish" {
				b.set(10000, "position.x = 1")
			}
			b.run("worldfs", "sync")
			b.run("sh", "-c", c.before)
			require.Len(t, b.pull(1).Left, 1)
			if c.settle == nil {
				b.run("sed", "-i", "/^<<<<<<< shared/,/^=======/d; /^>>>>>>> yours/d", config.entityPath("6555"))
			}
			out := b.run("worldfs", append([]string{"resolve"}, c.settle...)...)
			require.True(t, strings.HasSuffix(out, c.next), out)
			require.Equal(t, c.status, b.dirty())
			if out = b.run("worldfs", "resolve"); c.next != "1 resolved\n" {
				require.True(t, strings.HasSuffix(out, c.next), out)
			}
			require.Equal(t, c.status, b.dirty())
		})
	}
}
