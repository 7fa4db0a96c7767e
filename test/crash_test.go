package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// The daemon is killed at random moments while programs write, git checks out
// and an engine saves packs. Whatever command comes next, nothing that was
// synced is lost, no file is a mixture, and nothing stale lies in entities/.
//
// WORLDFS_CRASH_ROUNDS says how often, WORLDFS_CRASH_SEED makes it other.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds, first := number(t, "WORLDFS_CRASH_ROUNDS", 12), number(t, "WORLDFS_CRASH_SEED", 1)
	for _, shape := range []string{"entities", "cover"} {
		if config.cover() && shape != "cover" {
			continue
		}
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			t.Logf("WORLDFS_CRASH_SEED=%d WORLDFS_CRASH_ROUNDS=%d", first, rounds)
			c := newCrash(t, shape, first)
			for round := range rounds {
				c.round(round)
				if t.Failed() {
					return
				}
			}
			t.Logf("%d texts written, %d of them synced, %d packs saved", c.written, c.synced, c.load.Saves)
		})
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return n
}

// crash is a world in git that is killed again and again. The test itself never
// looks into the mount: it would wait with the mount. Commands do, and the load,
// a process of its own.
type crash struct {
	outside
	random  *rand.Rand
	log     []string // what happened in this round
	suspect string   // the entity that is not what it may be
	load    load
	files   []*crashFile // the load's, in the same order, and at last crashSaved's

	written, synced int
}

// gitsEntities are those that git checks out, from one commit or the other;
// whoever is killed in the middle of a checkout leaves half of it.
var gitsEntities = config.entityPath("28000") + " " + config.entityPath("28001") + " " + config.entityPath("28002") + " " + config.entityPath("28003")

func newCrash(t *testing.T, shape string, first int) *crash {
	b := newBench(t, "git", "sed")
	b.run("cp", "-a", seed(t), "w")
	c := &crash{outside: outside{b.cd("w"), shape}, random: rand.New(rand.NewPCG(uint64(first), 0))}
	c.run("sh", "-euc", "git switch -q -c other; sed -i 's/entity_flags/flags_entity/' "+gitsEntities+"; git commit -qam other; git switch -q main")
	c.load.Dir = c.dir
	for i, id := range []string{"6555", "6005", "10000", "58000", "58001", "58008"} {
		name := config.entityPath(id)
		c.load.Files = append(c.load.Files, loadFile{Path: c.path(name), Template: c.read(name), Whole: i >= 2})
		c.files = append(c.files, &crashFile{may: []int{0}})
	}
	c.files = append(c.files, &crashFile{may: []int{0}})
	c.Cleanup(func() {
		if c.mounted() {
			c.worldfs("unmount")
		}
	})
	c.must("mount")
	return c
}

func (c *crash) note(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf(format, args...))
}

// round loads the mounted world, kills it, has some command recover it, looks
// at everything and mounts it again.
func (c *crash) round(n int) {
	c.log = []string{fmt.Sprintf("round %d", n)}
	defer func() {
		if c.Failed() {
			kept, _ := c.worldfs("restore", "--list")
			tail, _ := c.cd("..").try("tail", "-n", "30", c.path(".worldfs/log"))
			c.Logf("%s\n%s\n%s", strings.Join(c.log, "\n"), tail, kept)
			for _, id := range []string{strconv.Itoa(loadSaved), c.suspect} {
				history, _ := c.worldfs("history", id)
				c.Logf("%s", history)
			}
		}
	}()
	c.underLoad(func() {
		time.Sleep(time.Duration(c.random.IntN(600)) * time.Millisecond)
		c.killSomehow()
	}, func() {
		for !c.recovered() {
		}
	})
	c.verify("recovered")
	if !c.mounted() {
		c.must("mount")
	}
	c.verify("mounted")
	c.saved().settle()
	c.run("sh", "-c", "rm -f .git/index.lock; git checkout -q -f main -- "+gitsEntities+"; find entities -name '*.new' -delete")
	c.must("unmount")
	c.verify("unmounted")
	c.must("check")
	c.must("diff", "--exit-code", c.path("world.pack"), c.dir) // the pack is the world
	c.must("mount")
}

// underLoad runs kill while everything is being written, and then recover. What
// waits for a daemon that was killed may have to wait until a command ends the
// mount.
func (c *crash) underLoad(kill, recover func()) {
	l := c.startLoad()
	stop := make(chan struct{})
	var git sync.WaitGroup
	git.Go(func() { c.useGit(stop) })
	kill()
	close(stop)
	l.stop()
	recover()
	l.end()
	git.Wait()
}

func stopped(stop chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// useGit checks out one commit and the other; it may fail once the daemon is
// gone.
func (c *crash) useGit(stop chan struct{}) {
	for i := 0; !stopped(stop); i++ {
		revision := []string{"other", "main"}[i%2]
		c.try("sh", "-c", "git checkout -q "+revision+" -- "+gitsEntities+" && git status >/dev/null")
	}
}

// killSomehow kills the daemon, alone or while a command is at it.
func (c *crash) killSomehow() {
	command := []string{"", "", "", "sync", "unmount", "status"}[c.random.IntN(6)]
	ended := func() {}
	if command != "" {
		ended = c.begin(command)
		time.Sleep(time.Duration(c.random.IntN(60)) * time.Millisecond)
	}
	c.note("kill during %q", command)
	c.killDaemons()
	ended()
}

// begin starts a command on the world; ended waits for its end.
func (c *crash) begin(args ...string) (ended func()) {
	cmd := c.cd("..").command(binary, c.arguments(args)...)
	require.NoError(c, cmd.Start())
	return func() { _ = c.wait(cmd) } // it may well have failed
}

// killDaemons kills what serves the world, also what is not ready yet.
func (c *crash) killDaemons() {
	c.killProcesses(func(command string) bool { return strings.Contains(command, "\x00daemon\x00") })
}

// killProcesses kills the world's processes with such a command line.
func (c *crash) killProcesses(which func(command string) bool) {
	for _, process := range c.processes() {
		command, err := os.ReadFile(filepath.Join(process, "cmdline"))
		if err != nil || !which(string(command)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(process))
		require.NoError(c, err)
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		c.ended(pid)
	}
}

// recovered has the next command find the world, and reports whether that one
// was left alone: it may be a mount that is killed too.
func (c *crash) recovered() bool {
	command := []string{"mount", "mount, killed", "status", "check", "sync", "unmount", "pack", "ls", "export"}[c.random.IntN(9)]
	c.note("next: %s", command)
	if command == "mount, killed" {
		cmd := c.cd("..").command(binary, c.arguments([]string{"mount"})...)
		require.NoError(c, cmd.Start())
		time.Sleep(time.Duration(c.random.IntN(150)) * time.Millisecond)
		require.NoError(c, cmd.Process.Kill()) // so that it starts no daemon after this
		_ = c.wait(cmd)
		c.killProcesses(func(string) bool { return true }) // what is to be a daemon may still be called mount
		return false
	}
	args := []string{command}
	if command == "export" {
		args = append(args, "-o", filepath.Join(c.root, "out.jsonl"))
	}
	out, code := c.worldfs(args...)
	c.note("exit status %d: %.2000s", code, out)
	if command == "unmount" && strings.Contains(out, "not mounted") {
		return false // killed when that was done; nothing brings the files back until it is asked for them
	}
	require.LessOrEqual(c, code, 1, "worldfs %s: %s", command, out) // 1: what git left half done
	return true
}

// verify looks at everything, mounted or not.
func (c *crash) verify(when string) {
	c.Helper()
	args := []string{"-c", `for f; do cat "$f" || exit; printf '\0'; done`, "sh"}
	for _, f := range c.load.Files {
		args = append(args, f.Path)
	}
	texts := strings.Split(c.run("sh", append(args, c.path(loadSavedPath))...), "\x00")
	require.Len(c, texts, len(c.files)+1, when)
	for i, f := range c.files {
		is := func(n int) bool { return strings.Contains(texts[i], fmt.Sprintf("\"save %d\"\n", n)) == (n > 0) }
		name := loadSavedPath
		if i < len(c.load.Files) {
			name = c.load.Files[i].Path
			is = func(n int) bool { return texts[i] == c.load.Files[i].text(n) }
		}
		c.suspect = strings.TrimSuffix(filepath.Base(name), layout.Suffix)
		require.True(c, f.is(is), "%s, %s is none of the texts that it may be:\n%s\nwhich are those with the numbers %v",
			when, name, texts[i], f.may)
		if f != c.saved() { // a save may come when it is looked for
			f.settle()
		}
	}
}

// crashFile is what the text of an entity's file may be, by number: the last one
// that was made durable and those written since.
type crashFile struct {
	may   []int
	found int // index in may
}

// settle has the file be from now on what it was found to be.
func (f *crashFile) settle() { f.may, f.found = f.may[f.found:][:1], 0 }

// is reports whether the file is one of the texts that it may be, and notes
// which.
func (f *crashFile) is(text func(n int) bool) bool {
	for i := len(f.may) - 1; i >= 0; i-- {
		if text(f.may[i]) {
			f.found = i
			return true
		}
	}
	return false
}
