package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// maxLog is how large a log gets, in bytes; then it is renamed to log.1, in
// place of the one of that name, and a new one is begun.
const maxLog = 4 << 20

// openLog opens the log to go on with it.
func openLog(dir *worlddir.Dir) (*os.File, error) {
	if info, err := os.Lstat(dir.LogPath()); err == nil && info.Size() > maxLog {
		if err := turnLog(dir); err != nil {
			return nil, err
		}
	}
	log, err := os.OpenFile(dir.LogPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND|osfile.NoFollow, 0o600)
	if disk.IsNoRoom(err) { // a daemon can do without
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return log, err
}

func turnLog(dir *worlddir.Dir) error {
	err := os.Rename(dir.LogPath(), dir.LogPath()+".1")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("begin a new log: %w", err)
	}
	return nil
}

// LogWriter returns what a process writes its log through whose output is the
// world's log: it begins a new one when that is large. It reaches the log by a
// descriptor: a daemon that went through a mount which covers the world would
// wait for itself.
func LogWriter(dir *worlddir.Dir) (io.Writer, error) { return newLogWriter(dir, maxLog) }

func newLogWriter(dir *worlddir.Dir, most int64) (*logWriter, error) {
	beneath, _, err := dir.Beneath() // for as long as the process lives
	if err != nil {
		return nil, err
	}
	return &logWriter{dir: beneath, most: most}, nil
}

type logWriter struct {
	dir  *worlddir.Dir
	most int64

	mu      sync.Mutex
	written int64 // since the size was last looked at; guarded by mu
}

// Write implements io.Writer.
func (l *logWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := os.Stderr.Write(p)
	if l.written += int64(n); l.written > l.most/16 {
		l.written = 0
		l.bound()
	}
	return n, err
}

// bound begins a new log if this one is large. Where it cannot the old one goes
// on: a log that cannot be written stops nothing.
func (l *logWriter) bound() {
	info, err := os.Stderr.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= l.most {
		return
	}
	if turnLog(l.dir) == nil {
		_ = reopenLog(func() (*os.File, error) { return openLog(l.dir) })
	}
}
