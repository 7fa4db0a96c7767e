package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// database is a bbolt file that can be written anew while it is in use: when
// it was removed, what it held is still there, behind the descriptor.
// What is damaged in it is an error that is a *Damage, never a panic.
type database struct {
	mu sync.RWMutex // read-locked during a transaction; guards db
	db *bbolt.DB

	damage atomic.Pointer[Damage] // what an update has met, nil: nothing

	temp string // the file, where it is a copy that is removed when it is closed
}

func openDatabase(path string) (*database, error) {
	var db *bbolt.DB
	err := guard(func() (err error) {
		db, err = openBolt(path)
		return err
	})
	return &database{db: db}, err
}

func openBolt(path string) (*bbolt.DB, error) {
	return bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: time.Second, FreelistType: bbolt.FreelistMapType, NoFreelistSync: true,
	})
}

// View runs a transaction that only reads.
func (d *database) View(f func(*transaction) error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return guard(func() error {
		return d.db.View(func(bolt *bbolt.Tx) error {
			tx := &transaction{bolt: bolt}
			tx.load()
			return f(tx)
		})
	})
}

// Update runs a transaction that is durable when it returns. One that meets damage is
// neither ended nor undone, and is the last: to undo it bbolt would read all of the
// file, in a goroutine of its own, whose panics end the process.
func (d *database) Update(f func(*transaction) error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if damage := d.damage.Load(); damage != nil {
		return damage
	}
	err := guard(func() error { return d.updateLocked(f) })
	var damage *Damage
	if errors.As(err, &damage) {
		d.damage.Store(damage)
	}
	return err
}

// updateLocked is Update that may panic. The caller has mu.
func (d *database) updateLocked(f func(*transaction) error) error {
	bolt, err := d.db.Begin(true)
	if err != nil {
		return err
	}
	tx := &transaction{bolt: bolt}
	tx.load()
	if err = f(tx); err == nil {
		err = tx.store()
	}
	if err == nil {
		return bolt.Commit()
	}
	if !errors.As(err, new(*Damage)) {
		_ = bolt.Rollback() // the first error is the one to tell
	}
	return err
}

// guard has do's panics be errors. bbolt takes its file for good and panics where
// it is not; a file that was cut off under its mapping is a fault of memory.
func guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case *Damage:
			err = cause
		default:
			err = damagef("reading it: %v", cause)
		}
	}()
	return do()
}

// Close closes the file. One with an update that met damage is left to the end of
// the process: closing it would wait for that update.
func (d *database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.damage.Load() != nil {
		return nil
	}
	err := d.db.Close()
	if d.temp != "" {
		err = errors.Join(err, os.Remove(d.temp))
	}
	return err
}

// size returns how many bytes the file has.
func (d *database) size() (size int64) {
	_ = d.View(func(tx *transaction) error { // a closed one has none
		size = tx.bolt.Size()
		return nil
	})
	return size
}

// renew writes the database to path, durably, and goes on with that file.
func (d *database) renew(dk *disk.Disk, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if damage := d.damage.Load(); damage != nil {
		return damage
	}
	temp := disk.Beside(path, "tmp")
	defer os.Remove(temp) // after the rename it is not there
	err := d.db.View(func(tx *bbolt.Tx) error { return tx.CopyFile(temp, 0o600) })
	if err == nil {
		err = dk.SyncFile("state", temp)
	}
	if err == nil {
		err = dk.Rename("state", temp, path)
	}
	if err == nil {
		err = dk.SyncDir("state", filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	renewed, err := openBolt(path)
	if err != nil {
		return err
	}
	old := d.db
	d.db = renewed
	return old.Close()
}
