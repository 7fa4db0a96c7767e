package daemon

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Holder is a process that keeps a mount busy.
type Holder struct {
	Pid  int
	Name string // the program's
	How  string // "is in", "has open", "has mapped", "runs"
	Path string
	Ours bool // whoever asks for the unmount does so from it
}

// standing is how a process holds the directory that it is in.
const standing = "is in"

func (h Holder) String() string {
	return fmt.Sprintf("%s (process %d) %s %s", h.Name, h.Pid, h.How, h.Path)
}

// stands reports whether the process holds nothing but its working directory.
func (h Holder) stands() bool { return h.How == standing }

// onlyStand reports whether there are holders, and all of them do no more than stand
// in the mount.
func onlyStand(found []Holder) bool {
	return len(found) > 0 && !slices.ContainsFunc(found, func(h Holder) bool { return !h.stands() })
}

// BusyError says who keeps a mount from being unmounted.
type BusyError struct {
	Mount   string
	Holders []Holder // without those that stand there, which are in nobody's way
}

func (e *BusyError) Error() string {
	if len(e.Holders) == 0 {
		return e.Mount + " is busy, and the processes that hold it are not ours to see; close what is open there and try again"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is busy:", e.Mount)
	for _, h := range e.Holders {
		b.WriteString("\n  " + h.String())
	}
	b.WriteString("\nclose it there and try again")
	return b.String()
}

// askedBy returns the holders, those marked that are among these processes.
func askedBy(pids []int, found []Holder) []Holder {
	marked := slices.Clone(found)
	for i := range marked {
		marked[i].Ours = slices.Contains(pids, marked[i].Pid)
	}
	return marked
}

// ancestors returns the processes that this one was started from, its parent
// first.
func ancestors() (pids []int) {
	const most = 64
	for pid := os.Getppid(); pid > 1 && len(pids) < most; pid = parent(pid) {
		pids = append(pids, pid)
	}
	return pids
}

// parent returns the process that started another, 0 if that is not to be had.
func parent(pid int) int {
	fields := processFields(pid)
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1]) // 0 where it is none
	return ppid
}

// processFields returns what /proc says of a process, from its state on.
func processFields(pid int) []string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	// 42 (name, which may have anything in it) S 41 …
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}

// holders returns the processes that use the mount at path, one entry each. It reads
// only /proc: a daemon that looks into its own mount can wait for itself.
func holders(path string) []Holder {
	device, _ := mountDevice(path)
	return place{path, device}.holders()
}

// place is a directory on a device, such as 0:53. A process beneath a mount has the
// same paths open on another device, and so has one that stands in what is left of an
// earlier mount there.
type place struct{ dir, device string }

func (p place) holders() (found []Holder) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || isHelper(pid) {
			continue
		}
		if h, ok := p.heldBy(pid); ok {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b Holder) int { return a.Pid - b.Pid })
	return found
}

// isHelper reports whether a process is one of this program that this process started:
// it does something in the mount for us, and ends before the mount does.
func isHelper(pid int) bool {
	if parent(pid) != os.Getpid() {
		return false
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	self, ownErr := os.Readlink("/proc/self/exe")
	return err == nil && ownErr == nil && exe == self
}

func (p place) heldBy(pid int) (Holder, bool) {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	h := Holder{Pid: pid}
	h.How, h.Path = p.use(proc)
	if h.Path == "" {
		return h, false
	}
	name, _ := os.ReadFile(filepath.Join(proc, "comm"))
	h.Name = strings.TrimSpace(string(name))
	return h, true
}

// use returns the most that a process does with the place: only to stand in it comes
// last.
func (p place) use(proc string) (how, path string) {
	if path = p.target(proc, "root"); path != "" {
		return "has its root in", path
	}
	if path = p.target(proc, "exe"); path != "" {
		return "runs", path
	}
	if path = p.openFile(proc); path != "" {
		return "has open", path
	}
	if path = p.mappedFile(proc); path != "" {
		return "has mapped", path
	}
	return standing, p.target(proc, "cwd")
}

// target returns where a link of a process leads to, "" if that is not in the place.
// The kernel is asked for no attributes, which it might have to ask the daemon for.
func (p place) target(proc, link string) string {
	link = filepath.Join(proc, link)
	path, err := os.Readlink(link)
	if err != nil || !within(path, p.dir) {
		return ""
	}
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC, 0, &st)
	if err != nil || fmt.Sprintf("%d:%d", st.Dev_major, st.Dev_minor) != p.device {
		return ""
	}
	return path
}

func within(path, mount string) bool {
	return path == mount || strings.HasPrefix(path, mount+"/")
}

func (p place) openFile(proc string) string {
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return ""
	}
	for _, fd := range fds {
		if path := p.target(proc, filepath.Join("fd", fd.Name())); path != "" {
			return path
		}
	}
	return ""
}

func (p place) mappedFile(proc string) string {
	f, err := os.Open(filepath.Join(proc, "maps"))
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// 7f… rw-s 00000000 fd:01 42    /path
		i := strings.IndexByte(lines.Text(), '/')
		if i < 0 || !within(lines.Text()[i:], p.dir) {
			continue
		}
		var major, minor uint32
		fields := strings.Fields(lines.Text())
		if _, err := fmt.Sscanf(fields[3], "%x:%x", &major, &minor); err == nil && fmt.Sprintf("%d:%d", major, minor) == p.device {
			return lines.Text()[i:]
		}
	}
	return ""
}
