package gitobject

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswersAreKeptByRepository(t *testing.T) {
	_, ok := Get("a", "1")
	require.False(t, ok)
	said := []byte("contents")
	Put("a", "1", said)
	said[0] = 'X' // the caller's own
	answer, ok := Get("a", "1")
	require.True(t, ok)
	require.Equal(t, "contents", string(answer))
	_, ok = Get("b", "1")
	require.False(t, ok)

	Put("a", "empty", nil)
	answer, ok = Get("a", "empty")
	require.True(t, ok)
	require.Empty(t, answer)
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	Put("a", "large", make([]byte, most/16+1))
	_, ok := Get("a", "large")
	require.False(t, ok)

	piece := bytes.Repeat([]byte("x"), most/16)
	for i := range 40 {
		Put("a", strconv.Itoa(i), piece)
		require.LessOrEqual(t, kept.size, most)
		_, ok := Get("a", strconv.Itoa(i))
		require.True(t, ok, "what was put last is kept")
	}
	_, ok = Get("a", "0")
	require.False(t, ok)
}
