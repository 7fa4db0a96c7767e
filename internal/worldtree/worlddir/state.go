package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// EnsureState makes the directory of local state, closed to all others, or
// checks the one that is there, as CheckState does. Where the disk has no room for
// scratch, a world that is only read can do without.
func (d *Dir) EnsureState() error {
	err := os.Mkdir(d.StatePath(), 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = d.checkState()
	} else if err == nil {
		err = os.Chmod(d.StatePath(), 0o700) // whatever the umask took
		_ = d.Exclude()                      // a clone does not bring it, and can do without
	}
	if err != nil {
		return fmt.Errorf("local state: %w", err)
	}
	if err := makePrivate(d.PacksPath()); err != nil {
		return fmt.Errorf("local state: %w", err)
	}
	if err := makePrivate(d.ScratchPath()); err != nil && !disk.IsNoRoom(err) {
		return fmt.Errorf("local state: %w", err)
	}
	return d.checkFiles()
}

// CheckState checks the directory of local state, if there is one, before anything
// in it is believed, and writes nothing. What a state directory holds is believed, so
// one that someone else made is refused: a symlink, another user's, one that
// others can enter, or one that came with a repository.
func (d *Dir) CheckState() error {
	err := d.checkState()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("local state: %w", err)
	}
	return d.checkFiles()
}

// checkFiles refuses what is not an ordinary file, or no directory, in a place where
// such a one is read.
func (d *Dir) checkFiles() error {
	for _, path := range []string{d.PackPath(), d.DBPath(), d.WALPath(), d.LockPath(), d.DaemonPath(), d.KeeperPath(), d.LogPath()} {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("local state: %w", refuse(path, "it is not an ordinary file (symlinks are not followed)", "move it away"))
		}
	}
	if info, err := os.Lstat(d.PlainPath()); err == nil && !info.IsDir() {
		return fmt.Errorf("local state: %w", refuse(d.PlainPath(), "it is not a directory (symlinks are not followed)", "move it away"))
	}
	return nil
}

func makePrivate(path string) error {
	if err := os.Mkdir(path, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		return refuse(path, "it is not a directory", "move it away")
	}
	return err
}

func (d *Dir) checkState() error {
	path := d.StatePath()
	if err := CheckPrivate(path); err != nil {
		return err
	}
	if d.isTracked(path) {
		return refuse(path, "version control has files in it, so it came from someone else",
			"take it out of version control and move it away; where you have added it yourself, worldfs vcs add says how to get it out")
	}
	return nil
}

// isTracked reports whether version control has files in the state directory. It is asked
// once of each directory that is there: a command checks the state more than once.
func (d *Dir) isTracked(path string) bool {
	stamp, err := fileattr.StampFile(path)
	if err != nil || d.untracked == nil {
		return tracked(path)
	}
	if d.untracked.Load() == stamp.Ino {
		return false
	}
	if tracked(path) {
		return true
	}
	d.untracked.Store(stamp.Ino)
	return false
}

// CheckPrivate returns what is wrong with a directory that only this user may
// have made or enter, as an ErrState.
func CheckPrivate(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	uid, known := osfile.Owner(info)
	switch {
	case !info.IsDir():
		return refuse(path, "it is not a directory (symlinks are not followed)", "move it away")
	case !known: // the directory's own access list, which it has of its parent, is not looked at
	case uid != os.Geteuid():
		return refuse(path, fmt.Sprintf("it belongs to user %d, and you are %d", uid, os.Geteuid()),
			"run as that user, or chown it if it is yours")
	case info.Mode().Perm() != 0o700:
		return refuse(path, fmt.Sprintf("its mode is %#o, not 0700", info.Mode().Perm()),
			"if it is your own, chmod 700 it, else move it away")
	}
	return nil
}

func refuse(path, why, todo string) error {
	return fmt.Errorf("%w: %s: %s; %s", ErrState, path, why, todo)
}
