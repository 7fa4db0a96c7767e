package realfs

import (
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Prepared is a file made ready in the moving directory.
type Prepared struct {
	Desc *Desc
	Stat *unix.Statx_t
	name string
}

// Prepare writes a durable file with a text and attributes, but for the inode number.
func (s *Scratch) Prepare(a fileattr.Attr, text []byte) (*Prepared, error) {
	m := &Prepared{name: s.movingFile(copyPrefix)}
	d, err := Create(s.Moving, m.name)
	if err != nil {
		return nil, err
	}
	m.Desc = d
	if m.Stat, err = d.fill(a, text); err != nil {
		s.Discard(m)
		return nil, err
	}
	return m, nil
}

// Discard takes back what Prepare made.
func (s *Scratch) Discard(m *Prepared) {
	m.Desc.Close()
	s.Clear(m.name)
}

// ClearPrepared removes what has a prepared file's name in the moving directory.
func (s *Scratch) ClearPrepared(m *Prepared) { s.Clear(m.name) }

// MoveOut renames a prepared file to a name in a directory.
func (s *Scratch) MoveOut(m *Prepared, at *Desc, name string, flags uint) error {
	return unix.Renameat2(s.Moving.FD, m.name, at.FD, name, flags)
}

// TakeBack undoes MoveOut.
func (s *Scratch) TakeBack(m *Prepared, at *Desc, name string, flags uint) error {
	return unix.Renameat2(at.FD, name, s.Moving.FD, m.name, flags)
}

// MarkOnly renames a prepared file so that after a crash what has its name is
// given one in the mount.
func (s *Scratch) MarkOnly(m *Prepared) error {
	name := s.movingFile(onlyPrefix)
	if err := unix.Renameat2(s.Moving.FD, m.name, s.Moving.FD, name, unix.RENAME_NOREPLACE); err != nil {
		return err
	}
	m.name = name
	return nil
}

// fill makes a new file what it is to be, and durable.
func (d *Desc) fill(a fileattr.Attr, text []byte) (*unix.Statx_t, error) {
	if _, err := d.WriteAt(text, 0); err != nil {
		return nil, err
	}
	if err := d.Chown(Owner{a.UID, a.GID}); err != nil {
		return nil, err
	}
	if err := d.Chmod(a.Mode); err != nil {
		return nil, err
	}
	ts := []unix.Timespec{unix.NsecToTimespec(a.Atime.UnixNano()), unix.NsecToTimespec(a.Mtime.UnixNano())}
	if err := unix.UtimesNanoAt(d.FD, "", ts, unix.AT_EMPTY_PATH); err != nil {
		return nil, err
	}
	if err := d.Sync(); err != nil {
		return nil, err
	}
	return d.Stat()
}

// ReadWhole reads a file that may become an entity's, with its attributes but for the
// inode number. Its ctime is now.
func (d *Desc) ReadWhole() (a fileattr.Attr, text []byte, err error) {
	st, err := d.Stat()
	if err != nil {
		return a, nil, err
	}
	if st.Size > fileattr.MaxSize {
		return a, nil, fileattr.ErrTooLarge
	}
	a = fileattr.Attr{
		Mode: uint32(st.Mode) & 0o7777, UID: st.Uid, GID: st.Gid,
		Mtime: StatxTime(st.Mtime), Atime: StatxTime(st.Atime), Ctime: time.Now(),
	}
	text = make([]byte, st.Size)
	n, err := d.ReadAt(text, 0)
	if err == nil && n < len(text) {
		err = io.ErrUnexpectedEOF
	}
	return a, text, err
}
