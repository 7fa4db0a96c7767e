package realfs

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// MovingName is the directory inside scratch where a file is made ready before
// it is renamed into place. The mount does not show it.
const MovingName = ".worldfs-moving"

// Files in it are named for what a crash makes of them: a copy stands for
// something that still exists elsewhere, an only one does not.
const (
	copyPrefix = "copy."
	onlyPrefix = "only."
	// recoveredPrefix names in the mount what was left as an only one.
	recoveredPrefix = "worldfs-recovered."
)

// Scratch is the scratch directory.
type Scratch struct {
	*Dir
	Moving *Desc // O_PATH
	serial atomic.Uint64
	plain  atomic.Bool // see Become
	log    *slog.Logger
}

// OpenScratch opens the scratch directory and clears what a crash left in it.
func OpenScratch(path string, log *slog.Logger) (*Scratch, error) {
	dir, err := OpenDir(path, false)
	if err != nil {
		return nil, err
	}
	s := &Scratch{Dir: dir, log: log}
	if err := s.openMoving(); err != nil {
		s.Close()
		return nil, fmt.Errorf("prepare scratch directory %s: %w", path, err)
	}
	return s, nil
}

func (s *Scratch) openMoving() error {
	err := unix.Mkdirat(s.Root.FD, MovingName, 0o700)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if s.Moving, err = s.Open(MovingName, unix.O_PATH|unix.O_DIRECTORY); err != nil {
		return err
	}
	return s.recover()
}

// Resemble gives the scratch directory the mode and owner of another one.
func (s *Scratch) Resemble(path string) error {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	if err == nil {
		err = s.Root.Chown(Owner{st.Uid, st.Gid})
	}
	if err == nil {
		err = s.Root.Chmod(st.Mode & 0o7777)
	}
	if err != nil {
		return fmt.Errorf("give the scratch directory the mode of %s: %w", path, err)
	}
	return nil
}

// recover clears the moving directory of what a crash left: copies go, an only
// one gets a name in the mount.
func (s *Scratch) recover() error {
	names, err := s.Moving.List()
	if err != nil {
		return err
	}
	for _, e := range names {
		if rest, only := strings.CutPrefix(e.Name, onlyPrefix); only {
			err = s.surface(e.Name, recoveredPrefix+rest)
		} else {
			err = unix.Unlinkat(s.Moving.FD, e.Name, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// surface moves a file from the moving directory to a free name in the root.
func (s *Scratch) surface(from, to string) error {
	for i := 0; ; i++ {
		name := to
		if i > 0 {
			name += "." + strconv.Itoa(i)
		}
		err := unix.Renameat2(s.Moving.FD, from, s.Root.FD, name, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

// Become puts the directory of the plain files in the place of the scratch directory:
// under its descriptor's number, so that what works with that at the moment goes on.
func (s *Scratch) Become(plain *Dir) error {
	if err := unix.Dup3(plain.Root.FD, s.Root.FD, unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("show the plain files: dup3: %w", err)
	}
	s.plain.Store(true)
	return nil
}

// IsPlain reports whether it is the directory of the plain files by now, and no name is
// an entity's.
func (s *Scratch) IsPlain() bool { return s.plain.Load() }

// Close closes the directory.
func (s *Scratch) Close() {
	s.Moving.Close()
	s.Root.Close()
}

// HasRoom reports whether the directory can be written, and so many bytes.
func (s *Scratch) HasRoom(bytes uint64) bool {
	var st unix.Statfs_t
	err := unix.Fstatfs(s.Root.FD, &st)
	return err == nil && st.Flags&unix.ST_RDONLY == 0 && st.Bavail*uint64(st.Bsize) >= bytes
}

// movingFile returns a new name for a file in the moving directory.
func (s *Scratch) movingFile(prefix string) string {
	return prefix + strconv.FormatUint(s.serial.Add(1), 10)
}

// NewCopy returns a new name in the moving directory for what a crash may take.
func (s *Scratch) NewCopy() string { return s.movingFile(copyPrefix) }

// Clear removes a file from the moving directory.
func (s *Scratch) Clear(name string) {
	if err := unix.Unlinkat(s.Moving.FD, name, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		s.log.Warn("a file is left in the moving directory until the next mount", "name", name, "error", err)
	}
}

// EnsureDir makes a directory in the root, unless it is there, with the mode and owner
// of the root. What is no directory makes room for it, under another name. It reports
// whether the directory was not there.
func (s *Scratch) EnsureDir(name string) (made bool, err error) {
	var st unix.Stat_t
	err = unix.Fstatat(s.Root.FD, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR:
		return false, nil
	case err == nil:
		err = s.makeRoom(name)
	case errors.Is(err, unix.ENOENT):
		err = nil
	}
	if err != nil {
		return false, err
	}
	if err := s.makeDir(name); err != nil && !errors.Is(err, unix.EEXIST) {
		return false, err
	}
	return true, nil
}

func (s *Scratch) makeDir(name string) error {
	st, err := s.Root.Stat()
	if err != nil {
		return err
	}
	if err := unix.Mkdirat(s.Root.FD, name, 0o700); err != nil {
		return err
	}
	d, err := s.Open(name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer d.Close()
	return errors.Join(d.Chown(Owner{st.Uid, st.Gid}), d.Chmod(uint32(st.Mode)&0o7777))
}

// makeRoom renames what has a name in scratch.
func (s *Scratch) makeRoom(name string) error {
	for to := name + "~"; ; to += "~" {
		err := unix.Renameat2(s.Root.FD, name, s.Root.FD, to, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}
