package plainfiles

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Scan is what was found in a directory of plain files.
type Scan struct {
	Files     int                       // how many there are
	Texts     map[entity.ID][]byte      // of those that may have changed
	Stamps    map[entity.ID]state.Stamp // of the same
	Attrs     map[entity.ID]Attr        // of the same
	Gone      []entity.ID               // were there once
	Known     map[entity.ID]state.Stamp // as they were last read or written
	Notes     []entity.Finding          // those that could not be read
	Misplaced []entity.Finding
}

// ScanDir looks at the files of a directory, some on each core. What is known
// of them is read while their names are.
func ScanDir(dir string, l layout.Layout, stamps func() (map[entity.ID]state.Stamp, error)) (*Scan, error) {
	known := sync.OnceValues(stamps)
	parts := make([]part, runtime.GOMAXPROCS(0))
	look := make([]func(*Dir, File), len(parts))
	for i := range parts {
		part := &parts[i]
		part.layout = l
		look[i] = func(dir *Dir, f File) {
			if part.known == nil {
				part.known, _ = known() // its error is told below
			}
			part.add(dir, f)
		}
	}
	if err := Walk(dir, l, look...); err != nil {
		return nil, err
	}
	all, err := known()
	if err != nil {
		return nil, err
	}
	p := &Scan{
		Known: all, Texts: make(map[entity.ID][]byte), Stamps: make(map[entity.ID]state.Stamp), Attrs: make(map[entity.ID]Attr),
	}
	for i := range parts {
		p.put(&parts[i])
	}
	p.findGone(parts)
	return p, nil
}

// put adds what one core has looked at.
func (p *Scan) put(part *part) {
	for _, c := range part.changed {
		p.Stamps[c.id], p.Attrs[c.id] = c.stamp, c.attr
		if c.text != nil {
			p.Texts[c.id] = c.text
		}
	}
	p.Files += len(part.there) - len(part.misplaced)
	p.Notes = append(p.Notes, part.notes...)
	p.Misplaced = append(p.Misplaced, part.misplaced...)
}

// findGone finds out which files that were known are not there.
func (p *Scan) findGone(parts []part) {
	met := 0
	for i := range parts {
		met += parts[i].met
	}
	if met == len(p.Known) {
		return
	}
	there := make(map[entity.ID]bool, p.Files)
	for i := range parts {
		for _, id := range parts[i].there {
			there[id] = true // a misplaced file is no deletion
		}
	}
	for id := range p.Known {
		if !there[id] {
			p.Gone = append(p.Gone, id)
		}
	}
}

// part is what one core has looked at.
type part struct {
	layout layout.Layout
	known  map[entity.ID]state.Stamp // as the files were last read or written

	there     []entity.ID // misplaced ones too
	met       int         // how many were known
	changed   []change
	notes     []entity.Finding // those that could not be read
	misplaced []entity.Finding
}

// change is a file that may have changed.
type change struct {
	id    entity.ID
	text  []byte // nil: it holds what it did
	stamp state.Stamp
	attr  Attr
}

// add looks at a file of the directory.
func (p *part) add(dir *Dir, f File) {
	p.there = append(p.there, f.ID)
	if f.Misplaced {
		p.addMisplaced(dir, f)
		return
	}
	if err := p.look(dir, f); err != nil {
		p.notes = append(p.notes, unreadFinding(f.ID, f.Path, err))
	}
}

// addMisplaced notes a file that lies where none is read.
func (p *part) addMisplaced(dir *Dir, f File) {
	say := p.layout.Misplaced
	if _, err := dir.lstat(p.layout.Path(f.ID)); err == nil {
		say = p.layout.MisplacedBeside
	}
	p.misplaced = append(p.misplaced, say(f.ID, path.Join("entities", f.Path)))
}

// look reads a file if it may have changed.
func (p *part) look(dir *Dir, f File) error {
	known, ok := p.known[f.ID]
	if ok {
		p.met++
	}
	if f.Err != nil {
		return f.Err
	}
	if known.IsOf(f.Is) {
		return nil
	}
	if f.Is.Size > fileattr.MaxSize {
		return fileattr.ErrTooLarge
	}
	at := time.Now()
	text, err := dir.Read(f.Path, f.Is.Size)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	c := change{id: f.ID, stamp: state.StampOf(f.Is, at, hash), attr: Attr{f.Mode, f.Is.Mtime.Time()}}
	if hash == known.Hash {
		c.stamp.Base = known.Base
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

// DropKnown removes from a directory the files that are as they were when they were last
// read or written.
func DropKnown(d *disk.Disk, dir string, l layout.Layout, known map[entity.ID]state.Stamp) error {
	files, err := List(dir, l)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Err != nil || !known[f.ID].IsAt(f.Is) {
			continue
		}
		if err := d.Remove("plain file", filepath.Join(dir, f.Path)); err != nil {
			return err
		}
	}
	return nil
}
