//go:build !linux

package mounts

import (
	"errors"
	"runtime"
	"time"
)

// Nothing is mounted here, and of other processes no more is known than whether they run.

// errNoMount is why this process cannot mount.
var errNoMount = errors.New("worlds cannot be mounted on " + runtime.GOOS + ": entities/ has the plain files, and worldfs pack makes the pack of them")

// CheckFUSE returns an error that says why this process cannot mount.
func CheckFUSE() error { return errNoMount }

// Probe asks a mount whether its daemon lives. What is no mount is Alive.
func Probe(string) State { return Alive }

// ClearDead detaches a dead mount, of which there is none.
func ClearDead(string) (cleared bool, err error) { return false, nil }

// Clear returns when nothing is mounted at a directory.
func Clear(string, time.Duration) error { return nil }

// Abort ends the kernel's connection to a daemon, of which there is none.
func Abort(string) {}

// Holders returns the processes that use a mount.
func Holders(string) []Holder { return nil }

// Mounted reports whether anything is mounted on a directory.
func Mounted(string) bool { return false }

// Worlds returns where worlds are mounted.
func Worlds() (dirs []string, err error) { return nil, nil }

// Stopped reports whether a process is stopped by a signal or a tracer.
func Stopped(int) bool { return false }

// Killed reports whether a process has been killed and is not quite gone.
func Killed(int) bool { return false }

// Ancestors returns the processes that this one was started from.
func Ancestors() (pids []int) { return nil }
