package daemon

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// servedBy returns a world whose daemon is of another build: it answers a ping
// with that, "unmount" as all do, and nothing else.
func servedBy(t *testing.T, pong string) *worlddir.Dir {
	dir := plainWorld(t)
	run, err := os.MkdirTemp("", "wfs")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(run) })
	socket := filepath.Join(run, "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/ping", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, pong) })
	mux.HandleFunc("POST /v1/unmount", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	mux.HandleFunc("POST /v1/import", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"error":"x.jsonl:1: unknown kind \"mat4\"","exit":3}`)
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	require.NoError(t, writeRecord(dir, Record{Socket: socket, Pid: os.Getpid(), World: dir.Root, Mount: dir.EntitiesPath(), Started: time.Now()}))
	return dir
}

func TestACommandTellsAnEarlierDaemonFromItsOwn(t *testing.T) {
	dir := servedBy(t, "{}")
	c, err := Mounted(dir)
	require.NoError(t, err)
	require.Equal(t, 1, c.protocol)

	w := &World{c}
	_, err = w.Kept() // a call that this daemon does not have
	require.ErrorContains(t, err, "is of an earlier build, which does not know the call kept: worldfs unmount, then worldfs mount")
	require.Equal(t, ExitFailed, Exit(err))
	require.ErrorContains(t, c.needs(2, "--shiny"), "does not know the option --shiny")
	_, err = w.Import(strings.NewReader(""), "x.jsonl", ImportOptions{}) // it would drop what it should refuse
	require.ErrorContains(t, err, "does not refuse misspelt types: worldfs unmount, then worldfs mount")
	_, err = w.Apply(strings.NewReader(""), "x.changes", ApplyOptions{})
	require.ErrorContains(t, err, "does not refuse misspelt types")
	_, err = w.Import(strings.NewReader(""), "x.jsonl", ImportOptions{UnknownTypes: true})
	require.ErrorContains(t, err, `unknown kind "mat4" (the daemon, process `)
	require.ErrorContains(t, err, "is of an earlier build than this command")
	_, err = c.Unmount()
	require.NoError(t, err)
}

func TestACommandOfTheSameProtocolAsksOn(t *testing.T) {
	c, err := Mounted(servedBy(t, `{"protocol":2,"oldest":1,"more":"of a later build"}`))
	require.NoError(t, err)
	require.NoError(t, c.needs(2, "--shiny"))
}

func TestACommandOfAnEarlierBuildIsToldSo(t *testing.T) {
	_, err := Mounted(servedBy(t, `{"protocol":9,"oldest":7}`))
	require.ErrorContains(t, err, "is of a later build")
}

func TestAnOptionThatIsNotKnownIsRefused(t *testing.T) {
	var c formatCall
	require.ErrorContains(t, readCall(strings.NewReader(`{"upgrade":true,"shiny":1}`), &c), `does not know the option "shiny"`)
	require.NoError(t, readCall(strings.NewReader(`{"upgrade":true}`), &c))
	require.Error(t, readCall(strings.NewReader(`{"upgrade":`), &c))
	require.ErrorContains(t, checkQuery(url.Values{"shiny": {"1"}}, "file"), "does not know the option shiny")
	require.NoError(t, checkQuery(url.Values{"file": {"x"}}, "file", "whole"))
}
