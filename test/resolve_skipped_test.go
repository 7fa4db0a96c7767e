package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// remove removes an object from the repository.
func (b *bench) removeObject(rev string) {
	b.Helper()
	object := strings.TrimSpace(b.run("git", "rev-parse", rev))
	require.NoError(b, os.Remove(filepath.Join(b.path(".git/objects"), object[:2], object[2:])))
}

// A merge that cannot be looked at is told once, with what to do, and keeps nothing from
// being found out of the others.
func TestAMergeThatCannotBeLookedAtIsSkipped(t *testing.T) {
	for what, spoil := range map[string]func(b *bench, merge string){
		"its tree is gone":            func(b *bench, merge string) { b.removeObject(merge + "^1^{tree}") },
		"a text of it is gone":        func(b *bench, merge string) { b.removeObject(merge + "^1:" + config.entityPath("6555")) },
		"a side's types do not parse": nil,
	} {
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
