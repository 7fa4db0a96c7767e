package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vcsWorld is a world of 300 entities that a version control has, in a place.
func vcsWorld(t *testing.T, tool, place string) *bench {
	if config["plain"] == "false" {
		t.Skip("version control has no entities while the world is not mounted")
	}
	t.Parallel()
	b := newBench(t, "git", "svn", "svnadmin", "python3")
	if tool == "git" {
		b.run("git", "init", "-q", "w")
	} else {
		b.run("svnadmin", "create", "repository")
		b.run("svn", "checkout", "-q", "file://"+b.path("repository"), "w")
	}
	b = b.cd("w")
	world := "."
	if place == "below" {
		world = "game/island"
	}
	b.run("worldfs", "demo", "--entities", "300", world)
	b = b.cd(world)
	if place == "sharded" && config["shard"] == "" {
		b.run("worldfs", "shard", "last-digit")
	}
	b.run("worldfs", "vcs", "add")
	b.commitAll(tool)
	switch place {
	case "mounted":
		b.mount()
	case "linked":
		b.run("git", "worktree", "add", "-q", "-b", "linked", "../linked")
		b = b.cd("../linked")
		b.run("worldfs", "status") // what was there before is known from then on
	}
	return b
}

// commitAll commits what the version control knows of.
func (b *bench) commitAll(tool string) {
	b.Helper()
	if tool == "git" {
		b.run("git", "commit", "-q", "-m", "all")
		return
	}
	b.run("svn", "commit", "-q", "-m", "all", b.top())
	b.run("svn", "update", "-q", b.top())
}

// top returns the top of the svn working copy.
func (b *bench) top() string { return filepath.Join(b.root, "w") }

// file returns where an entity's file is, or is to be.
func (b *bench) file(id int) string {
	name := fmt.Sprintf("%d.entity_text", id)
	if found, _ := filepath.Glob(b.path("entities/*/*.entity_text")); len(found) > 0 {
		return fmt.Sprintf("entities/%s/%s", b.shardOf(id), name)
	}
	return "entities/" + name
}

func (b *bench) shardOf(id int) string {
	shards, _ := filepath.Glob(b.path("entities/[0-9]*/"))
	digits := len(filepath.Base(shards[0]))
	text := fmt.Sprintf("%0*d", digits, id)
	return text[len(text)-digits:]
}

// make makes an entity of another's text.
func (b *bench) make(from, id int) {
	b.Helper()
	text := strings.Replace(b.read(b.file(from)), strconv.Itoa(from), strconv.Itoa(id), 1)
	require.NoError(b, os.MkdirAll(filepath.Dir(b.path(b.file(id))), 0o777))
	b.write(b.file(id), text)
}

// states returns what git status or svn status says of the files below the world, by
// their names: "A", "D", "M" or "?" in git's two columns or svn's first.
func (b *bench) states(tool string) map[string]string {
	b.Helper()
	out := ""
	if tool == "git" {
		out = b.run("git", "status", "--porcelain", "--untracked-files=all", ".")
	} else {
		// It gives up where a name goes while it looks at it, as that of the next pack does.
		b.eventually(func() bool {
			said, code := b.try("svn", "status", ".")
			require.True(b, code == 0 || strings.Contains(said, "E070008"), said)
			out = said
			return code == 0
		})
	}
	states := make(map[string]string)
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		width := 3
		if tool == "svn" {
			width = 8
		}
		name := line[width:]
		if i := strings.Index(name, "entities/"); i > 0 {
			name = name[i:]
		} else if i := strings.Index(name, "types/"); i > 0 {
			name = name[i:]
		}
		states[name] = strings.TrimSpace(line[:width])
	}
	return states
}

// requireNothingToTell has vcs sync change nothing more.
func (b *bench) requireNothingToTell(tool string) {
	b.Helper()
	before := b.states(tool)
	require.Contains(b, b.run("worldfs", "vcs", "sync"), "nothing to tell")
	require.Equal(b, before, b.states(tool))
}

func TestVCSSync(t *testing.T) {
	t.Parallel()
	for tool, places := range map[string][]string{
		"git": {"plain", "mounted", "linked", "below", "sharded"},
		"svn": {"plain", "mounted", "below", "sharded"},
	} {
		for _, place := range someOf(t, places) {
			t.Run(tool+" "+place, func(t *testing.T) { testVCSSync(t, vcsWorld(t, tool, place), tool) })
		}
	}
}

func testVCSSync(t *testing.T, b *bench, tool string) {
	if tool == "git" {
		b.write(".gitignore", b.read(".gitignore")+"70001.entity_text\n")
	} else {
		b.run("svn", "propset", "-q", "svn:global-ignores", "70001.entity_text", ".")
	}
	b.make(6001, 70000)
	b.make(6001, 70001)
	b.write(b.file(70002), "does not parse\n")
	b.write("entities/notes.swp", "scratch\n")
	b.write("types/Gate.toml", strings.Replace(b.read("types/Door.toml"), "Door", "Gate", 1))
	require.NoError(t, os.Remove(b.path(b.file(6555))))
	b.run("rm", "types/Boat.toml")
	out := b.run("worldfs", "vcs", "sync")
	require.Contains(t, out, tool+" knows now of 3 created, 2 deleted")
	want := map[string]string{
		b.file(70000): "A", b.file(70002): "A", "types/Gate.toml": "A", "entities/notes.swp": "?",
		b.file(6555): "D", "types/Boat.toml": "D",
	}
	got := b.states(tool)
	for _, changed := range []string{".", ".gitignore", "game/island/.gitignore"} {
		delete(got, changed)
	}
	got["entities/notes.swp"] = got["entities/notes.swp"][:1]
	require.Equal(t, want, got)
	b.requireNothingToTell(tool)

	// What comes back is changed, not made anew; what goes before it was committed was
	// never there.
	b.run("worldfs", "undo", "6555")
	b.write(b.file(6555), b.read(b.file(6555))+"\n")
	text := b.read(b.file(6555))
	require.NoError(t, os.Remove(b.path(b.file(70000))))
	b.run("worldfs", "vcs", "sync")
	got = b.states(tool)
	require.Equal(t, "M", got[b.file(6555)])
	require.NotContains(t, got, b.file(70000))
	require.Equal(t, text, b.read(b.file(6555)))
	b.requireNothingToTell(tool)
	b.run("rm", "entities/notes.swp")
	b.commitTold(tool)
	require.NotContains(t, b.states(tool), b.file(70002))
}

// commitTold commits what the version control was told, and no more.
func (b *bench) commitTold(tool string) {
	b.Helper()
	if tool == "git" {
		b.run("git", "commit", "-q", "-a", "-m", "more")
	} else {
		b.run("svn", "commit", "-q", "-m", "more")
	}
}

// A shard that no entity was in is told, too.
func TestVCSSyncOfANewShard(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		t.Run(tool, func(t *testing.T) {
			b := vcsWorld(t, tool, "plain")
			b.run("worldfs", "shard", "hundreds")
			b.run("worldfs", "vcs", "sync")
			b.commitTold(tool)
			b.make(6001, 70999)
			require.NoError(t, os.MkdirAll(b.path("entities/888"), 0o777))
			b.write("entities/888/x.swp", "scratch\n")
			require.Contains(t, b.run("worldfs", "vcs", "sync"), "1 created")
			require.Equal(t, "A", b.states(tool)["entities/999/70999.entity_text"])
			require.NotContains(t, b.states(tool), "entities/888/70888.entity_text")
			b.requireNothingToTell(tool)
		})
	}
}

// A call costs a few processes, however many files there are.
func TestVCSSyncRunsFewProcesses(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		t.Run(tool, func(t *testing.T) {
			b := vcsWorld(t, tool, "plain")
			b.makeMany(1000)
			b.run("worldfs", "vcs", "sync")
			b.commitTold(tool)
			for id := 80000; id < 81000; id++ {
				require.NoError(t, os.Remove(b.path(b.file(id))))
			}
			text := b.read(b.file(6001))
			for id := 90000; id < 91000; id++ {
				b.write(b.file(id), strings.Replace(text, "6001", strconv.Itoa(id), 1))
			}
			calls := b.logCalls(tool)
			require.Contains(t, b.run("worldfs", "vcs", "sync"), "1,000 created, 1,000 deleted")
			verbs := calls()
			require.Less(t, len(verbs), 20, verbs)
			for _, verb := range map[string][]string{"git": {"add", "update-index"}, "svn": {"add", "delete"}}[tool] {
				require.Equal(t, 1, count(verbs, verb), verbs)
			}
			b.requireNothingToTell(tool)
		})
	}
}

func count(list []string, want string) (n int) {
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

// makeMany makes entities from 80000 on.
func (b *bench) makeMany(n int) {
	b.Helper()
	text := b.read(b.file(6001))
	for id := 80000; id < 80000+n; id++ {
		path := b.path(b.file(id))
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(b, os.WriteFile(path, []byte(strings.Replace(text, "6001", strconv.Itoa(id), 1)), 0o644))
	}
}

// logCalls has a tool's calls be counted, and returns what returns their verbs.
func (b *bench) logCalls(tool string) func() []string {
	b.Helper()
	log := filepath.Join(b.T.TempDir(), "calls")
	b.wrap(tool, `echo "$*" >>`+log)
	return func() (verbs []string) {
		data, err := os.ReadFile(log)
		require.NoError(b, err)
		for line := range strings.Lines(string(data)) {
			words := strings.Fields(line)
			if i := slices.Index(words, "--no-pager"); i >= 0 {
				verbs = append(verbs, words[i+1])
			} else if tool == "svn" {
				verbs = append(verbs, words[0])
			}
		}
		return verbs
	}
}

// wrap has a shell's lines run before each call of a tool.
func (b *bench) wrap(tool, lines string) {
	b.Helper()
	real, err := exec.LookPath(tool)
	require.NoError(b, err)
	bin := b.T.TempDir()
	script := "#!/bin/sh\nreal=" + real + "\n" + lines + "\nexec " + real + ` "$@"` + "\n"
	require.NoError(b, os.WriteFile(filepath.Join(bin, tool), []byte(script), 0o755))
	b.env = append(slices.Clone(b.env), "PATH="+bin+":"+os.Getenv("PATH"))
}

func TestVCSSyncWaitsForALock(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		t.Run(tool, func(t *testing.T) {
			b := vcsWorld(t, tool, "plain")
			require.NoError(t, os.Remove(b.path(b.file(6555))))
			free := b.lockVCS(tool)
			out, code := b.try("worldfs", "vcs", "sync")
			require.Equal(t, 3, code, out)
			require.Contains(t, out, "locked by another process")
			require.Contains(t, b.run("worldfs", "status"), "locked by another process")
			info, err := os.Stat(b.path(".worldfs/vcs.json"))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			free()
			if tool == "svn" { // which brings the file back; the deletion stands
				require.Contains(t, b.run("svn", "update"), "Restored")
				require.FileExists(t, b.path(b.file(6555)))
			}
			require.Contains(t, b.run("worldfs", "vcs", "sync"), "1 deleted")
			require.Equal(t, map[string]string{b.file(6555): "D"}, b.states(tool))
			require.NoFileExists(t, b.path(b.file(6555)))
			require.NotContains(t, b.run("worldfs", "status"), "locked")
			b.requireNothingToTell(tool)

			cmd := b.command(binary, "vcs", "sync") // which a lock that goes delays
			b.make(6001, 70000)
			free = b.lockVCS(tool)
			require.NoError(t, cmd.Start())
			free()
			require.NoError(t, b.wait(cmd))
			require.Equal(t, "A", b.states(tool)[b.file(70000)])
		})
	}
}

// lockVCS locks git's index or the svn working copy, as a process that was killed leaves
// it, and returns what unlocks it.
func (b *bench) lockVCS(tool string) (free func()) {
	b.Helper()
	if tool == "git" {
		lock := filepath.Join(b.top(), ".git/index.lock")
		require.NoError(b, os.WriteFile(lock, nil, 0o666))
		return func() { require.NoError(b, os.Remove(lock)) }
	}
	b.run("python3", "-c", "import sqlite3; c = sqlite3.connect('"+filepath.Join(b.top(), ".svn/wc.db")+
		"'); c.execute('insert into wc_lock values (1, ?, -1)', ('',)); c.commit()")
	return func() { b.run("svn", "cleanup", b.top()) }
}

// Whichever call of git's or svn's it is killed at, before or after it, the next sync
// ends as the first would have.
func TestVCSSyncKilledAtEachCall(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		t.Run(tool, func(t *testing.T) {
			b := vcsWorld(t, tool, "plain")
			b.run("rm", b.file(1000), b.file(1001))
			b.run("worldfs", "vcs", "sync")
			b.run("worldfs", "undo", "1000") // is there again, as it was
			b.run("worldfs", "undo", "1001")
			b.write(b.file(1001), b.read(b.file(1001))+"\n") // and otherwise
			b.make(6001, 70000)
			b.run("rm", b.file(6555))
			b.run("worldfs", "sync")
			outside := b.cd("..")
			outside.run("cp", "-a", b.top(), b.top()+".start")
			calls := b.logCalls(tool)
			b.run("worldfs", "vcs", "sync")
			want, text := b.states(tool), b.read(b.file(1001))
			require.Equal(t, map[string]string{b.file(1001): "M", b.file(70000): "A", b.file(6555): "D"}, want)
			last, runs, kills := len(calls()), 0, 0
			for i := range last {
				if !everyCase && i%3 != 0 {
					continue
				}
				for _, when := range []string{"", `"$real" "$@"; `} {
					runs++
					outside.run("rm", "-rf", b.top())
					outside.run("cp", "-a", b.top()+".start", b.top())
					killed := *b
					killed.wrap(tool, fmt.Sprintf(`echo >>%[1]s/n; if [ $(wc -l <%[1]s/n) -gt %[2]d ]; then %[3]skill -9 $PPID; exit 1; fi`, t.TempDir(), i, when))
					if _, code := killed.try("worldfs", "vcs", "sync"); code != 0 {
						kills++
					}
					b.run("worldfs", "vcs", "sync")
					require.Equal(t, want, b.states(tool), "call %d %s", i, when)
					require.Equal(t, text, b.read(b.file(1001)), "call %d %s", i, when)
					b.requireNothingToTell(tool)
				}
			}
			require.Greater(t, 2*kills, runs)
		})
	}
}
