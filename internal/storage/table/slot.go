package table

import (
	"bytes"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
)

// origin says where an entity's last good values are.
type origin uint8

const (
	inThePack origin = iota
	itsOwn           // in slot.good: the pack does not have them yet
	nowhere          // it never had any
)

// slot is what the world knows of one ID beyond the pack. All of it is guarded
// by Table.mu. An entity that was never touched has none (see Table.untouchedFiles).
type slot struct {
	id entity.ID

	origin    origin
	judged    bool // the bytes have been read as an entity since they changed
	canonical bool // the bytes are what rendering the values gives
	problem   bool // the bytes do not parse; of a file that is gone: the last ones did not

	dirty       bool   // state.db does not have it yet
	recorded    bool   // state.db has a record
	stored      bool   // the record holds the bytes
	unpublished bool   // the pack does not have it yet
	loaded      loaded // until the bytes have been read as an entity
	cause       *Cause // what the bytes came in by, for the history; nil: an edit by writer
	writer      *Writer
	next        *Writer // of a file that is gone: the program about to put one there, nil if none is known

	file     *File          // nil: there is no file of that name
	left     []byte         // of a file that is gone: its bytes, where they are not what rendering the values gives
	good     *entity.Entity // when origin is itsOwn
	version  uint64         // of the file, when it was judged
	findings []entity.Finding
	seq      uint64    // of the last change of the bytes, or of there being a file
	at       time.Time // of the last change of the bytes; without a file, when it went
}

// loaded says whether a slot's bytes were found when the world was opened, and
// so what the history has of them.
type loaded uint8

const (
	notLoaded loaded = iota // they came in since
	loadedNew               // the pack does not have them: the history may
	loadedOld               // the history has had them
)

// provisional is how long a deleted name must stay away until the deletion
// counts: git, vim and svn delete and make anew.
const provisional = 2 * time.Second

// activity says when there is something to do and when there is quiet.
// Guarded by Table.mu.
type activity struct {
	last        time.Time // the last change
	dirtySince  time.Time // the first change that state.db does not have; zero: none
	unpublished time.Time // the first change that the pack does not have; zero: none
	waits       time.Time // what the pack does not have is not to be in it before; zero: it may be; see waitForRestLocked
	published   time.Duration
	judged      time.Time // when texts were last looked at in the background
}

// touch notes a change and reports whether something is to be done now that was not.
func (a *activity) touch(now time.Time) (begins bool) {
	begins = a.dirtySince.IsZero() || a.unpublished.IsZero()
	a.last, a.waits = now, time.Time{}
	if a.dirtySince.IsZero() {
		a.dirtySince = now
	}
	if a.unpublished.IsZero() {
		a.unpublished = now
	}
	return begins
}

// touch notes that a file changed.
func (t *Table) touch(f *File, contents bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.id == 0 {
		return
	}
	t.touchSlotLocked(t.slotOfLocked(f.id), contents)
}

// touchSlotLocked notes that a slot changed. The caller has mu.
func (t *Table) touchSlotLocked(s *slot, contents bool) {
	t.seq++
	t.edited++
	s.dirty = true
	t.dirty[s.id], t.active[s.id] = s, s
	begins := contents && len(t.unjudged) == 0
	if contents {
		s.seq, s.loaded, s.cause = t.seq, notLoaded, nil
		t.unjudged[s.id] = s
		s.judged, s.canonical, s.unpublished, s.at = false, false, true, t.now()
		if s.writer != nil && s.writer.unknown {
			s.writer = nil // it wrote the bytes of before
		}
	}
	if t.clock.touch(t.now()) || begins {
		t.pokeLocked() // another edit only puts off what is due
	}
}

// slotOfLocked returns the slot of an ID that has a file, making it for an entity
// that was never touched, which it is to be now; nil if there is no such file.
// The caller has mu for writing.
func (t *Table) slotOfLocked(id entity.ID) *slot {
	if s, ok := t.slots[id]; ok {
		if s.file == nil {
			return nil
		}
		return s
	}
	f := t.fileOfLocked(id)
	if f == nil {
		return nil
	}
	t.untouchedFiles.Delete(id)
	s := &slot{id: id, judged: true, canonical: true, file: f}
	t.slots[id] = s
	return s
}

// slotKnownLocked returns the slot of an ID of which more is known than the pack has, a
// file that was asked for at least; else nil. The caller has mu for writing.
func (t *Table) slotKnownLocked(id entity.ID) *slot {
	if t.untouchedFiles.Get(id) != nil {
		return t.slotOfLocked(id)
	}
	return t.slots[id]
}

// fileOfLocked returns the file of an ID, making it for an entity that was never
// looked up; nil if there is none. The caller has mu for writing.
func (t *Table) fileOfLocked(id entity.ID) *File {
	if f, ok := t.fileKnownLocked(id); ok {
		return f
	}
	if !t.pack.Has(id) {
		return nil
	}
	f := t.untouched(id)
	t.untouchedFiles.Put(id, f)
	return f
}

// fileKnownLocked returns the file of an ID, nil if there is none; ok is false where only
// the pack says whether there is. The caller has mu.
func (t *Table) fileKnownLocked(id entity.ID) (f *File, ok bool) {
	if f := t.untouchedFiles.Get(id); f != nil {
		return f, true
	}
	if s, ok := t.slots[id]; ok {
		return s.file, true
	}
	return nil, false
}

// defaultAttr is what every file has that was never touched.
func (t *Table) defaultAttr() fileattr.Attr {
	return fileattr.Attr{Mode: plainfiles.DefaultMode, UID: t.uid, GID: t.gid, Mtime: t.born, Ctime: t.born, Atime: t.born}
}

// linkLocked makes f the file of id, whose slot it makes if need be. The caller has
// mu, and has held f's bytes.
func (t *Table) linkLocked(id entity.ID, f *File) *slot {
	s := t.slots[id]
	if s == nil {
		s = &slot{id: id, origin: nowhere}
		if t.pack.Has(id) {
			s.origin = inThePack
		}
		t.slots[id] = s
	}
	if s.file == nil {
		if now := t.now(); !s.at.IsZero() && now.Sub(s.at) > provisional && !t.isProvisionalLocked(now) {
			t.feed.noteGoneTextLocked(s)
			t.feed.noteChangeLocked(id, t.valuesLocked(id, s), nil, t.feed.editLocked(s.writer, s.at))
			s.origin, s.good = nowhere, nil
		}
		s.writer, s.next = s.next, nil
		if t.pack.Has(id) {
			t.gone--
		} else {
			i, _ := slices.BinarySearch(t.extra, id)
			t.extra = slices.Insert(t.extra, i, id)
		}
	}
	s.file, s.left, s.stored, s.loaded = f, nil, false, notLoaded
	f.id = id
	f.acceptEmpty() // one that is renamed is meant to be as it is
	t.noteNameLocked()
	t.touchSlotLocked(s, true)
	t.touchDirsLocked(t.shardOfLocked(id))
	return s
}

// unlinkLocked takes the file away from id. The caller has mu, and has held the
// file's bytes.
func (t *Table) unlinkLocked(id entity.ID) {
	s := t.slots[id]
	s.left = s.oddTextLocked()
	s.file.id = 0
	s.file = nil
	s.at = t.now()
	if t.pack.Has(id) {
		t.gone++
	} else if i, ok := slices.BinarySearch(t.extra, id); ok {
		t.extra = slices.Delete(t.extra, i, i+1)
	}
	t.noteNameLocked()
	s.findings = nil
	t.touchSlotLocked(s, true)
	s.judged = true
	t.touchDirsLocked(t.shardOfLocked(id))
}

// oddTextLocked returns a copy of the bytes of a file that holds them, where they are not what
// rendering the values gives, but for those of one that was emptied; else nil. The
// caller has mu.
func (s *slot) oddTextLocked() []byte {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	text, _ := s.file.textLocked()
	switch {
	case s.judged && s.canonical:
		return nil
	case len(text) == 0 && s.file.own != nil:
		return bytes.Clone(s.file.own.was)
	}
	return bytes.Clone(text)
}

// forgetLocked drops what is known of an ID beyond the pack. The caller has mu.
func (t *Table) forgetLocked(id entity.ID) {
	delete(t.slots, id)
	delete(t.active, id)
	delete(t.dirty, id)
	delete(t.unjudged, id)
}
