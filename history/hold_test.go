package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// Whoever removes the directory of a log that is held takes nothing of it, from
// whichever segment: what begins while it is held, and what was there before.
func TestALogThatIsHeldIsNotLost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	limits := Limits{Size: 1 << 20, Age: time.Hour} // segments of 64 KiB
	fill := func(l *Log) {
		for range 3 {
			var in []Entry
			for id := range entity.ID(100) {
				in = append(in, entry(id+1, string(make([]byte, 1000)), "is"))
			}
			_, err := l.Append(in)
			require.NoError(t, err)
		}
	}
	l := Open(dir, limits)
	fill(l)
	require.NoError(t, l.Close())

	l = Open(dir, limits)
	require.NoError(t, l.Hold())
	fill(l)
	require.Greater(t, len(l.segments), 3)
	before := all(t, l.From(0))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, l.Renew())
	require.Equal(t, before, all(t, l.From(0)))
	require.NoError(t, os.RemoveAll(dir))
	_, err := l.Append([]Entry{entry(1, "a", "b")})
	require.NoError(t, err)
	require.Len(t, all(t, l.From(0)), len(before)+1)
	require.NoError(t, l.Close())
	for _, s := range l.segments {
		require.Nil(t, s.held)
	}

	l = Open(dir, limits)
	require.Len(t, all(t, l.From(0)), len(before)+1)
	require.NoError(t, l.Close())
}
