//go:build unix

package cli

import "golang.org/x/sys/unix"

// getwd returns the working directory, without a look at it, as os.Getwd has: it may be
// covered by a dead mount.
func getwd() (string, error) { return unix.Getwd() }
