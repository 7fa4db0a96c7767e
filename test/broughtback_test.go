package test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An entity that is there again after its deletion was committed has its own ID: it is not one
// that was made here with an ID of another person's.
func TestUndoOfACommittedDeletionKeepsTheID(t *testing.T) {
	deleted := config.entityPath("6001")
	ways := map[string]func(*bench){
		"undo": func(b *bench) { b.run("worldfs", "undo", "6001", "--yes") },
		"revert": func(b *bench) {
			b.run("git", "revert", "-n", "HEAD")
			b.run("git", "revert", "--quit")
		},
		"checkout": func(b *bench) { b.run("git", "checkout", "-q", "HEAD~", "--", deleted) },
		"older": func(b *bench) { // the deletion is not the last commit
			b.set(1002, "position.x = 7")
			b.commit("Ann")
			b.run("git", "checkout", "-q", "HEAD~2", "--", deleted)
		},
		"merged": func(b *bench) { // the deletion came by a merge
			deletion := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
			b.run("git", "checkout", "-q", "-b", "more", "HEAD~")
			b.set(1002, "position.x = 7")
			b.commit("Ann")
			b.run("git", "merge", "-q", "--no-edit", deletion)
			b.run("git", "checkout", "-q", "HEAD^^", "--", deleted)
		},
	}
	for name, bringBack := range inTurn(t, ways) {
		for _, place := range someOf(t, []string{"plain", "mounted", "cover", "linked", "below"}, name) {
			t.Run(name+" "+place, func(t *testing.T) {
				b := gitWorldOf(t, place).machine("Ann")
				b.foreignRange()
				b.run("worldfs", "rm", "6001", "--yes")
				b.commit("Ann")
				bringBack(b)
				b.holds(6001, "true")
				b.requireOwnID("6001")
			})
		}
	}
}

// Of svn its server tells, which keeps what a working copy forgets.
func TestUndoOfACommittedDeletionKeepsTheIDInSVN(t *testing.T) {
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := svnTeamOf(t, place)
			ann := team.ann.machine("Ann")
			ann.foreignRange()
			ann.run("worldfs", "rm", "6001", "--yes")
			ann.svnCommit("Ann")
			ann.run("svn", "update", "-q")
			ann.run("worldfs", "undo", "6001", "--yes")
			ann.holds(6001, "true")
			ann.requireOwnID("6001")

			// Its server is asked once: what it has said stays known without it.
			ann.run("mv", filepath.Dir(strings.TrimPrefix(team.url, "file://"))+"/db", ann.root+"/db")
			out, status := ann.try("worldfs", "ids", "check")
			require.Equal(t, 1, status, out)
			require.Contains(t, out, "7777")

			// Without it nothing is said of a further ID, but that nothing is known.
			ann.copyOf("7778", "another door")
			ann.run("worldfs", "sync")
			require.Contains(t, ann.run("sh", "-c", "'"+binary+"' ids check 2>&1"), "whether new entities have IDs of others' is not known")
		})
	}
}

// foreignRange gives all IDs of the world to Bob.
func (b *bench) foreignRange() {
	b.Helper()
	b.write("id_ranges", "1 90000 Bob\n90000 93000 Ann\n")
}

// requireOwnID fails if what is there again is said to have an ID of Bob's, or what is new is
// not.
func (b *bench) requireOwnID(id string) {
	b.Helper()
	b.run("worldfs", "sync")
	out, status := b.try("worldfs", "ids", "check")
	require.Zero(b, status, out)
	require.NotContains(b, b.run("worldfs", "status", "--json"), "id-foreign")
	b.copyOf("7777", "new door")
	b.run("worldfs", "sync")
	out, status = b.try("worldfs", "ids", "check")
	require.Equal(b, 1, status, out)
	require.Contains(b, out, "7777")
	require.NotContains(b, out, id)
}
