package mergestudy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A set of a disposable range that gives way takes edits with it without which the side's
// others close a circle.
func TestACircleThatADiscardedSetLeavesIsCut(t *testing.T) {
	v, err := newCase(2811, 7612).byWorldfs()
	require.NoError(t, err)
	require.Equal(t, faults{}, v.faults, v.failure)
	require.True(t, v.repaired)
}
