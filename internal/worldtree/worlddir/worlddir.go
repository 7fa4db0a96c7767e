// Package worlddir knows the world directory: what lies where in it, how it is
// found, made, configured and locked.
//
//	world/
//	  world.toml        marks the directory; the world's ID and its settings
//	  types/*.toml      one entity type each
//	  id_ranges         which person or tool may create which IDs
//	  entities/         one NNN.entity_text per entity, or the mount
//	  world.pack        the pack; local
//	  .worldfs/         local state, 0700: see EnsureState
//
// It guarantees that local state is only ever kept in a directory that is the
// caller's own, closed to others, and not brought by a repository; and that
// one process at a time holds the lock. It reads small files and, where the
// world lies in a working copy, asks git or svn once (some milliseconds).
package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

// What callers decide on.
var (
	ErrNotFound = errors.New("no world.toml here or in any directory above: this is no world directory (worldfs init makes one)")
	ErrExists   = errors.New("there is a world already")
	ErrLocked   = errors.New("the world is in use")
	ErrState    = errors.New("local state refused")
)

// NotFoundError says that a directory lies in no world. It is an ErrNotFound.
type NotFoundError struct{ From string }

func (e *NotFoundError) Error() string { return e.From + ": " + ErrNotFound.Error() }

// Unwrap returns ErrNotFound.
func (*NotFoundError) Unwrap() error { return ErrNotFound }

// The names in a world directory.
const (
	configName   = "world.toml"
	typesName    = "types"
	rangesName   = "id_ranges"
	entitiesName = "entities"
	packName     = "world.pack"
	stateName    = ".worldfs"
	dbName       = "state.db"  // in .worldfs
	walName      = "state.wal" // in .worldfs

	hiddenScratch = ".worldfs-scratch" // in entities/
)

// StagingName is the directory, in one of plain files, in which they wait for
// their names.
const StagingName = ".worldfs-staging"

// Dir is a world directory.
type Dir struct {
	Root     string // absolute, without symlinks
	ID       entity.GUID
	Settings Settings

	beneath   string         // how it is reached although a mount covers it; see Beneath
	aside     string         // where copies of state.db and its log are; "": nowhere, see Aside
	stateless bool           // the local state is not believed; see Aside
	untracked *atomic.Uint64 // the inode of the state directory of which version control has nothing; nil: it is asked each time
}

// Find returns the world directory that from lies in: itself or the nearest
// one above it that has a world.toml. Without one the error is ErrNotFound.
func Find(from string) (*Dir, error) {
	root, err := FindRoot(from)
	if err != nil {
		return nil, err
	}
	return Open(root)
}

// FindRoot is Find for a world that cannot be opened, as where world.toml has conflict
// markers.
func FindRoot(from string) (string, error) {
	dir, err := resolve(from)
	if err != nil {
		return "", err
	}
	for {
		// A dead mount on the way up answers ENOTCONN; above it the world is.
		if info, err := os.Stat(filepath.Join(dir, configName)); err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", &NotFoundError{From: from}
		}
		dir = parent
	}
}

// Open returns the world directory at root. Without a world.toml there the
// error is ErrNotFound.
func Open(root string) (*Dir, error) {
	root, err := resolve(root)
	if err != nil {
		return nil, err
	}
	d := &Dir{Root: root, untracked: new(atomic.Uint64)}
	if err := d.Configure(nil); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", root, ErrNotFound)
		}
		return nil, err
	}
	return d, nil
}

// resolve returns the path absolute and, as far as it can be read, without
// symlinks, so that one world has one name.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find world: the current directory is gone, or in a mount that has ended (enter it anew: cd .): %w", err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real, nil
	}
	return abs, nil
}

// ConfigPath returns where world.toml is.
func (d *Dir) ConfigPath() string { return filepath.Join(d.Place(), configName) }

// TypesPath returns the directory of the types files.
func (d *Dir) TypesPath() string { return filepath.Join(d.Place(), typesName) }

// RangesPath returns where id_ranges is.
func (d *Dir) RangesPath() string { return filepath.Join(d.Place(), rangesName) }

// EntitiesPath returns the directory of the entities' files, the mountpoint.
func (d *Dir) EntitiesPath() string { return filepath.Join(d.Place(), entitiesName) }

// PackPath returns where the world pack is.
func (d *Dir) PackPath() string {
	if d.stateless && d.WantsPlain() {
		return filepath.Join(d.aside, packName)
	}
	return filepath.Join(d.Place(), packName)
}

// StatePath returns the directory of local state.
func (d *Dir) StatePath() string { return d.state("") }

// Known returns a world directory whose world.toml cannot be read at present,
// by what a daemon knows of it.
func Known(root string, id entity.GUID) *Dir { return &Dir{Root: root, ID: id} }

// DBPath returns where the edits are kept that no pack has yet.
func (d *Dir) DBPath() string { return d.changing(dbName) }

// WALPath returns where the log of state.db is, which has the last edits that
// were made durable.
func (d *Dir) WALPath() string { return d.changing(walName) }

// PacksPath returns the directory of recent packs.
func (d *Dir) PacksPath() string { return d.state("packs") }

// PlainPath returns where the plain files are while the world is mounted.
func (d *Dir) PlainPath() string { return d.state("plain") }

// HistoryPath returns the directory of superseded texts.
func (d *Dir) HistoryPath() string { return d.state("history") }

// ScratchPath returns the directory behind the names in the mount that are no
// entities'.
func (d *Dir) ScratchPath() string { return d.state("scratch") }

// HiddenScratchPath returns where that directory is while the world is mounted:
// beneath the mountpoint, so that no path leads to it and a command that clears
// the world directory of all that is local does not reach it.
func (d *Dir) HiddenScratchPath() string { return filepath.Join(d.EntitiesPath(), hiddenScratch) }

// LockPath returns the file that a process locks to use the world.
func (d *Dir) LockPath() string { return d.state("lock") }

// DaemonPath returns the file that says where the daemon is.
func (d *Dir) DaemonPath() string { return d.state("daemon.json") }

// KeeperPath returns the file that says where the process is that keeps the world in step
// while it is not mounted.
func (d *Dir) KeeperPath() string { return d.state("keeper.json") }

// Reserve returns the room that is set aside for ending a mount, and for recovering
// from one that was killed, on a full disk.
func (d *Dir) Reserve() disk.Reserve { return disk.Reserve{Dir: d.state("reserve")} }

// LogPath returns the daemon's log.
func (d *Dir) LogPath() string { return d.state("log") }

func (d *Dir) state(name string) string {
	if d.stateless {
		return filepath.Join(d.aside, name)
	}
	return filepath.Join(d.Place(), stateName, name)
}

// changing is state of what changes when a world is opened.
func (d *Dir) changing(name string) string {
	if d.aside != "" {
		return filepath.Join(d.aside, name)
	}
	return d.state(name)
}
