package fsnode

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// movingName is the directory inside scratch where a file is made ready before
// it is renamed into place. The mount does not show it.
const movingName = ".worldfs-moving"

// Files in it are named for what a crash makes of them: a copy stands for
// something that still exists elsewhere, an only one does not.
const (
	copyPrefix = "copy."
	onlyPrefix = "only."
	// recoveredPrefix names in the mount what was left as an only one.
	recoveredPrefix = "worldfs-recovered."
)

// scratchFS is the scratch directory.
type scratchFS struct {
	*backingDir
	moving *desc // O_PATH
	serial atomic.Uint64
	plain  atomic.Bool // it is the directory of the plain files by now, and no name is an entity's
	log    *slog.Logger
}

// openScratch opens the scratch directory and clears what a crash left in it.
func openScratch(path string, log *slog.Logger) (*scratchFS, error) {
	dir, err := openBackingDir(path, false)
	if err != nil {
		return nil, err
	}
	s := &scratchFS{backingDir: dir, log: log}
	if err := s.openMoving(); err != nil {
		s.close()
		return nil, fmt.Errorf("prepare scratch directory %s: %w", path, err)
	}
	return s, nil
}

func (s *scratchFS) openMoving() error {
	err := unix.Mkdirat(s.root.n, movingName, 0o700)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if s.moving, err = s.open(movingName, unix.O_PATH|unix.O_DIRECTORY); err != nil {
		return err
	}
	return s.recover()
}

// resemble gives the scratch directory the mode and owner of another one.
func (s *scratchFS) resemble(path string) error {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	if err == nil {
		err = s.root.chown(owner{st.Uid, st.Gid})
	}
	if err == nil {
		err = s.root.chmod(st.Mode & 0o7777)
	}
	if err != nil {
		return fmt.Errorf("give the scratch directory the mode of %s: %w", path, err)
	}
	return nil
}

// recover clears the moving directory of what a crash left: copies go, an only
// one gets a name in the mount.
func (s *scratchFS) recover() error {
	names, err := s.moving.list()
	if err != nil {
		return err
	}
	for _, e := range names {
		if rest, only := strings.CutPrefix(e.Name, onlyPrefix); only {
			err = s.surface(e.Name, recoveredPrefix+rest)
		} else {
			err = unix.Unlinkat(s.moving.n, e.Name, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// surface moves a file from the moving directory to a free name in the root.
func (s *scratchFS) surface(from, to string) error {
	for i := 0; ; i++ {
		name := to
		if i > 0 {
			name += "." + strconv.Itoa(i)
		}
		err := unix.Renameat2(s.moving.n, from, s.root.n, name, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

func (s *scratchFS) close() {
	s.moving.close()
	s.root.close()
}

// movingFile returns a new name for a file in the moving directory.
func (s *scratchFS) movingFile(prefix string) string {
	return prefix + strconv.FormatUint(s.serial.Add(1), 10)
}

// clear removes a file from the moving directory.
func (s *scratchFS) clear(name string) {
	if err := unix.Unlinkat(s.moving.n, name, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		s.log.Warn("a file is left in the moving directory until the next mount", "name", name, "error", err)
	}
}
