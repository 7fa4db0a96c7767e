package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestEmptyFlagsAreRefused(t *testing.T) {
	call := func(args ...string) error {
		cmd := &cobra.Command{Use: "x"}
		for _, name := range []string{"where", "role"} {
			cmd.Flags().String(name, "", "")
		}
		cmd.Flags().StringSlice("field", nil, "")
		require.NoError(t, cmd.ParseFlags(args))
		return checkEmpty(cmd)
	}
	for _, right := range [][]string{nil, {"--where", "[]"}, {"--field", "a,b"}, {"--role", ""}} {
		require.NoError(t, call(right...))
	}
	for _, wrong := range [][]string{{"--where", ""}, {"--field", ""}, {"--role", "", "--where="}} {
		require.ErrorContains(t, call(wrong...), "needs a value that is not empty")
	}
}
