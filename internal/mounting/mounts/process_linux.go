package mounts

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Lives reports whether a process runs. A zombie does not.
func Lives(pid int) bool {
	switch processState(pid) {
	case "", "Z", "X":
		return false
	}
	return true
}

// Stopped reports whether a process is stopped by a signal or a tracer.
func Stopped(pid int) bool {
	state := processState(pid)
	return state == "T" || state == "t"
}

// Killed reports whether a process has been killed and is not quite gone. It is a
// zombie then, some thread of which may still wait in the kernel; or, where its first
// thread does, SIGKILL is pending.
func Killed(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch name {
		case "State":
			if strings.HasPrefix(value, "Z") || strings.HasPrefix(value, "X") {
				return true
			}
		case "SigPnd", "ShdPnd":
			signals, err := strconv.ParseUint(value, 16, 64)
			if err == nil && signals&(1<<(unix.SIGKILL-1)) != 0 {
				return true
			}
		}
	}
	return false
}

// HasThread reports whether a thread is one of a process.
func HasThread(pid int, thread uint32) bool {
	if int(thread) == pid {
		return true
	}
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", pid, thread))
	return err == nil
}

// Ancestors returns the processes that this one was started from, its parent first.
func Ancestors() (pids []int) {
	const maxAncestors = 64
	for pid := os.Getppid(); pid > 1 && len(pids) < maxAncestors; pid = parent(pid) {
		pids = append(pids, pid)
	}
	return pids
}

// Child is a process that this one started, or that has become its own.
type Child struct {
	Pid  int
	Name string // the program's
}

// OwnChild returns a child of this process, and in its session, that runs. It reports whether
// there is one.
func OwnChild() (Child, bool) {
	session, err := unix.Getsid(0)
	entries, dirErr := os.ReadDir("/proc")
	if err != nil || dirErr != nil {
		return Child{}, false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// state, parent, process group, session
		fields := processFields(pid)
		if len(fields) > 3 && fields[1] == strconv.Itoa(os.Getpid()) && fields[3] == strconv.Itoa(session) && Lives(pid) {
			return Child{pid, programName(pid)}, true
		}
	}
	return Child{}, false
}

// InSession reports whether a process is in the session of this one.
func InSession(pid int) bool {
	ours, err := unix.Getsid(0)
	its, itsErr := unix.Getsid(pid)
	return err == nil && itsErr == nil && its == ours
}

// programName returns what a process runs, as the kernel names it.
func programName(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // it may have ended
	return strings.TrimSpace(string(name))
}

// parent returns the process that started another, 0 if it is not known.
func parent(pid int) int {
	fields := processFields(pid)
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1]) // 0 where it is none
	return ppid
}

// processState returns the letter of a process's state, "" if there is no process.
func processState(pid int) string {
	fields := processFields(pid)
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// processFields returns what /proc says of a process, from its state on.
func processFields(pid int) []string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	// 42 (name, which may have anything in it) S 41 …
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}
