package table

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// AttrChange says which attributes to change; nil stands still.
type AttrChange struct {
	Size         *int64
	Mode         *uint32
	UID, GID     *uint32
	Mtime, Atime *time.Time
}

// File is an entity's text as a file. It is a name's file while it is linked
// and lives on after an unlink or a rename onto it, as open files do.
//
// Bytes written are bytes read: once written, the text is kept as it is until
// it is known that rendering the entity's values gives the same bytes.
//
// There is one for each entity that was ever looked up, so what most do not have
// stands apart.
type File struct {
	table *Table
	id    entity.ID // 0 when unlinked; guarded by Table.mu
	sized bool      // Size is known; guarded by mu, as what follows
	held  bool      // own.text counts, even when it is empty

	mu   lockorder.Mutex
	ino  uint64
	size int64
	own  *own // nil: the file was never touched
}

// own is what a file has of its own once a process has touched it. It is guarded by
// the file's mu.
type own struct {
	attr    fileattr.Attr // but for the number and the size
	text    []byte        // the bytes, nil when they can be had from the pack or state.db
	was     []byte        // of a file that was emptied: the bytes before, which state.db has for a while; nil: it was not
	version uint64        // goes up whenever the bytes or the name change
}

// newFile returns a file of no bytes yet that has attributes of its own.
func (t *Table) newFile(id entity.ID, a fileattr.Attr) *File {
	f := &File{table: t, id: id, ino: a.Ino, size: a.Size, own: &own{attr: a}}
	f.mu.Init(&classFile)
	return f
}

// untouched returns the file of an entity that was never touched.
func (t *Table) untouched(id entity.ID) *File {
	f := &File{table: t, id: id, ino: state.DefaultIno(id)}
	f.mu.Init(&classFile)
	return f
}

// newHeldFile returns a file that has no name yet, of attributes and bytes.
func (t *Table) newHeldFile(a fileattr.Attr, text []byte) *File {
	a.Size = int64(len(text))
	f := t.newFile(0, a)
	f.own.text, f.held, f.sized = text, true, true
	return f
}

// attrsLocked returns the attributes; Size is only valid when sized. The caller has mu.
func (f *File) attrsLocked() fileattr.Attr {
	a := f.table.defaultAttr()
	if f.own != nil {
		a = f.own.attr
	} else if mtime, ok := f.table.plainTimes.Load().Of(state.DefaultID(f.ino)); ok {
		a.Mtime = mtime
	}
	a.Ino, a.Size = f.ino, f.size
	return a
}

// touchedLocked returns what the file has of its own, for being changed. The caller has
// mu.
func (f *File) touchedLocked() *own {
	if f.own == nil {
		f.own = &own{attr: f.attrsLocked()}
	}
	return f.own
}

// textLocked returns the bytes if they are held, nil otherwise, and their version. The
// caller has mu.
func (f *File) textLocked() (text []byte, version uint64) {
	if f.own == nil {
		return nil, 0
	}
	return f.own.text, f.own.version
}

// ID returns the entity's ID, 0 when the file is unlinked.
func (f *File) ID() entity.ID {
	f.table.mu.RLock()
	defer f.table.mu.RUnlock()
	return f.id
}

// Ino returns the file's inode number, without rendering the text as Attr may.
func (f *File) Ino() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ino
}

// Attr returns the file's attributes.
func (f *File) Attr() (fileattr.Attr, error) {
	f.mu.Lock()
	a, sized := f.attrsLocked(), f.sized
	f.mu.Unlock()
	if sized {
		return a, nil
	}
	r, err := f.Render()
	if err != nil {
		return a, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a = f.attrsLocked()
	a.Size = int64(len(r.text))
	return a, nil
}

// Render returns the file's bytes, and sees to it that Attr finds their number
// without rendering them once more.
func (f *File) Render() (*Rendering, error) {
	r, err := f.rendering()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, now := f.textLocked(); now == r.version {
		f.size, f.sized = int64(len(r.text)), true
	}
	return r, nil
}

// unsized returns the file's attributes but for its size, for which its text
// would have to be rendered.
func (f *File) unsized() fileattr.Attr {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.attrsLocked()
}

// Text returns a copy of the file's bytes.
func (f *File) Text() ([]byte, error) {
	text, _, err := f.bytes()
	return append([]byte(nil), text...), err
}

// ReadAt reads from off; at the end it reads less than asked, without error.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	if f.held {
		defer f.mu.Unlock()
		return copyAt(p, f.own.text, off), nil
	}
	f.mu.Unlock()
	text, _, err := f.bytes()
	return copyAt(p, text, off), err
}

func copyAt(p, text []byte, off int64) int {
	if off < 0 || off >= int64(len(text)) {
		return 0
	}
	return copy(p, text[off:])
}

// Rendering is the bytes that a file had.
type Rendering struct {
	file    *File
	version uint64
	text    []byte
}

// Text returns the bytes, which the caller does not change.
func (r *Rendering) Text() []byte { return r.text }

// Current reports whether the file still has these bytes.
func (r *Rendering) Current() bool { return r.file.isVersion(r.version) }

// bytes returns the file's bytes, which the caller does not change, and their
// version.
func (f *File) bytes() ([]byte, uint64, error) {
	r, err := f.rendering()
	if err != nil {
		return nil, 0, err
	}
	return r.text, r.version, nil
}

func (f *File) rendering() (*Rendering, error) {
	for {
		f.mu.Lock()
		text, version := f.textLocked()
		if f.held {
			text = append([]byte(nil), text...)
			f.mu.Unlock()
			return &Rendering{f, version, text}, nil
		}
		f.mu.Unlock()
		if r := f.table.rendered.Load(); r != nil && r.file == f && r.version == version {
			return r, nil
		}
		text, err := f.table.render(f)
		if err != nil {
			return nil, err
		}
		if r := (&Rendering{f, version, text}); r.Current() {
			f.table.rendered.Store(r)
			return r, nil
		}
	}
}

func (f *File) isVersion(version uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, now := f.textLocked()
	return now == version
}

// hold takes the bytes into the file itself, before they or the file's name
// change.
func (f *File) hold() error {
	err := f.lockHeld()
	if err == nil {
		f.mu.Unlock()
	}
	return err
}

// lockHeld locks mu when the file has its bytes itself, which it would let go of after a
// publication. Bytes that it has already are not copied: a large text is written in many pieces.
func (f *File) lockHeld() error {
	f.mu.Lock()
	for !f.held {
		f.mu.Unlock()
		text, version, err := f.bytes()
		if err != nil {
			return err
		}
		f.mu.Lock()
		f.holdLocked(text, version)
	}
	return nil
}

// holdLocked holds text if it is still the file's bytes. The caller has mu.
func (f *File) holdLocked(text []byte, version uint64) {
	if _, now := f.textLocked(); f.held || now != version {
		return
	}
	f.touchedLocked().text = append(make([]byte, 0, len(text)+64), text...)
	f.held = true
	f.size, f.sized = int64(len(text)), true
}

// WriteAt writes at off; bytes between the end and off become zero.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(p)) > fileattr.MaxSize {
		return 0, fileattr.ErrTooLarge
	}
	if err := f.table.fault(); err != nil {
		return 0, err
	}
	err := f.change(func(o *own) {
		o.resize(max(int64(len(o.text)), off+int64(len(p))))
		copy(o.text[off:], p)
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// resize makes the held text n bytes long.
func (o *own) resize(n int64) {
	switch have := int64(len(o.text)); {
	case n <= have:
		o.text = o.text[:n]
	case n <= int64(cap(o.text)):
		o.text = o.text[:n]
		clear(o.text[have:])
	default:
		o.text = append(o.text, make([]byte, n-have)...)
	}
}

// change holds the bytes, lets do change them, and sets the times.
func (f *File) change(do func(*own)) error {
	if err := f.lockHeld(); err != nil {
		return err
	}
	o := f.touchedLocked()
	before := o.text
	do(o)
	o.noteWasLocked(before)
	o.version++
	o.attr.Touch()
	f.size = int64(len(o.text))
	f.mu.Unlock()
	f.table.touch(f, true)
	return nil
}

// SetAttr changes attributes; a change of size truncates or extends with
// zeros.
func (f *File) SetAttr(c AttrChange) error {
	if c.Size != nil {
		if err := f.setSize(*c.Size); err != nil {
			return err
		}
	}
	// A record is written whole, so the text in it must be in memory.
	if err := f.lockHeld(); err != nil {
		return err
	}
	a := &f.touchedLocked().attr
	setIf(&a.Mode, c.Mode)
	a.Mode &= 0o7777
	setIf(&a.UID, c.UID)
	setIf(&a.GID, c.GID)
	setIf(&a.Mtime, c.Mtime)
	setIf(&a.Atime, c.Atime)
	a.Ctime = fileattr.FileTime(a.Ctime)
	f.mu.Unlock()
	f.table.touch(f, false)
	return nil
}

func setIf[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (f *File) setSize(n int64) error {
	if n < 0 || n > fileattr.MaxSize {
		return fileattr.ErrTooLarge
	}
	// What would be written after this will be refused: the old bytes are better
	// than none.
	if err := f.table.fault(); err != nil {
		return err
	}
	return f.change(func(o *own) { o.resize(n) })
}

// Sync returns when the file's bytes and attributes are durable, also where it has just
// been emptied.
func (f *File) Sync() error {
	if f.acceptEmpty() {
		f.table.touch(f, false)
	}
	return f.table.SyncAll()
}

// PlainText returns the file's bytes, which the caller does not change.
func (f *File) PlainText() ([]byte, error) {
	text, _, err := f.bytes()
	return text, err
}

// PlainAttr returns the file's attributes but for its size, for which its text would
// have to be rendered.
func (f *File) PlainAttr() fileattr.Attr { return f.unsized() }
