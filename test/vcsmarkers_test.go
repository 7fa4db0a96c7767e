package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What marks a conflict calls the sides as messages do: yours is the person's own in every
// operation, though git's ours and theirs are the other way around in some.
func TestMarkersCallTheSidesYoursAndShared(t *testing.T) {
	t.Parallel()
	const size = "%s\n; map_size\n    %d\n=======\n; map_size\n    %d\n%s\n"
	mine := func(b *bench) { b.set(6555, "map_size = 98") }
	others := func(b *bench) { b.set(6555, "map_size = 99") }
	for operation, c := range inTurn(t, map[string]struct {
		do     []string
		driver string // how the driver marks it, which does not know everything
		marked string
	}{
		"merge": {[]string{"git", "merge", "bob"},
			fmt.Sprintf(size, "<<<<<<< yours", 98, 99, ">>>>>>> shared"), fmt.Sprintf(size, "<<<<<<< yours", 98, 99, ">>>>>>> shared")},
		"rebase": {[]string{"git", "rebase", "bob"},
			fmt.Sprintf(size, "<<<<<<< shared", 99, 98, ">>>>>>> yours"), fmt.Sprintf(size, "<<<<<<< shared", 99, 98, ">>>>>>> yours")},
		"cherry-pick": {[]string{"git", "cherry-pick", "bob"},
			fmt.Sprintf(size, "<<<<<<< here", 98, 99, ">>>>>>> coming in"), fmt.Sprintf(size, "<<<<<<< yours", 98, 99, ">>>>>>> shared")},
		"stash": {[]string{"sh", "-c", "git reset -q --soft HEAD~ && git stash -q && git merge -q bob && git stash pop"},
			fmt.Sprintf(size, "<<<<<<< here", 99, 98, ">>>>>>> coming in"), fmt.Sprintf(size, "<<<<<<< shared", 99, 98, ">>>>>>> yours")},
	}) {
		t.Run(operation, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.run("worldfs", "vcs", "install")
			b.diverge(others, mine)
			out, code := b.try(c.do[0], c.do[1:]...)
			require.NotZero(t, code, out)
			door := config.entityPath("6555")
			require.Contains(t, b.read(door), c.driver)
			for range 2 {
				require.Contains(t, b.left(), "map_size: yours 98")
				require.Contains(t, b.read(door), c.marked)
			}
			b.run("worldfs", "resolve", "--take", "mine")
			require.Contains(t, b.read(door), "\n    98\n")
		})
	}
}

// A file that the driver of an earlier build has marked, which called the sides as git
// does, is no person's edit.
func TestMarkersOfAnEarlierBuildAreKnown(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.run("worldfs", "vcs", "install")
	b.diverge(func(b *bench) { b.set(6555, "map_size = 99", "travel = 3") }, func(b *bench) { b.set(6555, "map_size = 98", "travel = 4") })
	_, code := b.try("git", "merge", "bob")
	require.Equal(t, 1, code)
	door := config.entityPath("6555")
	ours := strings.NewReplacer("<<<<<<< yours\n", "<<<<<<< ours\n", ">>>>>>> shared\n", ">>>>>>> theirs\n")
	b.write(door, ours.Replace(b.read(door)))
	require.Contains(t, b.read(door), "<<<<<<< ours\n; map_size")
	out := b.left()
	require.NotContains(t, out, "your edit stands")
	require.Contains(t, out, "travel: yours 4")
	require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git commit")
	require.Contains(t, b.read(door), "\n    99\n")
	require.NotContains(t, b.read(door), "<<<<<<<")
}
