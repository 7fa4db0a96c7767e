package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A mount moves a file to its place in the layout that a merge brings, and git, which could
// not merge that file, is not told: a deletion on the other side stands, and what both sides
// changed is a conflict, as where the world is not mounted.
func TestResolveAcrossAChangeOfShardInAMount(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		for _, sharded := range []string{"ann", "bob"} {
			t.Run(sharded+" sharded, "+place, func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.run("git", "config", "merge.renames", "false") // both sides' texts stay where ours has them
				shard := func(person string) {
					if person == sharded {
						b.run("worldfs", "shard", "last-digit")
					}
				}
				b.branches(
					func(b *bench) {
						b.write("types/Lamp.toml", b.read("types/Lamp.toml")+"\n[[fields]]\nname = \"extra\"\nkind = \"u32\"\n")
						b.run("worldfs", "fmt") // all lamps have another text, and say the same
						b.set(6555, "position.y = 109")
						shard("ann")
					},
					func(b *bench) {
						b.run("worldfs", "rm", "6005")
						b.set(6555, "position.y = 110")
						shard("bob")
					})
				b.run("git", "checkout", "-q", "ann")
				b.mountIn(place)
				_, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code)
				out := b.left()
				require.Contains(t, out, "Door 6555")
				require.Contains(t, out, "1 left to settle")
				b.requireNoMore()
				_, code = b.try("worldfs", "show", "6005")
				require.NotZero(t, code, "it is deleted")

				require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git commit")
				require.Empty(t, b.run("git", "ls-files", "--others", "--exclude-standard"))
				b.run("git", "commit", "-q", "-m", "merged")
				require.Empty(t, b.run("git", "status", "--porcelain"))
				files := b.run("git", "ls-files", "entities")
				require.NotContains(t, files, "/6005.entity_text")
				require.Equal(t, 1, strings.Count(files, "/6555.entity_text"))
				require.Contains(t, b.run("worldfs", "show", "6555"), "110.0")
			})
		}
	}
}

// Both sides have moved the files, each to places of its own: the shared setting stands, as
// with the other keys of world.toml, and the files lie where it says, merged.
func TestResolveTwoChangesOfShard(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		for _, c := range someOf(t, []struct{ take, renames, y string }{
			{"mine", "true", "109.0"},
			{"shared", "false", "110.0"},
			{"base", "true", "108.0"},
		}) {
			t.Run(c.take+", "+place, func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.run("git", "config", "merge.renames", c.renames)
				b.branches(
					func(b *bench) {
						b.set(6555, "position.y = 109")
						b.set(1002, "position.x = 77")
						b.run("worldfs", "shard", "last-digit")
					},
					func(b *bench) {
						b.set(6555, "position.y = 110", `entity_name = "bunker gate"`)
						b.run("worldfs", "rm", "6005")
						b.run("worldfs", "shard", "hundreds")
					})
				b.run("git", "checkout", "-q", "ann")
				b.mountIn(place)
				_, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code)
				out := b.left()
				require.Contains(t, out, "Door 6555")
				require.Contains(t, out, `world.toml: shard: both sides set it; shard = "hundreds" stands`)
				require.Contains(t, out, "1 left to settle")
				b.requireNoMore()
				b.requireInHundreds()

				require.Contains(t, b.run("worldfs", "resolve", "--take", c.take), "next: git commit")
				b.requireNoMore()
				b.run("git", "commit", "-q", "-m", "merged")
				require.Empty(t, b.run("git", "status", "--porcelain"))
				b.run("worldfs", "check")
				b.requireInHundreds()
				door := b.run("worldfs", "show", "6555")
				require.Contains(t, door, c.y)
				require.Contains(t, door, "bunker gate")
				require.Contains(t, b.run("worldfs", "show", "1002"), "77.0")
				_, code = b.try("worldfs", "show", "6005")
				require.NotZero(t, code, "it is deleted")
			})
		}
	}
}

// mountIn mounts the world, or leaves it as it is where the place is "plain".
func (b *bench) mountIn(place string) {
	b.Helper()
	switch place {
	case "mounted":
		b.mount()
	case "cover":
		b.mount("--cover", ".")
	}
}

// requireInHundreds has every file lie where the shard "hundreds" says, in git's index as on
// disk.
func (b *bench) requireInHundreds() {
	b.Helper()
	index := strings.Fields(b.run("git", "ls-files", "entities"))
	require.ElementsMatch(b, index, strings.Fields(b.run("find", "entities", "-name", "*.entity_text")))
	for _, name := range index {
		id := strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".entity_text")
		require.Equal(b, "entities/"+id[len(id)-3:]+"/"+id+".entity_text", name)
	}
}
