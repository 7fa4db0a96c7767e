package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// The files in which commands keep something.
const (
	ResolvedName = "resolve.json"     // what resolve was told and what it wrote
	LostName     = "lost.json"        // what merges have cost
	SVNMergeName = "resolve-svn.json" // what an operation of svn was about
	PulledName   = "pull.json"        // what was pulled last, and whether that has ended
)

const maxKept = 64 << 20

// Kept returns what a command keeps of its earlier calls in a file of the local state,
// and nil if there is nothing.
func (d *Dir) Kept(name string) ([]byte, error) {
	data, err := disk.ReadFile(d.state(name), maxKept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(stateName, name), err)
	}
	return data, nil
}

// Keep replaces such a file.
func (d *Dir) Keep(name string, data []byte) error {
	if !slices.Contains([]string{ResolvedName, LostName, SVNMergeName, PulledName}, name) {
		return fmt.Errorf("%q: no command keeps anything under that name", name)
	}
	if err := d.EnsureState(); err != nil {
		return err
	}
	return (&disk.Disk{}).WriteAtomic(filepath.Join(stateName, name), d.state(name), data, 0o600)
}

// LockKept has one process at a time read such files, change what they say, and replace
// them. It locks the directory: under a mount that covers it no file could be made.
func (d *Dir) LockKept() (unlock func(), err error) {
	if err := d.EnsureState(); err != nil {
		return nil, err
	}
	f, err := os.Open(d.StatePath())
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX); err != nil && !disk.IsUnsupported(err) {
		f.Close()
		return nil, fmt.Errorf("flock %s: %w", d.StatePath(), err)
	}
	return func() { f.Close() }, nil
}
