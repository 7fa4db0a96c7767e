package cache_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

func TestReplaceSettlesForEitherSide(t *testing.T) {
	for _, watts := range []string{"2", "70"} {
		b := newBench(t, 3)
		b.write(2, markedLamp("2", "70"))
		want := strings.Replace(lampText(2, 2), "    2\n;", "    "+watts+"\n;", 1)
		replace := func(id entity.ID, was, text string) error {
			return b.w.Replace(cache.Cause{By: "resolve"}, []cache.Replacement{{ID: id, Was: []byte(was), Text: []byte(text)}})
		}
		require.ErrorIs(t, replace(2, lampText(2, 2), want), cache.ErrChanged)
		require.ErrorIs(t, replace(9, "", lampText(9, 1)), cache.ErrChanged, "there is no such entity")
		require.Error(t, replace(2, markedLamp("2", "70"), "Lamp\n"))
		require.Equal(t, markedLamp("2", "70"), b.text(2))
		require.NoError(t, replace(2, markedLamp("2", "70"), want))
		require.Equal(t, want, b.text(2))
		require.Empty(t, b.codes())
		b.crash()
		require.Equal(t, want, b.text(2))
		require.Empty(t, b.codes())
	}
}

// What the writer chose stays as it was written, and what is marked in it still is a conflict.
func TestReplaceKeepsEachByte(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, markedLamp("2", "70"))
	text := strings.Replace(markedLamp("3", "70"), "\n", "\r\n", 1)
	require.NoError(t, b.w.Replace(cache.Cause{By: cache.ByEdit}, []cache.Replacement{{ID: 2, Was: []byte(markedLamp("2", "70")), Text: []byte(text)}}))
	require.Equal(t, text, b.text(2))
	require.Contains(t, b.codes(), "2 conflict")
	b.reopen()
	require.Equal(t, text, b.text(2))
}

// A Replacement without a text deletes the entity, for good.
func TestReplaceDeletes(t *testing.T) {
	b := newBench(t, 3)
	require.ErrorIs(t, b.w.Replace(cache.Cause{By: "resolve"}, []cache.Replacement{{ID: 2, Was: []byte(lampText(2, 9))}}), cache.ErrChanged)
	require.NoError(t, b.w.Replace(cache.Cause{By: "resolve"}, []cache.Replacement{{ID: 2, Was: []byte(lampText(2, 2))}}))
	_, err := b.w.Lookup(2)
	require.ErrorIs(t, err, fs.ErrNotExist)
	b.crash()
	_, err = b.w.Lookup(2)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, lampText(3, 3), b.text(3))
}
