package test

import (
	"encoding/hex"
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

	"github.com/worldfs/worldfs/entity"
)

// The daemon is killed at random moments while programs write, git checks out
// and an engine saves packs. Whatever command comes next, nothing that was
// synced is lost, no file is a mixture, and nothing stale lies in entities/.
//
// WORLDFS_CRASH_ROUNDS says how often; without it the test is skipped.
// WORLDFS_CRASH_SEED makes it other.
func TestKilledAtAnyMoment(t *testing.T) {
	rounds, first := number(t, "WORLDFS_CRASH_ROUNDS", 0), number(t, "WORLDFS_CRASH_SEED", 1)
	t.Logf("WORLDFS_CRASH_SEED=%d WORLDFS_CRASH_ROUNDS=%d", first, rounds)
	if rounds == 0 {
		t.Skip("make crash runs it")
	}
	c := newCrash(t, first)
	for round := range rounds {
		c.round(round)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d texts written, %d of them synced, %d packs saved", c.written(), c.synced(), c.saves)
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

// crash is a world in git that is killed again and again.
type crash struct {
	*bench
	random  *rand.Rand
	log     []string // what happened in this round
	writers []*crashWriter
	saves   int // by the engine, of entity 10001's name
}

// gitsEntities are those that git checks out, from one commit or the other;
// whoever is killed in the middle of a checkout leaves half of it.
const gitsEntities = "entities/28000.entity_text entities/28001.entity_text entities/28002.entity_text entities/28003.entity_text"

func newCrash(t *testing.T, first int) *crash {
	b := newBench(t, "git", "sed")
	b.run("cp", "-a", seed(t), "w")
	c := &crash{bench: b.cd("w"), random: rand.New(rand.NewPCG(uint64(first), 0))}
	c.run("sh", "-euc", "git switch -q -c other; sed -i 's/entity_flags/flags_entity/' "+gitsEntities+"; git commit -qam other; git switch -q main")
	for i, ids := range [][]string{{"6555", "6005"}, {"10000", "58000"}, {"58001", "58008"}} {
		w := &crashWriter{crash: c, whole: i > 0}
		for _, id := range ids {
			w.files = append(w.files, &crashFile{path: c.path("entities/" + id + ".entity_text")})
		}
		c.writers = append(c.writers, w)
	}
	c.run("worldfs", "mount")
	for _, f := range c.files() {
		f.template = c.read("entities/" + filepath.Base(f.path))
		require.NoError(t, putAt(f.path, os.O_WRONLY|os.O_TRUNC, f.next(), true))
		f.durable()
	}
	t.Cleanup(func() {
		if c.mounted() {
			c.try("worldfs", "unmount")
		}
	})
	return c
}

func (c *crash) files() (all []*crashFile) {
	for _, w := range c.writers {
		all = append(all, w.files...)
	}
	return all
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
			kept, _ := c.try("worldfs", "restore", "--list")
			c.Logf("%s\n%s\n%s", strings.Join(c.log, "\n"), c.run("tail", "-n", "30", ".worldfs/log"), kept)
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
	c.mountIfNeeded()
	c.verify("mounted")
	c.run("sh", "-c", "rm -f .git/index.lock; git checkout -q -f main -- "+gitsEntities+"; rm -f entities/*.new")
	c.run("worldfs", "unmount")
	c.verify("unmounted")
	require.Empty(c, c.run("worldfs", "check"))
	c.run("worldfs", "diff", "--exit-code", "world.pack", ".") // the pack is the world
	c.run("worldfs", "mount")
}

// underLoad runs kill while everything is being written, and then recover. What
// waits for a daemon that was killed may have to wait until a command ends the
// mount.
func (c *crash) underLoad(kill, recover func()) {
	stop := make(chan struct{})
	var busy, engine sync.WaitGroup
	for _, w := range c.writers {
		busy.Go(func() { w.write(stop) })
	}
	busy.Go(func() { c.useGit(stop) })
	engine.Go(func() { c.save(stop) })
	kill()
	close(stop)
	engine.Wait()
	recover()
	busy.Wait()
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

// save saves packs with an engine that has loaded the world once, each when the
// one before has come in.
func (c *crash) save(stop chan struct{}) {
	for e := c.engine(); !stopped(stop); {
		c.saves++
		e.name(crashSaved, fmt.Sprint("save ", c.saves))
		e.replace(true)
		for !stopped(stop) && !c.kept(e.based) {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// kept reports whether a save has come in. The mount might not answer.
func (c *crash) kept(pack [32]byte) bool {
	_, err := os.Lstat(c.path(".worldfs/packs/" + hex.EncodeToString(pack[:])))
	return err == nil
}

// crashSaved is the entity that the engine changes.
const crashSaved = 10001

// name gives an entity another name.
func (e *engine) name(id entity.ID, name string) {
	n, ok := e.world.Get(id)
	require.True(e.b, ok)
	n = n.Clone()
	n.Values[n.Layout.Index("entity_name")] = entity.NewString(name)
	e.world.Put(n)
}

// killSomehow kills the daemon, alone or while a command is at it.
func (c *crash) killSomehow() {
	command := []string{"", "", "", "sync", "unmount", "status"}[c.random.IntN(6)]
	var done chan struct{}
	if command != "" {
		done = make(chan struct{})
		cmd := c.command(binary, command)
		require.NoError(c, cmd.Start())
		go func() { _ = cmd.Wait(); close(done) }()
		time.Sleep(time.Duration(c.random.IntN(60)) * time.Millisecond)
	}
	c.note("kill during %q", command)
	c.killDaemons()
	if done != nil {
		<-done
	}
}

// killDaemons kills what serves the world, also what is not ready yet.
func (c *crash) killDaemons() {
	for _, process := range c.processes() {
		command, err := os.ReadFile(filepath.Join(process, "cmdline"))
		if err != nil || !strings.Contains(string(command), "\x00daemon\x00") {
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
	command := []string{"mount", "mount, killed", "status", "check", "sync", "unmount", "pack", "ls", "export -o ../out.jsonl"}[c.random.IntN(9)]
	c.note("next: %s", command)
	if command == "mount, killed" {
		cmd := c.command(binary, "mount")
		require.NoError(c, cmd.Start())
		time.Sleep(time.Duration(c.random.IntN(150)) * time.Millisecond)
		require.NoError(c, cmd.Process.Kill()) // so that it starts no daemon after this
		_ = cmd.Wait()
		c.killDaemons()
		return false
	}
	out, code := c.try("worldfs", strings.Fields(command)...)
	c.note("exit status %d: %.2000s", code, out)
	if command == "unmount" && strings.Contains(out, "not mounted") {
		return false // killed when that was done; nothing brings the files back until it is asked for them
	}
	require.LessOrEqual(c, code, 1, "worldfs %s: %s", command, out) // 1: what git left half done
	return true
}

func (c *crash) mountIfNeeded() {
	if !c.mounted() {
		c.run("worldfs", "mount")
	}
}

// verify looks at everything, mounted or not.
func (c *crash) verify(when string) {
	c.Helper()
	for _, f := range c.files() {
		f.verify(c, when)
	}
	if c.saves > 0 {
		require.Contains(c, c.read("entities/10001.entity_text"), fmt.Sprintf("\"save %d\"\n", c.saves), when)
	}
}

func (c *crash) written() (n int) {
	for _, f := range c.files() {
		n += f.count
	}
	return n
}

func (c *crash) synced() (n int) {
	for _, w := range c.writers {
		n += w.synced
	}
	return n
}

// crashFile is an entity's file and the texts that it may have: the last one
// that was made durable and those written since.
type crashFile struct {
	path     string
	template string
	texts    []string
	count    int
}

// next returns a new text, which the file may have from now on.
func (f *crashFile) next() string {
	f.count++
	lines := strings.Split(f.template, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "; entity_name") || strings.HasPrefix(line, "; lightmap_hash") {
			lines[i+1] = fmt.Sprintf("    %q", fmt.Sprintf("text%08d", f.count))
		}
	}
	text := strings.Join(lines, "\n")
	f.texts = append(f.texts, text)
	return text
}

// durable notes that the last text is.
func (f *crashFile) durable() { f.texts = f.texts[len(f.texts)-1:] }

func (f *crashFile) verify(c *crash, when string) {
	c.Helper()
	data, err := os.ReadFile(f.path)
	require.NoError(c, err, when)
	for i, text := range f.texts {
		if string(data) == text {
			f.texts = f.texts[i : i+1] // that is it, from now on
			return
		}
	}
	require.Failf(c, "a file is none of the texts that it may be", "%s, %s:\n%s\nof %d that may be the last is\n%s",
		when, f.path, data, len(f.texts), f.texts[len(f.texts)-1])
}

// crashWriter writes its files in one way.
type crashWriter struct {
	*crash
	files  []*crashFile
	whole  bool // by a temporary file and a rename; else over the old one
	synced int
}

// write writes until the end or until it fails, and syncs now and then.
func (w *crashWriter) write(stop chan struct{}) {
	for i := 0; !stopped(stop); i++ {
		f := w.files[i%len(w.files)]
		sync := i%5 < 3
		if err := w.put(f, f.next(), sync); err != nil {
			return
		}
		if sync {
			f.durable()
			w.synced++
		}
	}
}

func (w *crashWriter) put(f *crashFile, text string, sync bool) error {
	if !w.whole {
		return putAt(f.path, os.O_WRONLY, text, sync)
	}
	temp := f.path + ".new"
	if err := putAt(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, text, sync); err != nil {
		return err
	}
	if err := os.Rename(temp, f.path); err != nil || !sync {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// putAt writes a text over what a file has, in one write: the texts of a file
// are all as long.
func putAt(path string, flags int, text string, sync bool) error {
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(text), 0)
	if err == nil && sync {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
