package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAccountWithoutPrograms(t *testing.T) {
	t.Setenv("PATH", "")
	for _, name := range []string{"root", "0"} {
		a, err := lookupAccount(name)
		require.NoError(t, err, name)
		require.Equal(t, 0, a.uid)
		require.Equal(t, 0, a.gid)
		require.Contains(t, a.groups, 0)
		require.NotEmpty(t, a.home)
	}
	for _, name := range []string{"", "-x", "no-such-user-here"} {
		_, err := lookupAccount(name)
		require.Error(t, err, name)
	}
}

func TestHelperFindsProgramsWithoutPath(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := exec.LookPath("id")
	require.Error(t, err)
	require.NoError(t, ensurePath())
	for _, program := range []string{"id", "getent", "fusermount3"} {
		_, err := exec.LookPath(program)
		require.NoError(t, err, program)
	}
}

func TestHelperKeepsAPathThatIsSet(t *testing.T) {
	t.Setenv("PATH", "/opt/bin")
	require.NoError(t, ensurePath())
	_, err := exec.LookPath("id")
	require.Error(t, err)
}
