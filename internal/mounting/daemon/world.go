package daemon

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/mounting/vcswatch"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// World is a world in use, wherever it is open. What can be done with it are its
// methods, each declared in the file of its command.
type World struct{ open opened }

// opened is the way that a world is open: a *Client, a *local or a *readOnly.
type opened interface {
	read() (Reading, error)
	// Close leaves the world as it should be without this process: pack and
	// plain files in step.
	Close() error
}

// Close leaves the world as it should be without this process: pack and plain files
// in step.
func (w *World) Close() error { return w.open.Close() }

// busyTimeout is how long a command waits for another that has the world. A
// daemon that starts or ends has it for a moment, too.
const busyTimeout = 5 * time.Second

// Open returns the world: through its daemon where it is mounted, else opened
// by this process. While another command has it, Open waits for some seconds
// and says so to note, which may be nil; then the error is a
// worlddir.ErrLocked. What a killed daemon left is cleared, and note is called. A world
// that needs a newer build is opened for reading only: what would write returns a
// worlddir.NewerError. So is one whose disk has no room for the work that a killed
// process left, or for plain files that have changed, and one whose directory this
// process cannot write to: there what would write returns a worlddir.ReadOnlyError.
func Open(dir *worlddir.Dir, note func(string)) (*World, error) {
	return OpenAllowing(dir, note, false)
}

// OpenAllowing is Open that says whether what is done may be a great loss. Otherwise
// it is refused with an error whose exit status is ExitProblems.
func OpenAllowing(dir *worlddir.Dir, note func(string), allowLoss bool) (*World, error) {
	client, alone, err := acquireUnwritable(dir, note, allowLoss)
	if err == nil && alone != nil {
		return &World{alone}, nil
	}
	var unlock func()
	if err == nil && client == nil {
		client, unlock, err = acquire(dir, note)
	}
	switch {
	case err != nil:
		return nil, err
	case client != nil:
		return &World{client}, client.allow(allowLoss)
	}
	open, err := openAlone(dir, unlock, note, allowLoss)
	if err != nil {
		return nil, err
	}
	return &World{open}, nil
}

// openAlone opens a world whose lock this process has, and unlocks it if that fails.
func openAlone(dir *worlddir.Dir, unlock func(), note func(string), allowLoss bool) (opened, error) {
	if newer := dir.CheckFormat(); newer != nil {
		defer unlock()
		return openReadOnly(dir, newer)
	}
	if note == nil {
		note = func(string) {}
	}
	if cause := worlddir.CheckEntities(dir); cause != nil {
		unlock()
		return openUnwritable(dir, cause, note, allowLoss)
	}
	world, err := openLocal(dir, unlock, note, allowLoss)
	if disk.IsNoRoom(err) {
		return openInMemory(dir, unlock, err, note)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	world.note = note
	return world, nil
}

// acquire returns the world's daemon, or its lock where there is none.
func acquire(dir *worlddir.Dir, note func(string)) (client *Client, unlock func(), err error) {
	if err := dir.CheckState(); err != nil {
		return nil, nil, err
	}
	start, told := time.Now(), false
	for {
		if client, err = dial(dir); !errors.Is(err, ErrNoDaemon) {
			return client, nil, err
		}
		unlock, err = dir.Lock()
		if !errors.Is(err, worlddir.ErrLocked) || time.Since(start) > busyTimeout {
			return nil, unlock, err
		}
		if !told && note != nil && time.Since(start) > 300*time.Millisecond {
			told = true
			note(fmt.Sprintf("%v; waiting for it", err))
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// Mend brings a good pack into the place of one that is damaged. While the
// world is mounted there is nothing to do: its daemon looks after the pack, and
// has it back in its place when Mend returns.
func Mend(dir *worlddir.Dir, note func(string)) (mend.Mended, error) {
	client, unlock, err := acquire(dir, note)
	switch {
	case err != nil:
		return mend.Mended{}, err
	case client != nil:
		if err := client.sync(); !isLoss(err) {
			return mend.Mended{}, err
		}
		return mend.Mended{}, nil
	}
	defer unlock()
	if err := dir.CheckFormat(); err != nil {
		return mend.Mended{}, err
	}
	return mend.Mend(dir, nil)
}

// Mounted returns the daemon that serves the world, nil if none does.
func Mounted(dir *worlddir.Dir) (*Client, error) {
	if err := dir.CheckState(); err != nil {
		return nil, err
	}
	client, err := dial(dir)
	if errors.Is(err, ErrNoDaemon) {
		return nil, nil
	}
	return client, err
}

// local is a world that this process has open.
type local struct {
	service
	plain  plaintree.Tree
	unlock func()
	lost   error // a *cache.LossError: the plain files were not brought in step; nil: they were
	full   error // why nothing is written, and the world is open in memory: the disk has no room, or is read-only; nil: it is not

	beneath plaintree.Beneath // what a mount that has crashed had covered
	session *vcswatch.Session
	opened  uint64       // the world's last edit when it was opened
	note    func(string) // called with what does not fail the command; nil: all that goes wrong fails it
}

// openLocal opens a world whose lock this process has, and finishes what a
// crash interrupted; note, which may be nil, is called with that. A great loss that waits is
// no error: the world can be read. Beside an error the caller keeps the lock.
func openLocal(dir *worlddir.Dir, unlock func(), note func(string), allowLoss bool) (*local, error) {
	if err := clearStale(dir, note); err != nil {
		return nil, err
	}
	world, err := cache.Open(dir, cache.Options{Brief: true, PlainFirst: true, AllowLoss: allowLoss})
	if err != nil {
		return nil, fmt.Errorf("open world: %w", err)
	}
	l := &local{service: service{dir: dir, world: world}, plain: plaintree.Tree{Dir: dir, World: world}, unlock: unlock}
	l.plain.Beneath, l.session = &l.beneath, vcswatch.Begin(dir, world)
	if err := l.recover(); err != nil {
		closed := world.Close()
		if disk.IsNoRoom(err) {
			closed = nil // what it could not write for the same reason stays as it is
		}
		return nil, errors.Join(err, closed)
	}
	l.opened = world.Edits()
	if note != nil {
		for _, words := range world.NoEffect() {
			note(words)
		}
	}
	return l, nil
}

// recover brings the plain files in step, unless a great loss waits.
func (l *local) recover() error {
	if l.world.InMemory() {
		l.lost = l.plain.LookIn()
	} else {
		l.lost = l.plain.Recover()
	}
	if l.lost != nil && !cache.IsLoss(l.lost) {
		return l.lost
	}
	return nil
}

// Close publishes the world, brings the plain files into step and gives the
// world up. That the disk has no room for this fails no command that has only read.
func (l *local) Close() error {
	defer l.unlock()
	if l.full != nil {
		return l.world.Close()
	}
	err := errors.Join(l.inStep(), l.session.Note(), l.world.Close())
	if err == nil {
		_ = fillReserve(l.dir) // the next that opens the world tries again
	}
	if disk.IsNoRoom(err) && l.note != nil && l.world.Edits() == l.opened {
		l.note(fmt.Sprintf("%v; what is not published yet waits in .worldfs until there is room on that disk", err))
		return nil
	}
	return err
}

// inStep brings the plain files into step, unless a great loss still waits.
func (l *local) inStep() error {
	if l.lost != nil {
		if err := l.recover(); err != nil || l.lost != nil {
			return err
		}
	}
	return l.plain.Refresh()
}

// Fill puts a whole world into a directory that was just made.
func Fill(dir *worlddir.Dir, w *entity.World) error {
	world, err := Open(dir, nil)
	if err != nil {
		return err
	}
	l, ok := world.open.(*local)
	if !ok {
		return fmt.Errorf("%s: the world is mounted", dir.Root)
	}
	_, err = l.world.Import(cache.Intake{Types: w.Types.All(), Entities: slices.Collect(w.All()), Whole: true})
	return errors.Join(err, l.Close())
}
