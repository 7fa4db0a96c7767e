package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// resolveOn makes the call of a game's display.
func (b *bench) resolveOn(body string) (status int, a struct {
	Left []struct {
		ID    int
		Field string
		Mine  any
	}
	Next  string
	Error string
}) {
	b.Helper()
	answer := b.say(call("/v1/resolve", body))
	head, rest, ok := strings.Cut(answer, "\r\n\r\n")
	require.True(b, ok, answer)
	require.NoError(b, json.Unmarshal([]byte(rest), &a), rest)
	switch {
	case strings.Contains(head, "200 OK"):
		return http.StatusOK, a
	case strings.Contains(head, "422 "):
		return http.StatusUnprocessableEntity, a
	}
	require.Fail(b, head)
	return 0, a
}

// A game's display offers the sides of what is left, and the person chooses there.
func TestResolveThroughTheSocket(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[1:3]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			status, a := b.resolveOn("{}")
			require.Equal(t, http.StatusOK, status)
			require.Empty(t, a.Left)
			b.differ()
			b.try("git", "merge", "bob")
			status, a = b.resolveOn("{}")
			require.Equal(t, http.StatusOK, status)
			require.Len(t, a.Left, 2)
			require.Equal(t, 6555, a.Left[1].ID)
			require.Equal(t, []any{46.10353, 109.0, 8.694907}, a.Left[1].Mine)
			status, a = b.resolveOn(`{"set":6555,"values":["position.x=47"]}`)
			require.Equal(t, http.StatusOK, status)
			require.Len(t, a.Left, 1)
			for body, want := range map[string]string{
				`{"take":"--help"}`:                          "it is one of mine, shared, base",
				`{"take":"mine","names":["--restore-lost"]}`: "no conflict is left about --restore-lost",
				`{"take":"mine","set":6001}`:                 "name one",
				`{"take":"mine","all":true}`:                 "all",
			} {
				status, a = b.resolveOn(body)
				require.Equal(t, http.StatusUnprocessableEntity, status)
				require.Contains(t, a.Error, want)
			}
			status, a = b.resolveOn(`{"take":"shared","names":["6001"]}`)
			require.Equal(t, http.StatusOK, status)
			require.Empty(t, a.Left)
			require.Equal(t, "git commit", a.Next)
			b.requireNoMore()
			require.Contains(t, b.run("worldfs", "show", "6555"), "47.0")
		})
	}
}
