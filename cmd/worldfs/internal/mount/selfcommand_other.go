//go:build !linux

package mount

import (
	"os"

	"github.com/spf13/cobra"
)

// readAheadCommand is what reads a mount, of which there is none here.
var readAheadCommand []string

// selfCommand is this program, for a process that the daemon starts.
var selfCommand = []string{executable()}

func executable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// ofTheMount returns the commands that only a mount needs.
func ofTheMount() []*cobra.Command { return nil }
