package dirwatch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/support/dirwatch"
)

func TestChangesAreTold(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	w, err := dirwatch.New()
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Follow(one, two))
	for _, change := range []func() error{
		func() error { return os.WriteFile(filepath.Join(one, "a"), []byte("x"), 0o644) },
		func() error { return os.WriteFile(filepath.Join(two, "a"), []byte("x"), 0o644) },
		func() error { return os.Rename(filepath.Join(one, "a"), filepath.Join(one, "b")) },
		func() error { return os.Remove(filepath.Join(two, "a")) },
	} {
		require.NoError(t, change())
		told(t, w)
	}
	gone := filepath.Join(one, "none")
	require.Error(t, w.Follow(gone, two), "one that is not there is named")
	require.NoError(t, os.Mkdir(gone, 0o755))
	require.NoError(t, w.Follow(gone))
	require.NoError(t, os.WriteFile(filepath.Join(gone, "a"), nil, 0o644))
	told(t, w)
}

func told(t *testing.T, w *dirwatch.Watch) {
	t.Helper()
	select {
	case <-w.C:
	case <-time.After(time.Minute):
		require.Fail(t, "nothing was told")
	}
}
