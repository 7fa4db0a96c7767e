package fsnode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hanwen/go-fuse/v2/posixtest"
	"github.com/stretchr/testify/require"
)

// cannotHold are conformance tests that do not hold here, and why.
var cannotHold = map[string]string{
	"FcntlFlockLocksFile": "it wants two POSIX locks of one process to conflict, which they never do in a plain directory",
	"Tmpfile":             "a file that gets its name later (O_TMPFILE) is not offered; programs make a named one instead",
}

// TestPosix runs go-fuse's conformance tests below a directory in scratch and
// below one that is passed through.
func TestPosix(t *testing.T) {
	for shape, dir := range map[string]func() string{
		"entities, scratch": func() string { return newRig(t, 1).path("posix") },
		"cover, scratch":    func() string { return newCoverRig(t, 1).path("posix") },
		"cover, beneath":    func() string { return filepath.Join(newCoverRig(t, 1).top, "posix") },
	} {
		dir := dir()
		for name, run := range posixtest.All {
			t.Run(shape+"/"+name, func(t *testing.T) {
				if why, ok := cannotHold[name]; ok {
					t.Skip(why)
				}
				require.NoError(t, os.Mkdir(dir, 0o755))
				defer func() { require.NoError(t, os.RemoveAll(dir)) }()
				run(t, dir)
			})
		}
	}
}
