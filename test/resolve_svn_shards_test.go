package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A shard in conflict when a branch is merged is its files' conflict.
func TestResolveAMergeOfShardsInSVN(t *testing.T) {
	t.Parallel()
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	const shard, group = "entities/001", "entities/002/1002.entity_text"
	edit := func(b *bench) { b.set(6001, `entity_name = "renamed"`) }
	remove := func(b *bench) { b.run("svn", "delete", "-q", shard) }
	added := func(ids ...string) func(b *bench) {
		return func(b *bench) {
			for _, id := range ids {
				dir := "entities/" + id[len(id)-3:]
				b.run("sh", "-c", "mkdir -p "+dir+" && sed 's/^1002$/"+id+"/; s/\"bunker\"/\""+b.dir[strings.LastIndex(b.dir, "/")+1:]+id+"\"/' "+group+" >"+dir+"/"+id+".entity_text")
			}
		}
	}
	for _, c := range someOf(t, []struct {
		name, take string
		ann, bob   func(b *bench)
		want       []string // names that are there
		not        []string // IDs that are not
	}{
		{"edit, delete", "mine", edit, remove, []string{"renamed"}, []string{"1001"}},
		{"edit, delete", "shared", edit, remove, nil, []string{"1001", "6001"}},
		{"delete, edit", "mine", remove, edit, nil, []string{"1001", "6001"}},
		{"delete, edit", "shared", remove, edit, []string{"renamed"}, []string{"1001"}},
		{"delete, delete", "mine", remove, remove, nil, []string{"1001", "6001"}},
		{"add, add", "mine", added("150777", "152777"), added("150777", "151777"), []string{"ann150777", "ann152777", "bob150777", "bob151777"}, nil},
	}) {
		t.Run(c.name+", "+c.take, func(t *testing.T) {
			team := newSVNTeam(t, "sharded")
			b, bob := team.ann, team.bob
			branch := strings.TrimSuffix(team.url, "trunk") + "branch"
			bob.run("svn", "copy", "-q", "-m", "branch", team.url, branch)
			bob.run("svn", "switch", "-q", branch)
			c.bob(bob)
			bob.set(6555, "position.x = 50")
			bob.svnCommit("Bob")
			c.ann(b)
			b.set(6555, "position.x = 51")
			b.svnCommit("Ann")
			b.run("svn", "update", "-q")
			b.run("svn", "merge", "--accept", "postpone", branch)
			require.Contains(t, b.run("svn", "status"), "C ")
			b.left()
			b.svnNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", c.take), "next: svn commit")
			b.svnNoMore()
			team.requireIn(c.want, c.not)
		})
	}
}
