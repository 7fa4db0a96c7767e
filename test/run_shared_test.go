package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Games that run at the same time have one mount, which the run ends that ends last.
func TestRunsOfOneWorldShareItsMount(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"entities": nil, "cover": {"--cover", "."}} {
		t.Run(name, func(t *testing.T) {
			b := freshClone(t)
			for _, firstEndsFirst := range []bool{true, false} {
				first := b.starts(args...)
				second := b.startsAs("second")
				second.hasStarted()
				id := b.engineMoves()
				leaves, stays := first, second
				if !firstEndsFirst {
					leaves, stays = second, first
				}
				said, status := leaves.ends()
				require.Zero(t, status, said)
				require.Contains(t, said, "another worldfs run uses the mount")
				require.True(t, b.mounted())
				_, _, socket := stays.finds()
				require.FileExists(t, socket)
				said, status = stays.ends()
				require.Zero(t, status, said)
				require.False(t, b.mounted())
				b.requireMoved(id)
				b.run("worldfs", "undo")
			}
		})
	}
}

// Of runs that begin at the same moment one mounts, and the others use that.
func TestRunsThatBeginAtOnce(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	for range 3 {
		var all []*running
		for i := range 4 {
			all = append(all, b.startsAs(fmt.Sprint("game", i)))
		}
		var said strings.Builder
		for _, r := range all {
			r.hasStarted()
			require.True(t, b.mounted())
		}
		for _, r := range all {
			text, status := r.ends()
			require.Zero(t, status, text)
			said.WriteString(text)
		}
		require.Equal(t, 1, strings.Count(said.String(), "worldfs: mounted at"), said.String())
		require.Equal(t, 3, strings.Count(said.String(), "worldfs: mounted already at"), said.String())
		require.False(t, b.mounted())
	}
}

// Games that end at once end the mount once, and those that begin meanwhile have one.
func TestRunsThatComeAndGo(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	var all []*running
	for i := range 8 {
		all = append(all, b.startsAs(fmt.Sprint("game", i)))
		if i%2 == 1 {
			all[i-1].hasStarted()
			require.NoError(t, all[i-1].lets())
		}
	}
	for _, r := range all {
		require.NoError(t, r.lets())
	}
	for _, r := range all {
		said, status := r.hasEnded()
		require.Zero(t, status, said)
	}
	require.False(t, b.mounted())
}

// A person who mounts the world, before or while a game runs, has it mounted until they
// unmount it.
func TestRunLeavesAPersonsMount(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	r := b.starts(config.shaped(nil)...)
	require.Contains(t, b.run("worldfs", "mount"), "mounted already")
	said, status := r.ends()
	require.Zero(t, status, said)
	require.True(t, b.mounted())

	r = b.starts(config.shaped(nil)...)
	b.run("worldfs", "unmount")
	b.run("worldfs", "mount")
	said, status = r.ends()
	require.Zero(t, status, said)
	require.True(t, b.mounted())
	b.run("worldfs", "unmount")

	r = b.starts(config.shaped(nil)...)
	b.run("worldfs", "unmount")
	id := b.engineMoves()
	said, status = r.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "in this session: 1 changed")
	require.False(t, b.mounted())
	b.requireMoved(id)
}

// What run is told about the mount holds for one that is there as well.
func TestRunRefusesAMountThatIsOtherwise(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "mount", "--shape", "entities")
	out, status := b.try("worldfs", "run", "--cover", ".", "--", "echo", "started")
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "worldfs unmount first")
	require.NotContains(t, out, "started")
	require.Equal(t, "started\n", b.run("worldfs", "run", "--shape", "entities", "--", "echo", "started"))
	require.True(t, b.mounted())
	b.run("worldfs", "unmount")
}
