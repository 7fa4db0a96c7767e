package mounts

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Holders returns the processes that use the mount at dir, one entry each, by PID. It
// reads only /proc: a daemon that looks into its own mount can wait for itself.
func Holders(dir string) []Holder { return device{dir, At(dir).Device}.holders() }

// device is a directory on a device, such as 0:53. A process beneath a mount has the
// same paths open on another device, and so has one that stands in what is left of an
// earlier mount there.
type device struct{ dir, number string }

func (d device) holders() (found []Holder) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || isOwnChild(pid) {
			continue
		}
		if h, ok := d.heldBy(pid); ok {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b Holder) int { return a.Pid - b.Pid })
	return found
}

// isOwnChild reports whether a process is one of this program that this process
// started: it does something in the mount for us, and ends before the mount does.
func isOwnChild(pid int) bool {
	if parent(pid) != os.Getpid() {
		return false
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	self, ownErr := os.Readlink("/proc/self/exe")
	return err == nil && ownErr == nil && exe == self
}

func (d device) heldBy(pid int) (Holder, bool) {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	h := Holder{Pid: pid}
	h.How, h.Path = d.use(proc)
	if h.Path == "" {
		return h, false
	}
	h.Name = programName(pid)
	return h, true
}

// use returns the most that a process does with the directory: only to stand in it
// comes last.
func (d device) use(proc string) (how, path string) {
	if path = d.target(proc, "root"); path != "" {
		return "has its root in", path
	}
	if path = d.target(proc, "exe"); path != "" {
		return "runs", path
	}
	if path = d.openFile(proc); path != "" {
		return "has open", path
	}
	if path = d.mappedFile(proc); path != "" {
		return "has mapped", path
	}
	return standsIn, d.target(proc, "cwd")
}

// target returns where a link of a process leads to, "" if that is not in the
// directory. The kernel is asked for no attributes, which it might have to ask the
// daemon for.
func (d device) target(proc, link string) string {
	link = filepath.Join(proc, link)
	path, err := os.Readlink(link)
	if err != nil || !Within(path, d.dir) {
		return ""
	}
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC, 0, &st)
	if err != nil || !d.is(st.Dev_major, st.Dev_minor) {
		return ""
	}
	return path
}

func (d device) is(major, minor uint32) bool { return fmt.Sprintf("%d:%d", major, minor) == d.number }

func (d device) openFile(proc string) string {
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return ""
	}
	for _, fd := range fds {
		if path := d.target(proc, filepath.Join("fd", fd.Name())); path != "" {
			return path
		}
	}
	return ""
}

func (d device) mappedFile(proc string) string {
	f, err := os.Open(filepath.Join(proc, "maps"))
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// 7f… rw-s 00000000 fd:01 42    /path
		i := strings.IndexByte(lines.Text(), '/')
		if i < 0 || !Within(lines.Text()[i:], d.dir) {
			continue
		}
		var major, minor uint32
		fields := strings.Fields(lines.Text())
		if _, err := fmt.Sscanf(fields[3], "%x:%x", &major, &minor); err == nil && d.is(major, minor) {
			return lines.Text()[i:]
		}
	}
	return ""
}
