package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// svnTeam is a world in a Subversion repository, and the working copies of two people.
type svnTeam struct {
	ann, bob *bench // in the world directory
	url      string // of the world
}

// newSVNTeam makes a world of 300 entities. place says where resolve runs: it is Ann's.
func newSVNTeam(t *testing.T, place string) svnTeam { return svnTeamOf(t, place, (*bench).takeDown) }

// svnTeamOf is newSVNTeam with a door that carries a panel unless it is prepared otherwise.
func svnTeamOf(t *testing.T, place string, prepare ...func(*bench)) svnTeam {
	if config["plain"] == "false" {
		t.Skip("svn has no entities while the world is not mounted")
	}
	t.Parallel()
	return makeSVNTeam(t, place, prepare...)
}

func makeSVNTeam(t *testing.T, place string, prepare ...func(*bench)) svnTeam {
	b := newBench(t, "svn", "svnadmin")
	b.run("svnadmin", "create", "repo")
	url := "file://" + b.path("repo")
	b.run("svn", "mkdir", "-q", "-m", "trunk", "--username", "Ann", url+"/trunk")
	url += "/trunk"
	b.run("svn", "checkout", "-q", url, "ann")
	world := "."
	if place == "below" {
		world = "game/island"
	}
	ann := b.cd("ann")
	ann.run("worldfs", "demo", "--entities", "300", world)
	if place == "sharded" {
		ann.run("worldfs", "shard", "hundreds")
	}
	for _, do := range prepare {
		do(ann.cd(world))
	}
	ann.cd(world).run("worldfs", "unpack")
	if place == "below" {
		ann.run("svn", "add", "-q", "--depth", "empty", "game", world)
		ann.cd(world).run("worldfs", "init", "--ignores")
	}
	ann.run("svn", "add", "-q", "--force", ".")
	ann.run("svn", "commit", "-q", "-m", "world", "--username", "Ann")
	ann.run("svn", "update", "-q")
	b.run("svn", "checkout", "-q", url, "bob")
	team := svnTeam{ann: ann.cd(world), bob: b.cd("bob").cd(world), url: url}
	switch place {
	case "mounted", "cover":
		team.ann.mount("--cover", ".")
	}
	return team
}

// svnCommit commits everything as a person, as plain files are: what is new and what is
// gone, too.
func (b *bench) svnCommit(person string) {
	b.Helper()
	b.run("worldfs", "sync")
	b.run("sh", "-c", `svn add -q --force entities types && svn status | sed -n 's/^! *//p' | xargs -r svn delete -q`)
	b.run("svn", "commit", "-q", "-m", person, "--username", person)
}

// meet has Bob commit something and Ann, who did something else, get it. Both moved door
// 6555 besides.
func (team svnTeam) meet(ann, bob func(*bench)) *bench {
	team.ann.Helper()
	bob(team.bob)
	team.bob.set(6555, "position.x = 50")
	team.bob.svnCommit("Bob")
	ann(team.ann)
	team.ann.set(6555, "position.x = 51")
	team.ann.svnUpdate()
	return team.ann
}

// requireIn fails unless the repository has entities of these names, and none of these IDs.
func (team svnTeam) requireIn(names, not []string) {
	team.ann.Helper()
	fresh := team.fresh()
	for _, name := range names {
		require.Contains(fresh, fresh.run("worldfs", "find", name), `"`+name+`"`)
	}
	for _, id := range not {
		_, code := fresh.try("worldfs", "show", id)
		require.Equal(fresh, 3, code, id)
	}
}

// svnUpdate updates, and leaves conflicts to resolve.
func (b *bench) svnUpdate() string {
	b.Helper()
	b.run("worldfs", "sync")
	return b.run("svn", "update", "--accept", "postpone")
}

// svnNoMore has resolve change nothing more.
func (b *bench) svnNoMore() {
	b.Helper()
	status := b.run("svn", "status")
	out, code := b.try("worldfs", "resolve")
	require.LessOrEqual(b, code, 1, out)
	require.Contains(b, out, "nothing changed")
	require.Equal(b, status, b.run("svn", "status"))
}

// fresh returns a clean checkout of what Ann commits now, in which everything is well and
// the same as with her.
func (team svnTeam) fresh() *bench {
	ann := team.ann
	ann.Helper()
	require.NotContains(ann, ann.run("svn", "status"), " C ")
	ann.run("svn", "commit", "-q", "-m", "merged", "--username", "Ann")
	require.Empty(ann, ann.run("svn", "status"))
	ann.run("svn", "update", "-q")
	dir := ann.root + "/fresh"
	require.NoError(ann, os.RemoveAll(dir))
	url := strings.TrimSpace(ann.run("svn", "info", "--show-item", "url", "."))
	ann.run("svn", "checkout", "-q", url, dir)
	fresh := *ann
	fresh.dir = dir
	ann.run("diff", "-r", ann.path("entities"), dir+"/entities")
	fresh.run("worldfs", "check")
	return &fresh
}

// svnDiffer has Ann and Bob do what svn cannot merge.
func (team svnTeam) svnDiffer() {
	team.bob.Helper()
	team.bob.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bunker gate"`)
	team.bob.set(1002, "position.x = position.x + 1")
	team.bob.run("rm", config.entityPath("6001"))
	team.bob.svnCommit("Bob")
	team.ann.set(6555, "position.y = 109", "targets = [6001, 6005, 1002]")
	team.ann.set(6001, "position.x = position.x + 1")
}

func TestResolveAnUpdate(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover", "below"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			team.svnDiffer()
			b := team.ann
			b.svnUpdate()
			out := b.left()
			require.Contains(t, out, `Puzzle_Panel 6001 "bunker panel": yours changed it / shared deleted it`)
			require.Contains(t, out, `Door 6555 "bunker door" position: yours 46.10353, 109, 8.694907 / shared 50, 108.1, 8.7 (Bob, `)
			require.Contains(t, out, "2 left to settle")
			b.svnNoMore()
			_, code := b.try("svn", "commit", "-m", "too early")
			require.NotZero(t, code)
			require.Contains(t, b.left("--take", "mine", "6555"), "1 left to settle")
			b.svnNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: svn commit")
			b.svnNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", "shared", "6555"), "next: svn commit") // chosen again
			require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "base", "6555"), "next: svn commit")
			require.Contains(t, b.run("worldfs", "show", "6555"), "46.1")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine", "6555"), "next: svn commit")
			fresh := team.fresh()
			door := fresh.run("worldfs", "show", "6555")
			for _, has := range []string{"109.0", `"bunker gate"`, "    1002\n"} {
				require.Contains(t, door, has)
			}
			require.NotContains(t, fresh.names("entities"), config.entityPath("6001")[len("entities/"):])
			require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
		})
	}
}

// Every kind of tree conflict that an update can meet ends in svn resolve, with the world
// as merged by property.
func TestResolveTreeConflicts(t *testing.T) {
	t.Parallel()
	lamp, panel := config.entityPath("1002"), config.entityPath("6001")
	is := func(b *bench, id int, texts ...string) {
		b.Helper()
		out := b.run("worldfs", "show", fmt.Sprint(id))
		for _, text := range texts {
			require.Contains(b, out, text)
		}
	}
	gone := func(b *bench, id int) {
		b.Helper()
		_, code := b.try("worldfs", "show", fmt.Sprint(id))
		require.Equal(b, 3, code)
	}
	move := func(b *bench) { b.set(6001, "position = [1, 2, 3]") }
	rename := func(b *bench) { b.set(6001, `entity_name = "renamed"`) }
	remove := func(b *bench) { b.run("svn", "delete", "-q", panel) }
	type table struct {
		name         string
		bob, ann     func(b *bench)
		conflict     string         // as svn has it
		mine, shared func(b *bench) // what is there when one side was taken
		silent       bool           // nothing is left to people
	}
	renamed, moved := func(b *bench) { is(b, 6001, "renamed") }, func(b *bench) { is(b, 6001, "1.0000", "2.0000") }
	deleted := func(b *bench) { gone(b, 6001) }
	both := func(b *bench) { // made with one ID
		is(b, 150000, "new panel")
		require.Contains(b, b.run("worldfs", "find", "copied"), "Group ")
	}
	for _, c := range someOf(t, []table{
		{name: "edit, delete", ann: move, bob: remove, conflict: "local file edit, incoming file delete or move", mine: moved, shared: deleted},
		{name: "delete, edit", ann: remove, bob: rename, conflict: "local file delete, incoming file edit", mine: deleted, shared: renamed},
		{name: "delete, delete", ann: remove, bob: remove, conflict: "local file delete, incoming file delete", mine: deleted, shared: deleted, silent: true},
		{name: "replace, edit", ann: func(b *bench) {
			text := b.read(panel)
			b.run("svn", "delete", "-q", panel)
			b.write(panel, text)
			move(b)
			b.run("worldfs", "sync")
			b.run("svn", "add", "-q", panel)
		}, bob: rename, conflict: "local file replace, incoming file edit", mine: func(b *bench) { renamed(b); moved(b) }, shared: func(b *bench) { renamed(b); moved(b) }, silent: true},
		{name: "replace, delete", ann: func(b *bench) {
			text := b.read(panel)
			b.run("svn", "delete", "-q", panel)
			b.write(panel, text)
			move(b)
			b.run("worldfs", "sync")
			b.run("svn", "add", "-q", panel)
		}, bob: remove, conflict: "local file replace, incoming file delete", mine: moved, shared: deleted},
		{name: "moved away, edit", ann: func(b *bench) { b.run("svn", "move", "-q", panel, "gone.txt") }, bob: rename,
			conflict: "local file moved away, incoming file edit", mine: deleted, shared: renamed},
		{name: "obstructed, edit", ann: func(b *bench) { b.run("sh", "-c", "rm "+panel+" && mkdir "+panel) }, bob: rename,
			mine: deleted, shared: renamed},
		{name: "add, add", ann: func(b *bench) {
			b.run("sh", "-c", "sed 's/^1002$/150000/; s/\"bunker\"/\"copied\"/' "+lamp+" >"+config.entityPath("150000"))
			b.run("worldfs", "sync")
			b.run("svn", "add", "-q", config.entityPath("150000"))
		}, bob: func(b *bench) {
			b.run("sh", "-c", "sed 's/^6001$/150000/; s/bunker panel/new panel/' "+panel+" >"+config.entityPath("150000"))
		}, conflict: "local file add, incoming file add", mine: both, shared: both, silent: true},
		{name: "unversioned, add", ann: func(b *bench) {
			b.run("sh", "-c", "sed 's/^1002$/150000/; s/\"bunker\"/\"copied\"/' "+lamp+" >"+config.entityPath("150000"))
		}, bob: func(b *bench) {
			b.run("sh", "-c", "sed 's/^6001$/150000/; s/bunker panel/new panel/' "+panel+" >"+config.entityPath("150000"))
		}, conflict: "local file unversioned, incoming file add", mine: both, shared: both, silent: true},
	}) {
		for _, take := range someOf(t, []string{"mine", "shared"}, c.name) {
			t.Run(c.name+", "+take, func(t *testing.T) {
				team := newSVNTeam(t, "plain")
				b := team.meet(c.ann, c.bob)
				require.Contains(t, b.run("svn", "status"), c.conflict)
				out := b.left()
				require.Equal(t, !c.silent, strings.Contains(out, "6001"), out)
				b.svnNoMore()
				require.Contains(t, b.run("worldfs", "resolve", "--take", take), "next: svn commit")
				b.svnNoMore()
				fresh := team.fresh()
				if take == "mine" {
					c.mine(fresh)
				} else {
					c.shared(fresh)
				}
			})
		}
	}
}

// A directory in conflict, as only a sharded world has them, is its files' conflict.
func TestResolveTreeConflictsOfShards(t *testing.T) {
	t.Parallel()
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	const shard, panel, group = "entities/001", "entities/001/6001.entity_text", "entities/002/1002.entity_text"
	added := func(b *bench, id, name string) {
		dir := "entities/" + id[len(id)-3:]
		b.run("sh", "-c", "mkdir -p "+dir+" && sed 's/^1002$/"+id+"/; s/\"bunker\"/\""+name+"\"/' "+group+" >"+dir+"/"+id+".entity_text")
	}
	for _, c := range someOf(t, []struct {
		name, conflict, take string
		ann, bob             func(b *bench)
		want                 []string // names that are there
		not                  []string // IDs that are not
	}{
		{"edit, delete, mine", "local dir edit, incoming dir delete", "mine", func(b *bench) { b.set(6001, "position = [1, 2, 3]") },
			func(b *bench) { b.run("svn", "delete", "-q", shard) }, []string{"bunker panel"}, []string{"1001"}},
		{"edit, delete, shared", "local dir edit, incoming dir delete", "shared", func(b *bench) { b.set(6001, "position = [1, 2, 3]") },
			func(b *bench) { b.run("svn", "delete", "-q", shard) }, nil, []string{"1001", "6001"}},
		{"delete, edit, mine", "local dir delete, incoming dir edit", "mine", func(b *bench) { b.run("svn", "delete", "-q", shard) },
			func(b *bench) { b.set(6001, `entity_name = "renamed"`) }, nil, []string{"1001", "6001"}},
		{"delete, edit, shared", "local dir delete, incoming dir edit", "shared", func(b *bench) { b.run("svn", "delete", "-q", shard) },
			func(b *bench) { b.set(6001, `entity_name = "renamed"`) }, []string{"renamed"}, []string{"1001"}},
		{"add, add", "local dir add, incoming dir add", "mine", func(b *bench) {
			added(b, "150777", "anns")
			added(b, "152777", "annstoo")
			b.run("worldfs", "sync")
			b.run("svn", "add", "-q", "entities/777")
		}, func(b *bench) { added(b, "150777", "bobs"); added(b, "151777", "bobstoo") }, []string{"anns", "bobs", "annstoo", "bobstoo"}, nil},
		{"unversioned, add", "local dir unversioned, incoming dir add", "mine", func(b *bench) { added(b, "150777", "anns"); added(b, "152777", "annstoo") },
			func(b *bench) { added(b, "150777", "bobs"); added(b, "151777", "bobstoo") }, []string{"anns", "bobs", "annstoo", "bobstoo"}, nil},
	}) {
		t.Run(c.name, func(t *testing.T) {
			team := newSVNTeam(t, "sharded")
			b := team.meet(c.ann, c.bob)
			require.Contains(t, b.run("svn", "status"), c.conflict)
			b.left()
			b.svnNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", c.take), "next: svn commit")
			b.svnNoMore()
			team.requireIn(c.want, c.not)
		})
	}
}

// world.toml, id_ranges and declarations merge by key, line and field.
func TestResolveSettingsOfSVN(t *testing.T) {
	team := newSVNTeam(t, "plain")
	b := team.ann
	cable := b.read("types/Cable.toml")
	for _, side := range []struct {
		b                             *bench
		line, setting, value, farClip string
	}{
		{team.bob, "158000 161000 Bob #Bob", "history_days = 20", "0.05", "1"},
		{team.ann, "161000 164000 Ann #Ann", "log_level = \"warn\"", "0.06", "2"},
	} {
		side.b.run("sh", "-c", fmt.Sprintf("echo '%s' >>id_ranges; echo '%s' >>world.toml", side.line, side.setting))
		side.b.write("types/Cable.toml", strings.Replace(cable, "default = 0.04", "default = "+side.value, 1))
	}
	team.bob.svnCommit("Bob")
	b.run("svn", "update", "--accept", "postpone")
	require.Equal(t, 3, strings.Count("\n"+b.run("svn", "status"), "\nC "))
	require.Contains(t, b.left(), "Cable thickness: default: yours 0.06 / shared 0.05")
	b.svnNoMore()
	for _, has := range []string{"158000 161000 Bob #Bob\n", "161000 164000 Ann #Ann\n"} {
		require.Contains(t, b.read("id_ranges"), has)
	}
	for _, has := range []string{"history_days = 20\n", "log_level = \"warn\"\n"} {
		require.Contains(t, b.read("world.toml"), has)
	}
	require.Contains(t, b.run("worldfs", "resolve", "--take", "mine", "Cable"), "next: svn commit")
	b.svnNoMore()
	fresh := team.fresh()
	require.Contains(t, fresh.read("types/Cable.toml"), "default = 0.06")
	require.Contains(t, fresh.read("id_ranges"), "Bob #Bob")
}

// Where only the server has a text and does not answer, nothing is changed.
func TestResolveWithoutTheServer(t *testing.T) {
	team := newSVNTeam(t, "plain")
	team.bob.set(6001, `entity_name = "renamed"`)
	team.bob.set(6555, "position.x = 50")
	team.bob.svnCommit("Bob")
	b := team.ann
	b.run("svn", "delete", "-q", config.entityPath("6001"))
	b.set(6555, "position.x = 51")
	b.svnUpdate()
	status, door := b.run("svn", "status"), b.read(config.entityPath("6555"))
	repo := b.root + "/repo"
	b.run("mv", repo, repo+"2")
	out, code := b.try("worldfs", "resolve")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "revision 2 of "+team.url)
	require.Contains(t, out, "nothing was changed")
	require.Equal(t, status, b.run("svn", "status"))
	require.Equal(t, door, b.read(config.entityPath("6555")))
	b.run("mv", repo+"2", repo)
	require.Contains(t, b.left(), "2 left to settle")
	b.run("mv", repo, repo+"2") // it is asked once only
	require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: svn commit")
	b.run("mv", repo+"2", repo)
	require.Contains(t, team.fresh().run("worldfs", "show", "6001"), "renamed")
}

// A switch to a branch is an update to what is there.
func TestResolveASwitch(t *testing.T) {
	team := svnTeamOf(t, "plain")
	branch := strings.TrimSuffix(team.url, "trunk") + "branch"
	team.bob.run("svn", "copy", "-q", "-m", "branch", team.url, branch)
	team.bob.run("svn", "switch", "-q", branch)
	team.svnDiffer()
	b := team.ann
	b.run("worldfs", "sync")
	b.run("svn", "switch", "--accept", "postpone", branch)
	require.Contains(t, b.left(), "switch: 3 files written")
	b.svnNoMore()
	require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: svn commit")
	fresh := team.fresh()
	require.Contains(t, fresh.run("worldfs", "show", "6555"), "109.0")
	require.Contains(t, fresh.run("worldfs", "show", "6001"), "Puzzle_Panel")
}

// What is settled by svn resolve, or in an editor, stands; what comes with another update
// is another merge.
func TestResolveKeepsWhatAPersonSettledInSVN(t *testing.T) {
	team := newSVNTeam(t, "plain")
	team.svnDiffer()
	b := team.ann
	b.svnUpdate()
	b.left()
	door := config.entityPath("6555")
	b.run("sed", "-i", "/^<<<<<<</d; /^=======/,/^>>>>>>>/d", door)
	text := b.read(door)
	require.NotContains(t, b.left(), "6555")
	require.Equal(t, text, b.read(door))
	b.run("svn", "resolve", "-q", "--accept", "working", door) // which it is already
	b.run("svn", "revert", "-q", config.entityPath("6001"))
	require.Contains(t, b.run("worldfs", "resolve"), "update: ")
	require.Equal(t, text, b.read(door))

	team.bob.set(6005, "position.x = 50")
	team.bob.svnCommit("Bob")
	b.set(6005, "position.x = 51")
	b.svnUpdate()
	require.Contains(t, b.left(), "Lamp 6005")
	require.Equal(t, text, b.read(door))
	require.Contains(t, b.run("worldfs", "resolve", "--take", "shared", "6005"), "next: svn commit")
	fresh := team.fresh()
	require.Equal(t, text, fresh.read(door))
	require.Contains(t, fresh.run("worldfs", "show", "6005"), "50.0")
}

// svn merge brings a branch in: ours is what the working copy was at.
func TestResolveASubversionMerge(t *testing.T) {
	t.Parallel()
	panel := config.entityPath("6001")
	for _, c := range someOf(t, []struct {
		name, conflict string
		ann, bob       func(b *bench) // about 6001; nil where it is only the door
		mine, shared   string         // what 6001 has, "" for gone
	}{
		{"edit, edit", "C       " + config.entityPath("6555"), nil, nil, "bunker panel", "bunker panel"},
		{"edit, delete", "local file edit, incoming file delete", func(b *bench) { b.set(6001, `entity_name = "renamed"`) },
			func(b *bench) { b.run("svn", "delete", "-q", panel) }, "renamed", ""},
		{"delete, edit", "local missing or deleted or moved away, incoming file edit", func(b *bench) { b.run("svn", "delete", "-q", panel) },
			func(b *bench) { b.set(6001, `entity_name = "renamed"`) }, "", "renamed"},
		{"delete, delete", "local missing or deleted or moved away, incoming file delete", func(b *bench) { b.run("svn", "delete", "-q", panel) },
			func(b *bench) { b.run("svn", "delete", "-q", panel) }, "", ""},
		{"replace, edit", "C       " + config.entityPath("6555"), func(b *bench) {
			text := b.read(panel)
			b.run("svn", "delete", "-q", panel)
			b.write(panel, text)
			b.run("svn", "add", "-q", panel)
			b.set(6001, "position = [1, 2, 3]")
		}, func(b *bench) { b.set(6001, `entity_name = "renamed"`) }, "renamed", "renamed"},
		{"edit, replace", "local file edit, incoming replace with file", func(b *bench) { b.set(6001, `entity_name = "renamed"`) }, func(b *bench) {
			text := b.read(panel)
			b.run("svn", "delete", "-q", panel)
			b.write(panel, text)
			b.run("svn", "add", "-q", panel)
			b.set(6001, "position = [1, 2, 3]")
		}, "renamed", "renamed"},
		{"add, add", "incoming file add", func(b *bench) { b.made(150000, "anns") }, func(b *bench) { b.made(150000, "bobs") }, "bunker panel", "bunker panel"},
	}) {
		for _, take := range []string{"mine", "shared"} {
			t.Run(c.name+", "+take, func(t *testing.T) {
				team := newSVNTeam(t, "plain")
				b, bob := team.ann, team.bob
				branch := strings.TrimSuffix(team.url, "trunk") + "branch"
				bob.run("svn", "copy", "-q", "-m", "branch", team.url, branch)
				bob.run("svn", "switch", "-q", branch)
				for _, side := range []struct {
					b        *bench
					do       func(b *bench)
					position string
					person   string
				}{{b, c.ann, "x = 51", "Ann"}, {bob, c.bob, "x = 50", "Bob"}} {
					if side.do != nil {
						side.do(side.b)
					}
					side.b.set(6555, "position."+side.position)
				}
				b.set(6005, "position.x = 11")
				bob.set(6005, "position.z = 13") // svn merges it to what neither has
				bob.set(1002, "position.x = 12")
				b.svnCommit("Ann")
				bob.svnCommit("Bob")
				b.run("svn", "update", "-q")
				b.run("svn", "merge", "--accept", "postpone", branch)
				require.Contains(t, b.run("svn", "status"), c.conflict)
				out := b.left()
				require.Contains(t, out, "Door 6555")
				require.Contains(t, out, ") / shared 45.403, 107.979, 13, 34.5 apart")
				require.Contains(t, out, "Lamp 6005 \"bunker lamp\" position: yours 11, 107.979, 10.994 (Ann, ")
				require.NotContains(t, out, "your edit stands")
				b.svnNoMore()
				require.Contains(t, b.run("worldfs", "resolve", "--take", take), "merge: ")
				b.svnNoMore()
				fresh := team.fresh()
				want, position := c.mine, "51.0"
				if take == "shared" {
					want, position = c.shared, "50.0"
				}
				require.Contains(t, fresh.run("worldfs", "show", "6555"), position)
				require.Contains(t, fresh.run("worldfs", "show", "1002"), "12.0")
				shown, code := fresh.try("worldfs", "show", "6001")
				require.Equal(t, want != "", code == 0)
				require.Contains(t, shown, want)
				if c.name == "add, add" {
					require.Contains(t, fresh.run("worldfs", "find", "anns"), "anns")
					require.Contains(t, fresh.run("worldfs", "find", "bobs"), "bobs")
				}
				require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
			})
		}
	}
}

// made makes an entity.
func (b *bench) made(id int, name string) {
	b.Helper()
	b.run("sh", "-c", fmt.Sprintf(`sed 's/^1002$/%d/; s/"bunker"/"%s"/' %s >%s`, id, name, config.entityPath("1002"), config.entityPath(fmt.Sprint(id))))
}

// Killed at any moment, with the svn that it runs, resolve is finished by the next call.
func TestResolveKilledInSVN(t *testing.T) {
	const rounds = 6
	team := newSVNTeam(t, "plain")
	b, bob := team.ann, team.bob
	for _, id := range []int{1002, 6001, 6005} {
		bob.set(id, `entity_name = "theirs"`)
		b.run("svn", "delete", "-q", config.entityPath(fmt.Sprint(id)))
	}
	bob.made(150000, "bobs")
	bob.run("svn", "delete", "-q", config.entityPath("10000"))
	const many = `type == "Tree" || type == "Rock"`
	bob.run("worldfs", "set", "--where", many, "position.x = position.x + 1")
	bob.svnCommit("Bob")
	b.set(10000, "position.x = 1")
	b.run("worldfs", "set", "--where", many, "position.x = position.x + 2")
	b.run("sh", "-c", fmt.Sprintf(`sed 's/^1002$/150000/; s/"bunker"/"anns"/' ../bob/%s >%s`, config.entityPath("1002"), config.entityPath("150000")))
	b.svnUpdate()
	b.run("sh", "-c", "cd .. && cp -a ann whole")
	whole := b.cd("../whole")
	whole.run("worldfs", "resolve", "--take", "shared")
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		b.run("sh", "-c", "cd .. && rm -rf cut && cp -a ann cut")
		cut := b.cd("../cut")
		cmd := cut.command(binary, "resolve", "--take", "shared")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		_ = cmd.Wait()
		cut.run("svn", "cleanup") // svn says so itself
		out, code := cut.try("worldfs", "resolve")
		if code == 1 { // killed before the choices were kept
			out = cut.run("worldfs", "resolve", "--take", "shared")
		}
		require.Contains(t, out, "next: svn commit")
		b.run("diff", "-r", whole.path("entities"), cut.path("entities"))
		require.Equal(t, whole.run("svn", "status"), cut.run("svn", "status"))
		cut.svnNoMore()
	}
}

// Killed when a file with a new ID is written, and svn does not know of it yet.
func TestResolveKilledBeforeSVNKnowsOfANewFile(t *testing.T) {
	team := newSVNTeam(t, "plain")
	b, bob := team.ann, team.bob
	bob.made(150000, "bobs")
	bob.svnCommit("Bob")
	b.made(150000, "anns")
	b.svnUpdate()
	b.run("sh", "-c", "cd .. && cp -a ann whole")
	whole := b.cd("../whole")
	whole.run("worldfs", "resolve")
	status := whole.run("svn", "status")
	require.Regexp(t, `^A       entities/\S+\n$`, status)
	b.run("worldfs", "resolve", "--restore-lost") // which reads the sides alone
	b.run("cp", "../whole/"+strings.Fields(status)[1], "entities/")
	b.run("worldfs", "resolve")
	require.Equal(t, status, b.run("svn", "status"))
	b.run("diff", "-r", whole.path("entities"), b.path("entities"))
}

// A file that a person removes, since the other side deleted its entity, stays settled; and
// so does what a call has removed that was killed before it noted that.
func TestResolveKeepsARemovedFileInSVN(t *testing.T) {
	panel := config.entityPath("6001")
	team := newSVNTeam(t, "plain")
	b, bob := team.ann, team.bob
	bob.run("svn", "delete", "-q", panel)
	bob.svnCommit("Bob")
	b.set(6001, "position.x = 1")
	b.svnUpdate()
	b.left() // with which it is known what was there
	b.run("rm", panel)
	for range 2 {
		out := b.run("worldfs", "resolve")
		require.NotContains(t, out, "left to settle")
		require.NoFileExists(t, b.path(panel))
	}
	require.NoFileExists(t, team.fresh().path(panel))
}

// A merge of svn's that met no conflict is called one, in what resolve says and in the history,
// and an update an update.
func TestACleanMergeOfSVNsIsCalledOne(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "below", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			ann, bob := team.ann, team.bob
			trunk := ann.worldURL()
			branch := strings.Replace(trunk, "/trunk", "/branch", 1)
			bob.run("svn", "copy", "-q", "-m", "branch", team.url, strings.Replace(team.url, "/trunk", "/branch", 1))
			bob.run("svn", "switch", "-q", branch)
			bob.set(6005, "position.x = position.x + 1")
			bob.svnCommit("Bob")
			ann.run("svn", "update", "-q")
			ann.run("rm", config.entityPath("6001"))
			ann.set(6006, "position.x = position.x + 1")
			ann.run("worldfs", "sync")
			ann.run("worldfs", "vcs", "sync")
			ann.run("svn", "merge", "-q", "--accept", "postpone", branch)
			require.Contains(t, ann.run("worldfs", "resolve"), "\nmerge: ")
			require.Contains(t, ann.run("worldfs", "resolve"), "\nmerge: nothing changed")
			if place == "mounted" {
				history := ann.run("worldfs", "history")
				require.Contains(t, history, "svn merge")
				require.NotContains(t, history, "update")
			}
			ann.run("svn", "revert", "-q", "--depth", "empty", ".")
			require.Contains(t, ann.run("worldfs", "resolve"), "\nupdate: ", "there is none that svn has recorded")
		})
	}
}
