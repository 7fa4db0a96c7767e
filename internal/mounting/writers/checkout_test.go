package writers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// checkingOut is a /proc in which git is at work on an entity's file, a person's shell has
// started it, and it has started a hook.
func checkingOut(t *testing.T) *fake {
	f := newFake(t)
	f.process(1, 0, 1, "bash", "bash")
	f.process(10, 1, 10, "git", "git", "checkout", "main")
	f.process(11, 10, 11, "sh", "sh", "hooks/post-checkout")
	f.process(12, 11, 12, "find", "find")
	f.process(20, 1, 20, "find", "find")
	f.c.Note(6555, 10, 0)
	return f
}

func TestACheckoutIsWaitedFor(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	for _, x := range []struct {
		name  string
		then  func(f *fake)
		waits bool
	}{
		{"at work", func(*fake) {}, true},
		{"quiet", func(f *fake) { f.time = f.time.Add(quiet) }, false},
		{"quiet, and many files are gone", func(f *fake) { f.world.awaits.Store(true); f.time = f.time.Add(quiet) }, true},
		{"ended", func(f *fake) { require.NoError(t, os.RemoveAll(filepath.Join(f.root, "10"))) }, false},
		{"ended, and its number given to another", func(f *fake) { f.process(10, 1, 30, "git", "git", "gc") }, false},
		{"ended, unnoticed by its parent", func(f *fake) { f.zombie("10") }, false},
		{"a person edits meanwhile", func(f *fake) { f.process(30, 1, 30, "vim", "vim"); f.c.Note(1, 30, 0) }, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := checkingOut(t)
			x.then(f)
			require.Equal(t, x.waits, f.c.AwaitCheckout(20, closed) != nil)
			for _, within := range []uint32{10, 11, 12} {
				require.NoError(t, f.c.AwaitCheckout(within, closed), "%d", within)
			}
		})
	}
}

// zombie has a process have ended without its parent's notice.
func (f *fake) zombie(id string) {
	name := filepath.Join(f.root, id, "stat")
	text, err := os.ReadFile(name)
	require.NoError(f.t, err)
	require.NoError(f.t, os.WriteFile(name, []byte(strings.Replace(string(text), ") S", ") Z", 1)), 0o600))
}

// What waits goes on when the checkout ends, and costs nothing after it.
func TestTheWaitForACheckoutEnds(t *testing.T) {
	f := checkingOut(t)
	done := make(chan error)
	go func() { done <- f.c.AwaitCheckout(20, nil) }()
	f.zombie("10")
	require.NoError(t, <-done)
	cost := f.c.proc.read.Load()
	require.NoError(t, f.c.AwaitCheckout(20, nil))
	require.Equal(t, cost, f.c.proc.read.Load())
}

// What waits for one run does not wait for another that has started it, and may wait for it.
func TestARunThatHasStartedWhatWaits(t *testing.T) {
	f := checkingOut(t)
	f.process(30, 1, 30, "git", "git", "rebase")
	f.process(31, 30, 31, "find", "find")
	done := make(chan error)
	go func() { done <- f.c.AwaitCheckout(31, nil) }()
	select {
	case <-done:
		t.Fatal("it does not wait for the first")
	case <-time.After(3 * poll):
	}
	f.c.Note(6555, 30, 0)
	require.NoError(t, <-done)
}

// An editor's changes hold up no listing.
func TestOnlyVersionControlIsWaitedFor(t *testing.T) {
	f := newFake(t)
	f.process(7, 1, 7, "vim", "vim")
	f.process(20, 1, 20, "find", "find")
	f.c.Note(6555, 7, 0)
	cost := f.c.proc.read.Load()
	require.NoError(t, f.c.AwaitCheckout(20, nil))
	require.Equal(t, cost, f.c.proc.read.Load())
}

// hg merges what was edited after all else; git and svn have no more to do with old places.
func TestTheMergesOfHgAreWaitedFor(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	for _, program := range []string{"git", "svn", "hg"} {
		t.Run(program, func(t *testing.T) {
			f := newFake(t)
			f.process(10, 1, 10, program, program, "update")
			f.c.Note(6555, 10, 0)
			_, merges := f.c.atWork()
			require.Equal(t, program == "hg", merges)
			f.c.AwaitMerges(closed)
			done := make(chan struct{})
			go func() { f.c.AwaitMerges(nil); close(done) }()
			f.zombie("10")
			<-done
		})
	}
}
