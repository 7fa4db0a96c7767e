package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asPatch writes what Bob's branch has done last as a patch, and returns its name.
func (b *bench) asPatch() string {
	b.Helper()
	return strings.TrimSpace(b.run("git", "format-patch", "-1", "bob", "--no-textconv", "-o", b.TempDir()))
}

// requireBobsAndAnns fails unless the door has what neither side disputed, and Ann's position.
func (b *bench) requireBobsAndAnns() {
	b.Helper()
	door := b.run("worldfs", "show", "6555")
	for _, has := range []string{"109.0", `"bunker gate"`, "    1002\n"} {
		require.Contains(b, door, has)
	}
	require.Contains(b, b.run("worldfs", "show", "6001"), "Puzzle_Panel")
}

// git keeps no note of what it does for am -3: all that is known stands in the index.
func TestResolveAPatch(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "below"}) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.differ()
			patch := b.asPatch()
			_, code := b.try("git", "am", "-3", patch)
			require.NotZero(t, code)
			out := b.left()
			require.Contains(t, out, `Puzzle_Panel 6001 "bunker panel": yours changed it / shared deleted it (Bob, 2001-02-03)`)
			require.Contains(t, out, `position: yours 46.10353, 109, 8.694907 / shared 50, 108.1, 8.7 (Bob, 2001-02-03), 4 apart`)
			b.requireNoMore()
			b.left("--take", "mine", "6555")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git am --continue")
			require.Contains(t, b.run("worldfs", "resolve"), "am: nothing changed; next: git am --continue")
			b.run("git", "am", "--continue")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			b.requireBobsAndAnns()
			require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
			b.run("worldfs", "check")
		})
	}
}

// A patch that was taken back and comes again is settled as it was; one of which git merges
// nothing is said to be so.
func TestResolveAPatchThatComesAgain(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.differ()
	patch := b.asPatch()
	b.try("git", "am", "-3", patch)
	b.run("worldfs", "resolve", "--take", "shared", "6555", "6001")
	b.run("git", "am", "--abort")
	require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
	b.try("git", "am", "-3", patch)
	require.Contains(t, b.run("worldfs", "resolve"), "as you chose before: 2")
	b.run("git", "am", "--continue")
	require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")

	b.run("git", "reset", "-q", "--hard", "HEAD~1")
	b.try("git", "am", patch)
	out, code := b.try("worldfs", "resolve")
	require.Equal(t, 3, code)
	require.Contains(t, out, "git am --abort, then git am -3")
}

// A commit that is picked without being committed is not taken for the merge that HEAD is.
func TestResolveAPickThatIsNotCommitted(t *testing.T) {
	t.Parallel()
	for name, installed := range map[string]bool{"plain": false, "driver": true} {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			if installed {
				b.run("worldfs", "vcs", "install")
			}
			b.differ()
			b.run("git", "checkout", "-q", "-b", "side", "ann~1")
			b.set(1003, "position.x = 3")
			b.commit("Carl")
			b.run("git", "checkout", "-q", "ann")
			b.run("git", "merge", "-q", "-m", "merged", "side")
			_, code := b.try("git", "cherry-pick", "-n", "bob")
			require.NotZero(t, code)
			require.Contains(t, b.left(), `position: yours 46.10353, 109, 8.694907 / shared 50, 108.1, 8.7 (Bob, 2001-02-03), 4 apart`)
			b.requireNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "apply: ")
			b.run("git", "commit", "-q", "-m", "picked")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			b.requireBobsAndAnns()
		})
	}
}

// Local edits that went along to another branch are the person's, and stay uncommitted edits.
func TestResolveEditsThatWentAlongToAnotherBranch(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.differ()
			b.set(6555, "position.y = 140", "open_seconds = 4")
			b.set(6010, "position.x = 7")
			b.run("worldfs", "sync")
			_, code := b.try("git", "switch", "bob")
			require.NotZero(t, code, "git would overwrite them")
			b.run("git", "checkout", "-m", "bob")
			out := b.left()
			require.Contains(t, out, "position: yours 46.10353, 140, 8.694907")
			require.Contains(t, out, "shared 50, 108.1, 8.7")
			b.requireNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "checkout: 1 file written")
			require.Contains(t, b.run("worldfs", "resolve"), "checkout: nothing changed")
			door := b.run("worldfs", "show", "6555")
			for _, has := range []string{"140.0", `"bunker gate"`, "    4.0"} {
				require.Contains(t, door, has)
			}
			require.Contains(t, b.run("worldfs", "show", "6010"), "    7.0")
			require.Contains(t, b.run("git", "diff", "HEAD", "--stat"), "2 files changed")
		})
	}
}

// git merges more than two branches line by line, and keeps no sides: what to do is said.
func TestAMergeOfManyBranches(t *testing.T) {
	b := resolveWorld(t, "plain")
	main := strings.TrimSpace(b.run("git", "branch", "--show-current"))
	for branch, x := range map[string]string{"one": "position.x = 1", "two": "position.z = 2"} {
		b.run("git", "checkout", "-q", "-b", branch, main)
		b.set(6555, x)
		b.commit(branch)
	}
	b.run("git", "checkout", "-q", main)
	b.set(6001, "position.x = 3")
	b.commit("main")
	b.run("git", "merge", "-q", "-m", "many", "one", "two")
	out := b.run("worldfs", "resolve")
	require.Contains(t, out, "git has merged 3 branches at once")
	require.Contains(t, out, "git reset --keep HEAD~1")
	b.run("git", "reset", "-q", "--keep", "HEAD~1")
	b.run("git", "merge", "-q", "-m", "one", "one")
	b.try("git", "merge", "-q", "-m", "two", "two")
	require.Contains(t, b.left(), "Door 6555 \"bunker door\" position", "half of either is no position")
	b.run("worldfs", "resolve", "--take", "mine")
}
