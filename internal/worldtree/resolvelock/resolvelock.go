// Package resolvelock has one process at a time resolve in a world directory.
package resolvelock

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// Lock has one process at a time resolve in a world directory, from resolve.Open to Apply: each
// tells what a person has edited from what resolve wrote by what it has read. It waits for
// another. What is locked is the directory itself, which can be where nothing can be
// written; while a person is asked, it is not.
func Lock(root string, note func(string)) (unlock func(), err error) {
	f, err := osfile.OpenDirToLock(root)
	if err != nil {
		return nil, err
	}
	if err = osfile.TryLock(f, osfile.Exclusive); errors.Is(err, osfile.ErrLocked) {
		note("another worldfs resolve is at work here: this one waits until it has ended")
		err = osfile.Lock(f, osfile.Exclusive)
	}
	if err != nil && !disk.IsUnsupported(err) {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", root, err)
	}
	return func() { f.Close() }, nil
}
