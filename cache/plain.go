package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

// plainScan is what was found in a directory of plain files.
type plainScan struct {
	files     int                     // how many there are
	texts     map[entity.ID][]byte    // of those that may have changed
	stamps    map[entity.ID]stamp     // of the same
	attrs     map[entity.ID]plainAttr // of the same
	gone      []entity.ID             // were there once
	known     map[entity.ID]stamp     // as they were last read or written
	notes     []entity.Finding        // those that could not be read
	misplaced []entity.Finding
}

// scanPlain looks at the files of a directory, some on each core. What is known
// of them is read while their names are.
func (w *World) scanPlain(dir string) (*plainScan, error) {
	known := sync.OnceValues(w.store.stamps)
	parts := make([]plainPart, runtime.GOMAXPROCS(0))
	look := make([]func(int, plainFile), len(parts))
	for i := range parts {
		part := &parts[i]
		part.layout = w.Layout()
		look[i] = func(fd int, f plainFile) {
			if part.known == nil {
				part.known, _ = known() // its error is told below
			}
			part.add(fd, f)
		}
	}
	if err := walkPlain(dir, w.Layout(), look...); err != nil {
		return nil, err
	}
	stamps, err := known()
	if err != nil {
		return nil, err
	}
	p := &plainScan{
		known: stamps, texts: make(map[entity.ID][]byte), stamps: make(map[entity.ID]stamp), attrs: make(map[entity.ID]plainAttr),
	}
	for i := range parts {
		p.put(&parts[i])
	}
	p.findGone(parts)
	return p, nil
}

// plainAhead is a look at the plain files of entities/ that was begun before
// anybody asked. It is good for whoever is the first to do anything with them.
type plainAhead struct {
	scan *plainScan
	err  error
	done chan struct{} // closed when both are there
}

func (w *World) scanAhead(dir string) *plainAhead {
	a := &plainAhead{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.scan, a.err = w.scanPlain(dir)
	}()
	return a
}

// takeAhead returns the look ahead, nil for none, which nobody gets any more:
// the files are about to change. The caller has publishing.
func (w *World) takeAhead() *plainAhead {
	a := w.ahead
	if a != nil {
		<-a.done
	}
	w.ahead = nil
	return a
}

// scanFirst is scanPlain of entities/, or what was seen ahead of it.
func (w *World) scanFirst(dir string) (*plainScan, error) {
	if a := w.takeAhead(); a != nil {
		return a.scan, a.err
	}
	return w.scanPlain(dir)
}

func (w *World) scanAnew(dir string) (*plainScan, error) {
	w.takeAhead()
	return w.scanPlain(dir)
}

// scanRestored is scanAnew where entities whose files are empty here have what their
// plain files say, also if that is what these held before: it was brought back.
func (w *World) scanRestored(dir string) (*plainScan, error) {
	p, err := w.scanAnew(dir)
	if err != nil {
		return nil, err
	}
	for id := range p.stamps {
		if p.texts[id] != nil || !w.isEmpty(id) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, w.Layout().Path(id)))
		if err != nil {
			return nil, fmt.Errorf("read plain files: %w", err)
		}
		p.texts[id] = text
	}
	return p, nil
}

// isEmpty reports whether an entity has a file without bytes.
func (w *World) isEmpty(id entity.ID) bool {
	stands, empty, err := w.standsAs(id, nil)
	return err == nil && stands && empty
}

// put adds what one core has looked at.
func (p *plainScan) put(part *plainPart) {
	for _, c := range part.changed {
		p.stamps[c.id], p.attrs[c.id] = c.stamp, c.attr
		if c.text != nil {
			p.texts[c.id] = c.text
		}
	}
	p.files += len(part.there) - len(part.misplaced)
	p.notes = append(p.notes, part.notes...)
	p.misplaced = append(p.misplaced, part.misplaced...)
}

// findGone finds out which files that were known are not there.
func (p *plainScan) findGone(parts []plainPart) {
	met := 0
	for i := range parts {
		met += parts[i].met
	}
	if met == len(p.known) {
		return
	}
	there := make(map[entity.ID]bool, p.files)
	for i := range parts {
		for _, id := range parts[i].there {
			there[id] = true // a misplaced file is nobody's deletion
		}
	}
	for id := range p.known {
		if !there[id] {
			p.gone = append(p.gone, id)
		}
	}
}

// plainPart is what one core has looked at.
type plainPart struct {
	layout layout.Layout
	known  map[entity.ID]stamp // as the files were last read or written

	there     []entity.ID // misplaced ones too
	met       int         // how many were known
	changed   []plainChange
	notes     []entity.Finding // those that could not be read
	misplaced []entity.Finding
}

// plainChange is a file that may have changed.
type plainChange struct {
	id    entity.ID
	text  []byte // nil: it holds what it did
	stamp stamp
	attr  plainAttr
}

// add looks at a file of the directory that is open as fd.
func (p *plainPart) add(fd int, f plainFile) {
	p.there = append(p.there, f.id)
	if f.misplaced {
		p.misplaced = append(p.misplaced, p.layout.Misplaced(f.id, path.Join("entities", f.path)))
		return
	}
	if err := p.look(fd, f); err != nil {
		p.notes = append(p.notes, unreadFinding(f.id, f.path, err))
	}
}

// look reads a file if it may have changed.
func (p *plainPart) look(fd int, f plainFile) error {
	known, ok := p.known[f.id]
	if ok {
		p.met++
	}
	if f.err != nil {
		return f.err
	}
	if known.isOf(f.is) {
		return nil
	}
	if f.is.size > MaxFileSize {
		return ErrTooLarge
	}
	at := time.Now()
	text, err := readAt(fd, f.path, f.is.size)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	c := plainChange{id: f.id, stamp: stampOf(f.is, at, hash), attr: plainAttr{f.mode, timeOf(f.is.mtime)}}
	if hash == known.hash {
		c.stamp.base = known.base
	} else {
		c.text = text
	}
	p.changed = append(p.changed, c)
	return nil
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

// DropPlain removes from dir, where the plain files are while the world is
// mounted, those that are as they were when they were last read or written. The
// world has them.
func (w *World) DropPlain(dir string) error {
	known, err := w.store.stamps()
	if err != nil {
		return err
	}
	files, err := listPlain(dir, w.Layout())
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.err != nil || !known[f.id].isAt(f.is) {
			continue
		}
		if err := w.disk.Remove("plain file", filepath.Join(dir, f.path)); err != nil {
			return err
		}
	}
	return nil
}

// KnowsPlain reports whether the world has plain files, wherever they are.
func (w *World) KnowsPlain() bool {
	known, err := w.store.stamps()
	return err == nil && len(known) > 0
}
