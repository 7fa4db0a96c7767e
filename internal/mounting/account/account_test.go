package account

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAccountWithoutPrograms(t *testing.T) {
	t.Setenv("PATH", "")
	for _, name := range []string{"root", "0"} {
		a, err := Lookup(name)
		require.NoError(t, err, name)
		require.Equal(t, 0, a.uid)
		require.Equal(t, 0, a.gid)
		require.Contains(t, a.groups, 0)
		require.NotEmpty(t, a.home)
	}
	for _, name := range []string{"", "-x", "no-such-user-here"} {
		_, err := Lookup(name)
		require.Error(t, err, name)
	}
}
