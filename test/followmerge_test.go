package test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireCarried requires that the panel on the door, and all else that is mounted, is where
// it is carried, and that git has the texts just so.
func (b *bench) requireCarried(offset [3]float64) {
	b.Helper()
	door, panel := b.positionOf("6555"), b.positionOf("6006")
	for i := range door {
		require.InDelta(b, offset[i], panel[i]-door[i], 2e-3, "%v of %v", panel, door)
	}
	require.NotContains(b, b.run("worldfs", "status"), "mounted on")
	require.NotContains(b, b.run("worldfs", "resolve"), "thrown away")
}

// offsetOf is how far the panel is from the door.
func (b *bench) offset() (by [3]float64) {
	b.Helper()
	door, panel := b.positionOf("6555"), b.positionOf("6006")
	for i := range by {
		by[i] = panel[i] - door[i]
	}
	return by
}

// raiseMounted changes how high the panel is mounted on its door.
func (b *bench) raiseMounted(by float64) {
	b.Helper()
	b.set(6006, fmt.Sprintf("mount_position.z = mount_position.z + %v", by))
}

// bothMove has Bob change the branch bob and Ann the branch ann.
func (b *bench) bothMove(ann, bob func(*bench)) {
	b.Helper()
	base := b.head()
	b.run("git", "checkout", "-q", "-b", "bob")
	bob(b)
	b.commit("Bob")
	b.run("git", "checkout", "-q", "-b", "ann", base)
	ann(b)
	b.commit("Ann")
}

var conflictsOf = regexp.MustCompile(`(\d+) left to settle`)

func TestAMergeDerivesPoses(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places) {
		for _, installed := range []bool{true, false} {
			t.Run(fmt.Sprint(place, installed), func(t *testing.T) {
				b := editingWorld(t, place)
				if installed {
					b.run("worldfs", "vcs", "install")
				}
				was := b.offset()
				b.bothMove(func(b *bench) { b.set(6555, "position.z = position.z + 5") }, func(b *bench) { b.raiseMounted(2) })
				out, code := b.try("git", "merge", "bob", "-m", "merged")
				if !installed {
					require.Equal(t, 1, code, "git merges lines: %s", out)
					require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
					b.run("git", "commit", "-q", "-m", "merged")
				} else {
					require.Zero(t, code, out)
				}
				b.sync()
				was[2] += 2
				b.requireCarried(was)
				require.NotContains(t, b.run("worldfs", "status"), "lost")
			})
		}
	}
}

func TestAMergeAsksOnlyAboutTheParent(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places) {
		for take, up := range map[string]float64{"mine": 5, "shared": 3} {
			t.Run(place+" "+take, func(t *testing.T) {
				b := editingWorld(t, place)
				b.run("worldfs", "vcs", "install")
				door, offset := b.positionOf("6555"), b.offset()
				b.bothMove(func(b *bench) { b.raise("6555", 5) }, func(b *bench) { b.set(6555, "position.z = position.z + 3") })
				_, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code)
				out := b.left()
				require.Equal(t, []string{"1 left to settle", "1"}, conflictsOf.FindStringSubmatch(out), out)
				require.NotContains(t, out, "6006")
				b.requireNoMore()
				require.Contains(t, b.run("worldfs", "resolve", "--take", take), "next: git commit")
				b.requireNoMore()
				b.requireRaised("6555", door, up)
				b.requireCarried(offset)
				b.run("git", "commit", "-q", "-m", "merged")
				require.Empty(t, b.run("git", "status", "--porcelain"))
				b.requireCarried(offset)
			})
		}
	}
}

// The person settles the door by hand, as git has it be done.
func TestAMergeSettledByHandCarries(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		for _, how := range []string{"--theirs", "--ours", "an editor"} {
			t.Run(place+" "+how, func(t *testing.T) {
				b := editingWorld(t, place).today()
				b.run("worldfs", "vcs", "install")
				door, offset := b.positionOf("6555"), b.offset()
				b.bothMove(func(b *bench) { b.raise("6555", 5) }, func(b *bench) { b.raise("6555", 3) })
				_, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code)
				up := map[string]float64{"--theirs": 3, "--ours": 5, "an editor": 7}[how]
				if how == "an editor" {
					b.run("git", "checkout", "--ours", "--", config.entityPath("6555"))
					b.raise("6555", 2)
				} else {
					b.run("git", "checkout", how, "--", config.entityPath("6555"))
				}
				b.run("git", "add", "-A")
				out := b.run("worldfs", "resolve")
				require.Contains(t, out, "next: git commit")
				require.NotContains(t, out, "6006")
				b.requireRaised("6555", door, up)
				b.requireCarried(offset)
				b.run("git", "commit", "-q", "-m", "merged")
				require.Empty(t, b.run("git", "status", "--porcelain"))
				require.NotContains(t, strings.ToLower(b.run("worldfs", "status")), "thrown away")
			})
		}
	}
}

func TestAPullDerivesPoses(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover", "linked"}) {
		t.Run(place, func(t *testing.T) {
			w := newShared(t, place, 60)
			door, offset := w.ann.positionOf("6555"), w.ann.offset()
			w.bob.set(6555, "position.z = position.z + 3")
			w.publish()
			w.ann.raiseMounted(2)
			w.ann.commit("Ann")
			w.ann.raiseMounted(4) // not committed
			p := w.ann.pull(0)
			require.Empty(t, p.Left)
			offset[2] += 6
			w.ann.requireRaised("6555", door, 3)
			w.ann.requireCarried(offset)
			w.ann.commit("Ann")
			w.ann.run("git", "push", "-q")
			w.bob.run("git", "pull", "-q")
			require.Equal(t, w.ann.textOf("6006"), w.bob.textOf("6006"))
			w.bob.run("worldfs", "diff", "--exit-code", w.ann.dir, ".")

			w.bob.set(6555, "position.z = position.z + 1")
			w.publish()
			w.ann.raise("6555", 10)
			w.ann.commit("Ann")
			p = w.ann.pull(1)
			require.Len(t, p.Left, 1)
			require.Equal(t, 6555, p.Left[0].ID)
			w.ann.run("worldfs", "resolve", "--take", "shared")
			w.ann.requireRaised("6555", door, 4)
			w.ann.requireCarried(offset)
		})
	}
}

func TestAValueOfOnesOwnCarries(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			b.run("worldfs", "vcs", "install")
			door, offset := b.positionOf("6555"), b.offset()
			b.bothMove(func(b *bench) { b.raise("6555", 5) }, func(b *bench) { b.raise("6555", 3) })
			_, code := b.try("git", "merge", "bob")
			require.Equal(t, 1, code)
			require.Contains(t, b.run("worldfs", "resolve", "--set", "6555", "position.z = position.z + 4"), "next: git commit")
			b.requireRaised("6555", door, 9)
			b.requireCarried(offset)
			b.requireNoMore()
		})
	}
}

func TestASubversionUpdateDerivesPoses(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "sharded"}) {
		t.Run(place, func(t *testing.T) {
			team := svnTeamOf(t, place)
			b := team.ann
			for _, what := range []string{"position.z = position.z + 5", "position.z = position.z + 7"} {
				team.bob.set(6555, what)
				team.bob.svnCommit("Bob")
				b.raiseMounted(2)
				if strings.HasSuffix(what, "7") {
					b.set(6555, "position.z = position.z + 1")
				}
				b.svnUpdate()
				out, _ := b.try("worldfs", "resolve")
				require.NotContains(t, out, "6006 \"bunker panel 2\" position")
				if strings.Contains(out, "left to settle") {
					out = b.run("worldfs", "resolve", "--take", "shared")
				}
				require.NotContains(t, b.run("worldfs", "status"), "mounted on", out)
				b.svnCommit("Ann")
				team.bob.run("svn", "update", "-q")
				require.NotContains(t, team.bob.run("worldfs", "status"), "mounted on")
				team.bob.run("worldfs", "diff", "--exit-code", b.dir, ".")
			}
		})
	}
}

func TestAnImportCarriesWhatItDoesNotPlace(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			panel := b.positionOf("6006")
			line := regexp.MustCompile(`"position":\[([0-9.]+),([0-9.]+),[0-9.]+\]`)
			b.write("door.jsonl", line.ReplaceAllString(b.run("worldfs", "show", "6555", "--json"), `"position":[$1,$2,20]`))
			require.Contains(t, b.run("worldfs", "import", "door.jsonl"), "1 changed, 0 deleted, 0 unchanged; 1 entity that is mounted came along")
			b.requireRaised("6006", panel, 20-8.694907)
			b.write("panel.jsonl", line.ReplaceAllString(b.run("worldfs", "show", "6006", "--json"), `"position":[$1,$2,99]`))
			out, code := b.try("worldfs", "import", "panel.jsonl")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "has no effect")
			b.requireRaised("6006", panel, 20-8.694907)
		})
	}
}

// A text that does not parse is its author's, and where the entity is follows all the same.
func TestABrokenTextIsCarried(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, followPlaces) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			panel, text := b.positionOf("6006"), b.textOf("6006")
			broken := strings.Replace(text, "\n; position\n", "\n; position\n    what\n", 1)
			b.write(config.entityPath("6006"), broken)
			b.sync()
			b.raise("6555", 5)
			b.sync()
			require.Equal(t, broken, b.textOf("6006"))
			b.write(config.entityPath("6006"), strings.Replace(text, "bunker panel 2", "mended", 1))
			b.sync()
			require.Contains(t, b.textOf("6006"), "mended")
			b.requireRaised("6006", panel, 5)
			require.NotContains(t, b.run("worldfs", "status"), "carries it to")
		})
	}
}

// What the pack of a fresh clone is is what the author's is.
func TestACloneOfWhatWasCarriedHasThePack(t *testing.T) {
	b := editingWorld(t, "mounted")
	b.raise("6555", 5)
	b.raiseMounted(0.1)
	b.commit("Ann")
	b.run("git", "clone", "-q", ".", b.root+"/fresh")
	fresh := b.cd("../fresh")
	fresh.run("worldfs", "pack", "-o", b.root+"/fresh.pack")
	b.run("worldfs", "pack", "-o", b.root+"/ann.pack")
	b.run("cmp", b.root+"/ann.pack", b.root+"/fresh.pack")
	require.Empty(t, fresh.run("git", "status", "--porcelain"))
}
