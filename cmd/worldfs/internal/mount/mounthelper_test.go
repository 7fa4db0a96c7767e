package mount

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

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
