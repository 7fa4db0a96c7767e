package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// role returns the bench of a machine of a role.
func (b *bench) role(name string) *bench {
	other := *b
	other.env = append(append([]string{}, b.env...), "WORLDFS_ROLE="+name)
	return &other
}

// copyOf makes an entity of an ID by copying the door's file, as people do.
func (b *bench) copyOf(id, name string) {
	b.Helper()
	text := strings.Replace(b.read(config.entityPath("6555")), "\n6555\n", "\n"+id+"\n", 1)
	b.write(config.entityPath(id), strings.Replace(text, "bunker door", name, 1))
}

// madeTwice has Ann and Bob make a door of one ID on branches, in two clones of which each
// has both.
func madeTwice(t *testing.T, id, ranges string) (ann, bob *bench) {
	b := resolveWorld(t, "plain")
	b.write("id_ranges", b.read("id_ranges")+"# people\n"+ranges)
	b.commit("all")
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	for _, person := range []string{"Ann", "Bob"} {
		b.run("git", "checkout", "-q", "-b", strings.ToLower(person), base)
		b.copyOf(id, person+"'s door")
		b.commit(person)
	}
	b.run("git", "clone", "-q", "-b", "ann", ".", "../ann")
	b.run("git", "clone", "-q", "-b", "bob", ".", "../bob")
	return b.cd("../ann").role("Ann"), b.cd("../bob").role("Bob")
}

// resolved merges a branch and returns what resolve says.
func (b *bench) resolved(branch string) string {
	b.Helper()
	b.try("git", "merge", "-q", branch)
	out := b.run("worldfs", "resolve")
	b.requireNoMore()
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "merged")
	return out
}

const noRange = "no range in id_ranges is known to be its creator's"

// Two people who merge each other's work have the same world: where neither has a range
// the content says which entity keeps the ID, and what the other's is.
func TestResolveMadeTwiceByPeopleWithoutRanges(t *testing.T) {
	ann, bob := madeTwice(t, "57999", "")
	out := ann.resolved("origin/bob")
	require.Contains(t, out, noRange)
	require.Contains(t, bob.resolved("origin/ann"), noRange)
	entities := func(b *bench) string { return b.run("git", "ls-tree", "-r", "HEAD", "entities") }
	require.Equal(t, entities(ann), entities(bob))

	before := entities(ann)
	ann.run("git", "fetch", "-q", bob.path("."), "bob:theirs")
	ann.resolved("theirs")
	require.Equal(t, before, entities(ann), "and after a merge both ways, too")
	ann.run("worldfs", "check")
}

// A new ID is in the range of the person that made the entity.
func TestResolveMadeTwiceByPeopleWithRanges(t *testing.T) {
	ann, bob := madeTwice(t, "160001", "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
	require.NotContains(t, ann.resolved("origin/bob"), noRange)
	require.Contains(t, ann.run("worldfs", "show", "160001"), "Bob's door")
	moved := ""
	for _, name := range ann.names("entities") {
		if id := name[strings.LastIndex(name, "/")+1:]; strings.HasPrefix(id, "158") {
			moved = strings.TrimSuffix(id, ".entity_text")
		}
	}
	require.Contains(t, ann.run("worldfs", "show", moved), "Ann's door")

	bob.resolved("origin/ann")
	require.Contains(t, bob.run("worldfs", "show", "160001"), "Bob's door", "the range is Bob's on every machine")
}
