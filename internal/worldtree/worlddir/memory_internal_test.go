package worlddir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "0%": 0, "4096": 4096, "256MiB": 256 << 20, "1 GiB": 1 << 30, "2MB": 2e6} {
		got, err := parseMemory(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	half, err := parseMemory("50%")
	require.NoError(t, err)
	all, err := parseMemory("100 %")
	require.NoError(t, err)
	require.Greater(t, half, int64(16<<20))
	require.InDelta(t, all, 2*half, 2)
	for _, text := range []string{"much", "-1", "-1%", "101%", "NaN%", "%", "20000000TB"} {
		_, err := parseMemory(text)
		require.Error(t, err, text)
	}
}
