package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// ErrReadOnly is why a world is not changed whose directory cannot be written to.
var ErrReadOnly = errors.New("the world is read-only here, and nothing in it is changed")

// ReadOnlyError says why a world directory cannot be written to. It is an ErrReadOnly.
type ReadOnlyError struct {
	Path string // what cannot be written to
	Why  error  // EROFS, or that this user may not
}

func (e *ReadOnlyError) Error() string { return fmt.Sprintf("%v (%s: %v)", ErrReadOnly, e.Path, e.Why) }

// Unwrap returns ErrReadOnly.
func (e *ReadOnlyError) Unwrap() error { return ErrReadOnly }

// CheckWritable returns a ReadOnlyError where this process cannot write to the directory
// itself or to its local state: a read-only file system, or another user's files. It
// writes nothing. A directory that cannot be looked at is none: what is done with it
// next says what is wrong.
func (d *Dir) CheckWritable() error {
	for _, path := range []string{d.Place(), d.StatePath()} {
		if err := osfile.CheckWritable(path); err != nil {
			return &ReadOnlyError{d.Plainly(path), err}
		}
	}
	return nil
}

// CheckEntities is CheckWritable of entities/ of a world that is not mounted: of one that is, a
// daemon that was stopped would not answer.
func CheckEntities(d *Dir) error {
	if err := osfile.CheckWritable(d.EntitiesPath()); err != nil {
		return &ReadOnlyError{d.Plainly(d.EntitiesPath()), err}
	}
	return nil
}

// asReadOnly returns why something could not be written: that nothing can be, if so.
func (d *Dir) asReadOnly(err error) error {
	if readOnly := d.CheckWritable(); readOnly != nil && !errors.Is(err, ErrState) {
		return readOnly
	}
	return err
}

// Aside returns the same directory with what changes of its local state when the
// world is opened, copied to a directory that release removes: so a world that is read-only
// can be opened, and state of an older format be brought to this one. Local state
// that is not this user's is not believed; then Aside has none, nor a pack of which the
// plain files say more, and believed is false.
func (d *Dir) Aside() (aside *Dir, believed bool, release func(), err error) {
	temp, err := os.MkdirTemp("", "worldfs-read-")
	if err != nil {
		return nil, false, nil, fmt.Errorf("make a directory for what changes while a read-only world is read: %w", err)
	}
	release = func() { _ = disk.RemoveAll(temp) }
	same := *d
	same.aside = temp
	if err := d.CheckState(); errors.Is(err, ErrState) || errors.Is(err, fs.ErrPermission) {
		same.stateless = true
		return &same, false, release, nil
	} else if err != nil {
		release()
		return nil, false, nil, err
	}
	for _, name := range []string{dbName, walName} {
		if err := copyFile(d.state(name), filepath.Join(temp, name)); err != nil {
			release()
			return nil, false, nil, fmt.Errorf("copy local state: %w", err)
		}
	}
	return &same, true, release, nil
}

// copyFile copies a file, where there is one.
func copyFile(from, to string) error {
	data, err := disk.ReadFile(from, 1<<40)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// IsAside reports whether what changes of the local state is a copy of Aside's.
func (d *Dir) IsAside() bool { return d.aside != "" }

// LockToRead has no other process take the world until unlock is called, as far as that
// can be had without writing: where no process ever had the world there is no lock.
// While another process has it the error is a *LockedError.
func (d *Dir) LockToRead() (unlock func(), err error) {
	f, err := os.OpenFile(d.LockPath(), os.O_RDONLY|osfile.NoFollow, 0)
	if err != nil {
		return func() {}, nil
	}
	if err := osfile.TryLock(f, osfile.Shared); errors.Is(err, osfile.ErrLocked) {
		defer f.Close()
		return nil, &LockedError{Root: d.Root, Pid: holder(f)}
	}
	return func() { f.Close() }, nil // a file system without locks has no other process either
}
