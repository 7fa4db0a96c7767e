package test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person deletes in an svn working copy stays deleted: an update brings back what
// svn has not heard of, as it was.
func TestADeletionSurvivesAnUpdate(t *testing.T) {
	b := vcsWorld(t, "svn", "mounted")
	text := b.read(b.file(6555))
	update := func() {
		require.Contains(t, b.run("svn", "update"), "Restored")
		require.Equal(t, text, b.read(b.file(6555)))
	}
	b.run("rm", b.file(6555))
	update()
	require.Contains(t, b.run("worldfs", "vcs", "sync"), "svn had brought back, and they are deleted again: "+b.file(6555))
	require.NoFileExists(t, b.path(b.file(6555)))
	require.Equal(t, map[string]string{b.file(6555): "D"}, b.states("svn"))

	b.run("svn", "revert", "-q", b.file(6555)) // svn knew of it: then it is taken back
	b.requireNothingToTell("svn")
	require.Empty(t, b.states("svn"))

	b.run("rm", b.file(6555))
	b.awaitOnRecord()
	require.Contains(t, b.run("worldfs", "status"), "1 deletion that it does not know of yet")
	info, err := os.Stat(b.path(".worldfs/vcs.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	update()
	b.run("worldfs", "unmount") // what is on record outlives the mount
	require.Contains(t, b.run("worldfs", "vcs", "sync"), "1 deleted")
	require.Equal(t, map[string]string{b.file(6555): "D"}, b.states("svn"))
	b.run("svn", "revert", "-q", b.file(6555))

	b.run("rm", b.file(6555)) // unmounted a command has to see it
	b.run("worldfs", "status")
	update()
	require.Contains(t, b.run("worldfs", "vcs", "sync"), "1 deleted")
	require.Equal(t, map[string]string{b.file(6555): "D"}, b.states("svn"))
}

// awaitOnRecord returns when a deletion is on record with what svn has of the file.
func (b *bench) awaitOnRecord() {
	b.Helper()
	b.eventually(func() bool {
		record, _ := os.ReadFile(b.path(".worldfs/vcs.json"))
		return strings.Contains(string(record), `"base"`)
	})
}

// A file that is there again is no deletion, unless svn has brought it back.
func TestWhatIsMadeAnewIsNotDeleted(t *testing.T) {
	b := vcsWorld(t, "svn", "mounted")
	text := b.read(b.file(6555))
	b.run("rm", b.file(6555))
	b.awaitOnRecord()
	b.write(b.file(6555), text) // by an editor
	b.requireNothingToTell("svn")
	require.Empty(t, b.states("svn"))

	b.run("rm", b.file(6555)) // by the person, who takes it back
	b.run("svn", "revert", "-q", b.file(6555))
	b.requireNothingToTell("svn")
	require.Empty(t, b.states("svn"))

	b.run("rm", b.file(6555)) // by a command of ours, after an update
	b.run("svn", "update", "-q")
	b.run("rm", b.file(6555))
	b.run("worldfs", "undo", "6555")
	b.requireNothingToTell("svn")
	require.Empty(t, b.states("svn"))

	b.run("svn", "delete", "-q", b.file(6555)) // by svn, which goes back and forth
	b.run("svn", "commit", "-q", "-m", "away")
	b.run("svn", "update", "-q")
	b.run("svn", "update", "-q", "-r", "1")
	b.run("svn", "update", "-q")
	b.run("svn", "update", "-q", "-r", "1")
	b.requireNothingToTell("svn")
	require.Empty(t, b.states("svn"))
	require.Equal(t, text, b.read(b.file(6555)))
}

// A great loss that svn has brought back was not meant, whatever brought it back.
func TestAGreatLossThatSVNBroughtBack(t *testing.T) {
	t.Parallel()
	for _, back := range []string{"update -q", "revert -q -R ."} {
		t.Run(back, func(t *testing.T) {
			b := vcsWorld(t, "svn", "mounted")
			b.run("sh", "-c", "rm "+config.entityPath("*"))
			b.run("sh", "-c", "svn "+back)
			b.try("worldfs", "vcs", "sync")
			require.Empty(t, b.states("svn"))
			b.requireNothingToTell("svn")
			require.FileExists(t, b.path(b.file(6555)))
		})
	}
}

// Where others have changed meanwhile what was deleted, nothing is lost: it is named.
func TestADeletionOfWhatOthersChanged(t *testing.T) {
	b := vcsWorld(t, "svn", "mounted")
	b.run("svn", "checkout", "-q", "file://"+b.root+"/repository", "../other")
	other := b.cd("../other")
	other.write(other.file(6555), other.read(other.file(6555))+"\n")
	other.write(other.file(6001), other.read(other.file(6001))+"\n")
	other.run("svn", "commit", "-q", "-m", "other")
	b.run("rm", b.file(6555))
	b.awaitOnRecord()
	b.run("svn", "update", "-q", "--accept", "postpone")
	require.Contains(t, b.run("worldfs", "vcs", "sync"), "there again, changed by others or most of the world: "+b.file(6555))
	require.Empty(t, b.states("svn"))
	b.requireNothingToTell("svn")

	// What svn has in conflict is left alone.
	other.write(other.file(6001), strings.Replace(other.read(other.file(6001)), "\n\n", "\n \n", 1)+"x\n")
	other.run("svn", "commit", "-q", "-m", "other")
	b.run("rm", b.file(6001))
	b.run("worldfs", "vcs", "sync")
	b.run("svn", "update", "-q", "--accept", "postpone")
	b.make(6555, 70000)
	out, code := b.try("worldfs", "vcs", "sync")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "in conflict, and left alone: "+b.file(6001))
	require.Equal(t, "A", b.states("svn")[b.file(70000)])
}

// With vcs.auto a mounted world does it by itself.
func TestVCSAuto(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		t.Run(tool, func(t *testing.T) {
			b := vcsWorld(t, tool, "plain")
			b.make(6001, 70000) // before the mount
			b.write("world.toml", b.read("world.toml")+"\n[vcs]\nauto = true\n")
			b.mount()
			b.awaitState(tool, 70000, "A")
			b.run("rm", b.file(6555))
			b.make(6001, 70001)
			b.awaitState(tool, 6555, "D")
			b.awaitState(tool, 70001, "A")
			b.run("worldfs", "undo", "6555")
			b.awaitState(tool, 6555, "")

			free := b.lockVCS(tool)
			b.run("rm", b.file(70001))
			b.eventually(func() bool { return strings.Contains(b.run("worldfs", "status"), "locked by another process") })
			free()
			b.awaitState(tool, 70001, "")
			b.eventually(func() bool { return !strings.Contains(b.run("worldfs", "status"), "locked by another process") })

			b.run("rm", b.file(6555))
			b.run("worldfs", "unmount") // at once: it is told before
			require.Equal(t, "D", b.states(tool)[b.file(6555)])
			log := map[string][]string{"git": {"log", "--oneline"}, "svn": {"log", "-q"}}[tool]
			require.NotContains(t, b.run(tool, log...), "r2", "it never commits")
		})
	}
}

func (b *bench) awaitState(tool string, id int, want string) {
	b.Helper()
	b.eventually(func() bool { return b.states(tool)[b.file(id)] == want })
}

// In the middle of a merge nothing is told, by hand or by itself.
func TestVCSSyncInTheMiddleOfAMerge(t *testing.T) {
	b := vcsWorld(t, "git", "plain")
	b.write("world.toml", b.read("world.toml")+"\n[vcs]\nauto = true\n")
	b.run("git", "commit", "-qam", "auto")
	b.differ()
	b.mount()
	_, code := b.try("git", "merge", "bob")
	require.Equal(t, 1, code)
	b.run("rm", b.file(1000))
	staged := b.run("git", "ls-files", "--stage")
	out, code := b.try("worldfs", "vcs", "sync")
	require.Equal(t, 3, code)
	require.Contains(t, out, "git is in the middle of a merge: nothing was done")
	require.NotContains(t, b.run("worldfs", "status"), "vcs sync")
	b.eventually(func() bool { return strings.Contains(b.read(".worldfs/log"), "in the middle of a merge") })
	require.Equal(t, staged, b.run("git", "ls-files", "--stage"))
	b.run("git", "merge", "--abort")
	b.awaitState("git", 1000, "D")
}
