package idalloc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/usedids"
)

const version = 1

// record is what this machine knows of a world's IDs.
type record struct {
	Version int              `json:"version"`
	World   string           `json:"world"`
	Used    idSet            `json:"used"`             // handed out, or once used, in ranges of ours
	Claims  []claim          `json:"claims,omitempty"` // ranges that were taken here
	Clones  map[string]clone `json:"clones,omitempty"` // by their root
}

// claim is a range that this machine has taken.
type claim struct {
	span
	Keys    []string `json:"keys"`
	Comment string   `json:"comment,omitempty"`
}

// MarshalJSON returns the claim as an object.
func (c claim) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Range   span     `json:"range"`
		Keys    []string `json:"keys"`
		Comment string   `json:"comment,omitempty"`
	}{c.span, c.Keys, c.Comment})
}

// UnmarshalJSON reads an object.
func (c *claim) UnmarshalJSON(data []byte) error {
	var o struct {
		Range   span     `json:"range"`
		Keys    []string `json:"keys"`
		Comment string   `json:"comment"`
	}
	err := json.Unmarshal(data, &o)
	*c = claim{o.Range, o.Keys, o.Comment}
	return err
}

// clone is how far the histories of a clone were read, and for which ranges.
type clone struct {
	Seen   usedids.Seen `json:"seen"`
	Ranges idSet        `json:"ranges,omitempty"`
}

// ledger is the record, locked.
type ledger struct {
	record
	path   string
	unlock func()
}

// open locks and reads the record of a world. It waits for another process as long as ctx
// lets it.
func open(ctx context.Context, world entity.GUID) (*ledger, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("record of IDs: %w", err)
	}
	name := uuid.UUID(world).String()
	unlock, err := lock(ctx, filepath.Join(dir, name+".lock"))
	if err != nil {
		return nil, fmt.Errorf("lock the record of IDs: %w", err)
	}
	l := &ledger{path: filepath.Join(dir, name+".json"), unlock: unlock}
	if err := l.read(name); err != nil {
		unlock()
		return nil, err
	}
	return l, nil
}

// stateDir returns the directory of the records.
func stateDir() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // as the standard says: one that is relative does not count
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("which IDs were handed out is recorded in XDG_STATE_HOME or, without that, in HOME/.local/state: %w; set one of them", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "worldfs", "ids"), nil
}

// lock takes a lock that the kernel gives back when the process ends.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := disk.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := osfile.TryLock(f, osfile.Exclusive)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, osfile.ErrLocked) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("%s: another process has it: %w", path, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

const maxRecord = 64 << 20 // bytes

func (l *ledger) read(world string) error {
	data, err := disk.ReadFile(l.path, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		l.record = record{Version: version, World: world}
		return nil
	}
	if err != nil {
		return fmt.Errorf("record of IDs: %w", err)
	}
	if err := json.Unmarshal(data, &l.record); err != nil || l.World != world {
		return fmt.Errorf("%s is damaged: move it away; IDs that were handed out, and that no entity was made with and committed, can then be handed out again", l.path)
	}
	if l.Version > version {
		return fmt.Errorf("%s is of a later worldfs (version %d; this one knows %d): use that one", l.path, l.Version, version)
	}
	l.Used = normal(l.Used)
	return nil
}

// save makes the record durable.
func (l *ledger) save() error {
	l.forgetClones()
	data, err := json.Marshal(l.record)
	if err != nil {
		return fmt.Errorf("record of IDs: %w", err)
	}
	disk.Sweep(l.path, "tmp")
	if err := (&disk.Disk{}).WriteAtomic("record of IDs", l.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("record of IDs: %w", err)
	}
	return nil
}

// forgetClones drops those that are gone. One that comes back is read anew.
func (l *ledger) forgetClones() {
	for root := range l.Clones {
		if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
			delete(l.Clones, root)
		}
	}
}

func (l *ledger) close() { l.unlock() }
