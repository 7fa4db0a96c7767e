package test

import (
	"os"
	"strings"

	"github.com/stretchr/testify/require"
)

// Each wrong turn that the guide names is taken, and then the way out that it names.
func guideSomethingWentWrong(p *page) {
	t := p.T
	g := resolveWorldOf(t, "plain", 300).today()
	g.run("git", "branch", "-q", "-M", "main")
	s := makeSVNTeam(t, "plain")
	w := wrongTurns{p, g, s}
	w.fileOfTheOtherSide()
	w.laterEdit()
	w.markersCommitted()
	w.abort()
	w.noSettlement()
	w.oneIDTwice()
	w.broughtBack()
	w.greatLoss()
	w.crash()
	w.localState()
	w.returned()
}

type wrongTurns struct {
	*page
	git *bench
	svn svnTeam
}

// diverge has branches main and bob that git cannot merge, from where main is; bob's edits
// differ by a number.
func (w wrongTurns) diverge(main, bob func(b *bench)) {
	w.Helper()
	g := w.git
	g.run("git", "checkout", "-q", "-B", "bob")
	bob(g)
	g.commit("Bob")
	g.run("git", "checkout", "-q", "main")
	main(g)
	g.commit("Ann")
}

// conflict has both move the door.
func (w wrongTurns) conflict(x string) {
	w.Helper()
	w.diverge(
		func(b *bench) { b.set(6555, "position.x = 1"+x, `entity_name = "anns `+x+`"`) },
		func(b *bench) { b.set(6555, "position.x = 2"+x) })
	_, code := w.git.try("git", "merge", "bob")
	require.Equal(w, 1, code)
}

func (w wrongTurns) fileOfTheOtherSide() {
	g := w.git
	w.conflict("1")
	g.run("git", "checkout", "--theirs", "--", "entities")
	g.run("git", "commit", "-q", "-a", "-m", "merged")
	require.Contains(w, w.types(g, "worldfs status"), "anns 1")
	require.Contains(w, w.types(g, "worldfs resolve --restore-lost"), "1 changed")
	require.Contains(w, g.run("worldfs", "show", "6555"), "anns 1")
	g.commit("Ann")
}

func (w wrongTurns) laterEdit() {
	g := w.git
	before := g.run("worldfs", "show", "6555")
	g.set(6555, `entity_name = "another"`)
	require.Contains(w, w.types(g, "worldfs history 6555"), "another")
	w.types(g, "worldfs undo 6555")
	require.Equal(w, before, g.run("worldfs", "show", "6555"))
}

func (w wrongTurns) markersCommitted() {
	g := w.git
	w.conflict("2")
	g.run("git", "commit", "-q", "-a", "-m", "merged")
	require.Contains(w, w.typesTo(g, 1, "worldfs resolve"), "Door 6555")
	require.Contains(w, w.types(g, "worldfs resolve --take mine"), "next: git commit")
	w.types(g, `git commit -a -m "Settle the merge"`)
	require.Contains(w, g.run("worldfs", "show", "6555"), "    12.000000 : 41400000\n")
	g.run("worldfs", "check")

	w.conflict("3")
	g.run("git", "commit", "-q", "-a", "-m", "merged")
	g.set(6005, "position.x = 3")
	g.commit("Ann")
	g.run("worldfs", "resolve", "--take", "mine")
	g.run("worldfs", "check")
	g.commit("Ann")
}

func (w wrongTurns) abort() {
	g, s := w.git, w.svn
	head := g.run("git", "rev-parse", "HEAD")
	w.conflict("4")
	g.run("worldfs", "resolve", "--take", "mine")
	w.types(g, "git merge --abort")
	require.NotEqual(w, head, g.run("git", "rev-parse", "HEAD"))
	require.Empty(w, g.run("git", "status", "--porcelain"))

	branch := strings.TrimSuffix(s.url, "trunk") + "branch"
	s.bob.run("svn", "copy", "-q", "-m", "branch", s.url, branch)
	s.bob.run("svn", "switch", "-q", branch)
	s.bob.set(6555, "position.x = 2")
	s.bob.made(150001, "harbour")
	s.bob.svnCommit("Bob")
	s.ann.set(6555, "position.x = 3")
	s.ann.svnCommit("Ann")
	s.ann.run("svn", "update", "-q")
	s.ann.run("svn", "merge", "--accept", "postpone", branch)
	s.ann.left()
	w.types(s.ann, "svn revert -R --remove-added .")
	require.Empty(w, s.ann.run("svn", "status"))
	require.Contains(w, s.ann.run("worldfs", "status"), "300 entities")
	s.bob.run("svn", "switch", "-q", s.url)

	g.try("git", "merge", "bob")
	require.Contains(w, g.run("worldfs", "resolve"), "next: git commit")
	require.Contains(w, w.types(g, "worldfs resolve --take shared 6555"), "next: git commit")
	g.run("git", "commit", "-q")
	require.Contains(w, g.run("worldfs", "show", "6555"), "    24.000000 : ")
}

// noSettlement settles a conflict by removing its file, and by keeping both sides.
func (w wrongTurns) noSettlement() {
	g := w.git
	w.conflict("5")
	g.run("git", "rm", "-q", "-f", config.entityPath("6555"))
	require.Contains(w, g.run("worldfs", "resolve"), "your edit stands")
	w.types(g, "worldfs resolve --take mine 6555")
	require.Contains(w, g.run("worldfs", "show", "6555"), "    15.000000 : ")
	g.run("git", "commit", "-q", "-m", "merged")

	w.conflict("6")
	g.try("worldfs", "resolve")
	g.run("sed", "-i", "/^<<<<<<< /d; /^=======/d; /^>>>>>>> /d", config.entityPath("6555"))
	require.Contains(w, w.typesTo(g, 1, "worldfs resolve"), "line 8, field position")
	w.types(g, "worldfs resolve --take mine 6555")
	require.Contains(w, g.run("worldfs", "show", "6555"), "    16.000000 : ")
	g.run("git", "commit", "-q", "-m", "merged")
}

func (w wrongTurns) oneIDTwice() {
	g := w.git
	w.diverge(
		func(b *bench) { b.made(150000, "anns group") },
		func(b *bench) { b.made(150000, "bobs group") })
	_, code := g.try("git", "merge", "bob")
	require.Equal(w, 1, code)
	require.Contains(w, w.types(g, "worldfs resolve"), "new ID")
	g.run("git", "commit", "-q")
	for _, name := range []string{"anns group", "bobs group"} {
		require.Contains(w, g.run("worldfs", "find", name), `"`+name+`"`)
	}
}

func (w wrongTurns) broughtBack() {
	g, lamp := w.git, config.entityPath("10003")
	g.run("git", "rm", "-q", lamp)
	g.run("git", "commit", "-q", "-m", "deleted")
	back := func(b *bench) { b.run("git", "checkout", "-q", "HEAD~1", "--", lamp) }
	w.diverge(
		func(b *bench) { back(b); b.set(10003, "position.x = 1") },
		func(b *bench) { back(b); b.set(10003, "group_id = 1003") })
	_, code := g.try("git", "merge", "bob")
	require.Equal(w, 1, code)
	require.Contains(w, w.types(g, "worldfs resolve"), "next: git commit")
	g.run("git", "commit", "-q", "-m", "merged")
	g.holds(10003, "position.x == 1 && group_id == 1003")
}

func (w wrongTurns) greatLoss() {
	for _, c := range []struct {
		b       *bench
		command string
	}{{w.git, "git checkout -- entities"}, {w.svn.ann, "svn revert -R entities"}} {
		before := c.b.names("entities")
		c.b.run("sh", "-c", "rm "+config.entityPath("*"))
		require.Contains(w, c.b.run("worldfs", "status"), "have no plain file any more")
		w.types(c.b, c.command)
		require.Equal(w, before, c.b.names("entities"))
		c.b.run("worldfs", "check")
	}
}

func (w wrongTurns) crash() {
	g := w.git
	g.mount()
	door := config.entityPath("6555")
	g.run("sed", "-i", `s/"bunker door"/"saved"/; s/"anns .*"/"saved"/`, door)
	g.run("sync", door)
	g.kill()
	out, code := g.try("ls", "entities")
	require.NotZero(w, code)
	require.Regexp(w, "Transport endpoint is not connected|Software caused connection abort", out)
	require.Contains(w, w.types(g, "worldfs status"), "It is cleared")
	require.Contains(w, g.run("worldfs", "show", "6555"), `"saved"`)
	w.types(g, "worldfs mount")
	require.True(w, g.mounted())
	require.Contains(w, g.read(door), `"saved"`)
	g.run("worldfs", "unmount")
}

func (w wrongTurns) localState() {
	g, s := w.git, w.svn.ann
	pack := g.read("world.pack")
	g.write("world.pack", pack[:len(pack)/2])
	w.types(g, "worldfs restore")
	require.True(w, pack == g.read("world.pack"))
	require.NoError(w, os.Remove(g.path("world.pack")))
	g.run("worldfs", "restore")
	require.True(w, pack == g.read("world.pack"))

	require.NoError(w, os.RemoveAll(g.path(".worldfs")))
	require.Contains(w, w.types(g, "worldfs status"), "entities of")
	require.True(w, pack == g.read("world.pack"))
	require.DirExists(w, g.path(".worldfs"))
	g.commit("Ann")

	g.run("git", "add", "--force", ".worldfs", "world.pack")
	w.outOf(g)
	s.run("svn", "add", "-q", "--no-ignore", "--force", ".worldfs", "world.pack")
	w.outOf(s)
	require.Empty(w, s.run("svn", "status"))
}

// outOf gets local files out of version control by the command that vcs add names.
func (w wrongTurns) outOf(b *bench) {
	w.Helper()
	_, way, ok := strings.Cut(w.typesTo(b, 1, "worldfs vcs add"), "\n\n    ")
	require.True(w, ok)
	way, _, _ = strings.Cut(way, "\n")
	b.run("sh", "-c", way)
	require.Contains(w, b.run("worldfs", "vcs", "add"), "has it all")
}

func (w wrongTurns) returned() {
	s := w.svn
	panel := config.entityPath("6001")
	s.ann.run("rm", panel)
	s.ann.run("worldfs", "status")
	s.ann.run("svn", "update", "-q")
	require.FileExists(w, s.ann.path(panel))
	w.types(s.ann, "worldfs vcs sync")
	require.NoFileExists(w, s.ann.path(panel))
	w.types(s.ann, `svn commit -m "Delete it"`)
	require.Empty(w, s.ann.run("svn", "status"))

	g := w.git
	w.diverge(
		func(b *bench) { b.set(6001, "position.x = 1") },
		func(b *bench) { b.run("rm", panel) })
	g.try("git", "merge", "bob")
	g.run("worldfs", "resolve", "--take", "mine")
	g.run("git", "commit", "-q")
	w.types(g, "rm entities/6001.entity_text")
	w.types(g, "worldfs vcs sync")
	g.commitIndex("deleted again")
	g.run("worldfs", "check")
	require.NotContains(w, g.run("git", "ls-files"), panel)
}
