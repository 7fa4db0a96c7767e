package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// In svn's working copies run mounts what svn needs; where that is not clear it says how to say
// it, and watches the files meanwhile. svn's config and properties are as they were.
func TestRunInSVN(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "below", "sharded"}) {
		t.Run(place, func(t *testing.T) {
			b := newSVNTeam(t, place).bob
			before := b.properties()
			r := b.starts()
			id := b.engineMoves()
			require.Equal(t, place != "below", b.mounted())
			said, status := r.ends()
			require.Zero(t, status, said)
			require.Contains(t, said, "this working copy lacks")
			require.Contains(t, said, "next: worldfs diff, worldfs vcs sync, svn commit")
			require.False(t, b.mounted())
			b.requireMoved(id)
			require.Equal(t, before, b.properties())
			require.Regexp(t, `(?m)^M .*`+id.String()+`\.entity_text$`, b.run("svn", "status"))
			require.NoFileExists(t, b.home().path(".subversion/config.worldfs"))
			if place == "below" {
				require.Contains(t, said, "say --cover")
				r := b.starts("--cover", "../..")
				require.True(t, b.cd("../..").mounted())
				said, status := r.ends()
				require.Zero(t, status, said)
				require.False(t, b.cd("../..").mounted())
			}
		})
	}
}

// A linked worktree of git's is a clone like any other, and has a mount of its own.
func TestRunInALinkedWorktree(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("git", "worktree", "add", "-q", "../../linked")
	linked := b.cd("../../linked/w")
	first := b.starts()
	second := linked.startsAs("second")
	second.hasStarted()
	id := linked.engineMoves()
	said, status := second.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "worldfs vcs install")
	require.False(t, linked.mounted())
	require.True(t, b.mounted())
	said, status = first.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "nothing has changed")
	linked.requireMoved(id)
	require.Contains(t, linked.run("git", "status", "--short"), " M ")
	require.Empty(t, b.run("git", "status", "--short"))
}

// In shards, with other directories in them, a session is as it is without.
func TestRunInAShardedWorld(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "shard", "tens")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "shards")
	r := b.starts()
	id := b.engineMoves()
	said, status := r.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "in this session: 1 changed")
	b.requireMoved(id)
	require.Regexp(t, `^ M \S+/`+id.String()+`\.entity_text\n$`, b.run("git", "status", "--short"))
}

// On a terminal run asks before it touches git's setup; a no is remembered. What is typed after
// the answer is the game's.
func TestRunAsksBeforeItSetsUpGit(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	config := b.read("../.git/config")
	tty := b.onTerminal("run", "--", "sh", "-c", "read typed; echo the game has $typed")
	tty.expect("[y/N] ")
	tty.press("\r")
	tty.expect("not asked again here")
	tty.press("ahead\r")
	tty.expect("the game has ahead")
	require.Zero(t, tty.end())
	require.Equal(t, config, b.read("../.git/config"))

	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.NotContains(t, tty.shown.String(), "[y/N]")

	b.run("rm", "-rf", ".worldfs")
	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("y\r")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.Contains(t, b.read("../.git/config"), "worldfs")
}

// Ctrl-C at the question ends run, and Ctrl-D answers it with no for this time: nothing is set
// up, mounted or remembered.
func TestRunWhoseQuestionIsNotAnswered(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	config := b.read("../.git/config")
	tty := b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("\x03")
	tty.end()
	require.NotContains(t, tty.shown.String(), "the game runs")
	require.False(t, b.mounted())
	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("\x04")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.Equal(t, config, b.read("../.git/config"))
	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("n\r")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
}

// On a terminal run asks twice in svn: whether it may set up the working copy, and whether svn's
// own config may be written.
func TestRunAsksBeforeItSetsUpSVN(t *testing.T) {
	b := newSVNTeam(t, "plain").bob
	b.home().run("rm", "-rf", ".subversion")
	before := b.properties()
	tty := b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("n\r")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.Equal(t, before, b.properties())
	b.run("rm", "-rf", ".worldfs")
	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("y\r")
	tty.expect("write it? [y/N] ")
	tty.press("y\r")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.NotEqual(t, before, b.properties())
	require.Contains(t, b.home().read(".subversion/config"), "diff3-cmd")
}
