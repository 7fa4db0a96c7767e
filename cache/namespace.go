package cache

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// Lookup returns the file of an entity, or fs.ErrNotExist.
func (w *World) Lookup(id entity.ID) (*File, error) {
	w.mu.RLock()
	f, _ := w.fileKnown(id)
	w.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f = w.fileOf(id); f != nil {
		return f, nil
	}
	return nil, fs.ErrNotExist
}

// LookupAll returns the files of entities, without those that have none. It keeps
// others waiting once, not for each.
func (w *World) LookupAll(ids []entity.ID) (files []*File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		if f := w.fileOf(id); f != nil {
			files = append(files, f)
		}
	}
	return files
}

// Create makes an empty file for an ID that has none, else fs.ErrExist. An
// entity whose file was just deleted goes on with its last good values until
// what is written parses.
func (w *World) Create(id entity.ID, mode, uid, gid uint32) (*File, error) {
	if err := w.fault(); err != nil {
		return nil, err
	}
	ino, err := w.inodes.get()
	if err != nil {
		return nil, err
	}
	now := FileTime(time.Time{})
	f := w.holding(Attr{Ino: ino, Mode: mode & 0o7777, UID: uid, GID: gid, Mtime: now, Ctime: now, Atime: now}, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slotOf(id) != nil {
		return nil, fs.ErrExist
	}
	was := w.wasBefore(w.slots[id])
	w.link(id, f)
	f.own.was = was
	return f, nil
}

// held returns with the bytes of these IDs' files held and mu locked, which the
// caller unlocks. The error is fs.ErrNotExist only where a file is missing.
func (w *World) held(ids ...entity.ID) error {
	for {
		w.mu.Lock()
		missing, wait := w.firstNotHeld(ids)
		if missing {
			w.mu.Unlock()
			return fs.ErrNotExist
		}
		if wait == nil {
			return nil
		}
		w.mu.Unlock()
		if err := wait.hold(); err != nil {
			return err
		}
	}
}

func (w *World) firstNotHeld(ids []entity.ID) (missing bool, f *File) {
	for _, id := range ids {
		s := w.slotOf(id)
		if s == nil {
			return true, nil
		}
		s.file.mu.Lock()
		held := s.file.held
		s.file.mu.Unlock()
		if !held {
			return false, s.file
		}
	}
	return false, nil
}

// Remove takes an entity's file away. The deletion counts once the name has
// stayed away for two seconds. The File lives on, unlinked.
func (w *World) Remove(id entity.ID) error {
	if err := w.held(id); err != nil {
		return err
	}
	defer w.mu.Unlock()
	w.changed(w.slots[id].file)
	w.unlink(id)
	return nil
}

// changed notes a change of the file's name: its ctime, and that its bytes are
// no longer to be had by its ID.
func (w *World) changed(f *File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.touched()
	o.attr.Ctime = FileTime(o.attr.Ctime)
	o.version++
}

// Rename gives the file of one entity to another ID, in place of the file
// there, if any; with noReplace that is fs.ErrExist. The text stays as it is.
func (w *World) Rename(from, to entity.ID, noReplace bool) error {
	for {
		w.mu.Lock()
		there := w.slotOf(to) != nil
		w.mu.Unlock()
		ids := []entity.ID{from}
		if there {
			ids = append(ids, to)
		}
		if err := w.held(ids...); err != nil {
			if there && errors.Is(err, fs.ErrNotExist) && w.exists(from) {
				continue // the target went meanwhile
			}
			return err
		}
		if there == (w.slotOf(to) != nil) {
			break
		}
		w.mu.Unlock()
	}
	defer w.mu.Unlock()
	if from == to {
		return nil
	}
	if w.slotOf(to) != nil {
		if noReplace {
			return fs.ErrExist
		}
		w.changed(w.slots[to].file)
		w.slots[to].file.id = 0
	}
	f := w.slots[from].file
	w.changed(f)
	w.unlink(from)
	w.link(to, f)
	return nil
}

func (w *World) exists(id entity.ID) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if f, ok := w.fileKnown(id); ok {
		return f != nil
	}
	return w.pack.Has(id)
}

// Exchange gives each of two entities' files the other's ID.
func (w *World) Exchange(a, b entity.ID) error {
	if err := w.held(a, b); err != nil {
		return err
	}
	defer w.mu.Unlock()
	fa, fb := w.slots[a].file, w.slots[b].file
	w.changed(fa)
	w.changed(fb)
	w.link(a, fb)
	w.link(b, fa)
	return nil
}

// Adopt makes an entity's file of what a scratch file held, with its inode
// number, in place of the file there, if any. It is durable when Adopt
// returns, so that the source can go.
func (w *World) Adopt(id entity.ID, a Attr, text []byte, noReplace bool) (*File, error) {
	f, before, err := w.adopt(id, a, text, noReplace)
	if err != nil {
		return nil, err
	}
	if err := w.SyncAll(); err != nil {
		w.undoAdopt(id, f, before)
		return nil, err
	}
	return f, nil
}

// AdoptSoon is Adopt of what nobody was promised to find after a crash: it is
// durable within a second, as other edits are.
func (w *World) AdoptSoon(id entity.ID, a Attr, text []byte, noReplace bool) (*File, error) {
	if err := w.fault(); err != nil {
		return nil, err
	}
	f, _, err := w.adopt(id, a, text, noReplace)
	return f, err
}

// adopt puts a file of that text in place of what was there before.
func (w *World) adopt(id entity.ID, a Attr, text []byte, noReplace bool) (f *File, before slot, err error) {
	if int64(len(text)) > MaxFileSize {
		return nil, slot{}, ErrTooLarge
	}
	f = w.holding(a, text)
	if before, err = w.displace(id, noReplace); err != nil {
		return nil, slot{}, err
	}
	defer w.mu.Unlock()
	w.link(id, f)
	return f, before, nil
}

// displace makes room for another file under id: the one there, if any, is
// unlinked. It returns what was there, with mu locked, which the caller
// unlocks. A text that cannot be had is an error: the file stays.
func (w *World) displace(id entity.ID, noReplace bool) (before slot, err error) {
	for {
		w.mu.Lock()
		s := w.slotOf(id)
		if s == nil {
			if s := w.slots[id]; s != nil {
				return *s, nil
			}
			return slot{id: id}, nil
		}
		w.mu.Unlock()
		if noReplace {
			return slot{}, fs.ErrExist
		}
		switch err := w.held(id); {
		case err == nil:
			before = *w.slots[id]
			w.changed(before.file)
			before.file.id = 0
			return before, nil
		case !errors.Is(err, fs.ErrNotExist): // else it was removed meanwhile
			return slot{}, err
		}
	}
}

// undoAdopt brings back what was there when an adopted file could not be made
// durable: the caller keeps the source.
func (w *World) undoAdopt(id entity.ID, f *File, before slot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.slots[id]
	if s == nil || s.file != f {
		return // it was renamed or removed meanwhile
	}
	if before.file == nil {
		w.unlink(id)
		return
	}
	f.id = 0
	w.link(id, before.file)
}

// Leave takes an entity's file away because it became a scratch file, which
// the caller has made durable. It is durable when Leave returns.
func (w *World) Leave(id entity.ID) error {
	if err := w.Remove(id); err != nil {
		return err
	}
	return w.SyncAll()
}

// IDs returns up to n IDs greater than after that have files, in order.
func (w *World) IDs(after entity.ID, n int) []entity.ID {
	w.mu.RLock()
	defer w.mu.RUnlock()
	out := make([]entity.ID, 0, n)
	i := w.pack.Search(after + 1)
	j, found := slices.BinarySearch(w.extra, after)
	if found {
		j++
	}
	if after == entity.MaxID {
		return nil
	}
	for len(out) < n && (i < w.pack.Len() || j < len(w.extra)) {
		if j < len(w.extra) && (i == w.pack.Len() || w.extra[j] < w.pack.IDAt(i)) {
			out = append(out, w.extra[j])
			j++
			continue
		}
		id := w.pack.IDAt(i)
		i++
		if s, ok := w.slots[id]; !ok || s.file != nil {
			out = append(out, id)
		}
	}
	return out
}

// Len returns how many entities have files.
func (w *World) Len() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.pack.Len() - w.gone + len(w.extra)
}
