package test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stopped returns what status says of an operation of git's that has stopped, "" for nothing,
// and the command that it names.
func (b *bench) stopped() (message, mend string) {
	b.Helper()
	var status struct {
		Findings []struct{ Code, Message, Mend, Severity, Advice string }
	}
	require.NoError(b, json.Unmarshal([]byte(b.run("worldfs", "status", "--json")), &status))
	for _, f := range status.Findings {
		if f.Code == "vcs-unmerged" {
			require.Empty(b, message, "it is said once")
			require.Equal(b, "warning", f.Severity)
			require.NotEmpty(b, f.Advice)
			message, mend = f.Message, f.Mend
		}
	}
	return message, mend
}

// Where git has stopped, and no file shows it, status does: which operation it is, how many
// files are unmerged, and what to type next, until it is over.
func TestStatusOfAStoppedMerge(t *testing.T) {
	for name, c := range inTurn(t, map[string]struct {
		begin        []string
		what, goesOn string
		back         string
		empty        bool // nothing is left of what comes in where the file is as it was
	}{
		"merge":       {[]string{"git", "merge", "bob"}, "git merge", "git commit", "git merge --abort", false},
		"rebase":      {[]string{"git", "rebase", "bob"}, "git rebase", "git rebase --continue", "git rebase --abort", false},
		"rebase am":   {[]string{"git", "rebase", "--apply", "bob"}, "git rebase", "git rebase --continue", "git rebase --abort", true},
		"cherry-pick": {[]string{"git", "cherry-pick", "bob"}, "git cherry-pick", "git cherry-pick --continue", "git cherry-pick --abort", true},
		"revert":      {[]string{"sh", "-c", "git merge -q -s ours bob && git revert --no-edit bob"}, "git revert", "git revert --continue", "git revert --abort", true},
		"am":          {[]string{"sh", "-c", "git format-patch -q -1 bob --no-textconv --stdout | git am -3"}, "git am", "git am --continue", "git am --abort", true},
	}) {
		for _, place := range someOf(t, places, name) {
			t.Run(name+" "+place, func(t *testing.T) {
				b := gitWorldOf(t, place)
				b.bothMoveTheLamp()
				message, _ := b.stopped()
				require.Empty(t, message)
				out, code := b.try(c.begin[0], c.begin[1:]...)
				require.NotZero(t, code, out)

				message, mend := b.stopped()
				require.Contains(t, message, c.what+" has stopped, and 1 file of the world is unmerged: worldfs resolve, then "+c.goesOn+"; "+c.back)
				require.Equal(t, "worldfs resolve", mend)
				b.run("git", "checkout", "-q", "--ours", config.entityPath("6005")) // takes the markers out
				message, _ = b.stopped()
				require.Contains(t, message, "1 file of the world is unmerged")
				goesOn, step := c.goesOn, c.back
				if c.empty {
					goesOn = strings.Replace(c.goesOn, "--continue", "--skip", 1)
					step = goesOn
				}
				out = b.run("worldfs", "resolve", "--take", "mine")
				require.Contains(t, out, "next: "+goesOn+"\n")
				message, mend = b.stopped()
				require.Contains(t, message, "no file is unmerged: "+goesOn)
				require.Equal(t, goesOn, mend)
				require.Contains(t, b.run("worldfs", "status"), "["+goesOn+"]")
				b.run("git", strings.Fields(step)[1:]...)
				message, _ = b.stopped()
				require.Empty(t, message)
			})
		}
	}
}

// bothMoveTheLamp has Ann and Bob give a lamp another radius, Bob on the branch bob.
func (b *bench) bothMoveTheLamp() {
	b.Helper()
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	b.run("git", "checkout", "-q", "-b", "bob")
	b.set(6005, "radius = 2")
	b.commit("Bob")
	b.run("git", "checkout", "-q", "-b", "ann", base)
	b.set(6005, "radius = 3")
	b.commit("Ann")
}

// Of some of what git does it keeps no note, or it is in the middle of it though no file is
// unmerged, or files besides that worldfs does not merge.
func TestStatusOfWhatElseHasStopped(t *testing.T) {
	b := gitWorldOf(t, "below")
	b.bothMoveTheLamp()
	b.run("git", "checkout", "-q", "--detach", "bob~")
	b.set(6005, "radius = 4")
	b.run("git", "stash", "-q")
	b.run("git", "checkout", "-q", "bob")
	_, code := b.try("git", "stash", "pop")
	require.NotZero(t, code)
	message, mend := b.stopped()
	require.Contains(t, message, "such as git stash pop, and 1 file of the world is unmerged: worldfs resolve")
	require.Equal(t, "worldfs resolve", mend)
	b.run("worldfs", "resolve", "--take", "mine")
	message, _ = b.stopped()
	require.Empty(t, message, "git waits for nothing")
	b.run("git", "reset", "-q", "--hard")

	// A rebase stops where it is told to.
	b.env = append(b.env, "GIT_SEQUENCE_EDITOR=sed -i 1s/pick/edit/")
	b.run("git", "checkout", "-q", "ann")
	b.run("git", "rebase", "-q", "-i", "HEAD~")
	message, mend = b.stopped()
	require.Contains(t, message, "no file is unmerged: git rebase --continue")
	require.Equal(t, "git rebase --continue", mend)
	b.run("git", "rebase", "--abort")

	// Of several commits that are picked the first is committed by hand.
	b.run("git", "checkout", "-q", "bob")
	b.set(1002, "position.x = 7")
	b.commit("Bob")
	b.run("git", "checkout", "-q", "ann")
	_, code = b.try("git", "cherry-pick", "bob~", "bob")
	require.NotZero(t, code)
	b.run("worldfs", "resolve", "--take", "mine")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "picked")
	message, _ = b.stopped()
	require.Contains(t, message, "git cherry-pick has stopped, and no file is unmerged: git cherry-pick --continue")
	b.run("git", "cherry-pick", "--quit")
	b.run("git", "reset", "-q", "--hard")
	message, _ = b.stopped()
	require.Empty(t, message)

	// What is beside the world is no business of resolve's.
	top := b.cd("../..")
	for _, branch := range []string{"bob", "ann"} {
		b.run("git", "checkout", "-q", branch)
		top.write("notes.txt", branch)
		b.run("git", "add", "-A", "../..")
		b.run("git", "commit", "-q", "-m", "notes")
	}
	_, code = b.try("git", "merge", "bob")
	require.NotZero(t, code)
	message, mend = b.stopped()
	require.Contains(t, message, "1 file of the world is unmerged, and 1 file that worldfs does not merge is unmerged: worldfs resolve, then settle those files and git add them, then git commit")
	require.Equal(t, "worldfs resolve", mend)
	b.run("worldfs", "resolve", "--take", "mine")
	message, mend = b.stopped()
	require.Contains(t, message, "1 file that worldfs does not merge is unmerged: settle those files and git add them, then git commit; git merge --abort")
	require.Equal(t, "git status", mend)
}
