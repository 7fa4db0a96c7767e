package cache

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whose edit is in the commit under way waits for that, whoever edits meanwhile.
func TestAnEditWaitsForTheCommitThatHasIt(t *testing.T) {
	var b batches
	first, leads := b.join(1)
	require.True(t, leads)
	again, leads := b.join(3)
	require.False(t, leads, "one of them makes it")
	require.Same(t, first, again)

	b.begin(first)
	second, leads := b.join(2)
	require.True(t, leads, "nobody knows yet what is in the first")
	require.NotSame(t, first, second)
	b.collected(3)
	for edit, want := range map[uint64]*batch{1: first, 3: first, 4: second} {
		got, leads := b.join(edit)
		require.False(t, leads)
		require.Same(t, want, got, edit)
	}

	b.end(nil)
	require.NoError(t, first.wait())
	third, leads := b.join(1)
	require.False(t, leads)
	require.Same(t, second, third)
}

// A commit that fails tells everybody who waited for it, and nobody else.
func TestAFailedCommitFailsForThoseWhoWaitForIt(t *testing.T) {
	var b batches
	first, _ := b.join(1)
	b.begin(first)
	b.collected(1)
	second, _ := b.join(2)
	full := errors.New("no space left on device")
	b.end(full)
	require.ErrorIs(t, first.wait(), full)
	b.begin(second)
	b.collected(2)
	b.end(nil)
	require.NoError(t, second.wait())
}
