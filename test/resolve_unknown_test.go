package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An entity that git was not told of yet lies where the former shard had it when a merge
// brings another: resolve leaves its file to the world, which follows.
func TestResolveLeavesWhatGitDoesNotKnow(t *testing.T) {
	t.Parallel()
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.branches(
				func(b *bench) { b.set(6555, "position.y = 109") },
				func(b *bench) {
					b.set(6555, "position.y = 110")
					b.run("worldfs", "shard", "last-digit")
				})
			b.run("git", "checkout", "-q", "ann")
			b.mountIn(place)
			b.run("sh", "-c", "sed 's/^6005$/6900/; s/\"bunker lamp\"/\"added\"/' entities/6005.entity_text >entities/6900.entity_text")
			b.run("worldfs", "show", "6900") // the world knows it
			_, code := b.try("git", "merge", "bob")
			require.Equal(t, 1, code)
			require.Contains(t, b.left(), "Door 6555")
			require.Contains(t, b.run("worldfs", "show", "6900"), "added")
			require.FileExists(t, b.path("entities/0/6900.entity_text"))
			require.NoFileExists(t, b.path("entities/6900.entity_text"))
		})
	}
}

// What a person keeps in a place that is no entity's, and svn was not told of, is no part of
// an update: resolve does not touch it.
func TestResolveLeavesWhatSVNDoesNotKnow(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			kept := []string{"entities/5/6005.entity_text", "entities/0/6900.entity_text"}
			b := team.meet(func(b *bench) {
				b.run("sh", "-c", "mkdir entities/5 entities/0; for f in "+strings.Join(kept, " ")+"; do sed 's/bunker lamp/mine/' entities/6005.entity_text >$f; done")
			}, func(*bench) {})
			require.Contains(t, b.left(), "1 left to settle")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: svn commit")
			for _, name := range kept {
				require.Contains(t, b.read(name), "mine")
			}
		})
	}
}
