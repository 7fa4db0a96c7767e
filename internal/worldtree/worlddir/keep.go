package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// The files in which commands keep something.
const (
	ResolvedName = "resolve.json"     // what resolve was told and what it wrote
	LostName     = "lost.json"        // what merges have cost
	SVNMergeName = "resolve-svn.json" // what an operation of svn was about
	PulledName   = "pull.json"        // what was pulled last, and whether that has ended
	SVNSetupName = "svn-setup.json"   // what vcs install has set up for svn

	SaveMarksName = "save-marks.json" // which conflicts games' saves, and worldfs apply, have left marked

	KeptRangesName = "id_ranges.good"  // the last id_ranges that could be read
	FormerIDsName  = "former-ids.json" // which IDs svn had before, of those that it was asked about
)

// SidesName is a directory of such files, one for each file of a world that svn could not
// merge: a name there is SidesName/, 32 hexadecimal digits and .json.
const SidesName = "sides"

var sidesName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^` + SidesName + `/[0-9a-f]{32}\.json$`)
})

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

// KeptSide is a file of SidesName.
type KeptSide struct {
	Name string
	Size int64
	Time time.Time
}

// KeptSides returns the files of SidesName, the oldest first.
func (d *Dir) KeptSides() (kept []KeptSide, err error) {
	entries, err := os.ReadDir(d.state(SidesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(stateName, SidesName), err)
	}
	for _, e := range entries {
		name := SidesName + "/" + e.Name()
		info, err := e.Info()
		if err != nil {
			continue // it is gone since
		}
		if sidesName().MatchString(name) {
			kept = append(kept, KeptSide{name, info.Size(), info.ModTime()})
		} else if time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(d.state(name)) // of a call that was killed; what stays is harmless
		}
	}
	slices.SortFunc(kept, func(a, b KeptSide) int { return a.Time.Compare(b.Time) })
	return kept, nil
}

// Keep replaces such a file, or removes it where there is no data.
func (d *Dir) Keep(name string, data []byte) error {
	isSide := sidesName().MatchString(name)
	if !isSide && !slices.Contains([]string{ResolvedName, LostName, SVNMergeName, PulledName, SVNSetupName, SaveMarksName, KeptRangesName, FormerIDsName}, name) {
		return fmt.Errorf("%q: no command keeps anything under that name", name)
	}
	if len(data) == 0 {
		if err := os.Remove(d.state(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget %s: %w", filepath.Join(stateName, name), err)
		}
		return nil
	}
	if err := d.EnsureState(); err != nil {
		return err
	}
	if isSide {
		if err := makePrivate(d.state(SidesName)); err != nil {
			return fmt.Errorf("local state: %w", err)
		}
	}
	return (&disk.Disk{}).WriteAtomic(filepath.Join(stateName, name), d.state(name), data, 0o600)
}

// LockKept has one process at a time read such files, change what they say, and replace
// them. It locks the directory: under a mount that covers it no file could be made.
func (d *Dir) LockKept() (unlock func(), err error) {
	if err := d.EnsureState(); err != nil {
		return nil, err
	}
	f, err := osfile.OpenDirToLock(d.StatePath())
	if err != nil {
		return nil, err
	}
	if err := osfile.Lock(f, osfile.Exclusive); err != nil && !disk.IsUnsupported(err) {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", d.StatePath(), err)
	}
	return func() { f.Close() }, nil
}
