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
	fill := func(l *Log) { fillSegments(t, l) }
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

// fillSegments appends what takes about five segments of 64 KiB.
func fillSegments(t *testing.T, l *Log) {
	for range 3 {
		var in []Entry
		for id := range entity.ID(100) {
			in = append(in, entry(id+1, string(make([]byte, 1000)), "is"))
		}
		_, err := l.Append(in)
		require.NoError(t, err)
	}
}

// Who reads the log while it is removed reads it whole, and takes nothing of it
// from those who put it back.
func TestALogThatIsHeldIsReadWhileItIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	l := Open(dir, Limits{Size: 1 << 20, Age: time.Hour})
	require.NoError(t, l.Hold())
	fillSegments(t, l)
	before := all(t, l.From(0))
	require.NoError(t, os.RemoveAll(dir))
	require.Equal(t, before, all(t, l.From(0)))
	require.NoError(t, l.Renew())
	require.Equal(t, before, all(t, l.From(0)))
	require.NoError(t, l.Close())
	require.Equal(t, before, all(t, Open(dir, l.limits).From(0)))
}

// What cannot be put back, as on a full disk, is held on to and put back later.
func TestASegmentThatCannotBePutBackIsNotLost(t *testing.T) {
	for name, later := range map[string]func(l *Log) error{
		"by Renew": (*Log).Renew,
		"by what is appended": func(l *Log) error {
			_, err := l.Append([]Entry{entry(1, "a", "b")})
			return err
		},
		"at the end": func(*Log) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "history")
			l := Open(dir, Limits{Size: 1 << 20, Age: time.Hour})
			require.NoError(t, l.Hold())
			fillSegments(t, l)
			before := all(t, l.From(0))
			closed, err := os.Open(dir)
			require.NoError(t, err)
			require.NoError(t, closed.Close())
			held := l.segments[1].held
			l.segments[1].held = closed // so that it cannot be read
			require.NoError(t, os.RemoveAll(dir))
			require.Error(t, l.Renew())
			_, err = l.Append([]Entry{entry(1, "a", "b")})
			require.NoError(t, err, "what is new is kept meanwhile")
			l.segments[1].held = held
			require.NoError(t, later(l))
			require.NoError(t, l.Close())
			after := all(t, Open(dir, l.limits).From(0))
			require.Greater(t, len(after), len(before))
			require.Equal(t, before, after[:len(before)])
		})
	}
}
