package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// TakePlain takes in what changed in the plain files of entities/ since they
// were last read or written. A file that is missing was deleted, unless none
// of the others is there either.
func (w *World) TakePlain() (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.reloadTypes(); err != nil {
		return Report{}, err
	}
	if err := w.settle(true); err != nil {
		return Report{}, err
	}
	p, err := w.scanPlain(w.dir.EntitiesPath())
	if err != nil {
		return Report{}, err
	}
	w.mu.Lock()
	w.plainNotes = p.notes
	w.mu.Unlock()
	if p.files == 0 {
		return Report{}, nil
	}
	v := w.snapshot(true)
	changes := make(map[entity.ID]change)
	for id, text := range p.texts {
		if err := w.plainChange(v, id, text, changes); err != nil {
			return Report{}, err
		}
	}
	for _, id := range p.gone {
		if w.exists(id) {
			changes[id] = change{gone: true}
		}
	}
	r := count(v, changes)
	r.Unchanged = p.files - r.Created - r.Changed - r.Broken
	if len(changes) > 0 || w.unpublished() {
		if err := w.intake(v, changes); err != nil {
			return Report{}, err
		}
	}
	return r, w.store.putStamps(p.stamps, p.gone)
}

func (w *World) unpublished() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return !w.clock.unpublished.IsZero()
}

// plainChange notes what a plain file's text changes, if anything.
func (w *World) plainChange(v *View, id entity.ID, text []byte, changes map[entity.ID]change) error {
	if served, err := v.Text(id); err == nil && string(served) == string(text) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	res, broken := textcodec.Decode(text, id, v.types)
	switch {
	case broken != nil:
		changes[id] = change{text: text}
	case res.Canonical:
		changes[id] = change{entity: res.Entity}
	default:
		changes[id] = change{entity: res.Entity, text: text}
	}
	return nil
}

// plainScan is what was found in a directory of plain files.
type plainScan struct {
	files  int                  // how many there are
	texts  map[entity.ID][]byte // of those that may have changed
	stamps map[entity.ID]stamp  // of the same
	gone   []entity.ID          // were there once
	notes  []entity.Finding     // those that could not be read, or are misplaced
}

func (w *World) scanPlain(dir string) (*plainScan, error) {
	known, err := w.store.stamps()
	if err != nil {
		return nil, err
	}
	files, err := listPlain(dir, w.Layout())
	if err != nil {
		return nil, err
	}
	p := &plainScan{texts: make(map[entity.ID][]byte), stamps: make(map[entity.ID]stamp)}
	there := make(map[entity.ID]bool, len(files))
	for _, f := range files {
		there[f.id] = true // a misplaced file is nobody's deletion
		if f.misplaced {
			p.notes = append(p.notes, w.Layout().Misplaced(f.id, path.Join("entities", f.path)))
			continue
		}
		p.files++
		if err := p.look(filepath.Join(dir, f.path), f.id, known[f.id]); err != nil {
			p.notes = append(p.notes, unreadFinding(f.id, f.path, err))
		}
	}
	for id := range known {
		if !there[id] {
			p.gone = append(p.gone, id)
		}
	}
	return p, nil
}

// unreadFinding says that a plain file could not be read. The world goes on
// without it: what it had of the entity stays.
func unreadFinding(id entity.ID, name string, err error) entity.Finding {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return entity.Finding{
		Code: entity.CodeUnreadable, Blocks: true, ID: id, File: filepath.Join("entities", name),
		Message: fmt.Sprintf("entities/%s cannot be read: %v; the entity stays as it was until it can", name, err),
	}
}

// look reads a file if it may have changed.
func (p *plainScan) look(path string, id entity.ID, known stamp) error {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	if known.isOf(&st) {
		return nil
	}
	if st.Size > MaxFileSize {
		return ErrTooLarge
	}
	at := time.Now()
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	p.stamps[id] = stampOf(&st, at, hash)
	if hash != known.hash {
		p.texts[id] = text
	}
	return nil
}
