// Package mounts knows what the kernel says of mounts and of the processes that use
// them: /proc/self/mountinfo, /proc/PID, /sys/fs/fuse and fusermount3. It unmounts,
// detaches, and clears the mounts of daemons that have died.
//
// It never looks into a mount: its daemon may hang, or be the process that asks. The
// one exception is Probe, which asks from a goroutine of its own.
package mounts

import (
	"path/filepath"
	"strings"
)

// Type is what the kernel calls the type of a world's mount.
const Type = "fuse.worldfs"

// Mount is a line of mountinfo.
type Mount struct {
	Dir    string // the mountpoint
	Device string // the device number, such as 0:53
	Type   string // the type of the file system, such as ext4
}

// State is what a mount answers.
type State int

// What a mount may answer.
const (
	Alive  State = iota
	Dead         // its daemon has ended
	Silent       // it does not answer, although a process holds the connection
)

// Within reports whether a path is a directory or lies below it. Both are clean.
func Within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}
