// Package disk is the file operations whose order matters: those by which a
// file becomes durable or takes another's place. Each call is a step with a
// name, a verb and what it is done to ("fsync pack", "exchange pack"), so that
// an error says how far things had got, and a test can break exactly one step
// and look at what is left.
//
// The zero Disk is ready and does what the operating system does. Nothing is
// buffered: when a call returns, the system call has been made.
package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// Disk does the operations.
type Disk struct {
	// Fault, when a test sets it, is asked before each step. If it returns an
	// error the step fails with it and is not done.
	Fault func(step string) error
}

// StepError is every error that a step returns.
type StepError struct {
	Step string // "write pack", "fsync pack", …
	Path string
	Err  error
}

func (e *StepError) Error() string { return fmt.Sprintf("%s %s: %v", e.Step, e.Path, e.Err) }

// Unwrap returns what the operating system said.
func (e *StepError) Unwrap() error { return e.Err }

// do is one step.
func (d *Disk) do(step, path string, op func() error) error {
	err := d.fault(step)
	if err == nil {
		err = op()
	}
	if err != nil {
		return &StepError{Step: step, Path: path, Err: cause(err)}
	}
	return nil
}

func (d *Disk) fault(step string) error {
	if d.Fault == nil {
		return nil
	}
	return d.Fault(step)
}

// cause drops the path that package os puts before an error, which a StepError
// says itself.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// WriteFile makes a file that must not exist yet, with exactly the mode perm,
// and returns when its contents are durable (its name is not: see SyncDir).
// If it fails there is no file. Steps: "write …", "fsync …".
func (d *Disk) WriteFile(what, path string, data []byte, perm fs.FileMode) error {
	return d.writeFile(what, path, [][]byte{data}, mode{perm, exact})
}

// WriteFileUmasked is WriteFile with the mode perm less the umask, as any program has it of a
// new file that is the user's: an output, a hook, a part of a program's settings.
func (d *Disk) WriteFileUmasked(what, path string, data []byte, perm fs.FileMode) error {
	return d.writeFile(what, path, [][]byte{data}, mode{perm, umasked})
}

// mode is what a new file's mode is to be.
type mode struct {
	perm fs.FileMode
	by   maskRule
}

// maskRule tells whether the umask has a say in a mode.
type maskRule bool

const (
	exact   maskRule = false
	umasked maskRule = true
)

func (d *Disk) writeFile(what, path string, parts [][]byte, m mode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, m.perm)
	if err != nil {
		return &StepError{Step: "write " + what, Path: lasting(path), Err: cause(err)}
	}
	err = d.fill(what, f, parts, m)
	if closed := f.Close(); err == nil && closed != nil {
		err = &StepError{Step: "write " + what, Path: lasting(path), Err: cause(closed)}
	}
	if err != nil {
		_ = os.Remove(path) // the first error is the one to tell
	}
	return err
}

func (d *Disk) fill(what string, f *os.File, parts [][]byte, m mode) error {
	err := d.do("write "+what, lasting(f.Name()), func() error {
		if m.by == exact {
			if err := f.Chmod(m.perm); err != nil {
				return err
			}
		}
		for _, data := range parts {
			if err := writePieces(f, data); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.do("fsync "+what, lasting(f.Name()), f.Sync)
}

// pieceSize is how much is written at once.
const pieceSize = 1 << 20

// writePieces writes data and lets other goroutines run after each piece: the one
// that is in a long system call keeps its processor from them for up to 10 ms.
func writePieces(f *os.File, data []byte) error {
	for piece := range slices.Chunk(data, pieceSize) {
		if _, err := f.Write(piece); err != nil {
			return err
		}
		runtime.Gosched()
	}
	return nil
}

// WriteSoon makes a file, in place of what is there, that is durable whenever the
// system comes to it. It is no step.
func WriteSoon(path string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	err = writePieces(f, data)
	return errors.Join(err, f.Close())
}

// Replace puts a file in the place of another in one step, by WriteSoon of one beside it, of
// which Sweep with the suffix removes what a kill has left. It is no step.
func Replace(path, suffix string, data []byte, perm fs.FileMode) error {
	beside := Beside(path, suffix)
	if err := WriteSoon(beside, data, perm); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return os.Rename(beside, path)
}

// SyncSoon has the disk begin with what a file that is to be made durable holds. It
// is no step.
func SyncSoon(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Rename moves from to to, in place of what is there. Step: "rename …".
func (d *Disk) Rename(what, from, to string) error {
	return d.do("rename "+what, to, func() error { return rename(from, to) })
}

// RenameNew moves from to to and fails with fs.ErrExist if there is something
// already. Where the file system cannot, IsUnsupported holds for the error.
// Step: "rename …".
func (d *Disk) RenameNew(what, from, to string) error {
	return d.do("rename "+what, to, func() error { return renameNew(from, to) })
}

// Exchange swaps the files a and b in one instant. Where the file system
// cannot, the error is one that IsUnsupported holds for. Step: "exchange …".
func (d *Disk) Exchange(what, a, b string) error {
	return d.do("exchange "+what, b, func() error { return exchange(a, b) })
}

// Link gives the file at from a second name. Step: "link …".
func (d *Disk) Link(what, from, to string) error {
	return d.do("link "+what, to, func() error { return os.Link(from, to) })
}

// Remove removes a file or an empty directory. Step: "remove …".
func (d *Disk) Remove(what, path string) error {
	return d.do("remove "+what, path, func() error { return os.Remove(path) })
}

// SyncDir makes the names in dir durable; without it a rename can be undone by
// a power cut. Step: "fsync directory of …".
func (d *Disk) SyncDir(what, dir string) error {
	return d.do("fsync directory of "+what, dir, func() error { return syncDir(dir) })
}

// SyncFile makes the contents of a file durable. Step: "fsync …".
func (d *Disk) SyncFile(what, path string) error {
	return d.do("fsync "+what, path, func() error { return syncDir(path) })
}

// WriteAt writes data into an open file. Step: "write …".
func (d *Disk) WriteAt(what string, f *os.File, data []byte, at int64) error {
	return d.do("write "+what, f.Name(), func() error {
		_, err := f.WriteAt(data, at)
		return err
	})
}

// SyncData makes durable what an open file holds, but not what else is known of
// it (its times), which reading it back does not need. Step: "fsync …".
func (d *Disk) SyncData(what string, f *os.File) error {
	return d.do("fsync "+what, f.Name(), func() error { return syncData(f) })
}

// SyncFileSystem makes everything durable that was written to the file system
// of dir, faster than one by one where it is much. Step: "syncfs of …".
func (d *Disk) SyncFileSystem(what, dir string) error {
	return d.do("syncfs of "+what, dir, func() error { return syncFileSystem(dir) })
}

// WriteAtomic puts data at path, in place of what is there: a reader, also
// after a power cut, finds the old file or the new one, whole. It returns
// when the new one is durable. Steps: "write …", "fsync …", "rename …", "fsync
// directory of …"; if one but the last fails, the old file is as it was and
// nothing lies beside it.
func (d *Disk) WriteAtomic(what, path string, data []byte, perm fs.FileMode) error {
	return d.writeAtomic(what, path, [][]byte{data}, mode{perm, exact})
}

// WriteAtomicUmasked is WriteAtomic with the mode perm less the umask: see WriteFileUmasked.
// The contents may lie in several places.
func (d *Disk) WriteAtomicUmasked(what, path string, perm fs.FileMode, parts ...[]byte) error {
	return d.writeAtomic(what, path, parts, mode{perm, umasked})
}

func (d *Disk) writeAtomic(what, path string, parts [][]byte, m mode) error {
	temp := Beside(path, "tmp")
	if err := d.writeFile(what, temp, parts, m); err != nil {
		return err
	}
	if err := d.Rename(what, temp, path); err != nil {
		_ = os.Remove(temp) // the first error is the one to tell
		return err
	}
	return d.SyncDir(what, filepath.Dir(path))
}

// Beside returns a name for a file beside path that nothing has yet:
// .world.pack.K7Q2….tmp for world.pack and "tmp".
func Beside(path, suffix string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:16]+"."+suffix)
}

// lasting returns the path of the file in whose place one is to be that Beside has named: of that
// an error tells, in the same words each time. Any other path is its own.
func lasting(path string) string {
	name := filepath.Base(path)
	if !IsPassing(name) {
		return path
	}
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return filepath.Join(filepath.Dir(path), strings.TrimSuffix(name, filepath.Ext(name))[1:])
}

// IsPassing reports whether a name is one that Beside gave a file which is gone in a
// moment, by a rename or a removal: its suffix is "tmp" or "next".
func IsPassing(name string) bool {
	for _, suffix := range []string{"tmp", "next"} {
		if passing, _ := filepath.Match(".*.????????????????."+suffix, name); passing {
			return true
		}
	}
	return false
}

// Sweep removes what a process that was killed has left of the files that it was
// writing beside path, under names from Beside with that suffix; of all in its
// directory where path ends in *. No other process may be writing them now.
func Sweep(path, suffix string) {
	dir, base := filepath.Split(path)
	entries, _ := os.ReadDir(dir) // where there is none nothing was left
	for _, e := range entries {
		if left, _ := filepath.Match("."+base+".????????????????."+suffix, e.Name()); left {
			_ = os.Remove(filepath.Join(dir, e.Name())) // what stays is harmless
		}
	}
}

// IsUnsupported reports whether a step failed because the file system, or the
// kernel, cannot do it at all.
func IsUnsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}
