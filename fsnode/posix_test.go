package fsnode_test

import (
	"os"
	"testing"

	"github.com/hanwen/go-fuse/v2/posixtest"
	"github.com/stretchr/testify/require"
)

// cannotHold are conformance tests that do not hold here, and why.
var cannotHold = map[string]string{
	"FcntlFlockLocksFile": "it wants two POSIX locks of one process to conflict, which they never do in a plain directory",
	"Tmpfile":             "a file that gets its name later (O_TMPFILE) is not offered; programs make a named one instead",
}

// TestPosix runs go-fuse's conformance tests below a directory in scratch.
func TestPosix(t *testing.T) {
	r := newRig(t, 1)
	for name, run := range posixtest.All {
		t.Run(name, func(t *testing.T) {
			if why, ok := cannotHold[name]; ok {
				t.Skip(why)
			}
			require.NoError(t, os.Mkdir(r.path("posix"), 0o755))
			defer func() { require.NoError(t, os.RemoveAll(r.path("posix"))) }()
			run(t, r.path("posix"))
		})
	}
}
