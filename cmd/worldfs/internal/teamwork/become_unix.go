//go:build unix

package teamwork

import (
	"os"

	"golang.org/x/sys/unix"
)

// become has this process go on as another program. It returns only if that fails.
func become(program string, args []string) error {
	return unix.Exec(program, append([]string{program}, args...), os.Environ())
}
