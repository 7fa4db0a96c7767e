package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// halfway is a world in which git is half way through a checkout across a change of shard:
// it has removed all files, and a filter holds it up amid those that it writes anew.
type halfway struct {
	*bench
	git     *exec.Cmd
	release func() // has the filter go on
	inside  func() string
}

// checkoutHalfway has git check a branch out, up to the middle.
func (b *bench) checkoutHalfway(branch string) *halfway {
	b.Helper()
	b.write("../hold", "")
	b.write("../stopped", "")
	require.NoError(b, os.Remove(b.path("../stopped")))
	b.write("../smudge", `#!/bin/sh
if [ -e `+b.path("../hold")+` ] && [ ! -e `+b.path("../stopped")+` ]; then
	find `+b.path("entities")+` -name '*.entity_text' 2>/dev/null | wc -l > `+b.path("../inside")+`
	touch `+b.path("../stopped")+`
	while [ -e `+b.path("../hold")+` ]; do sleep .01; done
fi
cat
`)
	require.NoError(b, os.Chmod(b.path("../smudge"), 0o755))
	b.run("git", "config", "filter.hold.smudge", b.path("../smudge"))
	b.write(".git/info/attributes", "*1.entity_text filter=hold\n")
	h := &halfway{bench: b, git: b.command("git", "checkout", "-q", branch)}
	h.git.Stderr = os.Stderr
	h.git.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h.release = func() { _ = os.Remove(b.path("../hold")) }
	h.inside = func() string { return strings.TrimSpace(b.read("../inside")) }
	b.Cleanup(h.release)
	require.NoError(b, h.git.Start())
	b.eventually(func() bool { _, err := os.Stat(b.path("../stopped")); return err == nil })
	return h
}

// listed is a listing of the whole tree by a process of its own.
type listed struct {
	*exec.Cmd
	out   bytes.Buffer
	ended chan error
}

func (b *bench) list() *listed {
	l := &listed{Cmd: exec.Command("find", b.path("entities"), "-name", "*.entity_text"), ended: make(chan error, 1)}
	l.Stdout = &l.out
	require.NoError(b, l.Start())
	go func() { l.ended <- l.Wait() }()
	return l
}

// requireWaits has the listing not end as long as it would take several times over.
func (l *listed) requireWaits(b *bench) {
	b.Helper()
	select {
	case err := <-l.ended:
		b.Fatalf("the listing did not wait: %v, %d names", err, bytes.Count(l.out.Bytes(), []byte("\n")))
	case <-time.After(300 * time.Millisecond):
	}
}

// files returns how many entities' files were listed, once the listing has ended.
func (l *listed) files(b *bench) int {
	b.Helper()
	require.NoError(b, <-l.ended)
	return bytes.Count(l.out.Bytes(), []byte("\n"))
}

// While a checkout is half way across a change of shard no listing shows what there is:
// it waits, and then has every entity. What git itself has started sees the middle.
func TestAListingAmidACheckoutAcrossAChangeOfShard(t *testing.T) {
	for shape, mount := range map[string][]string{"entities": nil, "cover": {"--cover", "."}} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			listAmidCheckouts(t, mount...)
		})
	}
}

func listAmidCheckouts(t *testing.T, mount ...string) {
	const n = 700
	b := reshardWorld(t, n, mount...)
	for _, branch := range []string{"sharded", "flat"} {
		h := b.checkoutHalfway(branch)
		require.NotEqual(b, fmt.Sprint(n), h.inside(), "what git has started sees the middle")
		all := b.list()
		all.requireWaits(b)
		h.release()
		require.NoError(b, b.wait(h.git))
		require.Equal(b, n, all.files(b), branch)
		require.Empty(b, b.run("git", "status", "--porcelain"))
	}
}

// Where git is killed half way nothing is waited for any more, and its next checkout has
// it all. A listing that waits can be interrupted.
func TestAListingAmidACheckoutThatIsKilled(t *testing.T) {
	t.Parallel()
	const n = 700
	b := reshardWorld(t, n)
	h := b.checkoutHalfway("sharded")
	all, interrupted := b.list(), b.list()
	all.requireWaits(b)
	require.NoError(b, interrupted.Process.Signal(os.Interrupt))
	require.Error(b, <-interrupted.ended)
	all.requireWaits(b)
	require.NoError(b, syscall.Kill(-h.git.Process.Pid, syscall.SIGKILL))
	_ = h.git.Wait()
	require.Less(b, all.files(b), n, "what there is")
	h.release()
	b.run("rm", "-f", ".git/index.lock")
	b.run("git", "clean", "-fdq", "entities")
	b.run("git", "checkout", "-qf", "sharded")
	require.Equal(b, n, b.entityFiles())
	require.Empty(b, b.run("git", "status", "--porcelain"))
}

// Many listings that wait keep neither git nor the daemon from their work; nor an unmount,
// which finds so many entities gone that it says so, and they go on once it no longer waits.
func TestManyListingsAmidACheckout(t *testing.T) {
	t.Parallel()
	const n = 300
	b := reshardWorld(t, n)
	h := b.checkoutHalfway("sharded")
	var all []*listed
	for range 60 {
		all = append(all, b.list())
	}
	all[0].requireWaits(b)
	require.Contains(b, b.run("worldfs", "status"), "world")
	h.release()
	require.NoError(b, b.wait(h.git))
	for _, l := range all {
		require.Equal(b, n, l.files(b))
	}

	h = b.checkoutHalfway("flat")
	one := b.list()
	one.requireWaits(b)
	out, code := b.try("worldfs", "unmount")
	require.Equal(b, 1, code, out)
	require.Contains(b, out, "entities in world.pack")
	<-one.ended
	h.release()
	_ = b.wait(h.git)
	b.run("git", "checkout", "-qf", "flat")
	if !b.mounted() {
		b.run("worldfs", "mount")
	}
	require.Equal(b, n, b.entityFiles())
	require.Empty(b, b.run("git", "status", "--porcelain"))
}
