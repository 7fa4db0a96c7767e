//go:build !linux

package packfile

import "os"

// HasWriter cannot be known here.
func HasWriter(*os.File) bool { return false }

// OpenQuietly opens a file for reading.
func OpenQuietly(path string) (*os.File, error) { return os.Open(path) }
