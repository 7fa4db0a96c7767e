package table

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Lookup returns the file of an entity, or fs.ErrNotExist.
func (t *Table) Lookup(id entity.ID) (*File, error) {
	t.mu.RLock()
	f, _ := t.fileKnownLocked(id)
	t.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f = t.fileOfLocked(id); f != nil {
		return f, nil
	}
	return nil, fs.ErrNotExist
}

// LookupAll returns the files of entities, without those that have none. It keeps
// others waiting once, not for each.
func (t *Table) LookupAll(ids []entity.ID) (files []*File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		if f := t.fileOfLocked(id); f != nil {
			files = append(files, f)
		}
	}
	return files
}

// Create makes an empty file for an ID that has none, else fs.ErrExist. An
// entity whose file was just deleted goes on with its last good values until
// what is written parses.
func (t *Table) Create(id entity.ID, mode, uid, gid uint32) (*File, error) {
	if err := t.fault(); err != nil {
		return nil, err
	}
	ino, err := t.inodes.Next()
	if err != nil {
		return nil, err
	}
	now := fileattr.FileTime(time.Time{})
	f := t.newHeldFile(fileattr.Attr{Ino: ino, Mode: mode & 0o7777, UID: uid, GID: gid, Mtime: now, Ctime: now, Atime: now}, nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.slotOfLocked(id) != nil {
		return nil, fs.ErrExist
	}
	was := t.wasBeforeLocked(t.slots[id])
	t.linkLocked(id, f)
	f.own.was = was
	return f, nil
}

// lockHeld returns with the bytes of these IDs' files held and mu locked, which the
// caller unlocks. The error is fs.ErrNotExist only where a file is missing.
func (t *Table) lockHeld(ids ...entity.ID) error {
	for {
		t.mu.Lock()
		missing, wait := t.firstNotHeld(ids)
		if missing {
			t.mu.Unlock()
			return fs.ErrNotExist
		}
		if wait == nil {
			return nil
		}
		t.mu.Unlock()
		if err := wait.hold(); err != nil {
			return err
		}
	}
}

func (t *Table) firstNotHeld(ids []entity.ID) (missing bool, f *File) {
	for _, id := range ids {
		s := t.slotOfLocked(id)
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
func (t *Table) Remove(id entity.ID) error {
	if err := t.lockHeld(id); err != nil {
		return err
	}
	defer t.mu.Unlock()
	t.changed(t.slots[id].file)
	t.unlinkLocked(id)
	return nil
}

// changed notes a change of the file's name: its ctime, and that its bytes are
// no longer to be had by its ID.
func (t *Table) changed(f *File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.touchedLocked()
	o.attr.Ctime = fileattr.FileTime(o.attr.Ctime)
	o.version++
}

// Rename gives the file of one entity to another ID, in place of the file
// there, if any; with noReplace that is fs.ErrExist. The text stays as it is.
func (t *Table) Rename(from, to entity.ID, noReplace bool) error {
	for {
		t.mu.Lock()
		there := t.slotOfLocked(to) != nil
		t.mu.Unlock()
		ids := []entity.ID{from}
		if there {
			ids = append(ids, to)
		}
		if err := t.lockHeld(ids...); err != nil {
			if there && errors.Is(err, fs.ErrNotExist) && t.exists(from) {
				continue // the target went meanwhile
			}
			return err
		}
		if there == (t.slotOfLocked(to) != nil) {
			break
		}
		t.mu.Unlock()
	}
	defer t.mu.Unlock()
	if from == to {
		return nil
	}
	if t.slotOfLocked(to) != nil {
		if noReplace {
			return fs.ErrExist
		}
		t.changed(t.slots[to].file)
		t.slots[to].file.id = 0
	}
	f := t.slots[from].file
	t.changed(f)
	t.unlinkLocked(from)
	t.linkLocked(to, f)
	return nil
}

func (t *Table) exists(id entity.ID) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if f, ok := t.fileKnownLocked(id); ok {
		return f != nil
	}
	return t.pack.Has(id)
}

// Exchange gives each of two entities' files the other's ID.
func (t *Table) Exchange(a, b entity.ID) error {
	if err := t.lockHeld(a, b); err != nil {
		return err
	}
	defer t.mu.Unlock()
	fa, fb := t.slots[a].file, t.slots[b].file
	t.changed(fa)
	t.changed(fb)
	t.linkLocked(a, fb)
	t.linkLocked(b, fa)
	return nil
}

// Adopt makes an entity's file of what a scratch file held, with its inode
// number, in place of the file there, if any. It is durable when Adopt
// returns, so that the source can go.
func (t *Table) Adopt(id entity.ID, a fileattr.Attr, text []byte, noReplace bool) (*File, error) {
	f, before, err := t.adopt(id, a, text, noReplace)
	if err != nil {
		return nil, err
	}
	if err := t.SyncAll(); err != nil {
		t.undoAdopt(id, f, before)
		return nil, err
	}
	return f, nil
}

// AdoptSoon is Adopt of what was not promised to survive a crash: it is durable
// within a second, as other edits are.
func (t *Table) AdoptSoon(id entity.ID, a fileattr.Attr, text []byte, noReplace bool) (*File, error) {
	if err := t.fault(); err != nil {
		return nil, err
	}
	f, _, err := t.adopt(id, a, text, noReplace)
	return f, err
}

// adopt puts a file of that text in place of what was there before.
func (t *Table) adopt(id entity.ID, a fileattr.Attr, text []byte, noReplace bool) (f *File, before slot, err error) {
	if int64(len(text)) > fileattr.MaxSize {
		return nil, slot{}, fileattr.ErrTooLarge
	}
	f = t.newHeldFile(a, text)
	if before, err = t.displace(id, noReplace); err != nil {
		return nil, slot{}, err
	}
	defer t.mu.Unlock()
	t.linkLocked(id, f)
	return f, before, nil
}

// displace makes room for another file under id: the one there, if any, is
// unlinked. It returns what was there, with mu locked, which the caller
// unlocks. A text that cannot be had is an error: the file stays.
func (t *Table) displace(id entity.ID, noReplace bool) (before slot, err error) {
	for {
		t.mu.Lock()
		s := t.slotOfLocked(id)
		if s == nil {
			if s := t.slots[id]; s != nil {
				return *s, nil
			}
			return slot{id: id}, nil
		}
		t.mu.Unlock()
		if noReplace {
			return slot{}, fs.ErrExist
		}
		switch err := t.lockHeld(id); {
		case err == nil:
			before = *t.slots[id]
			t.changed(before.file)
			before.file.id = 0
			return before, nil
		case !errors.Is(err, fs.ErrNotExist): // else it was removed meanwhile
			return slot{}, err
		}
	}
}

// undoAdopt brings back what was there when an adopted file could not be made
// durable: the caller keeps the source.
func (t *Table) undoAdopt(id entity.ID, f *File, before slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slots[id]
	if s == nil || s.file != f {
		return // it was renamed or removed meanwhile
	}
	if before.file == nil {
		t.unlinkLocked(id)
		s.writer = before.writer
		return
	}
	f.id = 0
	t.linkLocked(id, before.file)
}

// Leave takes an entity's file away because it became a scratch file, which
// the caller has made durable. It is durable when Leave returns.
func (t *Table) Leave(id entity.ID) error {
	if err := t.Remove(id); err != nil {
		return err
	}
	return t.SyncAll()
}

// IDs returns up to n IDs greater than after that have files, in order.
func (t *Table) IDs(after entity.ID, n int) []entity.ID {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]entity.ID, 0, n)
	i := t.pack.Search(after + 1)
	j, found := slices.BinarySearch(t.extra, after)
	if found {
		j++
	}
	if after == entity.MaxID {
		return nil
	}
	for len(out) < n && (i < t.pack.Len() || j < len(t.extra)) {
		if j < len(t.extra) && (i == t.pack.Len() || t.extra[j] < t.pack.IDAt(i)) {
			out = append(out, t.extra[j])
			j++
			continue
		}
		id := t.pack.IDAt(i)
		i++
		if s, ok := t.slots[id]; !ok || s.file != nil {
			out = append(out, id)
		}
	}
	return out
}

// Len returns how many entities have files.
func (t *Table) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pack.Len() - t.gone + len(t.extra)
}

// NewIno returns a fresh inode number for a file that is no entity.
func (t *Table) NewIno() (uint64, error) { return t.inodes.Next() }
