package fsnode_test

import (
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/fsnode"
	"github.com/worldfs/worldfs/internal/mounting/prefetch"
)

func readAheadHelper([]string) error { return fsnode.ReadAhead(os.Stdin, os.Stdout) }

func warm(limit int64) func(*fsnode.Options) {
	return warmBy(limit, "/proc/self/exe", helperFlag, "readahead")
}

// warmBy has a command list. One that there is not makes nothing warm.
func warmBy(limit int64, command ...string) func(*fsnode.Options) {
	return func(o *fsnode.Options) { o.Warm, _ = prefetch.Start(limit, command) }
}

func (r *rig) awaitWarm() int {
	r.Helper()
	n := 0
	require.Eventually(r, func() (done bool) { n, done = r.mount.Warmed(); return done }, time.Minute, time.Millisecond)
	return n
}

// TestAWarmMountIsReadWithoutAsking reads every file after the mount is warm,
// and the daemon hears nothing of it. Somebody may have the kernel drop what it
// remembers meanwhile: then once more.
func TestAWarmMountIsReadWithoutAsking(t *testing.T) {
	if noKernelCache {
		t.Skip("the kernel remembers nothing")
	}
	const n = 2000
	r := newRig(t, n)
	require.Eventually(t, func() bool {
		r.close()
		r.open()
		r.up(warm(1 << 30))
		pushed := r.awaitWarm()
		before := r.asked()
		for i := range n {
			name := fmt.Sprintf("%d.entity_text", i+1)
			require.Equal(t, fmt.Sprintf("Lamp\n1\n%d\n; watts\n    %d\n", i+1, (i+1)%1000), r.read(name))
			require.NotZero(t, r.stat(name).Size)
		}
		after := r.asked()
		t.Log(pushed, before, after)
		return pushed == n && maps.Equal(before, after)
	}, time.Minute, time.Millisecond)
}

// asked returns how often the kernel has asked for anything about files.
func (r *rig) asked() map[string]uint64 {
	all := r.mount.Requests()
	for _, k := range []string{"forget", "statfs"} {
		delete(all, k)
	}
	return all
}

func TestWarmingKeepsToItsLimit(t *testing.T) {
	if noKernelCache {
		t.Skip("the kernel remembers nothing")
	}
	r := newRig(t, 1000, warm(100*(4+1)<<10))
	n := r.awaitWarm()
	require.LessOrEqual(t, n, 100)
	require.Positive(t, n)
	require.Len(t, r.names(), 1000)
}

func TestAMountThatIsNotWarmYetCanBeUnmounted(t *testing.T) {
	r := newRig(t, 3000)
	for range 10 {
		r.close()
		r.open()
		r.up(warm(1 << 30))
		require.NoError(t, r.mount.Unmount())
	}
	r.close()
}
