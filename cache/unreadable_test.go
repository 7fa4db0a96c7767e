package cache_test

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// within fails the test where do does not return.
func within(t *testing.T, d time.Duration, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		require.Fail(t, "it does not return")
		return nil
	}
}

// A text that cannot be read any more is an error for each call that needs it, and no
// reason to try again for good.
func TestATextThatCannotBeReadIsAnError(t *testing.T) {
	calls := map[string]func(w *cache.World) error{
		"adopt": func(w *cache.World) error {
			_, err := w.Adopt(2, fileattr.Attr{Ino: 99, Mode: 0o644}, []byte(lampText(2, 9)), false)
			return err
		},
		"adopt all": func(w *cache.World) error {
			_, err := w.AdoptAll([]cache.Adopted{{ID: 2, Attr: fileattr.Attr{Ino: 99, Mode: 0o644}, Text: []byte(lampText(2, 9))}})
			return err
		},
		"rename onto it": func(w *cache.World) error { return w.Rename(3, 2, false) },
		"rename it":      func(w *cache.World) error { return w.Rename(2, 7, false) },
		"exchange":       func(w *cache.World) error { return w.Exchange(2, 3) },
		"remove":         func(w *cache.World) error { return w.Remove(2) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 3)
			b.write(2, "what is no entity")
			b.reopen()
			b.w.BreakState() // the text is in state.db alone
			defer func() { b.w = nil }()
			err := within(t, 10*time.Second, func() error { return call(b.w) })
			require.Error(t, err)
			require.NotErrorIs(t, err, fs.ErrNotExist, "the file is there")
			_, err = b.w.Lookup(2)
			require.NoError(t, err)
			require.Equal(t, 3, b.w.Len())
		})
	}
}

func TestATextThatIsNowhereIsNoMissingFile(t *testing.T) {
	b := newBench(t, 3)
	b.w.LoseValues(2)
	f, err := b.w.Lookup(2)
	require.NoError(t, err)
	_, err = f.Text()
	require.Error(t, err)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.Error(t, within(t, 10*time.Second, func() error { return b.w.Rename(3, 2, false) }))
	b.w.Crash()
	b.w = nil
}

// Adopting many is done for all of them or for none.
func TestAdoptingManyThatFailsChangesNothing(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, "what is no entity")
	b.reopen()
	b.w.BreakState()
	defer func() { b.w = nil }()
	one, err := b.w.Lookup(1)
	require.NoError(t, err)
	attr := func(ino uint64) fileattr.Attr { return fileattr.Attr{Ino: ino, Mode: 0o644} }
	_, err = b.w.AdoptAll([]cache.Adopted{
		{ID: 1, Attr: attr(97), Text: []byte(lampText(1, 9))},
		{ID: 7, Attr: attr(98), Text: []byte(lampText(7, 9))},
		{ID: 2, Attr: attr(99), Text: []byte(lampText(2, 9))},
	})
	require.Error(t, err)
	f, err := b.w.Lookup(1)
	require.NoError(t, err)
	require.Same(t, one, f)
	require.Equal(t, lampText(1, 1), b.text(1))
	_, err = b.w.Lookup(7)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
