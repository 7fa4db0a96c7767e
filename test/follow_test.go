package test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// followPlaces are where an edit can be made: each has a way of its own into the world.
var followPlaces = []string{"plain", "mounted", "cover"}

// positionOf returns where an entity's text says that it is.
func (b *bench) positionOf(id string) (p [3]float64) {
	b.Helper()
	_, rest, ok := strings.Cut(b.textOf(id), "\n; position\n")
	require.True(b, ok)
	for i, line := range strings.SplitN(rest, "\n", 4)[:3] {
		x, err := strconv.ParseFloat(strings.Fields(line)[0], 64)
		require.NoError(b, err)
		p[i] = x
	}
	return p
}

// raise changes the height of an entity in its text.
func (b *bench) raise(id string, by float64) {
	b.Helper()
	z := b.positionOf(id)[2]
	b.setLine(id, fmt.Sprintf("%g", float64(float32(z+by))))
}

// setLine gives the third line of an entity's position, in its text.
func (b *bench) setLine(id, line string) {
	b.Helper()
	height := regexp.MustCompile(`(\n; position\n.*\n.*\n).*\n`)
	b.write(config.entityPath(id), height.ReplaceAllString(b.textOf(id), "${1}    "+line+"\n"))
}

// requireRaised requires that an entity is that much higher than it was, and nowhere else.
func (b *bench) requireRaised(id string, was [3]float64, by float64) {
	b.Helper()
	is := b.positionOf(id)
	was[2] += by
	for i := range is {
		require.InDelta(b, was[i], is[i], 1e-3, "entity %s", id)
	}
}

// sync has everything taken in, published and written.
func (b *bench) sync() {
	b.Helper()
	b.run("worldfs", "sync")
}

// lastSet is what the history's last line says.
func (b *bench) lastSet() string {
	b.Helper()
	lines := strings.Split(strings.TrimSpace(b.run("worldfs", "history")), "\n")
	return lines[len(lines)-1]
}

func TestWhatIsMountedComesAlong(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			door, panel, git := b.positionOf("6555"), b.positionOf("6006"), b.run("git", "status", "--porcelain")

			out := b.run("sh", "-c", binary+" set --where 'id == 6555' 'position.z = position.z + 5' 2>&1")
			require.Contains(t, out, `change Puzzle_Panel 6006 "bunker panel 2"`)
			require.Contains(t, out, "1 entity that is mounted came along")
			b.requireRaised("6006", panel, 5)
			require.Contains(t, b.lastSet(), "2 changed")
			b.run("worldfs", "undo", "--yes")
			b.requireRaised("6555", door, 0)
			b.requireRaised("6006", panel, 0)
			require.Equal(t, git, b.run("git", "status", "--porcelain"))

			b.run("worldfs", "set", "--where", "id == 6555", "position.z = position.z + 5")
			b.run("worldfs", "undo", "6555", "--yes")
			b.requireRaised("6006", panel, 0)
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")

			b.raise("6555", 2)
			b.sync()
			b.requireRaised("6006", panel, 2)
			require.Contains(t, b.lastSet(), "2 changed", "one change set")
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
			b.run("worldfs", "undo", "--yes")
			b.requireRaised("6555", door, 0)
			b.requireRaised("6006", panel, 0)

			b.write("up.changes", fmt.Sprintf("worldfs changes 1\nchange Door 6555 revision 72\n  position [%[1]v,%[2]v,%[3]v] -> [%[1]v,%[2]v,20]\nend\n",
				float32(door[0]), float32(door[1]), float32(door[2])))
			require.Contains(t, b.run("worldfs", "apply", "up.changes"), "1 changed, 0 deleted, 0 unchanged; 1 entity that is mounted came along")
			b.requireRaised("6006", panel, 20-door[2])
			b.run("worldfs", "apply", "--reverse", "up.changes")
			b.requireRaised("6006", panel, 0)
			require.NoError(t, os.Remove(b.path("up.changes")))

			b.run("worldfs", "mv", "6555", "7000")
			b.requireRaised("6006", panel, 0)
			b.set(7000, "position.z = position.z + 1")
			b.requireRaised("6006", panel, 1)
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
		})
	}
}

func TestADerivedPoseIsNotEdited(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			panel := b.positionOf("6006")
			text := b.textOf("6006")
			for _, args := range [][]string{{"--dry-run"}, nil} {
				out, code := b.try("worldfs", append([]string{"set", "--where", "id == 6006", "position.z = 77"}, args...)...)
				require.Equal(t, 1, code, out)
				require.Contains(t, out, `position is derived from its mount on Door 6555 "bunker door", and what was given has no effect: change mount_position`)
			}
			require.Equal(t, text, b.textOf("6006"))

			b.setLine("6006", "77")
			out, code := b.try("worldfs", "status")
			require.Zero(t, code, out)
			require.Contains(t, out, "position is derived from its mount on Door 6555")
			require.Equal(t, text, b.textOf("6006"))

			editor := b.path("editor.sh")
			b.write("editor.sh", "#!/bin/sh\nsed -i '/^; position/,/^; orientation/s/^    8.*/    77/;/^; position/,/^; orientation/s/^    9.*/    77/' \"$1\"\n")
			require.NoError(t, os.Chmod(editor, 0o755))
			b.env = append(b.env, "EDITOR="+editor)
			out, code = b.try("worldfs", "edit", "6006")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "has no effect")
			b.requireRaised("6006", panel, 0)
			require.NoError(t, os.Remove(editor))

			out = b.run("worldfs", "set", "--where", "id == 6006", "mount_position.z = mount_position.z + 1")
			require.Contains(t, out, "position")
			b.requireRaised("6006", panel, 1)
		})
	}
}

func TestWhatVersionControlBringsIsAsItIs(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			panel := b.textOf("6006")
			b.raise("6555", 5)
			b.run("git", "commit", "-q", "-m", "the door alone", config.entityPath("6555"))
			b.sync()
			b.run("git", "checkout", "-q", ".")
			b.sync()
			require.Equal(t, panel, b.textOf("6006"), "a commit of an older tool, which has left the panel behind")
			for range 2 {
				b.run("git", "checkout", "-q", "HEAD~1")
				b.sync()
				require.Empty(t, b.run("git", "status", "--porcelain"))
				require.Equal(t, panel, b.textOf("6006"))
				b.run("git", "checkout", "-q", "-")
				b.sync()
				require.Empty(t, b.run("git", "status", "--porcelain"))
				require.Equal(t, panel, b.textOf("6006"))
				require.Contains(t, b.run("worldfs", "status"), "mounted on")
			}
		})
	}
}

func TestAMoveSurvivesAKillWithWhatItCarries(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 100 * time.Millisecond, 270 * time.Millisecond, 400 * time.Millisecond, time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			b := editingWorld(t, "mounted")
			door, panel := b.positionOf("6555"), b.positionOf("6006")
			b.raise("6555", 5)
			f, err := os.Open(b.path(config.entityPath("6555")))
			require.NoError(t, err)
			require.NoError(t, syscall.Fsync(int(f.Fd())))
			require.NoError(t, f.Close())
			time.Sleep(after) // a moment to be killed at, whichever it comes to be
			b.kill()
			b.run("worldfs", "sync")
			b.requireRaised("6555", door, 5)
			b.requireRaised("6006", panel, 5)
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
		})
	}
}

func TestNewFromWhatIsMounted(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			paths := strings.Fields(b.run("worldfs", "new", "Puzzle_Panel", "--from", "6006", "-n", "2", "--offset", "3,0,0"))
			require.Len(t, paths, 2)
			require.NotContains(t, b.run("worldfs", "status"), "mounted on", "they are where the door carries them")
			id := strings.TrimSuffix(paths[1][strings.LastIndex(paths[1], "/")+1:], ".entity_text")
			from, to := b.positionOf("6006"), b.positionOf(id)
			require.InDelta(t, 6, math.Hypot(math.Hypot(to[0]-from[0], to[1]-from[1]), to[2]-from[2]), 1e-3)
			b.raise("6555", 1)
			b.sync()
			b.requireRaised(id, to, 1)
		})
	}
}

// A checkout brings the parent and what is on it, and the parent is edited further before
// anything has looked.
func TestAMoveAtOnceAfterACheckout(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			door, panel := b.positionOf("6555"), b.positionOf("6006")
			b.raise("6555", 5)
			b.sync()
			b.run("git", "commit", "-q", "-am", "the door, and what is on it")
			b.run("git", "checkout", "-q", "HEAD~1")
			b.sync()
			b.run("git", "checkout", "-q", "-")
			b.raise("6555", 2)
			b.sync()
			b.requireRaised("6555", door, 7)
			b.requireRaised("6006", panel, 7)
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
		})
	}
}
