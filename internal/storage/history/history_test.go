package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

func entry(id entity.ID, was, is string) Entry {
	e := Entry{Time: time.Unix(1, 2), ID: id, Kind: Changed, By: "edit"}
	if was != "" {
		e.Was = []byte(was)
	}
	if is != "" {
		e.Is = []byte(is)
	}
	return e
}

func all(t *testing.T, r *Reader) (out []Entry) {
	for {
		entries, gap, err := r.Next(1 << 10)
		require.NoError(t, err)
		require.False(t, gap)
		if len(entries) == 0 {
			return out
		}
		out = append(out, entries...)
	}
}

func TestWhatIsAppendedIsReadAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	l := Open(dir, Limits{Size: 1 << 20, Age: time.Hour})
	begin, err := l.Last()
	require.NoError(t, err)
	in := []Entry{entry(1, "", "a"), entry(2, "b", ""), entry(1, "a", "c"), {Time: time.Unix(3, 0), ID: 3, Kind: Broken, By: "edit", Note: "line 3", Is: []byte{}}}
	last, err := l.Append(in)
	require.NoError(t, err)
	require.Equal(t, begin+4, last)
	require.Equal(t, in, all(t, l.From(0)))
	require.Equal(t, in[2:], all(t, l.From(in[1].Position)))
	of, err := l.Of(1)
	require.NoError(t, err)
	require.Equal(t, []Entry{in[0], in[2]}, of)
	require.NoError(t, l.Close())
	require.Equal(t, in, all(t, l.From(0)), "what is in it can be read after its end")

	l = Open(dir, Limits{Size: 1 << 20, Age: time.Hour})
	require.Equal(t, in, all(t, l.From(0)))
	at, err := l.Last()
	require.NoError(t, err)
	r := l.From(last)
	require.Empty(t, all(t, r))
	require.Equal(t, at, r.Position(), "whoever has read all waits for what comes")
	more := []Entry{entry(9, "", "z")}
	_, err = l.Append(more)
	require.NoError(t, err)
	require.Greater(t, more[0].Position, last)
	require.Equal(t, more, all(t, l.From(last)))
	require.NoError(t, l.Close())
}

// segmentOfTwo returns a closed log with two entries, those entries, and the
// bytes of the segment they are in.
func segmentOfTwo(t *testing.T) (l *Log, in []Entry, whole []byte) {
	l = Open(t.TempDir(), Limits{Size: 1 << 20, Age: time.Hour})
	in = []Entry{entry(1, "", "a"), entry(2, "b", "c")}
	_, err := l.Append(in)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	whole, err = os.ReadFile(l.segments[0].path)
	require.NoError(t, err)
	return l, in, whole
}

func TestAnEntryCutOffIsDroppedAndThoseBeforeItStay(t *testing.T) {
	l, in, whole := segmentOfTwo(t)
	dir, path := l.dir, l.segments[0].path
	second := len(whole) - frameSize - entryFixed - len("edit") - sourceFixed - 4 - 2
	for cut := second + 1; cut < len(whole); cut++ {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		l = Open(dir, l.limits)
		require.Equal(t, in[:1], all(t, l.From(0)), "%d bytes", cut)
		more := []Entry{entry(3, "", "d")}
		_, err := l.Append(more)
		require.NoError(t, err)
		require.Equal(t, append(in[:1:1], more...), all(t, l.From(0)), "%d bytes", cut)
		require.NoError(t, l.Close())
	}
}

func TestADamagedByteEndsItsSegment(t *testing.T) {
	l, _, whole := segmentOfTwo(t)
	dir, path := l.dir, l.segments[0].path
	for at := range whole {
		bad := append([]byte(nil), whole...)
		bad[at] ^= 0x10
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		l = Open(dir, l.limits)
		entries, _, err := l.From(0).Next(1 << 20)
		if err == nil {
			require.LessOrEqual(t, len(entries), 2)
		} else {
			require.ErrorIs(t, err, ErrNewer, "byte %d", at)
		}
		_ = l.Close() // what matters is that nothing panics
	}
}

func TestTheLogIsBounded(t *testing.T) {
	l := Open(t.TempDir(), Limits{Size: 256 << 10, Age: time.Hour})
	text := make([]byte, 1000)
	var first uint64
	for range 100 {
		var in []Entry
		for i := range 20 {
			e := entry(entity.ID(i+1), "x", "")
			e.Is = text
			in = append(in, e)
		}
		_, err := l.Append(in)
		require.NoError(t, err)
		if first == 0 {
			first = in[0].Position
		}
		require.LessOrEqual(t, l.Size(), int64(256<<10+minSegment+30<<10))
	}
	files, err := os.ReadDir(l.dir)
	require.NoError(t, err)
	require.LessOrEqual(t, len(files), 6)

	r := l.From(first)
	_, gap, err := r.Next(1 << 10)
	require.NoError(t, err)
	require.True(t, gap, "what it came after is gone")
	all(t, r)
	last, err := l.Last()
	require.NoError(t, err)
	require.Equal(t, last, r.Position())
	_, gap, err = l.From(last + 1000).Next(1 << 10)
	require.NoError(t, err)
	require.True(t, gap, "that position never was")
	require.NoError(t, l.Close())
}

func TestWhatIsTooOldGoes(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := Open(t.TempDir(), Limits{Size: 1 << 30, Age: 14 * 24 * time.Hour})
	l.now = func() time.Time { return now }
	for range 30 {
		_, err := l.Append([]Entry{entry(1, "a", "b")})
		require.NoError(t, err)
		now = now.Add(25 * time.Hour)
	}
	of, err := l.Of(1)
	require.NoError(t, err)
	require.Len(t, of, 15)
	require.NoError(t, l.Close())
}

func TestATextTooLargeIsNotKept(t *testing.T) {
	l := Open(t.TempDir(), Limits{Size: 1 << 20, Age: time.Hour})
	e := entry(1, "a", "")
	e.Is = make([]byte, 1<<20)
	_, err := l.Append([]Entry{e, entry(2, "", "b")})
	require.NoError(t, err)
	got := all(t, l.From(0))
	require.Len(t, got, 2)
	require.True(t, got[0].Cut)
	require.Nil(t, got[0].Is)
	require.NoError(t, l.Close())
}

func TestADirectoryThatIsTakenAwayIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	l := Open(dir, Limits{Size: 1 << 20, Age: time.Hour})
	_, err := l.Append([]Entry{entry(1, "", "a")})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.Len(t, all(t, l.From(0)), 1)
	_, err = l.Append([]Entry{entry(1, "a", "b")})
	require.NoError(t, err)
	require.Len(t, all(t, l.From(0)), 2)
	require.NoError(t, l.Close())
	l = Open(dir, l.limits)
	require.Len(t, all(t, l.From(0)), 2)
	require.NoError(t, l.Close())
}

func TestWaiting(t *testing.T) {
	l := Open(t.TempDir(), Limits{Size: 1 << 20, Age: time.Hour})
	last, err := l.Last()
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- l.Wait(context.Background(), last) }()
	_, err = l.Append([]Entry{entry(1, "", "a")})
	require.NoError(t, err)
	require.NoError(t, <-done)
	last, err = l.Last()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- l.Wait(ctx, last) }()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	go func() { done <- l.Wait(context.Background(), last) }()
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-done, os.ErrClosed)
}

// A reader that reads while the log is written and pruned sees positions that
// grow, every entry once, and is told of whatever it missed.
func TestReadingWhileItIsWritten(t *testing.T) {
	l := Open(t.TempDir(), Limits{Size: 1 << 20, Age: time.Hour})
	const n = 5000
	first, err := l.Last()
	require.NoError(t, err)
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		for i := range n {
			if _, err := l.Append([]Entry{entry(entity.ID(i+1), "", fmt.Sprintf("%0500d", i))}); err != nil {
				failed <- err
				return
			}
		}
	}()
	r := l.From(first)
	last, before := first, false
	for last < first+n {
		require.NoError(t, l.Wait(context.Background(), r.Position()))
		entries, gap, err := r.Next(4 << 10)
		require.NoError(t, err)
		for _, e := range entries {
			if !gap && !before { // one behind the last entry is told with that
				require.Equal(t, last+1, e.Position)
			}
			require.Greater(t, e.Position, last)
			require.Equal(t, uint64(e.ID), e.Position-first)
			last = e.Position
		}
		before = gap
	}
	require.NoError(t, <-failed)
	require.NoError(t, l.Close())
}

func TestEntriesComeBack(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) []byte {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(t, "text")...)
	})
	rapid.Check(t, func(t *rapid.T) {
		e := Entry{
			Position: rapid.Uint64().Draw(t, "position"), Time: time.Unix(0, rapid.Int64().Draw(t, "time")),
			ID: entity.ID(rapid.Uint32().Draw(t, "id")), Kind: Kind(rapid.Byte().Draw(t, "kind")),
			By: rapid.StringN(0, 20, 80).Draw(t, "by"), Note: rapid.StringN(0, 40, 200).Draw(t, "note"),
			Was: text.Draw(t, "was"), Is: text.Draw(t, "is"), Cut: rapid.Bool().Draw(t, "cut"),
			Source: Source{
				Set: rapid.Uint64().Draw(t, "set"), Undoes: rapid.Uint64().Draw(t, "undoes"), Origin: Origin(rapid.Byte().Draw(t, "origin")),
				Who: rapid.StringN(0, 20, 80).Draw(t, "who"), Program: rapid.StringN(0, 20, 80).Draw(t, "program"),
			},
		}
		got, n, err := parseFrame(e.appendFrame(nil), version)
		require.NoError(t, err)
		require.Equal(t, len(e.appendFrame(nil)), n)
		require.Equal(t, e, got.clone())
	})
}

// A segment of version 1, of a sample world that an earlier build left, is read, and what
// comes later goes into another.
func TestASegmentOfVersion1IsReadAndNotWritten(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/version-1")))
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	path := filepath.Join(dir, before[0].Name())
	was, err := os.ReadFile(path)
	require.NoError(t, err)

	l := Open(dir, Limits{Size: 1 << 20, Age: 1 << 62})
	old := all(t, l.From(0))
	require.NotEmpty(t, old)
	for _, e := range old {
		require.Zero(t, e.Source)
		require.NotZero(t, e.ID)
		require.NotEmpty(t, e.By)
	}
	more := []Entry{entry(7, "a", "b")}
	more[0].Source = Source{Set: 5, Origin: Here, Who: "ann", Program: "vim"}
	_, err = l.Append(more)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	is, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, was, is)

	l = Open(dir, l.limits)
	require.Equal(t, append(old, more...), all(t, l.From(0)))
	require.NoError(t, l.Hold())
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, l.Renew(), "a segment that is put back is of the version that it was")
	require.NoError(t, l.Close())
	l = Open(dir, l.limits)
	require.Equal(t, append(old, more...), all(t, l.From(0)))
	require.NoError(t, l.Close())
}

func FuzzParseEntry(f *testing.F) {
	for _, e := range []Entry{entry(1, "", "a"), entry(2, "b", ""), {Kind: Bulk, Note: "many"}} {
		f.Add(e.appendFrame(nil)[frameSize:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := parseEntry(b, 1); err == nil {
			require.Zero(t, e.Source)
		}
		e, err := parseEntry(b, version)
		if err != nil {
			return
		}
		again, err := parseEntry(e.appendFrame(nil)[frameSize:], version)
		require.NoError(t, err)
		require.Equal(t, e.clone(), again.clone())
	})
}
