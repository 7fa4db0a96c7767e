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

// What a person has edited in a file that git has merged stays when resolve writes it since a ref
// in it follows, and when resolve is called again.
func TestResolveMadeTwiceInAFileThatWasEdited(t *testing.T) {
	ann, bob := madeTwice(t, "158001", "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
	bob.set(6005, "group_id = 158001")
	bob.commit("Bob")
	ann.run("git", "fetch", "-q", bob.path("."), "bob:theirs")
	ann.try("git", "merge", "-q", "theirs")
	ann.set(6005, `entity_name = "lamp"`)
	ann.run("worldfs", "resolve")
	ann.requireNoMore()
	require.Equal(t, ann.idOf("Bob's door"), ann.valueOf("6005", "group_id"))
	require.Equal(t, `"lamp"`, ann.valueOf("6005", "entity_name"))
	ann.set(6005, `entity_name = "lantern"`)
	ann.requireNoMore()
	require.Equal(t, `"lantern"`, ann.valueOf("6005", "entity_name"))
	ann.run("git", "add", "-A")
	ann.run("git", "commit", "-q", "-m", "merged")
	ann.requireNoMore()
	require.Equal(t, `"lantern"`, ann.valueOf("6005", "entity_name"))
}

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

// A new ID is in the range of the person that made the entity, whose machine it ever is
// that merges.
func TestResolveMadeTwiceByPeopleWithRanges(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct{ stays, moves, to string }{
		"160001": {"Bob's door", "Ann's door", "158"},
		"158001": {"Ann's door", "Bob's door", "160"},
	} {
		t.Run(id, func(t *testing.T) {
			ann, bob := madeTwice(t, id, "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
			ann.run("git", "clone", "-q", "-b", "bob", "../w", "../build")
			build := ann.cd("../build").role("Puzzles")
			trees := make(map[string]bool)
			for b, other := range map[*bench]string{ann: "origin/bob", bob: "origin/ann", build: "origin/ann"} {
				require.NotContains(t, b.resolved(other), noRange)
				require.Contains(t, b.run("worldfs", "show", id), want.stays)
				require.Contains(t, b.run("grep", "-rl", want.moves, "entities"), "/"+want.to)
				trees[b.run("git", "ls-tree", "-r", "HEAD", "entities")] = true
			}
			require.Len(t, trees, 1, "all come to the same")
		})
	}
}

// What was deleted before, and both bring back, each otherwise, is the same entity: what
// each made of it is merged by property.
func TestBothBringBackWhatWasDeleted(t *testing.T) {
	b := resolveWorld(t, "plain")
	was := b.textOf("6555")
	b.run("rm", config.entityPath("6555"))
	b.commit("all")
	b.diverge(
		func(b *bench) {
			b.write(config.entityPath("6555"), was)
			b.set(6555, "map_size = 7", "position.y = 109")
		},
		func(b *bench) {
			b.write(config.entityPath("6555"), was)
			b.set(6555, `entity_name = "bunker gate"`, "position.y = 110")
		})
	b.try("git", "merge", "-q", "bob")
	out, code := b.try("worldfs", "resolve")
	require.Equal(t, 1, code, out)
	require.NotContains(t, out, "new ID")
	require.Contains(t, out, "Door 6555")
	require.Contains(t, out, "position: yours")
	out = b.run("worldfs", "resolve", "--take", "mine")
	b.requireNoMore()
	door := b.run("worldfs", "show", "6555")
	for _, want := range []string{"map_size\n    7", "bunker gate", "110.0"} {
		require.Contains(t, door, want, out)
	}
}
