package worlddir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// LockedError says which process holds a world's lock. It is an ErrLocked.
type LockedError struct {
	Root string
	Pid  int // 0 if the holder has not said it yet
}

func (e *LockedError) Error() string {
	if e.Pid == 0 {
		return fmt.Sprintf("%s: %v by another process", e.Root, ErrLocked)
	}
	return fmt.Sprintf("%s: %v by process %d", e.Root, ErrLocked, e.Pid)
}

func (e *LockedError) Unwrap() error { return ErrLocked }

// Lock takes the world for this process, after EnsureState. Where another has
// it the error is a *LockedError, where the directory cannot be written to a
// *ReadOnlyError. The kernel gives the lock back when the
// process ends, however it ends.
//
// Where the entities' files lie is read from world.toml once more: a checkout may have changed
// it while the lock was waited for.
func (d *Dir) Lock() (unlock func(), err error) {
	if unlock, err = d.lock(d.LockPath()); err != nil {
		return nil, err
	}
	if l, err := d.ShardNow(); err == nil { // one that cannot be read now, as amid a checkout, was read before
		d.Settings.Shard = l
	}
	return unlock, nil
}

// LockKeeper has one process at a time keep a world in step that is not mounted. The errors
// are those of Lock.
func (d *Dir) LockKeeper() (unlock func(), err error) { return d.lock(d.state("keeper")) }

// lock locks a file of the world's state.
func (d *Dir) lock(path string) (unlock func(), err error) {
	if err := d.EnsureState(); err != nil {
		return nil, d.asReadOnly(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|osfile.NoFollow, 0o600)
	if errors.Is(err, syscall.EPERM) {
		// A mount covers the world, and shows its state closed to changes.
		return nil, &LockedError{Root: d.Root}
	}
	if err != nil {
		return nil, d.asReadOnly(fmt.Errorf("lock world: %w", err))
	}
	if err := osfile.TryLock(f, osfile.Exclusive); err != nil {
		defer f.Close()
		if errors.Is(err, osfile.ErrLocked) {
			return nil, &LockedError{Root: d.Root, Pid: holder(f)}
		}
		return nil, fmt.Errorf("lock world: flock %s: %w", path, err)
	}
	if err := sign(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock world: %w", err)
	}
	return func() { f.Close() }, nil
}

// sign writes into the lock which process holds it. It does not give up the file's one block
// for that, since a full disk might not give it back; where the file has none, the
// lock goes unsigned.
func sign(f *os.File) error {
	text := strconv.Itoa(os.Getpid()) + "\n"
	_, err := f.WriteAt([]byte(text), 0)
	if err == nil {
		err = f.Truncate(int64(len(text)))
	}
	if disk.IsNoRoom(err) {
		return nil
	}
	return err
}

func holder(f *os.File) int {
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
