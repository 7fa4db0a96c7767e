package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// svnAdded is a world of 300 entities in a working copy of svn that does not have it yet.
func svnAdded(t *testing.T) *bench {
	if config["plain"] == "false" {
		t.Skip("svn has no entities while the world is not mounted")
	}
	t.Parallel()
	b := newBench(t, "svn", "svnadmin")
	b.run("svnadmin", "create", "repo")
	url := "file://" + b.path("repo")
	b.run("svn", "mkdir", "-q", "-m", "layout", url+"/trunk", url+"/branches")
	b.run("svn", "checkout", "-q", url+"/trunk", "ann")
	b.run("worldfs", "demo", "--entities", "300", "ann")
	return b.cd("ann")
}

// svnMeet has both change what svn cannot merge, and Bob commit.
func svnMeet(ann, bob *bench) {
	ann.Helper()
	bob.run("svn", "update", "-q")
	bob.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bobs"`)
	bob.set(6005, "position.z = 5")
	bob.run("rm", config.entityPath("6001"))
	bob.svnCommit("Bob")
	ann.set(6555, "position.y = 109", "targets = [1002]")
	ann.set(6005, "position.z = 6")
	ann.set(6001, `entity_name = "anns"`)
}

func guideWorkingInSVN(p *page) {
	t := p.T
	b := svnAdded(t)
	p.types(b, "worldfs vcs add")
	p.types(b, `svn commit -m "The world"`)
	require.Empty(t, b.run("svn", "status"))
	b.run("svn", "checkout", "-q", "file://"+b.path("../repo/trunk"), "../bob")
	bob := b.cd("../bob")
	b.Cleanup(func() {
		if b.mounted() {
			b.run("worldfs", "unmount")
		}
	})
	p.types(b, "worldfs mount")
	require.True(t, b.mounted())
	b.made(150000, "new")
	b.run("rm", config.entityPath("10000"))
	p.types(b, "worldfs vcs sync")
	status := b.run("svn", "status")
	require.Contains(t, status, "A       "+config.entityPath("150000"))
	require.Contains(t, status, "D       "+config.entityPath("10000"))
	b.set(6555, "position.x = 1")
	require.Contains(t, p.types(b, "svn diff"), "+    1.000000 : 3f800000")
	p.types(b, "svn revert entities/6555.entity_text")
	bob.set(1002, `entity_name = "from bob"`)
	bob.svnCommit("Bob")
	require.Contains(t, p.types(b, "worldfs incoming"), "from bob")
	p.types(b, "worldfs pull")
	require.Contains(t, b.run("worldfs", "show", "1002"), "from bob")
	bob.set(1003, `entity_name = "again from bob"`)
	bob.svnCommit("Bob")
	p.types(b, "svn update --accept postpone")
	require.Contains(t, b.run("worldfs", "show", "1002"), "from bob")
	p.types(b, `svn commit -m "Open the bunker"`)
	require.Empty(t, b.run("svn", "status"))

	svnMeet(b, bob)
	b.svnUpdate()
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve"), "3 left to settle")
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve --take mine 6555"), "2 left to settle")
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve --take shared Puzzle_Panel"), "1 left to settle")
	p.next("worldfs resolve -i")
	tty := b.onTerminal("resolve", "-i")
	tty.expect("1 of 1: Lamp 6005")
	tty.press("q")
	require.Equal(t, 1, tty.end())
	require.Contains(t, p.types(b, "worldfs resolve --set 6005 'position.z = position.z + 1'"), "next: svn commit")
	p.types(b, `svn commit -m "Merge"`)
	b.run("svn", "update", "-q")
	require.Contains(t, b.run("worldfs", "show", "6555"), "109.0")
	require.Contains(t, b.run("worldfs", "show", "6005"), "    7.000000 : 40e00000\n")

	bob.run("svn", "update", "-q")
	bob.run("svn", "copy", "-q", "-m", "harbour", "^/trunk", "^/branches/harbour")
	bob.run("svn", "switch", "-q", "^/branches/harbour")
	bob.set(6005, `entity_name = "harbour"`)
	bob.svnCommit("Bob")
	b.set(6005, "position.x = 2")
	b.svnCommit("Ann")
	b.run("svn", "update", "-q")
	p.types(b, "svn merge ^/branches/harbour --accept postpone")
	p.types(b, "worldfs resolve")
	b.run("svn", "commit", "-q", "-m", "harbour")
	lamp := b.run("worldfs", "show", "6005")
	require.Contains(t, lamp, "harbour")
	require.Contains(t, lamp, "    2.000000 : 40000000\n")
}
