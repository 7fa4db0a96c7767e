package mergestudy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What two sides changed by hand in a disposable range, each in entities of its own,
// stands: one put something under what the other deletes, which is for people.
func TestEditsApartInADisposableRangeCount(t *testing.T) {
	c := newCase(4711, 7423)
	require.NotContains(t, c.void, true)
	v, err := c.byWorldfs()
	require.NoError(t, err)
	require.Equal(t, faults{}, v.faults, v.failure)
	require.True(t, v.conflict)
	require.False(t, v.misplaced)
}
