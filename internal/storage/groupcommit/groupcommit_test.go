package groupcommit

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whose edit is in the commit under way waits for that, whoever edits meanwhile.
func TestAnEditWaitsForTheCommitThatHasIt(t *testing.T) {
	var b Group
	first, leads := b.Join(1)
	require.True(t, leads)
	again, leads := b.Join(3)
	require.False(t, leads, "one of them makes it")
	require.Same(t, first, again)

	b.Begin(first)
	second, leads := b.Join(2)
	require.True(t, leads, "nobody knows yet what is in the first")
	require.NotSame(t, first, second)
	b.Collected(3)
	for edit, want := range map[uint64]*Commit{1: first, 3: first, 4: second} {
		got, leads := b.Join(edit)
		require.False(t, leads)
		require.Same(t, want, got, edit)
	}

	b.End(nil)
	require.NoError(t, first.Wait())
	third, leads := b.Join(1)
	require.False(t, leads)
	require.Same(t, second, third)
}

// A commit that fails tells everybody who waited for it, and nobody else.
func TestAFailedCommitFailsForThoseWhoWaitForIt(t *testing.T) {
	var b Group
	first, _ := b.Join(1)
	b.Begin(first)
	b.Collected(1)
	second, _ := b.Join(2)
	full := errors.New("no space left on device")
	b.End(full)
	require.ErrorIs(t, first.Wait(), full)
	b.Begin(second)
	b.Collected(2)
	b.End(nil)
	require.NoError(t, second.Wait())
}
