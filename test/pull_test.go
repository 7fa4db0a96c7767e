package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shared is a world in git that Ann and Bob have a clone of.
type shared struct {
	ann *bench // in a place, as gitWorld has them
	bob *bench // plain files
}

// newShared has Bob's clone follow the branch that Ann's does.
func newShared(t *testing.T, place string, entities int) shared {
	if config["plain"] == "false" {
		t.Skip("git has no entities while the world is not mounted")
	}
	ann := gitWorld(t, place, entities)
	top := strings.TrimSpace(ann.run("git", "rev-parse", "--show-toplevel"))
	prefix := strings.TrimSpace(ann.run("git", "rev-parse", "--show-prefix"))
	up := filepath.Join(ann.root, "up.git")
	ann.run("git", "clone", "-q", "--bare", top, up)
	ann.run("git", "remote", "add", "origin", up)
	ann.run("git", "fetch", "-q")
	ann.run("git", "branch", "-q", "-u", "origin/"+ann.branch())
	bob := *ann
	bob.dir = bob.root
	bob.run("git", "clone", "-q", "-b", ann.branch(), up, "bob")
	return shared{ann, bob.cd("bob/" + prefix)}
}

func (b *bench) branch() string {
	b.Helper()
	return strings.TrimSpace(b.run("git", "symbolic-ref", "--short", "HEAD"))
}

// publish commits everything of Bob's and pushes it.
func (w shared) publish() {
	w.bob.Helper()
	w.bob.commit("Bob")
	w.bob.run("git", "push", "-q")
}

// pulled is what worldfs pull --json prints.
type pulled struct {
	Commits, Made, Dropped int
	Merged                 bool
	Written                int
	Left                   []struct{ ID int }
}

func (b *bench) pull(status int) (p pulled) {
	b.Helper()
	out, code := b.try("worldfs", "pull", "--json")
	require.Equal(b, status, code, out)
	require.NoError(b, json.NewDecoder(strings.NewReader(out)).Decode(&p), out)
	return p
}

// dirty returns what git status says is not committed.
func (b *bench) dirty() string {
	b.Helper()
	return b.run("git", "status", "--porcelain", "--untracked-files=all")
}

func (b *bench) head() string {
	b.Helper()
	return strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
}

// value returns a field's value as ls prints it.
func (b *bench) holds(id int, condition string) {
	b.Helper()
	out := b.run("worldfs", "ls", "--where", fmt.Sprintf("id == %d && %s", id, condition))
	require.Contains(b, out, fmt.Sprint(id), "%s does not hold of %d", condition, id)
}

func TestPull(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover", "below", "linked"}) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			w := newShared(t, place, 300)
			b := w.ann
			w.bob.set(6555, "position = [50, 108.1, 8.7]", "map_size = 99")
			w.bob.set(6005, "position.x = 7")
			w.bob.run("rm", config.entityPath("6001"))
			w.bob.run("sh", "-c", `echo '158000 161000 Bob #Bob' >>id_ranges; echo 'history_days = 20' >>world.toml`)
			w.bob.run("sh", "-c", `printf '\n# Bob counts.\n[[fields]]\nname = "bobs"\nkind = "u32"\noptional = true\n' >>types/Sound.toml`)
			w.bob.write("README", "Bob's\n")
			w.publish()

			b.set(6555, "travel = 3")
			b.set(6005, `entity_name = "Ann's"`)
			b.run("sh", "-c", `echo '161000 164000 Ann #Ann' >>id_ranges`)
			b.commit("Ann") // on top of which she goes on
			b.set(6555, "position = [46, 109, 8.7]")
			b.set(10000, "position.x = 1")
			b.set(10001, "position.x = 1")
			b.run("worldfs", "sync")
			b.run("git", "add", config.entityPath("10001"))
			before, head := b.dirty(), b.head()

			out, code := b.try("worldfs", "incoming")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, `would be in conflict: Door 6555 "bunker door" position: yours 46, 109, 8.7`)
			require.Contains(t, out, "(Bob,")
			require.Equal(t, before, b.dirty())
			require.Equal(t, head, b.head())

			p := b.pull(1)
			require.Equal(t, 1, p.Commits)
			require.Equal(t, 1, p.Made)
			require.Len(t, p.Left, 1)
			require.Equal(t, 6555, p.Left[0].ID)
			status := b.dirty()
			for _, line := range []string{"UU ", " M ", "M  "} {
				require.Contains(t, status, line)
			}
			require.Equal(t, 3, strings.Count(status, "\n"), status)
			require.Equal(t, "Ann\nBob\nall", strings.TrimSpace(b.run("git", "log", "--format=%s")))
			b.holds(6555, "map_size == 99 && travel == 3")
			b.holds(6005, `position.x == 7 && entity_name == "Ann's"`)
			require.NotContains(t, b.run("worldfs", "ls"), " 6001 ")
			require.Contains(t, b.read("id_ranges"), "#Bob")
			require.Contains(t, b.read("id_ranges"), "#Ann")
			require.Contains(t, b.read("world.toml"), "history_days = 20")
			require.Contains(t, b.read("types/Sound.toml"), "# Bob counts.")
			require.Contains(t, b.run("git", "show", "HEAD:./id_ranges"), "#Ann")

			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine", "6555"), "1 resolved")
			b.holds(6555, "position.x == 46 && position.y == 109")
			b.run("worldfs", "check")
			b.commit("Ann again")
			require.Empty(t, b.dirty())
			require.Contains(t, b.run("worldfs", "pull"), "nothing comes in")
			b.run("git", "push", "-q")

			require.Contains(t, w.bob.run("worldfs", "pull"), "2 commits from origin/")
			require.Empty(t, w.bob.dirty())
			require.Equal(t, b.head(), w.bob.head())
			w.bob.holds(6555, "position.x == 46")
			require.Equal(t, b.run("git", "show", "HEAD:./"+config.entityPath("6555")), w.bob.read(config.entityPath("6555")))
		})
	}
}

// A pull refuses what would be in conflict besides the world, and has touched nothing.
func TestPullRefusesBesidesTheWorld(t *testing.T) {
	t.Parallel()
	for name, do := range inTurn(t, map[string]func(b *bench){
		"edited":    func(b *bench) { b.write("notes", "Ann's\n") },
		"committed": func(b *bench) { b.write("notes", "Ann's\n"); b.commit("notes") },
		"untracked": func(b *bench) { b.write("later", "Ann's\n") },
		"staged":    func(b *bench) { b.write("notes", "Ann's\n"); b.run("git", "add", "notes") },
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newShared(t, "plain", 60)
			b := w.ann
			b.write("notes", "one\n")
			b.commit("Ann")
			b.run("git", "push", "-q")
			w.bob.run("git", "pull", "-q")
			w.bob.write("notes", "Bob's\n")
			w.bob.write("later", "Bob's\n")
			w.bob.set(6005, "position.x = 7")
			w.publish()
			for _, world := range []bool{false, true} {
				if world {
					b.set(10000, "position.x = 1")
				} else {
					do(b)
				}
				dirty, head := b.dirty(), b.head()
				out, code := b.try("worldfs", "pull")
				require.Equal(t, 3, code, out)
				require.Contains(t, out, "nothing was touched")
				require.Equal(t, dirty, b.dirty())
				require.Equal(t, head, b.head())
				out, code = b.try("worldfs", "incoming")
				require.Equal(t, 1, code, out)
				require.Contains(t, out, "worldfs pull touches nothing")
			}
		})
	}
}

// What equals what comes in is clean afterwards, whoever typed it, in the world and beside.
func TestPullOfWhatIsHereAlready(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	for _, b := range []*bench{w.ann, w.bob} {
		b.set(6005, "position.x = 7")
		b.write("notes", "both\n")
	}
	w.publish()
	w.ann.set(10000, "position.x = 1")
	w.ann.pull(0)
	require.Equal(t, " M "+config.entityPath("10000")+"\n", w.ann.dirty())
	require.Equal(t, w.bob.head(), w.ann.head())

	for _, b := range []*bench{w.ann, w.bob} {
		b.set(6005, "position.x = 8")
	}
	w.publish()
	w.ann.run("git", "commit", "-q", "-m", "Ann's", config.entityPath("6005"))
	require.Equal(t, 1, w.ann.pull(0).Dropped)
	require.Equal(t, w.bob.head(), w.ann.head())
	require.Equal(t, " M "+config.entityPath("10000")+"\n", w.ann.dirty())
}

// A setting that both have changed to two values is told, and is as the others have it.
func TestPullTellsSettingsThatClash(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	w.bob.run("sh", "-c", "echo 'history_days = 20' >>world.toml")
	w.publish()
	w.ann.run("sh", "-c", "echo 'history_days = 30' >>world.toml")
	out := w.ann.run("sh", "-c", binary+" pull 2>&1")
	require.Contains(t, out, "world.toml: history_days: both sides set it; history_days = 20 stands, not history_days = 30")
	require.Contains(t, w.ann.read("world.toml"), "history_days = 20")
	require.Empty(t, w.ann.dirty())
}

// Settings that others have removed, or replaced by a symlink, and that were edited here stay
// those of a world, mounted or not.
func TestPullKeepsTheSettingsOfAWorld(t *testing.T) {
	t.Parallel()
	for _, mount := range []bool{false, true} {
		w := newShared(t, "plain", 60)
		w.bob.run("sh", "-c", "ln -sf types/Lamp.toml world.toml && git commit -qnam link && git push -q")
		w.ann.run("sh", "-c", "echo 'history_days = 30' >>world.toml")
		w.ann.run("git", "commit", "-qnam", "Ann's")
		if mount {
			w.ann.run("worldfs", "mount")
		}
		out := w.ann.run("sh", "-c", binary+" pull 2>&1")
		require.Contains(t, out, "world.toml: one side has none that can be read")
		require.Contains(t, w.ann.read("world.toml"), "history_days = 30")
		w.ann.run("worldfs", "status")
		if mount {
			w.ann.run("worldfs", "unmount")
		}
	}
}

// Where there are merges among one's own commits, they stay.
func TestPullMerges(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	b := w.ann
	b.diverge(func(b *bench) { b.set(6005, "position.x = 7") }, func(b *bench) { b.set(6005, `entity_name = "Ann's"`) })
	b.run("git", "checkout", "-q", "main")
	b.run("git", "merge", "-q", "--no-ff", "ann")
	b.run("git", "merge", "-q", "-m", "bob", "bob")
	w.bob.set(6005, "group_id = 0")
	w.bob.write("notes", "Bob's\n")
	w.publish()
	head := b.head()
	require.True(t, b.pull(0).Merged)
	require.Empty(t, b.dirty())
	require.Equal(t, head, strings.TrimSpace(b.run("git", "rev-parse", "HEAD^1")))
	require.Equal(t, w.bob.head(), strings.TrimSpace(b.run("git", "rev-parse", "HEAD^2")))
	b.holds(6005, `position.x == 7 && entity_name == "Ann's" && group_id == 0`)
	require.Equal(t, "Bob's\n", b.read("notes"))
}

// A commit that others have taken most of the world out of is asked about first.
func TestPullOfAGreatLoss(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 300)
	w.bob.run("sh", "-c", "find entities -name '*1*.entity_text' -delete; find entities -name '*2*.entity_text' -delete; find entities -name '*3*.entity_text' -delete")
	w.publish()
	head := w.ann.head()
	out, code := w.ann.try("worldfs", "pull")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "a great loss")
	require.Contains(t, w.ann.run("worldfs", "incoming"), "a great loss")
	require.Equal(t, head, w.ann.head())
	w.ann.run("worldfs", "pull", "--allow-loss")
	require.Equal(t, w.bob.head(), w.ann.head())
}

func TestPullSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	b := w.ann
	w.bob.set(6005, "position.x = 7")
	w.publish()
	refused := func(says string) {
		t.Helper()
		for _, command := range []string{"pull", "incoming"} {
			out, code := b.try("worldfs", command)
			require.Equal(t, 3, code, out)
			require.Contains(t, out, says)
		}
	}
	b.run("git", "checkout", "-q", "--detach")
	refused("HEAD is on no branch")
	b.run("git", "checkout", "-q", "-b", "mine")
	refused("git branch --set-upstream-to=origin/mine")
	b.run("git", "checkout", "-q", "main")
	b.run("git", "remote", "set-url", "origin", "../gone.git")
	refused("--offline")
	require.Contains(t, b.run("worldfs", "pull", "--offline"), "nothing comes in")
	b.run("git", "remote", "set-url", "origin", "../up.git")
	b.set(6005, "position.x = 8")
	b.commit("Ann")
	b.try("git", "pull", "-q", "--no-rebase")
	refused("in the middle of something, a merge: worldfs resolve")
}

// killing has the nth call of git that changes something be the last that the process
// which made it lives to see; first says whether it is killed before that call.
const killing = `#!/bin/sh
real=%s
for word; do
	case $word in
	-*|i18n.*) ;;
	fast-import|add|commit-tree|write-tree|update-index|read-tree|update-ref|reset)
		n=$(($(cat "$KILL_COUNT" 2>/dev/null || echo 0) + 1))
		echo $n >"$KILL_COUNT"
		if [ "$n" = "$KILL_AT" ]; then
			[ "$KILL_FIRST" ] || $real "$@" >/dev/null 2>&1
			kill -9 $PPID
			exit 1
		fi
		break ;;
	*) break ;;
	esac
done
exec $real "$@"
`

// A pull that is killed before or after any of the calls of git that change something
// leaves a repository that git reads, and the next command finishes it or leaves it undone.
func TestPullIsKilled(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	b := w.ann
	b.write("notes", "one\n")
	b.commit("Ann")
	b.run("git", "push", "-q")
	w.bob.run("git", "pull", "-q")
	w.bob.set(6555, "position = [50, 108.1, 8.7]", "map_size = 99")
	w.bob.set(6005, "position.x = 7")
	w.bob.run("rm", config.entityPath("6001"))
	w.bob.write("notes", "Bob's\n")
	w.bob.write("later", "Bob's\n")
	w.publish()
	b.set(6005, `entity_name = "Ann's"`)
	b.commit("Ann")
	b.set(6555, "position = [46, 109, 8.7]")
	b.set(10000, "position.x = 1")
	b.set(10001, "position.x = 1")
	b.run("git", "add", config.entityPath("10001"))
	b.run("git", "fetch", "-q")

	state := func(b *bench) string {
		return b.dirty() + b.run("git", "log", "--format=%T %an %s") + b.run("sh", "-c", "cat notes later world.toml entities/*.entity_text entities/*/*.entity_text 2>/dev/null; true")
	}
	real := strings.TrimSpace(b.run("sh", "-c", "command -v git"))
	require.NoError(t, os.MkdirAll(filepath.Join(b.root, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(b.root, "bin/git"), fmt.Appendf(nil, killing, real), 0o755))
	attempt := func(name string, at int, first string) (*bench, int) {
		copied := *b
		copied.dir = filepath.Join(b.root, name)
		b.run("cp", "-a", b.dir, copied.dir)
		killed := copied
		killed.env = append(killed.env, "PATH="+filepath.Join(b.root, "bin")+":"+os.Getenv("PATH"),
			"KILL_COUNT="+filepath.Join(b.root, name+".count"), "KILL_AT="+strconv.Itoa(at), "KILL_FIRST="+first)
		_, code := killed.try("worldfs", "pull", "--offline")
		return &copied, code
	}
	whole, code := attempt("whole", 0, "")
	require.Equal(t, 1, code)
	want := state(whole)
	count, err := os.ReadFile(filepath.Join(b.root, "whole.count"))
	require.NoError(t, err)
	calls, err := strconv.Atoi(strings.TrimSpace(string(count)))
	require.NoError(t, err)
	require.Greater(t, calls, 10)
	for at := 1; at <= calls; at++ {
		if !everyCase && at%4 != 1 {
			continue
		}
		for _, first := range []string{"", "first"} {
			name := fmt.Sprintf("killed-%d%s", at, first)
			k, code := attempt(name, at, first)
			require.Equal(t, -1, code, name)
			k.run("git", "status")
			said := k.run("worldfs", "status")
			k.try("worldfs", "pull", "--offline")
			require.Equal(t, want, state(k), name)
			out, code := k.try("worldfs", "resolve")
			require.Equal(t, 1, code, "%s: %s\n%s", name, out, said)
			require.Contains(t, out, "Door 6555", name)
			require.NoError(t, os.RemoveAll(k.dir))
		}
	}
}

// One that is killed at any time while it writes files is finished by the next command,
// and what was edited in between stands.
func TestPullIsKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 1000)
	b := w.ann
	w.bob.run("worldfs", "set", "--where", "id != 10001 && position.x == position.x", "position.x = position.x + 1")
	w.publish()
	b.set(10000, `entity_name = "Ann's"`)
	b.run("git", "fetch", "-q")
	for i := range 5 {
		copied := *b
		copied.dir = filepath.Join(b.root, fmt.Sprint("k", i))
		k := &copied
		b.run("cp", "-a", b.dir, k.dir)
		cmd := k.command(binary, "pull", "--offline")
		require.NoError(t, cmd.Start())
		record := filepath.Join(k.dir, ".worldfs/pull.json")
		require.Eventually(t, func() bool { _, err := os.Stat(record); return err == nil }, time.Minute, time.Millisecond)
		time.Sleep(time.Duration(i*i) * 6 * time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		k.run("git", "status")
		k.set(10001, "position.z = 5")
		k.try("worldfs", "pull", "--offline")
		require.Equal(t, w.bob.head(), k.head())
		dirty := strings.Split(strings.TrimSuffix(k.dirty(), "\n"), "\n")
		require.ElementsMatch(t, []string{" M " + config.entityPath("10000"), " M " + config.entityPath("10001")}, dirty)
		k.holds(10001, "position.z == 5")
		k.holds(10000, `entity_name == "Ann's"`)
		require.NoError(t, os.RemoveAll(k.dir))
	}
}

// In a disposable range one set stands whole where both changed the same, and what went for
// it is said before and after; what both changed apart is merged.
func TestPullTellsASetThatWent(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 300)
	w.ann.write("id_ranges", w.ann.read("id_ranges")+"900000 901000 Rocks disposable\n")
	for _, id := range []string{"900001", "900002", "900003"} {
		w.ann.copyOf(id, "rock")
	}
	w.ann.commit("Ann")
	w.ann.run("git", "push", "-q")
	w.bob.run("git", "pull", "-q")
	w.bob.set(900001, "map_size = 1")
	w.publish()
	w.ann.set(900002, "map_size = 2")
	require.NotContains(t, w.ann.run("worldfs", "incoming"), "set:")
	w.ann.run("worldfs", "pull")
	require.Contains(t, w.ann.textOf("900001"), "map_size\n    1\n")
	require.Contains(t, w.ann.textOf("900002"), "map_size\n    2\n")

	w.bob.set(900001, "map_size = 11")
	w.publish()
	w.ann.set(900001, "map_size = 12")
	w.ann.set(900003, "map_size = 13")
	told := "set: the range 900000 to 901000 is disposable, and both sides changed it: the shared set stands, and not what you did in 3 of its entities\n"
	require.Contains(t, w.ann.run("worldfs", "incoming"), told)
	require.Contains(t, w.ann.run("worldfs", "pull"), told)
	require.Contains(t, w.ann.textOf("900001"), "map_size\n    11\n")
}

// A declaration that gets a field, and one that does not parse, take a line a type in what
// comes in, whatever was edited besides.
func TestIncomingTellsOfADeclarationInALine(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 300)
	trees := strings.Count(w.ann.run("worldfs", "ls", "--type", "Tree", "--columns", "id"), "\n")
	require.Greater(t, trees, 20, "more than are listed")
	w.bob.write("types/Tree.toml", w.bob.read("types/Tree.toml")+"\n[[fields]]\nname = \"curve\"\nkind = \"f32\"\n")
	w.bob.run("git", "commit", "-qam", "trees have a curve")
	w.bob.run("git", "push", "-q")
	out := w.ann.run("worldfs", "incoming")
	require.Regexp(t, `(?m)^Tree  declaration  \+ curve  in \d+ entities$`, out)
	require.NotContains(t, out, "replaced")
	require.Contains(t, out, "1 commit with 1 change of the world")
	w.ann.run("worldfs", "pull")
	require.Contains(t, w.ann.run("worldfs", "diff", "HEAD~1", "HEAD", "--table"), "+ curve")
	require.Contains(t, w.ann.read("types/Tree.toml"), `"curve"`)

	w.bob.write("types/Tree.toml", "name = Tree\n")
	w.bob.run("git", "commit", "-q", "--no-verify", "-am", "a slip")
	w.bob.run("git", "push", "-q")
	require.Contains(t, w.ann.run("worldfs", "incoming"), "does not parse")
}
