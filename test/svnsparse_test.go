package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that svn is told to leave out of the working copy was deleted by no person, so none
// is told of it, and it is there again when svn brings it back.
func TestWhatSVNLeavesOutIsNotDeleted(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			ann := newSVNTeam(t, place).ann
			file := config.entityPath("6010")
			ann.run("svn", "update", "-q", "--set-depth", "exclude", file)
			ann.set(6555, "map_size = 3")
			require.NotContains(t, ann.run("worldfs", "status"), "that it does not know of yet")
			require.NotContains(t, ann.run("worldfs", "diff", "--table"), "6010", "it is not in BASE, either")
			require.Contains(t, ann.run("worldfs", "vcs", "sync"), "nothing to tell")
			ann.run("svn", "update", "-q", "--set-depth", "infinity", file)
			require.Contains(t, ann.run("worldfs", "vcs", "sync"), "nothing to tell")
			require.Contains(t, ann.run("worldfs", "show", "6010"), "Puzzle_Panel")
			ann.run("worldfs", "sync")
			require.NotContains(t, ann.run("svn", "status"), "6010")
		})
	}
}

// What another deleted, and a person's edits keep, was not made by that person: nobody is
// told to give it another ID. What svn has copied from another entity's file was.
func TestWhatSVNBringsBackWasNotMadeHere(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			ann := team.ann.role("Ann")
			team.svnDiffer()
			ann.svnUpdate()
			const madeHere = "it was made here"
			require.NotContains(t, ann.run("worldfs", "status"), madeHere)
			ann.run("worldfs", "resolve", "--take", "mine")
			require.NotContains(t, ann.run("worldfs", "status"), madeHere)
			if place == "plain" {
				ann.run("svn", "copy", "-q", config.entityPath("6555"), config.entityPath("9999"))
				require.Contains(t, ann.run("worldfs", "status"), madeHere)
			}
		})
	}
}

// A depth of svn's that leaves a part of the world out is told, with the command that brings it
// back; what it took away is no deletion.
func TestWhatADepthOfSVNsLeavesOut(t *testing.T) {
	t.Parallel()
	const left = "svn was told to leave out of "
	for _, place := range someOf(t, []string{"plain", "sharded", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			ann := newSVNTeam(t, place).ann
			require.NotContains(t, ann.run("worldfs", "status"), left)
			if place == "sharded" {
				ann.leavesOut("svn update -q --set-depth empty entities/555", "entities/ (depth empty)", "entities")
				ann.leavesOut("svn update -q --set-depth exclude entities/555", "entities/ (depth exclude)", "entities")
				ann.leavesOut("svn update -q --set-depth files entities", "entities/ (depth files)", "entities")
			} else {
				ann.run("svn", "update", "-q", "--set-depth", "files", "entities")
				require.NotContains(t, ann.run("worldfs", "status"), left, "it has all")
			}
			ann.leavesOut("svn update -q --set-depth empty entities", "entities/ (depth empty)", "entities")
			if place != "plain" {
				return
			}
			ann.leavesOut("svn update -q --set-depth exclude types", "types/ (depth exclude)", "types")

			for _, depth := range []string{"files", "immediates"} {
				ann.run("svn", "checkout", "-q", "--depth", depth, ann.worldURL(), ann.path("../"+depth))
				says := map[string]string{"files": "files", "immediates": "empty"}[depth]
				ann.cd("../"+depth).leavesOut("true", "entities/ (depth "+says+") and of types/ (depth "+says+")", "entities types")
			}
			ann.run("svn", "checkout", "-q", "--depth", "empty", ann.worldURL(), ann.path("../empty"))
			empty := ann.cd("../empty")
			said, code := empty.try("worldfs", "status")
			require.NotZero(t, code)
			require.Contains(t, said, "svn was told to leave all out that is in it")
			require.Contains(t, said, ": svn update --set-depth infinity . brings it")
			empty.run("svn", "update", "-q", "--set-depth", "infinity", ".")
			empty.run("svn", "update", "-q", "--set-depth", "exclude", "world.toml")
			for _, command := range []string{"status", "init"} {
				said, code = empty.try("worldfs", command)
				require.NotZero(t, code)
				require.Contains(t, said, "is a world directory, but svn was told to leave its world.toml out: svn update --set-depth infinity world.toml brings it")
			}
		})
	}
}

func (b *bench) worldURL() string {
	b.Helper()
	return strings.TrimSpace(b.run("svn", "info", "--show-item", "url", "."))
}

// leavesOut has a command take parts of the world away, and status say so and how they come
// back.
func (b *bench) leavesOut(command, says, parts string) {
	b.Helper()
	b.run("sh", "-c", command)
	mend := "svn update --set-depth infinity " + parts
	status := b.run("worldfs", "status")
	require.Contains(b, status, "svn was told to leave out of "+says+" what others have")
	require.Contains(b, status, "["+mend+"]")
	require.NotContains(b, status, "[worldfs unpack]")
	b.run("sh", "-c", mend+" -q")
	require.NotContains(b, b.run("worldfs", "status"), "svn was told to leave out of ")
	require.Contains(b, b.run("worldfs", "show", "6555"), "Door")
	require.Contains(b, b.run("worldfs", "vcs", "sync"), "nothing to tell")
	require.NotContains(b, b.run("svn", "status"), "entity_text")
}
