package daemon

import (
	"errors"
	"fmt"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// acquireUnwritable returns the daemon of a world whose directory this process cannot
// write to, or the world opened in memory; neither where it can. allowLoss has what is
// missing in entities/ count as deleted.
func acquireUnwritable(dir *worlddir.Dir, note func(string), allowLoss bool) (*Client, *local, error) {
	cause := dir.CheckWritable()
	if cause == nil {
		return nil, nil, nil
	}
	if err := dir.CheckFormat(); err != nil {
		return nil, nil, nil // of such a world only the pack is read
	}
	if dir.CheckState() == nil { // else the record of a daemon is not believed
		client, err := dial(dir)
		if !errors.Is(err, ErrNoDaemon) {
			return client, nil, err
		}
	}
	if note == nil {
		note = func(string) {}
	}
	l, err := openUnwritable(dir, cause, note, allowLoss)
	return nil, l, err
}

// OpenToRead opens a world for this process alone, in memory: nothing is written to its
// directory, and what would change it is refused with cause.
func OpenToRead(dir *worlddir.Dir, cause error, note func(string), allowLoss bool) (*World, error) {
	l, err := openUnwritable(dir, cause, note, allowLoss)
	if err != nil {
		return nil, err
	}
	return &World{l}, nil
}

func openUnwritable(dir *worlddir.Dir, cause error, note func(string), allowLoss bool) (_ *local, err error) {
	aside, believed, release, err := dir.Aside()
	if err != nil {
		return nil, err
	}
	unlock, err := lockToRead(dir, believed)
	if err != nil {
		release()
		return nil, err
	}
	done := func() { unlock(); release() }
	defer func() {
		if err != nil {
			done()
		}
	}()
	if err := sayWhatIsRead(plaintree.Tree{Dir: dir}, believed, note); err != nil {
		return nil, err
	}
	world, err := cache.Open(aside, cache.Options{Brief: true, InMemory: true, AllowLoss: allowLoss})
	if err != nil {
		return nil, fmt.Errorf("open world: %w", err)
	}
	l := &local{service: service{dir: aside, world: world}, plain: plaintree.Tree{Dir: aside, World: world}, unlock: done, full: cause}
	if err := l.recover(); err != nil {
		return nil, errors.Join(err, world.Close())
	}
	return l, nil
}

// lockToRead waits for another process to give the world up, as acquire does. The lock
// in a state that is not this user's says nothing: that user can hold it for ever.
func lockToRead(dir *worlddir.Dir, believed bool) (unlock func(), err error) {
	if !believed {
		return func() {}, nil
	}
	for start := time.Now(); ; time.Sleep(30 * time.Millisecond) {
		unlock, err = dir.LockToRead()
		if !errors.Is(err, worlddir.ErrLocked) || time.Since(start) > busyTimeout {
			return unlock, err
		}
	}
}

// sayWhatIsRead says what is unusual about a world that is read and cannot be
// recovered here. Where its entities are out of reach, that is an error.
func sayWhatIsRead(f plaintree.Tree, believed bool, note func(string)) error {
	crashed := f.Crashed()
	switch {
	case !believed && crashed:
		return fmt.Errorf("%s: the world's entities are in a mount of another user's, or that mount was not ended as it should: that user is to unmount it, or to run worldfs status", f.Dir.Root)
	case !believed:
		note(".worldfs is another user's and is not read: what is read is the files, as in a fresh clone")
	case crashed:
		note("a mount of this world was not ended as it should; what was edited in it and synced is read, and waits in .worldfs until a command that may write brings it back")
	}
	return nil
}
