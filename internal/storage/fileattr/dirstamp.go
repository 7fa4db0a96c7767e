package fileattr

import (
	"os"
	"path/filepath"
	"time"
)

// DirStamp distinguishes states of a directory's files without reading them.
type DirStamp struct {
	Stamp string // changes when a file is added, removed, replaced or written
	Stood bool   // nothing had changed for a tick of the clock, within which a change might not show
}

const noDir = "none" // the stamp of a directory that there is not

// StampDir returns the stamp of the files of a directory that has says are meant, by their names.
func StampDir(dir string, has func(name string) bool) DirStamp {
	now := time.Now().UnixNano()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return DirStamp{noDir, true}
	}
	stood := true
	var b []byte
	for _, e := range entries {
		if !has(e.Name()) {
			continue
		}
		stamp, err := StampFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		stood = stood && max(stamp.Mtime.Nano(), stamp.Ctime.Nano())+Tick < now
		b = append(stamp.Append(append(b, e.Name()...)), '\n')
	}
	return DirStamp{string(b), stood}
}

// HasNoFiles reports whether there is no file that a stamp is of, as where it is of no directory yet.
func (s DirStamp) HasNoFiles() bool { return s.Stamp == "" || s.Stamp == noDir }
