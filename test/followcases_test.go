package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// chain has a panel on the panel that is on the door, where that carries it, and returns its
// ID.
func (b *bench) chain() string {
	b.Helper()
	path := strings.TrimSpace(b.run("worldfs", "new", "Puzzle_Panel", "--from", "6006"))
	id := strings.TrimSuffix(filepath.Base(path), ".entity_text")
	b.run("worldfs", "set", "--where", "id == "+id, "mount_parent_id = 6006")
	require.NotContains(b, b.run("worldfs", "status"), "mounted on")
	return id
}

// raiseText is raise in a world of any shard.
func (b *bench) raiseText(id string, by float64) {
	b.Helper()
	path := strings.TrimSpace(b.run("find", "entities", "-name", id+".entity_text"))
	height := regexp.MustCompile(`(\n; position\n.*\n.*\n).*\n`)
	b.write(path, height.ReplaceAllString(b.read(path), fmt.Sprintf("${1}    %g\n", float64(float32(b.positionOf(id)[2]+by)))))
}

// A parent of a parent carries what is on both, by a text and by a command, in every place,
// and one undo takes all of it back.
func TestAChainOfMountsComesAlong(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover", "sharded", "sharded mounted"}) {
		t.Run(place, func(t *testing.T) {
			in, mounted := strings.CutPrefix(place, "sharded ")
			b := editingWorld(t, map[bool]string{true: "plain", false: in}[mounted])
			if strings.HasPrefix(place, "sharded") {
				b.run("worldfs", "shard", "last-digit")
				if mounted {
					b.mount()
				}
				require.Equal(t, "entities/5/6555.entity_text\n", b.run("find", "entities", "-name", "6555.entity_text"))
			}
			last := b.chain()
			was := map[string][3]float64{}
			for _, id := range []string{"6555", "6006", last} {
				was[id] = b.positionOf(id)
			}
			raised := func(by float64) {
				t.Helper()
				for id, at := range was {
					b.requireRaised(id, at, by)
				}
				require.NotContains(t, b.run("worldfs", "status"), "mounted on")
			}
			b.raiseText("6555", 5)
			b.sync()
			raised(5)
			require.Contains(t, b.lastSet(), "3 changed")
			b.run("worldfs", "undo", "--yes")
			raised(0)

			require.Contains(t, b.run("sh", "-c", binary+" set --where 'id == 6555' 'position.z = position.z + 2' 2>&1"), "2 entities that are mounted came along")
			raised(2)
			b.run("worldfs", "undo", "6555", "--yes")
			raised(0)
			b.run("worldfs", "redo", "--yes")
			raised(2)

			b.raiseText("6555", 1) // two edits of one moment
			b.raiseText("6006", 9) // to no effect
			b.sync()
			b.run("worldfs", "check")
			require.InDelta(t, was["6555"][2]+3, b.positionOf("6555")[2], 1e-3)
		})
	}
}

// The undo of what came along alone is an edit of a derived pose.
func TestAnUndoOfWhatCameAlongHasNoEffect(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			panel := b.positionOf("6006")
			b.set(6555, "position.z = position.z + 5")
			for _, args := range [][]string{{"undo", "6006", "--yes"}, {"undo", "6006", "--at", "1s"}} {
				if args[2] == "--at" {
					time.Sleep(1100 * time.Millisecond)
					b.set(6555, "position.z = position.z + 1")
				}
				out, code := b.try("worldfs", args...)
				require.Equal(t, 1, code, out)
				require.Contains(t, out, "nothing was undone")
				require.Contains(t, out, "what was given has no effect")
			}
			b.requireRaised("6006", panel, 6)
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
		})
	}
}

// What is on a parent that is deleted stays where it is, and so it is when the parent comes
// back.
func TestWhatIsOnADeletedParent(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			last := b.chain()
			panel, on := b.positionOf("6006"), b.positionOf(last)
			require.Contains(t, b.run("sh", "-c", binary+" rm 6555 2>&1"), "6006")
			b.requireRaised("6006", panel, 0)
			b.raise("6006", 3) // nothing says where it is now
			b.sync()
			b.requireRaised("6006", panel, 3)
			b.requireRaised(last, on, 3)
			b.run("worldfs", "undo", "--yes")
			b.requireRaised(last, on, 0)
			b.run("worldfs", "undo", "6555", "--yes")
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
			b.raise("6555", 1)
			b.sync()
			b.requireRaised("6006", panel, 1)
			b.requireRaised(last, on, 1)
		})
	}
}

// A parent whose text is broken carries nothing until it is mended, in the same sitting or a
// later one.
func TestWhatIsOnABrokenParent(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			panel := b.positionOf("6006")
			door := b.positionOf("6555")
			text := b.textOf("6555")
			b.write(config.entityPath("6555"), strings.Replace(text, "\n; position\n", "\n; position\n    what\n", 1))
			b.sync()
			b.requireRaised("6006", panel, 0)
			b.run("worldfs", "status")
			if place != "plain" {
				b.run("worldfs", "unmount")
				if place == "cover" {
					b.mount("--cover", ".")
				} else {
					b.mount()
				}
			}
			height := regexp.MustCompile(`(\n; position\n.*\n.*\n).*\n`)
			b.write(config.entityPath("6555"), height.ReplaceAllString(text, fmt.Sprintf("${1}    %v\n", door[2]+4)))
			b.sync()
			b.requireRaised("6555", door, 4)
			b.requireRaised("6006", panel, 4)
			b.run("worldfs", "check")
			require.NotContains(t, b.run("worldfs", "status"), "mounted on")
		})
	}
}

// Of a parent and its child that one commit changed, both are as the author has them, and the
// status says that the one does not carry the other.
func TestAParentAndAPoseInOneCommit(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			door, panel := b.positionOf("6555"), b.positionOf("6006")
			place := func(p [3]float64, z float32) string {
				x, y := float32(p[0]), float32(p[1])
				return fmt.Sprintf("  position [%v,%v,%v] -> [%v,%v,%v]\n", x, y, float32(p[2]), x, y, z)
			}
			b.write("both.changes", "worldfs changes 1\nchange Puzzle_Panel 6006 revision 94\n"+place(panel, 30)+"change Door 6555 revision 72\n"+place(door, 20)+"end\n")
			require.Contains(t, b.run("worldfs", "apply", "both.changes"), "2 changed, 0 deleted")
			b.requireRaised("6555", door, 20-door[2])
			b.requireRaised("6006", panel, 30-panel[2])
			require.Contains(t, b.run("worldfs", "status"), "mounted on")
			require.NoError(t, os.Remove(b.path("both.changes")))
			b.commit("Ann")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			b.run("git", "checkout", "-q", "HEAD~1")
			b.sync()
			b.requireRaised("6006", panel, 0)
			b.run("git", "checkout", "-q", "-")
			b.sync()
			b.requireRaised("6006", panel, 30-panel[2])
			require.Empty(t, b.run("git", "status", "--porcelain"))
		})
	}
}

// A merge in which one moved the parent, and the other, by a tool that knows of no mounts,
// the pose alone: what wins is told.
func TestAPoseThatGoesInAMergeIsTold(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			was := b.offset()
			base := b.head()
			b.run("git", "checkout", "-q", "-b", "bob")
			height := regexp.MustCompile(`(?m)(^; position\n.*\n.*\n).*\n`)
			text := height.ReplaceAllString(b.run("git", "show", "HEAD:"+config.entityPath("6006")), "${1}    77.000000 : 429a0000\n")
			b.write("bobs", text) // it never comes through worldfs here
			blob := strings.TrimSpace(b.run("git", "hash-object", "-w", "bobs"))
			require.NoError(t, os.Remove(b.path("bobs")))
			b.run("git", "update-index", "--cacheinfo", "100644,"+blob+","+config.entityPath("6006"))
			b.commitIndex("Bob")
			b.run("git", "checkout", "-q", "-f", "-b", "ann", base)
			b.set(6555, "position.z = position.z + 5")
			b.commit("Ann")
			_, code := b.try("git", "merge", "bob")
			require.Equal(t, 1, code)
			out := b.run("worldfs", "resolve")
			require.Contains(t, out, "next: git commit")
			require.Contains(t, out, `Puzzle_Panel 6006 "bunker panel 2", position: it is mounted, and the other side had it come along: what was given has no effect`)
			b.run("git", "commit", "-q", "-m", "merged")
			b.sync()
			b.requireCarried(was)
		})
	}
}

// A world that cannot be written is read as it would be if it could: with what is mounted
// come along with an edit that nothing has taken in yet.
func TestAReadOnlyWorldIsReadWithWhatCameAlong(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("worldfs", "demo", "--entities", "60", "w")
	w := b.cd("w")
	w.run("worldfs", "unpack")
	w.run("worldfs", "sync")
	panel := w.positionOf("6006")
	w.raise("6555", 5)
	ro := requireReadOnlyIsRead(t, b, "w")
	require.Contains(t, ro.run("worldfs", "show", "6006"), fmt.Sprintf("\n; position\n    %f", panel[0]))
	require.Contains(t, ro.run("worldfs", "show", "6006"), fmt.Sprintf("    %f", panel[2]+5))
	w.run("worldfs", "sync")
	w.requireRaised("6006", panel, 5)
}

// So it is with an edit of a daemon that was killed.
func TestAReadOnlyWorldWithAMoveOfAKilledDaemon(t *testing.T) {
	t.Parallel()
	b := newBench(t, "find")
	b.run("worldfs", "demo", "--entities", "60", "w")
	b = b.cd("w")
	b.mount()
	b.sync()
	panel := b.positionOf("6006")
	b.raise("6555", 5)
	b.run("sync", config.entityPath("6555"))
	b.kill()
	for _, dir := range []string{b.dir, b.path("entities")} {
		_ = unix.Unmount(dir, unix.MNT_DETACH)
	}
	above := *b
	above.dir = filepath.Dir(b.dir)
	ro := above.readOnly(filepath.Base(b.dir))
	before := above.snapshot(filepath.Base(b.dir))
	require.Contains(t, ro.run("worldfs", "show", "6006"), fmt.Sprintf("    %f", panel[2]+5))
	require.Equal(t, before, above.snapshot(filepath.Base(b.dir)))
	require.Contains(t, b.run("worldfs", "show", "6006"), fmt.Sprintf("    %f", panel[2]+5))
}
