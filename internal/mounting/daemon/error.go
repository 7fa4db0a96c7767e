package daemon

import (
	"errors"
	"strconv"
	"syscall"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// The exit statuses of worldfs, which errors keep on their way through the
// socket.
const (
	ExitDone     = 0
	ExitProblems = 1 // the world has problems
	ExitUsage    = 2 // the call was wrong
	ExitFailed   = 3 // it could not be done
)

// Failure is an error with the exit status that it gives.
type Failure struct {
	Message string `json:"error"`
	Exit    int    `json:"exit"`
	Loss    bool   `json:"loss,omitempty"`    // a great loss is not published (see cache.LossError)
	NoRoom  bool   `json:"no_room,omitempty"` // the disk is full: disk.IsNoRoom holds
}

func (f *Failure) Error() string { return f.Message }

// Is has what another process could not do for want of room be such an error here.
func (f *Failure) Is(target error) bool { return f.NoRoom && target == syscall.ENOSPC }

// Exit returns the exit status that an error gives.
func Exit(err error) int {
	var failure *Failure
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &failure):
		return failure.Exit
	case errors.Is(err, cache.ErrShip), cache.IsLoss(err):
		return ExitProblems
	}
	return ExitFailed
}

// isLoss reports whether an error, of this process or the daemon's, says that a great
// loss is not published.
func isLoss(err error) bool {
	var failure *Failure
	return cache.IsLoss(err) || errors.As(err, &failure) && failure.Loss
}

// MountedError says that the world is mounted already. It is a
// worlddir.ErrLocked.
type MountedError struct{ Record }

func (e *MountedError) Error() string {
	return "the world is mounted already, at " + e.Mount + " by process " + strconv.Itoa(e.Pid) + "; to have it otherwise, worldfs unmount first"
}

func (e *MountedError) Unwrap() error { return worlddir.ErrLocked }
