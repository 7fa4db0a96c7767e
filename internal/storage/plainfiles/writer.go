package plainfiles

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/parallel"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// EntityFile is an entity's file as it is to be written.
type EntityFile interface {
	PlainText() ([]byte, error) // its bytes, which the caller does not change
	PlainAttr() fileattr.Attr   // its attributes but for the size
}

// Source are the files that there are to write.
type Source interface {
	IDs(after entity.ID, n int) []entity.ID
	Has(id entity.ID) bool
	IsBroken(id entity.ID) bool            // its text does not parse: what it was made of is to be known
	Open(id entity.ID) (EntityFile, error) // fs.ErrNotExist where there is none
}

// Writer writes the files of one directory. They get their names once
// their bytes are durable, many at a time: no torn one is ever to be seen,
// which would later be taken in as an edit.
type Writer struct {
	Files  Source
	Disk   *disk.Disk
	Layout layout.Layout
	Dir    string
	Known  map[entity.ID]state.Stamp // of the files as they were last read or written
	Own    bool                      // Dir is where the world's plain files are: they are made durable
	Shared bool                      // other programs may have changed files in Dir since their stamps were taken
	First  func() error              // called before any change; nil for none

	// Misplaced are the files that were found where none is read. One of an entity whose own
	// file is gone is that, which a person has moved: no other is written, so that it can be
	// moved back.
	Misplaced []entity.Finding

	Written int
	Stamps  map[entity.ID]state.Stamp // made by the caller; of what was written
	Skipped []entity.ID               // those that another program has changed

	seen    map[entity.ID]bool // entities that there are
	moved   map[entity.ID]bool // those whose file was moved
	staging string             // where files are until they have their names
	core    string             // in it, where those of one processor are
	staged  []stagedFile
	naming  *naming     // nil: none is being given its name
	named   []entity.ID // of the files written
}

// WriteAll writes the files of all entities.
func (p *Writer) WriteAll() (err error) {
	defer func() { err = p.endStaging(err) }()
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return err
	}
	if err := p.beginStaging(); err != nil {
		return err
	}
	p.seen = make(map[entity.ID]bool)
	for after, ids := entity.ID(0), p.Files.IDs(0, maxStaged); len(ids) > 0; ids = p.Files.IDs(after, maxStaged) {
		for _, id := range ids {
			p.seen[id] = true
		}
		if err := p.writeSome(ids); err != nil {
			return err
		}
		if len(p.staged) >= maxStaged {
			if err := p.place(); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
	return p.place()
}

// WriteThese is WriteAll of some entities, where the files of all others are in
// step.
func (p *Writer) WriteThese(ids []entity.ID) (err error) {
	defer func() { err = p.endStaging(err) }()
	if err := p.beginStaging(); err != nil {
		return err
	}
	p.seen = make(map[entity.ID]bool, len(p.Known))
	for id := range p.Known {
		p.seen[id] = true
	}
	for _, id := range ids {
		p.seen[id] = p.Files.Has(id)
	}
	if err := p.writeSome(ids); err != nil {
		return err
	}
	return p.place()
}

// findMoved finds out whose files a person has moved.
func (p *Writer) findMoved() {
	p.moved = make(map[entity.ID]bool)
	for _, f := range p.Misplaced {
		if _, was := p.Known[f.ID]; was {
			p.moved[f.ID] = true
		}
	}
}

// writeSome stages files, some on each core.
func (p *Writer) writeSome(ids []entity.ID) error {
	p.findMoved()
	parts := make([]*Writer, parallel.Parts(len(ids)))
	err := parallel.Do(len(ids), func(i, from, to int) error {
		part := *p
		part.Stamps, part.staged, part.Skipped = make(map[entity.ID]state.Stamp), nil, nil
		part.core = filepath.Join(p.staging, strconv.Itoa(i))
		parts[i] = &part
		for _, id := range ids[from:to] {
			if err := part.write(id); err != nil {
				return err
			}
		}
		return nil
	})
	for _, part := range parts {
		maps.Copy(p.Stamps, part.Stamps)
		p.staged = append(p.staged, part.staged...)
		p.Skipped = append(p.Skipped, part.Skipped...)
	}
	return err
}

// write stages one file, unless it is in step.
func (p *Writer) write(id entity.ID) error {
	f, err := p.Files.Open(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := f.PlainText()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	path := filepath.Join(p.Dir, p.Layout.Path(id))
	st, err := fileattr.Lstat(path)
	known, there := p.Known[id], err == nil
	asKnown := there && known.IsAt(st.Stamp)
	switch {
	case asKnown && known.Hash == hash:
		if !known.IsInStep(func() bool { return p.Files.IsBroken(id) }) {
			known.Base = state.BaseCommon
			p.Stamps[id] = known
		}
		return p.bringAttrs(id, f, path, st, known)
	case !there && p.moved[id], // see Misplaced
		there && !asKnown && p.Shared:
		p.Skipped = append(p.Skipped, id) // an edit, which the next TakePlain takes in
		return nil
	}
	attr := f.PlainAttr()
	temp := filepath.Join(p.core, layout.FileName(id))
	if err := stageFile(temp, text, attr); err != nil {
		return err
	}
	p.staged = append(p.staged, stagedFile{id: id, temp: temp, path: path, hash: hash, mode: attr.Mode & 0o777})
	return nil
}

// RemoveGone removes the files of entities that have gone.
func (p *Writer) RemoveGone() (gone []entity.ID, err error) {
	for id, known := range p.Known {
		if p.seen[id] {
			continue
		}
		path := filepath.Join(p.Dir, p.Layout.Path(id))
		if stamp, err := fileattr.StampFile(path); p.Shared && err == nil && !known.IsAt(stamp) {
			p.Skipped = append(p.Skipped, id) // an edit, which the next TakePlain takes in
			continue
		}
		if err := p.beginFirst(); err != nil {
			return nil, err
		}
		gone = append(gone, id)
		err := p.Disk.Remove("plain file", path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("write plain files: %w", err)
		}
	}
	if len(gone) > 0 {
		RemoveEmptyShards(p.Dir, p.Layout)
	}
	return gone, nil
}

// TakeBack removes those of the files written whose entities have another in the place where
// the layout puts them that is in force now: a checkout made it meanwhile. Those that were
// changed since stay.
func (p *Writer) TakeBack(now layout.Layout) error {
	for _, id := range p.named {
		path := filepath.Join(p.Dir, p.Layout.Path(id))
		stamp, err := fileattr.StampFile(path)
		if _, missing := os.Lstat(filepath.Join(p.Dir, now.Path(id))); err != nil || missing != nil || !p.Stamps[id].IsAt(stamp) {
			continue
		}
		if err := p.Disk.Remove("plain file", path); err != nil {
			return err
		}
	}
	RemoveEmptyShards(p.Dir, p.Layout)
	return nil
}

// beginFirst has the caller know that files are about to change.
func (p *Writer) beginFirst() error {
	if p.First == nil {
		return nil
	}
	return p.First()
}
