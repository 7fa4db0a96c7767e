package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newSharedWorld makes a world of 300 entities that is shared, and the clones of two people.
func newSharedWorld(t *testing.T) (ann, bob *bench) {
	return sharedWorld(resolveWorldOf(t, "plain", 300).today().as("Ann"))
}

// sharedWorld shares a world, and makes a clone of it.
func sharedWorld(ann *bench) (_, bob *bench) {
	ann.run("git", "clone", "-q", "--bare", ann.dir, "../shared")
	ann.run("git", "remote", "add", "origin", ann.path("../shared"))
	ann.run("git", "fetch", "-q")
	ann.run("git", "branch", "-q", "-u", "origin/main")
	ann.run("git", "clone", "-q", "../shared", "../bob")
	return ann, ann.cd("../bob").as("Bob")
}

// pushes has a person share a change.
func (b *bench) pushes(person string, do func(b *bench)) {
	b.Helper()
	b.run("git", "pull", "-q", "--no-rebase")
	do(b)
	b.commit(person)
	b.run("git", "push", "-q")
}

// meet has both change what git cannot merge, each time to something else, and Ann commit
// hers.
func meet(ann, bob *bench, time int) {
	ann.Helper()
	bob.pushes("Bob", func(b *bench) {
		b.set(6555, fmt.Sprintf("position = [%d, 108.1, 8.7]", 50+time), fmt.Sprintf("entity_name = %q", fmt.Sprint("bobs", time)))
		b.set(6005, fmt.Sprint("position.z = 5", time))
		b.run("rm", "-f", config.entityPath("6001"))
	})
	ann.set(6555, fmt.Sprint("position.y = 109", time), fmt.Sprintf("targets = [%d]", 1002+time))
	ann.set(6005, fmt.Sprint("position.z = 6", time))
	ann.set(6001, `entity_name = "anns"`)
	ann.commit("Ann")
}

func guideWorkingInGit(p *page) {
	t := p.T
	b, bob := newSharedWorld(t)
	p.types(b, "worldfs vcs install")
	bob.pushes("Bob", func(b *bench) { b.set(6006, `entity_name = "from bob"`) })
	require.Contains(t, p.types(b, "worldfs incoming"), "from bob")
	p.types(b, "worldfs pull")
	require.Contains(t, b.run("worldfs", "show", "6006"), "from bob")
	bob.pushes("Bob", func(b *bench) { b.set(6006, `entity_name = "again from bob"`) })
	p.types(b, "git pull --no-rebase")
	require.Contains(t, b.run("worldfs", "show", "6006"), "again from bob")
	b.copyOf("150000", "new")
	b.run("rm", config.entityPath("10000"))
	require.Contains(t, p.types(b, "worldfs vcs sync"), "1 ")
	require.Contains(t, p.types(b, "git diff"), "new")
	p.types(b, `git commit -a -m "Open the bunker"`)
	require.Empty(t, b.run("git", "status", "--porcelain"))
	p.types(b, "git push")

	meet(b, bob, 1)
	_, code := b.try("git", "pull", "--no-rebase")
	require.Equal(t, 1, code)
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve"), "3 left to settle")
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve --take mine 6555"), "2 left to settle")
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve --take shared Puzzle_Panel"), "1 left to settle")
	require.Contains(t, p.typesTo(b, 1, "worldfs resolve --take base 6555 --field position"), "1 left to settle")
	p.next("worldfs resolve -i")
	tty := b.onTerminal("resolve", "-i")
	tty.expect("1 of 1: Lamp 6005")
	tty.press("q")
	require.Equal(t, 1, tty.end())
	require.Contains(t, p.types(b, "worldfs resolve --set 6005 'position.z = position.z + 1'"), "next: git commit")
	p.types(b, "git commit")
	require.Contains(t, b.run("worldfs", "show", "6555"), "108.079681")
	require.Contains(t, b.run("worldfs", "show", "6005"), "    62.000000 : ")
	b.run("git", "push", "-q")

	meet(b, bob, 2)
	_, code = b.try("git", "pull", "--rebase")
	require.Equal(t, 1, code)
	require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git rebase --continue")
	p.types(b, "git rebase --continue")
	require.Contains(t, b.run("worldfs", "show", "6555"), "1092.0")
	b.run("git", "push", "-q")

	meet(b, bob, 3)
	before := b.run("git", "rev-parse", "HEAD")
	b.try("git", "pull", "--no-rebase")
	b.left("--take", "shared", "6555")
	p.types(b, "git merge --abort")
	require.Equal(t, before, b.run("git", "rev-parse", "HEAD"))
	require.Empty(t, b.run("git", "status", "--porcelain"))
	b.try("git", "pull", "--no-rebase")
	require.NotContains(t, b.left(), "6555")
	b.run("worldfs", "resolve", "--take", "mine")
	b.run("git", "commit", "-q")
	b.run("git", "push", "-q")

	meet(b, bob, 4)
	b.try("git", "pull", "--no-rebase")
	b.run("git", "checkout", "--theirs", "--", "entities")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q")

	require.Contains(t, p.types(b, "worldfs status"), "thrown away by the merge")
	require.Contains(t, p.types(b, "worldfs resolve --restore-lost 6555"), "1 changed")
	b.run("git", "checkout", "-q", "--", ".")
	p.types(b, "worldfs resolve --dismiss-lost")
	require.NotContains(t, b.run("worldfs", "status"), "thrown away")
	require.Equal(t, 1, strings.Count(b.run("worldfs", "ls", "--where", "id == 6555"), "\n"))
}
