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
	if h.Ours && h.How == standing {
		return fmt.Sprintf("%s (process %d), from which you ask: you stand in %s; cd out of it", h.Name, h.Pid, h.Path)
	}
	return fmt.Sprintf("%s (process %d) %s %s", h.Name, h.Pid, h.How, h.Path)
}

// BusyError says who keeps a mount from being unmounted.
type BusyError struct {
	Mount   string
	Holders []Holder
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
	b.WriteString("\nclose or leave it there and try again")
	return b.String()
}

// askedBy marks the holders that are among these processes.
func (e *BusyError) askedBy(pids []int) {
	for i := range e.Holders {
		e.Holders[i].Ours = slices.Contains(pids, e.Holders[i].Pid)
	}
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

// holders returns who uses the mount at path, one entry a process. It reads
// only /proc: a daemon that looks into its own mount can wait for itself.
func holders(path string) []Holder {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []Holder
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if h, ok := holds(pid, path); ok {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b Holder) int { return a.Pid - b.Pid })
	return found
}

func holds(pid int, mount string) (Holder, bool) {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	h := Holder{Pid: pid}
	for _, link := range []struct{ name, how string }{{"cwd", standing}, {"root", "has its root in"}, {"exe", "runs"}} {
		if target, err := os.Readlink(filepath.Join(proc, link.name)); err == nil && within(target, mount) {
			h.How, h.Path = link.how, target
			break
		}
	}
	if h.Path == "" {
		h.How, h.Path = "has open", openFile(proc, mount)
	}
	if h.Path == "" {
		h.How, h.Path = "has mapped", mappedFile(proc, mount)
	}
	if h.Path == "" {
		return h, false
	}
	name, _ := os.ReadFile(filepath.Join(proc, "comm"))
	h.Name = strings.TrimSpace(string(name))
	return h, true
}

func within(path, mount string) bool {
	return path == mount || strings.HasPrefix(path, mount+"/")
}

func openFile(proc, mount string) string {
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return ""
	}
	for _, fd := range fds {
		if target, err := os.Readlink(filepath.Join(proc, "fd", fd.Name())); err == nil && within(target, mount) {
			return target
		}
	}
	return ""
}

func mappedFile(proc, mount string) string {
	f, err := os.Open(filepath.Join(proc, "maps"))
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if i := strings.IndexByte(lines.Text(), '/'); i >= 0 && within(lines.Text()[i:], mount) {
			return lines.Text()[i:]
		}
	}
	return ""
}
