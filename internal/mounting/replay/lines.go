package replay

import (
	"errors"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Lines is what the process does that replays events, if the first word is the
// secret attribute. It returns how many events were answered.
func Lines(home string, words []string) (done int, ok bool, err error) {
	if !strings.HasPrefix(words[0], secretXattr) {
		return 0, false, nil
	}
	done, err = replayEvents(home, words[0], words[1:])
	return done, true, err
}

// replayEvents replays events in the entities directory.
//
// That the directory has the secret attribute shows that it is in the mount, which
// may be gone by now: in what lies beneath nothing may be made or removed. No path
// leads out of it again.
func replayEvents(home, secret string, lines []string) (done int, err error) {
	runtime.LockOSThread() // for good: the daemon knows the thread
	dir, err := unix.Open(home, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(dir)
	if _, err := unix.Fgetxattr(dir, secret, make([]byte, 256)); err != nil {
		return 0, unix.ENODEV
	}
	for _, line := range lines {
		a, err := parseEvent(line)
		if err != nil {
			return done, err
		}
		if replayEvent(dir, a) == nil { // else it is late, or not allowed
			done++
		}
	}
	return done, nil
}

func replayEvent(home int, a event) error {
	dir, err := unix.Openat2(home, a.dir(), &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	})
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	switch a.what {
	case Removed:
		return unix.Unlinkat(dir, a.name(), 0)
	case Created:
		if err := unix.Mknodat(dir, a.name(), unix.S_IFREG|0o600, 0); err != nil {
			return err
		}
		return replayChange(dir, a)
	case overflow:
		now := unix.Timespec{Sec: int64(a.generation)}
		return unix.UtimesNanoAt(dir, a.name(), []unix.Timespec{now, now}, unix.AT_SYMLINK_NOFOLLOW)
	default:
		return replayChange(dir, a)
	}
}

// replayChange replays that a file was changed. One that must not be written to, only its
// times can be set of.
func replayChange(dir int, a event) error {
	f, err := unix.Openat(dir, a.name(), unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Sec: int64(a.generation)}}
		return unix.UtimesNanoAt(dir, a.name(), times, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return err
	}
	defer unix.Close(f)
	return unix.Fallocate(f, unix.FALLOC_FL_KEEP_SIZE, int64(a.generation), 1)
}
