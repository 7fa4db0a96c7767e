// Package osfile is what systems call differently about files: how they are opened and
// locked.
package osfile

import "errors"

// ErrLocked is why a lock is not taken that another process has.
var ErrLocked = errors.New("another process has it locked")

// A How is a way to lock a file. The system gives the lock back when the file is closed,
// and when the process ends, however it ends.
type How bool

// How a file can be locked.
const (
	Exclusive How = false // for one process alone
	Shared    How = true  // beside others that share it
)
