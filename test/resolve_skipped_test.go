package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// said returns what a command that must succeed says, remarks too.
func (b *bench) said(args ...string) string {
	b.Helper()
	return b.run("sh", append([]string{"-c", `exec "$0" "$@" 2>&1`, binary}, args...)...)
}

// lose has a merge throw Ann's edit of an entity's name away, and returns what came of it.
func (b *bench) lose(id int, branch string) string {
	b.Helper()
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	b.run("git", "checkout", "-q", "-b", branch)
	b.set(id, "position = [50, 108.1, 8.7]")
	b.commit("Bob")
	b.run("git", "checkout", "-q", "-B", "ann", base)
	b.set(id, "position.y = 109", `entity_name = "anns `+branch+`"`)
	b.commit("Ann")
	b.try("git", "merge", branch)
	b.run("git", "checkout", "--theirs", "--", config.entityPath(fmt.Sprint(id)))
	b.run("git", "add", "-A")
	b.as("Ann").run("git", "commit", "-q", "-m", "merged "+branch)
	return strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
}

// removeObject removes an object from the repository.
func (b *bench) removeObject(rev string) {
	b.Helper()
	object := strings.TrimSpace(b.run("git", "rev-parse", rev))
	require.NoError(b, os.Remove(filepath.Join(b.path(".git/objects"), object[:2], object[2:])))
}

// A merge that cannot be looked at is told once, with what to do, and keeps nothing from
// being found out of the others.
func TestAMergeThatCannotBeLookedAtIsSkipped(t *testing.T) {
	t.Parallel()
	for what, spoil := range inTurn(t, map[string]func(b *bench, merge string){
		"its tree is gone":            func(b *bench, merge string) { b.removeObject(merge + "^1^{tree}") },
		"a text of it is gone":        func(b *bench, merge string) { b.removeObject(merge + "^1:" + config.entityPath("6555")) },
		"a side's types do not parse": nil,
	}) {
		t.Run(what, func(t *testing.T) {
			b := resolveWorld(t, "plain").today()
			b.lose(6001, "first")
			cable := b.read("types/Cable.toml")
			if spoil == nil {
				b.write("types/Cable.toml", "<<<<<<< HEAD\n"+cable+"=======\n>>>>>>> bob\n")
				b.commit("Ann")
			}
			spoiled := b.lose(6555, "second")
			if spoil == nil {
				b.write("types/Cable.toml", cable)
				b.commit("Ann")
			} else {
				spoil(b, spoiled)
			}
			b.lose(6005, "third")
			out := b.said("status")
			require.Contains(t, out, "anns first")
			require.Contains(t, out, "anns third")
			if spoil == nil { // its entities can be read all the same
				require.Contains(t, out, "anns second")
				return
			}
			require.Contains(t, out, "what the merge "+spoiled[:7]+" (Ann, ")
			require.Contains(t, out, " "+spoiled[:7]+" show it by lines")
			again := b.said("status")
			require.Contains(t, again, "anns first")
			require.NotContains(t, again, spoiled[:7], "it is told once")
			require.NotContains(t, b.said("resolve"), spoiled[:7])
			require.Contains(t, b.said("resolve", "--restore-lost"), spoiled[:7], "it is looked at again")
			require.Contains(t, b.run("worldfs", "show", "6005"), "anns third")
			require.Contains(t, b.said("resolve", "--restore-lost"), "nothing that merges have cost")
		})
	}
}

// In a shallow repository it may not be known what two sides come from. What they both
// have of it is no edit of theirs then.
func TestWhatMergesHaveCostInAShallowRepository(t *testing.T) {
	b := resolveWorld(t, "plain").today()
	b.run("rm", config.entityPath("6001"))
	b.lose(6555, "bob")
	b.run("git", "clone", "-q", "--depth", "2", "file://"+b.dir, "../shallow")
	s := b.cd("../shallow")
	out := s.said("status")
	require.Contains(t, out, "git fetch --unshallow")
	require.NotContains(t, out, "thrown away")
	s.run("git", "fetch", "-q", "--unshallow")
	require.NotContains(t, s.said("status"), "unshallow")
	require.Contains(t, s.said("resolve", "--restore-lost"), "1 changed")
	require.Contains(t, s.run("worldfs", "show", "6555"), "anns bob")
}

// Where git cannot read its history to the end, nothing is taken for lost that is not known
// to be, and what was found out before is told.
func TestWhatMergesHaveCostWhereACommitIsGone(t *testing.T) {
	b := resolveWorld(t, "plain").today()
	b.lose(6001, "first")
	require.Contains(t, b.said("status"), "anns first")
	spoiled := b.lose(6555, "second")
	last := b.lose(6005, "third")
	b.removeObject(spoiled + "^2")
	out := b.said("status")
	require.Contains(t, out, "git fsck tells more")
	require.Contains(t, out, "what the merge "+last[:7])
	require.Contains(t, out, "anns first")
	require.Equal(t, 1, strings.Count(out, "thrown away"), out)
}

// Where what was found out cannot be kept, it is told all the same.
func TestWhatMergesHaveCostOnAFullDisk(t *testing.T) {
	t.Parallel()
	d := newSmallDisk(t, "ext4", false)
	b := d.lossOnDisk()
	d.fill()
	for range 2 {
		out := b.said("status")
		require.Contains(t, out, "cannot be kept")
		require.Contains(t, out, "anns bob")
	}
	d.empty()
	require.NotContains(t, b.said("status"), "cannot be kept")
	require.FileExists(t, b.path(".worldfs/lost.json"))
}

// lossOnDisk has a world on the disk in which a merge has cost something that is not known
// yet.
func (d *smallDisk) lossOnDisk() *bench {
	d.Helper()
	made := gitWorld(d.T, "plain", 300).today()
	made.lose(6555, "bob")
	d.run("cp", "-a", made.dir, "disk/w")
	b := d.cd("disk/w")
	b.run("worldfs", "status")
	require.NoError(d, os.Remove(b.path(".worldfs/lost.json")))
	return b
}

// What is chosen on a disk that is full, or cannot be written, is refused, with nothing half
// done; once it can be, the same call goes through.
func TestResolveOnADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]struct {
		begin, end func(d *smallDisk)
		says       string
	}{
		"full":      {func(d *smallDisk) { d.fill() }, func(d *smallDisk) { d.empty() }, "no space left on device"},
		"read-only": {func(d *smallDisk) { d.run("mount", "-o", "remount,ro", "disk") }, func(d *smallDisk) { d.run("mount", "-o", "remount,rw", "disk") }, "ead-only file system"},
	} {
		t.Run(why, func(t *testing.T) {
			d := newSmallDisk(t, "ext4", false)
			made := gitWorld(t, "plain", 300)
			made.differ()
			made.try("git", "merge", "bob")
			d.run("cp", "-a", made.dir, "disk/w")
			b := d.cd("disk/w")
			b.left()
			c.begin(d)
			for _, args := range [][]string{{"--take", "mine"}, {"--set", "6555", "position.x = 1"}} {
				out, code := b.try("worldfs", append([]string{"resolve"}, args...)...)
				require.Equal(t, 3, code, out)
				require.Contains(t, out, c.says)
			}
			c.end(d)
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
			require.Contains(t, b.run("worldfs", "show", "6555"), "109.0")
			b.requireNoMore()
			b.run("git", "commit", "-q", "-m", "merged")
			b.run("worldfs", "check")
		})
	}
}

// Two people, or an editor and a person, choose at once: neither's choice is lost, and one
// waits for the other.
func TestTwoResolveAtOnce(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.differ()
			b.try("git", "merge", "bob")
			b.left()
			for range 6 {
				b.takeAtOnce("6001", "6555")
				require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
				require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")
				_, code := b.try("worldfs", "show", "6001")
				require.Equal(t, 3, code)
				b.requireNoMore()
				b.run("worldfs", "resolve", "--take", "mine", "6001", "6555")
			}
		})
	}
}

// takeAtOnce takes what is shared of each of some entities, by a process each.
func (b *bench) takeAtOnce(ids ...string) {
	var all sync.WaitGroup
	for _, id := range ids {
		cmd := b.command(binary, "resolve", "--take", "shared", id)
		all.Go(func() {
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code > 1 { // 1: the other is left
				b.Errorf("resolve %s: %v: %s", id, err, out)
			}
		})
	}
	all.Wait()
	require.False(b, b.Failed())
}
