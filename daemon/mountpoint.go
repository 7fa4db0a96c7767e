package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/fuseconn"
	"github.com/worldfs/worldfs/worlddir"
)

// mountType returns the type of the file system mounted on path, "" if none
// is.
func mountType(path string) string {
	_, kind := mountDevice(path)
	return kind
}

var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func unescape(s string) string { return mountEscapes.Replace(s) }

// mounted reports whether anything is mounted on path.
func mounted(path string) bool { return mountType(path) != "" }

// clearStale takes away what a daemon left that was killed: its mount, its
// socket and its records. The caller holds the lock and has found no daemon that
// answers; but the kernel gives a dead one's lock back a moment before it gives
// up its mount. note, which may be nil, is told if there was something.
func clearStale(dir *worlddir.Dir, note func(string)) error {
	record, err := readRecord(dir)
	found := err == nil
	if found && note != nil {
		note(clearedWords(record))
	}
	paths := []string{dir.EntitiesPath()}
	if found && record.Mount != "" && record.Mount != paths[0] {
		paths = append(paths, record.Mount)
	}
	for _, path := range paths {
		if err := clearMount(path); err != nil {
			return err
		}
	}
	if found {
		removeRecord(dir, record)
	}
	_ = os.Remove(dir.DaemonPath()) // it may have gone before
	return nil
}

// clearedWords says that what a killed daemon left is taken away.
func clearedWords(r Record) string {
	return fmt.Sprintf("the mount at %s was dead: its daemon (process %d) ended without unmounting. It is cleared; all that was synced is in the world", r.Mount, r.Pid)
}

// clearMount takes away a mount whose daemon is dead.
func clearMount(path string) error {
	for start := time.Now(); mounted(path); {
		switch state := probe(path); {
		case state == mountDead || state == mountSilent && mountType(path) == fuseType:
			if err := lazyUnmount(path); err != nil {
				return fmt.Errorf("take away a dead mount: %w", err)
			}
		case time.Since(start) < patience:
			time.Sleep(30 * time.Millisecond)
		default:
			return fmt.Errorf("%s: a file system (%s) is mounted there that is not this world's; unmount it first", path, mountType(path))
		}
	}
	return nil
}

// fuseType is what the kernel calls our mounts.
const fuseType = "fuse.worldfs"

// mountState is what a mount answers.
type mountState int

const (
	mountAlive  mountState = iota
	mountDead              // its daemon has ended
	mountSilent            // nobody answers, although somebody holds the connection
)

// silence is how long a mount may take to answer.
const silence = 3 * time.Second

// probe asks a mount whether its daemon lives: by statfs, which the kernel never
// answers from what it remembers.
func probe(path string) mountState {
	answer := make(chan error, 1)
	go func() { answer <- unix.Statfs(path, new(unix.Statfs_t)) }()
	select {
	case err := <-answer:
		if errors.Is(err, syscall.ENOTCONN) || errors.Is(err, syscall.ECONNABORTED) {
			return mountDead
		}
		return mountAlive
	case <-time.After(silence):
		return mountSilent
	}
}

// checkFUSE reports why no mount can be made here, before anything is moved.
func checkFUSE() error {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no /dev/fuse: FUSE is not available (try modprobe fuse; in a container, --device /dev/fuse)")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("/dev/fuse may not be opened by you: mounting with FUSE is not allowed here")
	case err != nil:
		return fmt.Errorf("FUSE is not available: %w", err)
	}
	f.Close()
	if os.Geteuid() == 0 {
		return nil
	}
	_, err = fuseconn.Helper()
	return err
}

// lazyUnmount takes the mount out of the tree at once; what is open in it
// stays until it is closed. Several may do so with a dead one: whoever finds
// nothing mounted has come after another.
func lazyUnmount(path string) error {
	err := unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if errors.Is(err, unix.EINVAL) && !mounted(path) {
		return nil
	}
	if !errors.Is(err, unix.EPERM) {
		return err
	}
	out, err := exec.Command("fusermount3", "-u", "-z", "--", path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("fusermount3 -uz %s: %w: %s", path, err, strings.TrimSpace(string(out)))
	}
	return nil
}
