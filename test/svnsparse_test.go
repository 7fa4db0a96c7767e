package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that svn is told to leave out of the working copy was deleted by no person, so none
// is told of it, and it is there again when svn brings it back.
func TestWhatSVNLeavesOutIsNotDeleted(t *testing.T) {
	for _, place := range []string{"plain", "mounted"} {
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
	for _, place := range []string{"plain", "mounted"} {
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
