package daemon

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A daemon that is killed while it tells the kernel of a changed name, just as
// some program waits for its answer about that directory, cannot end: its
// thread waits in the kernel for the directory's lock, which that program has,
// and until it ends the kernel takes the mount to be served. The lock on the
// world and the control socket stay open, too. Ending the connection from
// outside lets both go on.

// killed reports whether a process has been killed and is not quite gone. It is
// a zombie then, of which some thread may still wait; or, where its first thread
// does, it has the signal before it.
func killed(pid int) bool {
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

// attend looks after the daemon while a call waits for its answer, until the
// function that it returns is called. The call is ended with giveUp where the
// daemon is stopped.
func (c *Client) attend(giveUp context.CancelCauseFunc) (stop func()) {
	look := time.NewTicker(time.Second)
	done := make(chan struct{})
	go func() {
		defer look.Stop()
		wasStopped := false
		for {
			select {
			case <-done:
				return
			case <-look.C:
				if killed(c.Pid) {
					abort(c.Mount)
				} else {
					wasStopped = c.requireRunning(giveUp, wasStopped)
				}
			}
		}
	}()
	return func() { close(done) }
}

// Guard ends, from now on until the process does, the connection of a daemon that
// is killed, where its mount covers path: this process would wait in it as soon
// as it looked at anything.
func Guard(path string) {
	go func() {
		for range time.Tick(time.Second) {
			mounts, _ := worldMounts() // they are listed again
			for _, at := range mounts {
				if within(path, at) {
					endKilled(at)
				}
			}
		}
	}()
}

// endKilled ends the connection of a mount if its daemon has been killed and is
// not quite gone. It asks nobody but the runtime directory: whatever lies in the
// mount hangs then.
func endKilled(mount string) {
	for _, r := range runtimeRecords() {
		if r.Mount == mount && killed(r.Pid) {
			abort(mount)
		}
	}
}

// abort ends the kernel's connection to the daemon of a mount: whoever waits
// for an answer gets an error.
func abort(mount string) {
	device, kind := mountDevice(mount)
	if kind != fuseType {
		return
	}
	_, minor, _ := strings.Cut(device, ":")
	// It is the owner's to write, where it is mounted; and root can do it
	// without. If neither can be, the world stays in use, which is told.
	err := os.WriteFile("/sys/fs/fuse/connections/"+minor+"/abort", []byte("1"), 0)
	if err != nil {
		_ = unix.Unmount(mount, unix.MNT_FORCE|unix.UMOUNT_NOFOLLOW)
	}
}

// mountDevice returns the device number and the type of the file system mounted
// on path, "" if none is. It asks the kernel's list and never the mount itself,
// which may hang.
func mountDevice(path string) (device, kind string) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		// 36 35 98:0 /root /mount/point opts shared:1 - type source opts
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(before)
		if ok && len(fields) > 4 && unescape(fields[4]) == path {
			device = fields[2]
			kind, _, _ = strings.Cut(after, " ") // the last one is on top
		}
	}
	return device, kind
}
