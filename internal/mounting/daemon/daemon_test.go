package daemon

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

func TestARecordOfAnotherDirectoryIsNone(t *testing.T) {
	dir := plainWorld(t)
	_, err := readRecord(dir)
	require.ErrorIs(t, err, ErrNoDaemon)
	want := Record{Socket: "/x", Pid: 1, World: dir.Root, Mount: dir.EntitiesPath(), Started: time.Unix(1, 0).UTC()}
	require.NoError(t, writeRecord(dir, want))
	got, err := readRecord(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
	info, err := os.Stat(dir.DaemonPath())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	want.World = "/elsewhere" // the directory is a copy
	require.NoError(t, writeRecord(dir, want))
	_, err = readRecord(dir)
	require.ErrorIs(t, err, ErrNoDaemon)
	require.NoError(t, os.WriteFile(dir.DaemonPath(), []byte("{"), 0o600))
	_, err = readRecord(dir)
	require.ErrorIs(t, err, ErrNoDaemon)
}

func TestABusyMountNamesItsHolders(t *testing.T) {
	h := mounts.Holder{Pid: 42, Name: "sleep", How: "has open", Path: "/w/entities/1.entity_text"}
	text := (&BusyError{Mount: "/w/entities", Holders: []mounts.Holder{h}}).Error()
	require.Contains(t, text, "/w/entities is busy:\n  sleep (process 42) has open /w/entities/1.entity_text\n")
	require.Contains(t, (&BusyError{Mount: "/w"}).Error(), "not ours to see")
}

func TestACommandWaitsForAnother(t *testing.T) {
	dir := plainWorld(t)
	first, err := Open(dir, nil)
	require.NoError(t, err)
	noted := make(chan string, 1)
	go func() {
		<-noted
		first.Close()
	}()
	second, err := Open(dir, func(text string) { noted <- text })
	require.NoError(t, err)
	require.NoError(t, second.Close())
}

func TestAnEditDuringACommandIsNotOverwritten(t *testing.T) {
	dir := plainWorld(t)
	path := func(name string) string { return filepath.Join(dir.EntitiesPath(), name) }
	w, err := Open(dir, nil)
	require.NoError(t, err)
	_, err = w.Import(strings.NewReader(strings.ReplaceAll(testWorld, `"three"`, `"drei"`)), "test", ImportOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path("2.entity_text"), []byte("Door\n1\n2\n; name\n    \"zwei\"\n"), 0o644))
	require.NoError(t, w.Close())
	for range 2 {
		w, err := Open(dir, nil)
		require.NoError(t, err)
		text, err := w.Text(2)
		require.NoError(t, err)
		require.Contains(t, string(text), "zwei")
		require.NoError(t, w.Close())
	}
	text, err := os.ReadFile(path("3.entity_text"))
	require.NoError(t, err)
	require.Contains(t, string(text), "drei")
}

// Whoever calls while the mount ends is told so in the way that has a command open
// the world itself, also when its call could not be read any more.
func TestACallWhileTheMountEndsIsTold(t *testing.T) {
	d := &daemon{ended: make(chan struct{})}
	close(d.ended)
	for _, path := range []string{"ping", "status", "unmount"} {
		answer := httptest.NewRecorder()
		withTimeouts(d.routes(), d.ended).ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/v1/"+path, strings.NewReader("{}")))
		require.Equal(t, http.StatusServiceUnavailable, answer.Code, path)
	}
}
