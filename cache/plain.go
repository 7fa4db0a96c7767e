package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Suffix ends the names of entities' files: 6555.entity_text.
const Suffix = ".entity_text"

// FileName returns the name of an entity's file.
func FileName(id entity.ID) string { return id.String() + Suffix }

// ParseFileName returns the entity whose file has that name. Any other name is
// an ordinary file's.
func ParseFileName(name string) (entity.ID, bool) {
	number, ok := strings.CutSuffix(name, Suffix)
	if !ok {
		return 0, false
	}
	id, err := entity.ParseID(number)
	return id, err == nil
}

// stamp is what is known of a plain file: as it was when it was last read or
// written, and what it held then.
type stamp struct {
	mtime, ctime, size, ino int64
	at                      int64 // when it was read or written, ns
	hash                    [32]byte
}

const stampSize = 5*8 + 32

// A file that changed less than a clock's tick before it was read may have
// changed again in the same tick, with the same times.
const tick = int64(20 * time.Millisecond)

// isOf reports whether the file is as it was, without reading it.
func (s stamp) isOf(st *unix.Stat_t) bool {
	return s.mtime == st.Mtim.Nano() && s.ctime == st.Ctim.Nano() && s.size == st.Size &&
		s.ino == int64(st.Ino) && max(s.mtime, s.ctime)+tick < s.at
}

// isAt reports whether the file is the one that was read or written, by what a
// person's edit cannot leave as it was.
func (s stamp) isAt(st *unix.Stat_t) bool {
	return s.mtime == st.Mtim.Nano() && s.size == st.Size && s.ino == int64(st.Ino)
}

func stampOf(st *unix.Stat_t, at time.Time, hash [32]byte) stamp {
	return stamp{st.Mtim.Nano(), st.Ctim.Nano(), st.Size, int64(st.Ino), at.UnixNano(), hash}
}

func (s stamp) append(dst []byte) []byte {
	for _, n := range []int64{s.mtime, s.ctime, s.size, s.ino, s.at} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return append(dst, s.hash[:]...)
}

func parseStamp(b []byte) (s stamp, ok bool) {
	if len(b) != stampSize {
		return s, false
	}
	for i, n := range []*int64{&s.mtime, &s.ctime, &s.size, &s.ino, &s.at} {
		*n = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	copy(s.hash[:], b[5*8:])
	return s, true
}

func (s *store) stamps() (map[entity.ID]stamp, error) {
	stamps := make(map[entity.ID]stamp)
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketPlain).ForEach(func(k, v []byte) error {
			if st, ok := parseStamp(v); ok && len(k) == 4 {
				stamps[entity.ID(binary.BigEndian.Uint32(k))] = st
			}
			return nil
		})
	})
	return stamps, err
}

// putStamps writes stamps that changed and drops those that went.
func (s *store) putStamps(changed map[entity.ID]stamp, gone []entity.ID) error {
	if len(changed) == 0 && len(gone) == 0 {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketPlain)
		for _, id := range gone {
			if err := b.Delete(fileKey(id)); err != nil {
				return err
			}
		}
		for id, st := range changed {
			if err := b.Put(fileKey(id), st.append(nil)); err != nil {
				return err
			}
		}
		return nil
	})
}

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
	if err != nil || p.files == 0 {
		return Report{}, err
	}
	w.mu.Lock()
	w.unread = p.unread
	w.mu.Unlock()
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
	unread []entity.Finding     // those that could not be read
}

func (w *World) scanPlain(dir string) (*plainScan, error) {
	known, err := w.store.stamps()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &plainScan{}, nil
	} else if err != nil {
		return nil, fmt.Errorf("read plain files: %w", err)
	}
	p := &plainScan{texts: make(map[entity.ID][]byte), stamps: make(map[entity.ID]stamp)}
	there := make(map[entity.ID]bool, len(entries))
	for _, e := range entries {
		id, ok := ParseFileName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		p.files++
		there[id] = true
		if err := p.look(filepath.Join(dir, e.Name()), id, known[id]); err != nil {
			p.unread = append(p.unread, unreadFinding(id, e.Name(), err))
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

// WritePlain writes the entities' files as plain files into to, "" for
// entities/, and returns how many it wrote. With all it writes every one, as
// into a directory of somebody else's. Without, to is where this world's plain
// files are: only those are written that are not as they should be, and those
// are removed whose entity has gone.
func (w *World) WritePlain(to string, all bool) (int, error) {
	if to == "" {
		to = w.dir.EntitiesPath()
	}
	return w.writePlain(to, !all)
}

func (w *World) writePlain(to string, own bool) (int, error) {
	v, err := w.View()
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return 0, fmt.Errorf("write plain files: %w", err)
	}
	known := map[entity.ID]stamp{}
	if own {
		if known, err = w.store.stamps(); err != nil {
			return 0, err
		}
	}
	pw := plainWriter{view: v, dir: to, known: known, stamps: make(map[entity.ID]stamp)}
	pw.shared = own && to == w.dir.EntitiesPath()
	for after, ids := entity.ID(0), w.IDs(0, 1024); len(ids) > 0; ids = w.IDs(after, 1024) {
		for _, id := range ids {
			if err := pw.write(id); err != nil {
				return pw.written, fmt.Errorf("write plain files: %w", err)
			}
			delete(known, id)
		}
		after = ids[len(ids)-1]
	}
	if own {
		removeTorn(to)
	}
	gone, err := pw.removeGone()
	if err != nil || !own {
		return pw.written, err
	}
	if pw.written > 0 {
		if err := syncFileSystem(to); err != nil {
			return pw.written, fmt.Errorf("write plain files: %w", err)
		}
	}
	return pw.written, w.store.putStamps(pw.stamps, gone)
}

// plainWriter writes the files of one directory.
type plainWriter struct {
	view    *View
	dir     string
	known   map[entity.ID]stamp // those left over are of entities that have gone
	stamps  map[entity.ID]stamp
	written int
	shared  bool // people work there: what they changed meanwhile is not overwritten
}

// write brings one file in step. It appears whole, by a rename: a torn one
// would later be taken in as somebody's edit.
func (p *plainWriter) write(id entity.ID) error {
	f, err := p.view.world.Lookup(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, _, err := f.bytes()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	path := filepath.Join(p.dir, FileName(id))
	var st unix.Stat_t
	known, there := p.known[id], unix.Lstat(path, &st) == nil
	asKnown := there && known.isAt(&st)
	if asKnown && known.hash == hash || there && !asKnown && p.shared {
		return nil // in step, or somebody's edit that the next TakePlain takes in
	}
	attr, err := f.Attr()
	if err != nil {
		return err
	}
	temp := filepath.Join(p.dir, "."+FileName(id)+".tmp")
	if err := writeFile(temp, text, attr); err != nil {
		_ = os.Remove(temp) // the first error is the one to tell
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	if err := unix.Lstat(path, &st); err != nil {
		return err
	}
	p.stamps[id] = stampOf(&st, time.Now(), hash)
	p.written++
	return nil
}

func writeFile(path string, text []byte, a Attr) error {
	if err := os.WriteFile(path, text, fs.FileMode(a.Mode&0o777)); err != nil {
		return err
	}
	return os.Chtimes(path, a.Mtime, a.Mtime)
}

// removeTorn removes what a writer that was killed has left in dir.
func removeTorn(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, ".*"+Suffix+".tmp")) // the pattern is a good one
	for _, path := range left {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "."), ".tmp")
		if _, ours := ParseFileName(name); ours {
			_ = os.Remove(path) // it is in nobody's way
		}
	}
}

// removeGone removes the files of entities that have gone.
func (p *plainWriter) removeGone() (gone []entity.ID, err error) {
	for id, known := range p.known {
		path := filepath.Join(p.dir, FileName(id))
		gone = append(gone, id)
		var st unix.Stat_t
		if p.shared && unix.Lstat(path, &st) == nil && !known.isAt(&st) {
			continue // somebody's edit: the next TakePlain takes it in
		}
		err := os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("write plain files: %w", err)
		}
	}
	return gone, nil
}

// syncFileSystem makes all that was written under dir durable at once.
func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
