package test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// guideWorld is the world of the guide's sessions: Ann's, who makes lamps, mounted and in git.
// Bob has a clone.
func guideWorld(t *testing.T) (ann *bench, people map[string]*bench) {
	ann, bob := newSharedWorld(t)
	ann = ann.ownIDs().role("Lighting")
	ann.run("worldfs", "vcs", "install")
	ann.mount("--quiet")
	return ann, map[string]*bench{"bob": bob.ownIDs().role("Puzzles")}
}

// ownIDs returns the bench of a machine that has given no IDs yet.
func (b *bench) ownIDs() *bench {
	other := *b
	other.env = append(append([]string{}, b.env...), "XDG_STATE_HOME="+b.TempDir(), "XDG_CONFIG_HOME="+b.TempDir(), "VISUAL=true",
		"GIT_DISCOVERY_ACROSS_FILESYSTEM=1")
	return &other
}

func guideBegin(p *page) {
	b, _ := guideWorld(p.T)
	b.run("worldfs", "unmount")
	p.session(b, nil)
	p.session(b, nil)
	p.session(b, nil)
	require.False(p, b.mounted())
}

func guideFind(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
}

func guideMake(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
}

func guideChange(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
	b.holds(6006, `entity_name == "bunker door panel"`)
}

func guideDelete(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
}

func guideChanged(p *page) {
	b, people := guideWorld(p.T)
	b.set(1002, `entity_name = "the bunker"`)
	b.commit("Ann")
	b.run("git", "push", "-q")
	b.run("git", "branch", "harbour")
	p.session(b, people)
	p.types(b, "worldfs diff")
	p.types(b, "worldfs diff --table")
	p.types(b, "worldfs diff main...harbour")
	p.types(b, "worldfs diff --table --map moved.svg")
	require.Contains(p, b.read("moved.svg"), "<svg")
	b.run("rm", "moved.svg")
	require.Contains(p, p.types(b, "worldfs history"), "set")
	p.types(b, "worldfs history --since 2h")
	p.types(b, "worldfs history 6555")
	people["bob"].pushes("Bob", func(b *bench) { b.set(6001, `entity_name = "bob's panel"`) })
	require.Contains(p, p.types(b, "worldfs incoming"), "bob's panel")
	p.next("worldfs watch")
	b.mount()
	p.types(b, "worldfs select 6555")
	require.Contains(p, p.types(b, "worldfs select"), "bunker door")
	b.run("worldfs", "unmount")
	p.session(b, people)
}

func guideUndo(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
	b.set(6005, "radius = 6")
	b.set(6555, `entity_name = "gate 3"`)
	require.Contains(p, p.types(b, "worldfs undo"), "6555")
	b.set(6555, `entity_name = "gate 3"`)
	require.Contains(p, p.types(b, "worldfs undo 6555"), "undone")
	b.holds(6555, `entity_name != "gate 3"`)
	b.set(6555, `entity_name = "gate 4"`)
	p.types(b, "worldfs undo --since 10m --yes")
	b.holds(6555, `entity_name != "gate 4"`)
	b.set(6555, `entity_name = "gate 5"`)
	number, _, _ := strings.Cut(lastLine(b.run("worldfs", "history")), " ")
	p.words = map[string]string{"NUMBER": number}
	p.types(b, "worldfs undo --set NUMBER")
	b.holds(6555, `entity_name != "gate 5"`)
	b.run("worldfs", "sync")
	b.run("sed", "-i", "s/bunker door/from git/", config.entityPath("6555"))
	b.commit("Ann")
	b.run("git", "checkout", "-q", "HEAD~1")
	p.types(b, "worldfs undo 6555 --any")
	b.holds(6555, `entity_name == "from git"`)
	p.types(b, "worldfs redo")
	p.types(b, "worldfs undo 6555 --at 14:30")
	_, status := b.try("worldfs", "show", "6555")
	require.Equal(p, 3, status, "it was not there then")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

func guideWrong(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
}

func guideSave(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
	p.words = map[string]string{"ID": "6005"}
	b.write(config.entityPath("6005"), "broken\n")
	require.Contains(p, p.types(b, "worldfs undo ID"), "undone")
	b.write(config.entityPath("6005"), "being written\n")
	require.Contains(p, b.run("worldfs", "status"), "findings  1")
	b.run("worldfs", "set", "--where", "id == 6005", "radius = radius + 1")
	require.Contains(p, b.run("worldfs", "status"), "a text that did not parse")
	require.Contains(p, p.types(b, "worldfs history ID"), "being written")
	b.run("worldfs", "undo", "6005")
	require.Contains(p, p.types(b, "worldfs status"), "findings  0")
	p.session(b, nil)
	p.greatLoss(b)
}

// loseAll removes all entities' files in the wrong place.
func (b *bench) loseAll() {
	b.Helper()
	b.run("sh", "-c", "rm "+config.entityPath("*"))
}

// greatLoss takes the ways out that the guide names.
func (p *page) greatLoss(b *bench) {
	b.loseAll()
	p.types(b, "git checkout -- entities")
	require.Contains(p, b.run("worldfs", "status"), "findings  0")
	s := makeSVNTeam(p.T, "plain").ann
	s.loseAll()
	p.types(s, "svn revert -R entities")
	require.Contains(p, s.run("worldfs", "status"), "300 entities")
	b.loseAll()
	_, hash, ok := strings.Cut(b.run("worldfs", "status"), "worldfs restore ")
	require.True(p, ok)
	p.words = map[string]string{"HASH": hash[:12]}
	p.types(b, "worldfs restore HASH")
	require.Contains(p, b.run("worldfs", "status"), "findings  0")
	b.run("worldfs", "unmount")
	b.loseAll()
	p.types(b, "worldfs unpack")
	require.Contains(p, b.run("worldfs", "status"), "findings  0")
	b.loseAll()
	p.types(b, "worldfs sync --allow-loss")
	require.Contains(p, b.run("worldfs", "status"), "0 entities")
}

func guideIDs(p *page) {
	b, _ := guideWorld(p.T)
	p.session(b, nil)
	p.types(b, "worldfs ids claim --commit")
	require.Len(p, strings.Fields(p.types(b, "worldfs ids next -n 10")), 10)
	p.types(b, "worldfs ids check --fix")
}

func guideEngine(p *page) {
	b, _ := guideWorld(p.T)
	b.run("worldfs", "export", "-o", "../island.jsonl")
	p.session(b, nil)
	p.session(b, nil)
	p.session(b, nil)
	b.run("worldfs", "sync")
	list := b.run("worldfs", "restore", "--list")
	hash := regexp.MustCompile(`[0-9a-f]{12}`).FindString(list)
	require.NotEmpty(p, hash, list)
	p.words = map[string]string{"17:30": time.Now().Format(time.TimeOnly), "9ebe7e5c": hash}
	p.types(b, "worldfs restore --at 17:30")
	p.types(b, "worldfs restore 9ebe7e5c")
	p.types(b, "worldfs restore")
}

func guideBuild(p *page) {
	b, _ := guideWorld(p.T)
	b.run("worldfs", "unmount")
	p.session(b, nil)
	require.Equal(p, b.read("world.pack"), b.read("../head.pack"))
}
