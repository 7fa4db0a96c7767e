package test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// held is what a daemon holds, as status --json tells it.
type held struct {
	Descriptors, Goroutines, Nodes, Notices, Slots, Dirty, Unread, Untold int
}

func (b *bench) held() held {
	b.Helper()
	var st struct{ Counters held }
	require.NoError(b, json.Unmarshal([]byte(b.run("worldfs", "status", "--json")), &st))
	return st.Counters
}

// However many files come and go, the daemon holds no more afterwards than
// before: no nodes, records, descriptors or goroutines.
func TestChurnLeavesNothingBehind(t *testing.T) {
	b := mountedDemo(t, 20)
	text, err := os.ReadFile(b.path("entities/" + b.names("entities")[0]))
	require.NoError(t, err)
	b.churn(50, text) // what is made at the first use is there from now on
	b.run("worldfs", "sync")
	b.run("worldfs", "status")
	before := b.held()

	b.churn(4000, text)
	b.run("worldfs", "sync")
	var after held // the world's own 20 entities may be known only now
	b.eventually(func() bool {
		after = b.held()
		return after.Slots <= before.Slots+20 && after.Nodes <= before.Nodes+50 && after.Notices == 0 &&
			after.Dirty == 0 && after.Unread == 0 && after.Untold == 0 &&
			after.Descriptors <= before.Descriptors+5 && after.Goroutines <= before.Goroutines+10
	})
	b.requireNoDescriptorLeft()
}

// churn makes, renames and removes files n times: an entity, which is renamed and
// unlinked while it is open, and a file beside it.
func (b *bench) churn(n int, text []byte) {
	b.Helper()
	for i := range n {
		name := b.path(config.entityPath(strconv.Itoa(1_000_000 + i)))
		other := b.path(config.entityPath(strconv.Itoa(2_000_000 + i)))
		require.NoError(b, os.WriteFile(name, text, 0o644))
		require.NoError(b, os.Rename(name, other))
		require.NoError(b, os.WriteFile(name+"~", text, 0o644))
		f, err := os.Open(other)
		require.NoError(b, err)
		require.NoError(b, os.Remove(other))
		require.NoError(b, os.Remove(name+"~"))
		require.NoError(b, f.Close())
	}
}

// What comes and goes beneath a mount that covers it, while people list the
// directory, leaves nothing behind either.
func TestWhatGoesBeneathTheMountIsForgotten(t *testing.T) {
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "20", "w")
	under, err := os.Open(b.path("w")) // by which what is beneath is reached
	require.NoError(t, err)
	defer under.Close()
	beneath := fmt.Sprintf("/proc/self/fd/%d/", under.Fd())
	b = b.cd("w")
	b.run("worldfs", "mount", "--cover", b.dir)
	b.Cleanup(func() { b.cd("..").run("worldfs", "-C", b.dir, "unmount") })
	b.run("ls")
	before := b.held().Nodes
	for i := range 100 {
		name := fmt.Sprintf(".world.pack.%d.next", i)
		require.NoError(t, os.WriteFile(beneath+name, nil, 0o644))
		require.Contains(t, b.names("."), name)
		require.NoError(t, os.Remove(beneath+name))
	}
	require.NotContains(t, b.names("."), ".world.pack.99.next")
	b.eventually(func() bool { return b.held().Nodes <= before+50 })
}
