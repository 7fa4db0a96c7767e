package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
)

// plainScan is what was found in a directory of plain files.
type plainScan struct {
	files     int                  // how many there are
	texts     map[entity.ID][]byte // of those that may have changed
	stamps    map[entity.ID]stamp  // of the same
	modes     map[entity.ID]uint32 // of the same
	gone      []entity.ID          // were there once
	met       int                  // how many were known
	known     map[entity.ID]stamp  // as they were last read or written
	notes     []entity.Finding     // those that could not be read
	misplaced []entity.Finding
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
	p := newPlainScan(known)
	for _, f := range files {
		if f.misplaced {
			p.misplaced = append(p.misplaced, w.Layout().Misplaced(f.id, path.Join("entities", f.path)))
		}
	}
	p.files = len(files) - len(p.misplaced)
	if err := p.lookAll(dir, files); err != nil {
		return nil, err
	}
	p.findGone(files)
	return p, nil
}

// findGone finds out which files that were known are not there.
func (p *plainScan) findGone(files []plainFile) {
	if p.met == len(p.known) {
		return
	}
	there := make(map[entity.ID]bool, len(files))
	for _, f := range files {
		there[f.id] = true // a misplaced file is nobody's deletion
	}
	for id := range p.known {
		if !there[id] {
			p.gone = append(p.gone, id)
		}
	}
}

func newPlainScan(known map[entity.ID]stamp) *plainScan {
	return &plainScan{
		known: known, texts: make(map[entity.ID][]byte), stamps: make(map[entity.ID]stamp), modes: make(map[entity.ID]uint32),
	}
}

// lookAll looks at the files of a directory, some on each core.
func (p *plainScan) lookAll(dir string, files []plainFile) error {
	if len(files) == 0 {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("read plain files: %w", err)
	}
	defer d.Close()
	parts := make([]*plainScan, partsOf(len(files)))
	_ = inParts(len(files), func(i, from, to int) error { // what cannot be read is a finding
		parts[i] = newPlainScan(p.known)
		parts[i].lookAt(d, files[from:to])
		return nil
	})
	for _, part := range parts {
		maps.Copy(p.texts, part.texts)
		maps.Copy(p.stamps, part.stamps)
		maps.Copy(p.modes, part.modes)
		p.notes = append(p.notes, part.notes...)
		p.met += part.met
	}
	return nil
}

func (p *plainScan) lookAt(dir *os.File, files []plainFile) {
	fd := int(dir.Fd())
	for _, f := range files {
		if f.misplaced {
			continue
		}
		if err := p.look(fd, f); err != nil {
			p.notes = append(p.notes, unreadFinding(f.id, f.path, err))
		}
	}
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

// look reads a file of the directory, which is open as fd, if it may have
// changed. What is asked from the descriptor needs no walk to the directory.
func (p *plainScan) look(fd int, f plainFile) error {
	var st unix.Stat_t
	known, ok := p.known[f.id]
	if ok {
		p.met++
	}
	if err := unix.Fstatat(fd, f.path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return &fs.PathError{Op: "lstat", Path: f.path, Err: err}
	}
	if known.isOf(&st) {
		return nil
	}
	if st.Size > MaxFileSize {
		return ErrTooLarge
	}
	at := time.Now()
	text, err := readAt(fd, f.path, st.Size)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	now := stampOf(&st, at, hash)
	if hash == known.hash {
		now.base = known.base
	} else {
		p.texts[f.id] = text
	}
	p.stamps[f.id], p.modes[f.id] = now, st.Mode&0o777
	return nil
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
		path := filepath.Join(dir, f.path)
		var st unix.Stat_t
		if unix.Lstat(path, &st) != nil || !known[f.id].isAt(&st) {
			continue
		}
		if err := w.disk.Remove("plain file", path); err != nil {
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
