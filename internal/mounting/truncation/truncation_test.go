package truncation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/mounting/truncation"
)

// Only an answer that follows a truncation waits, and none does once a program has
// written again.
func TestWhatWaits(t *testing.T) {
	var last truncation.Last
	require.False(t, last.Wait(), "it was never made shorter")
	last.Begin()()
	last.Over()
	require.False(t, last.Wait(), "a program has written since")
}
