// Package fileattr has what is told of a file beside its bytes: its attributes, the
// stamp by which one state of a file is told from another without reading it, and
// times as a file system of this kernel sets them.
package fileattr

import "time"

// Attr is what stat tells of a file.
type Attr struct {
	Ino                 uint64
	Mode                uint32 // permission bits
	UID, GID            uint32
	Size                int64 // bytes
	Mtime, Ctime, Atime time.Time
}

// Touch sets the times as a change of the bytes does.
func (a *Attr) Touch() {
	a.Mtime, a.Ctime = FileTime(a.Mtime), FileTime(a.Ctime)
}
