package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// keptWorld is a world that this process keeps in step, and that answers calls: on a socket, or
// on the loopback interface.
func keptWorld(t *testing.T, loopback bool) (*worlddir.Dir, *Kept) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := plainWorld(t)
	k := NewKept(dir, func() (*worlddir.Dir, error) { return worlddir.Open(dir.Root) })
	if loopback {
		l, token, err := socket.Loopback()
		require.NoError(t, err)
		require.NoError(t, k.serve(l, Record{Address: l.Addr().String(), Token: token}))
	} else {
		require.NoError(t, k.Listen())
	}
	t.Cleanup(k.Close)
	return dir, k
}

// The calls of many programs, and what this process does itself, have the world open one after
// the other, and the watchers are told of each thing once.
func TestManyAskOfAKeptWorld(t *testing.T) {
	for _, loopback := range []bool{false, true} {
		t.Run(fmt.Sprint("loopback ", loopback), func(t *testing.T) {
			dir, k := keptWorld(t, loopback)
			client, err := KeptBy(dir)
			require.NoError(t, err)
			require.Equal(t, loopback, client.Socket == "")
			const edits = 10
			events := make(chan string, 10*edits)
			ctx, stop := context.WithCancel(t.Context())
			watched := make(chan error, 1)
			began := make(chan struct{})
			go func() {
				watched <- client.Watch(ctx, "0", func(line []byte) error {
					select {
					case <-began:
					default:
						close(began)
					}
					events <- string(line)
					return nil
				})
			}()
			<-began // the entities that are there
			var all sync.WaitGroup
			for i := range edits {
				all.Go(func() {
					body := fmt.Sprintf(`{"entity":{"id":%d,"type":"Door","revision":1,"fields":{"name":"new"}}}`, 100+i)
					report, err := importCommand.send(client, strings.NewReader(body), "test", ImportOptions{})
					assert.NoError(t, err)
					assert.Equal(t, 1, report.Created)
				})
				all.Go(func() {
					st, err := ask[Status](client, "status", nothing{})
					assert.NoError(t, err)
					assert.False(t, st.Mounted)
				})
				all.Go(func() {
					assert.NoError(t, k.Use(dir, false, (*World).Sync))
				})
			}
			all.Wait()
			_, err = client.Select(SelectCall{IDs: []entity.ID{1}})
			require.NoError(t, err)
			told := make(map[entity.ID]bool)
			for len(told) < 3+edits {
				var e struct{ ID entity.ID }
				require.NoError(t, json.Unmarshal([]byte(<-events), &e))
				require.False(t, told[e.ID], "it was created once")
				told[e.ID] = true
			}
			stop()
			require.ErrorIs(t, <-watched, context.Canceled)
		})
	}
}

// On the loopback interface a call has to show the token.
func TestACallWithoutTheTokenIsRefused(t *testing.T) {
	dir, k := keptWorld(t, true)
	for _, token := range []string{"", "Bearer ", "Bearer x", k.Record().Token} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+k.Record().Address+"/v1/status", strings.NewReader("{}"))
		require.NoError(t, err)
		if token != "" {
			req.Header.Set("Authorization", token)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		said, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusUnauthorized, resp.StatusCode, "%s", said)
		require.NotContains(t, string(said), dir.Root)
	}
}

// A call that has no end ends when the world is mounted, and when it is not kept any more; then
// there is nothing to call.
func TestStreamsOfAKeptWorldEnd(t *testing.T) {
	dir, k := keptWorld(t, false)
	client, err := KeptBy(dir)
	require.NoError(t, err)
	for _, end := range []func(){k.EndStreams, func() { close(k.ended) }} {
		ended := make(chan error, 2)
		begun := make(chan struct{}, 2)
		go func() {
			ended <- client.Watch(t.Context(), "0", func([]byte) error { begun <- struct{}{}; return nil })
		}()
		go func() {
			ended <- client.Selections(t.Context(), func([]byte) error { begun <- struct{}{}; return nil })
		}()
		<-begun
		<-begun
		go func() {
			for range begun {
			}
		}()
		end()
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
	}
	k.ended = make(chan struct{}) // for Close
	k.Close()
	client, err = KeptBy(dir)
	require.NoError(t, err)
	require.Nil(t, client)
	k.ended = make(chan struct{})
}
