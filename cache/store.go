package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/layout"
	"github.com/worldfs/worldfs/wal"
	"github.com/worldfs/worldfs/worlddir"
)

// store is state.db: the edits that the pack does not have yet, and what is
// local to this machine (inode numbers, times, exact texts). bbolt makes each
// update atomic and durable; those that somebody waits for are in a log first
// (see applySoon).
type store struct {
	db      *database
	disk    *disk.Disk
	log     *slog.Logger // nil: nothing is logged
	logPath string       // of state.wal
	salt    uint64       // of its records; guarded by writing
	created bool         // state.db was made just now

	inMemory bool // nothing is written: db is a copy of state.db in memory

	writing    sync.Mutex // one update at a time, of state.db or its log; taken before mu
	wal        *wal.Log   // nil: there is none that could be written; guarded by writing
	noLogUntil time.Time  // no log is made before; guarded by writing
	behind     bool       // the last transaction of state.db failed; guarded by writing
	logNumber  uint64     // of the last record that was to be in the log; guarded by writing
	noted      uint64     // what state.db notes as that; guarded by writing
	logIsUsed  bool       // state.db notes that there is a log; guarded by writing

	mu         sync.Mutex
	ahead      update    // what the log has and state.db does not; guarded by mu, and changed with writing
	aheadSince time.Time // zero: that is nothing; guarded by mu
}

// storeFormat is the version of what follows. Whoever changes it so that an
// older worldfs would misread it, or this one misreads an older one's, counts
// it up and adds to upgrades. A new bucket or key needs neither.
const storeFormat = 4

var (
	bucketMeta   = []byte("meta")
	bucketFiles  = []byte("files")  // ID, big-endian -> record
	bucketStamps = []byte("stamps") // ID / stampsTogether, big-endian -> stamps of plain files
	bucketTexts  = []byte("texts")  // ID, big-endian -> what the plain file held, if no pack has it
	bucketBases  = []byte("bases")  // u32, big-endian -> hash of a pack that stamps refer to

	bucketPacks = []byte("packs") // hash -> what is known of that pack: see packNote

	keyFormat    = []byte("format")   // u32
	keySums      = []byte("sums")     // see stateSums
	keyLog       = []byte("log")      // u64: salt of state.wal, u64: number of its last record that is here
	keyBase      = []byte("base")     // hash of the pack that the edits sit on
	keyMade      = []byte("made")     // hash of the last pack that we made, and not another program
	keyNext      = []byte("next")     // hash of the pack being published, u64: the last edit that it may have, hash of the save that it takes in, u32 each: IDs whose last edit it lacks
	keyIno       = []byte("ino")      // u64: no inode number from here on was ever used
	keySeq       = []byte("seq")      // u64: the last edit
	keyPlain     = []byte("plain")    // u64: the last edit when all plain files were brought in step with the pack
	keyBorn      = []byte("born")     // time: mtime of files without a record
	keySeen      = []byte("seen")     // see seen
	keyLayout    = []byte("layout")   // u8: where the plain files of entities/ lie; none: 0
	keySaved     = []byte("saved")    // JSON: see baseNote
	keyLogIsUsed = []byte("log/used") // 1: there is a log, which must not be missing
	keyShards    = []byte("dir/")     // and a shard's name: time, time: mtime, ctime of it
	keyDir       = []byte("dir")      // time, time: mtime, ctime of entities/
)

// buckets are all there are.
var buckets = [][]byte{bucketMeta, bucketFiles, bucketStamps, bucketTexts, bucketBases, bucketPacks}

// ErrStateNewer is what opening a state.db of a newer format gives.
var ErrStateNewer = errors.New("the state in .worldfs was written by a newer worldfs; use that one")

// meta is what state.db holds beside records.
type meta struct {
	base, made, next  [32]byte
	nextSeq           uint64
	taking            [32]byte // the save that next takes in, zero for none
	lacks             map[entity.ID]bool
	ino               uint64
	seq               uint64
	born, mtime, ctim time.Time
	seen              seen
	fresh             bool // the database was made just now

	salt, logNumber uint64 // of the log
	logIsUsed       bool   // there is one, which may have what state.db does not
}

// openStore opens the state of a world directory, whose lock the caller holds.
// What is damaged in it is a *StateDamage, and nothing is changed then.
func openStore(dir *worlddir.Dir, d *disk.Disk, log *slog.Logger, inMemory bool) (*store, meta, error) {
	path := dir.DBPath()
	disk.Sweep(path, "tmp")
	disk.Sweep(dir.WALPath(), "tmp")
	s := &store{disk: d, log: log, logPath: dir.WALPath(), inMemory: inMemory}
	if err := s.prepare(dir); err != nil {
		return nil, meta{}, err
	}
	db, err := s.openFile(path)
	if err != nil {
		return nil, meta{}, fmt.Errorf("open %s: %w", path, err)
	}
	s.db = db
	m, err := s.read()
	if err != nil {
		return nil, meta{}, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return s, m, nil
}

// prepare has a state.db be there that is whole and of this format.
func (s *store) prepare(dir *worlddir.Dir) error {
	path := dir.DBPath()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if lostState(dir) {
			return damagef("it is gone, and its log or the packs that it knew are still there")
		}
		return s.create(path, newMeta())
	}
	format, err := examine(path)
	if err != nil || format == storeFormat {
		return err
	}
	if s.inMemory {
		return fmt.Errorf("upgrade %s: %w", path, ErrInMemory)
	}
	return s.upgrade(path, format)
}

func newMeta() meta {
	m := meta{ino: firstIno, born: time.Now(), salt: rand.Uint64()}
	m.mtime, m.ctim = m.born, m.born
	return m
}

// create makes a state.db, which gets its name when it is whole: one that is empty
// is then never a new one.
func (s *store) create(path string, m meta) error {
	temp := disk.Beside(path, "tmp")
	defer os.Remove(temp) // after the rename it is not there
	db, err := openDatabase(temp)
	if err != nil {
		return fmt.Errorf("make state: %w", err)
	}
	err = db.Update(func(tx *stateTx) error {
		for _, name := range buckets {
			if _, err := tx.bolt.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		tx.bare = false
		return m.put(tx.bucket(bucketMeta))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("make state: %w", err)
	}
	s.created = true
	return s.place(temp, path)
}

// place gives a state.db its name, durably.
func (s *store) place(temp, path string) error {
	if err := s.disk.Rename("state", temp, path); err != nil {
		return err
	}
	return s.disk.SyncDir("state", filepath.Dir(path))
}

// read returns what state.db and the log hold.
func (s *store) read() (meta, error) {
	m, err := s.current()
	if err != nil {
		return m, err
	}
	replayed, err := s.replay(m)
	if replayed && err == nil {
		m, err = s.current()
	}
	return m, err
}

// current returns what state.db holds beside records.
func (s *store) current() (m meta, err error) {
	err = s.db.View(func(tx *stateTx) error {
		m.get(tx.bucket(bucketMeta))
		return nil
	})
	m.fresh = s.created
	return m, err
}

func (m *meta) put(b stateBucket) error {
	le := binary.LittleEndian
	for _, p := range []struct{ key, value []byte }{
		{keyFormat, le.AppendUint32(nil, storeFormat)},
		{keyLog, logNote(m.salt, m.logNumber)},
		{keyIno, le.AppendUint64(nil, m.ino)},
		{keyBorn, fileattr.AppendTime(nil, m.born)},
		{keyDir, dirTimes{mtime: m.mtime, ctime: m.ctim}.append(nil)},
	} {
		if err := b.Put(p.key, p.value); err != nil {
			return err
		}
	}
	return nil
}

func (m *meta) get(b stateBucket) {
	u64 := func(key []byte, at int) uint64 {
		v := b.Get(key)
		if len(v) < at+8 {
			return 0
		}
		return binary.LittleEndian.Uint64(v[at:])
	}
	copy(m.base[:], b.Get(keyBase))
	copy(m.made[:], b.Get(keyMade))
	copy(m.next[:], b.Get(keyNext))
	m.nextSeq = u64(keyNext, 32)
	if next := b.Get(keyNext); len(next) >= 40+32 {
		copy(m.taking[:], next[40:])
		m.lacks = make(map[entity.ID]bool)
		for ids := next[40+32:]; len(ids) >= 4; ids = ids[4:] {
			m.lacks[entity.ID(binary.LittleEndian.Uint32(ids))] = true
		}
	}
	m.salt, m.logNumber = u64(keyLog, 0), u64(keyLog, 8)
	m.logIsUsed = len(b.Get(keyLogIsUsed)) > 0
	m.ino, m.seq = max(u64(keyIno, 0), firstIno), u64(keySeq, 0)
	m.born, m.mtime = fileattr.ParseTime(b.Get(keyBorn)), fileattr.ParseTime(b.Get(keyDir))
	if times := b.Get(keyDir); len(times) >= 2*fileattr.TimeSize {
		m.ctim = fileattr.ParseTime(times[fileattr.TimeSize:])
	}
	m.seen = parseSeen(b.Get(keySeen))
}

// nextHas reports whether the pack that was being published has what a record
// says.
func (m *meta) nextHas(id entity.ID, r *record) bool { return r.seq <= m.nextSeq && !m.lacks[id] }

// layout returns where the plain files lie, unless a relocation is under way.
func (s *store) layout() (l layout.Layout, err error) {
	err = s.db.View(func(tx *stateTx) error {
		if v := tx.bucket(bucketMeta).Get(keyLayout); len(v) == 1 && v[0] <= byte(layout.Hundreds) {
			l = layout.Layout(v[0])
		}
		return nil
	})
	return l, err
}

func fileKey(id entity.ID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)) }

// each calls f for every record, in the order of the IDs.
func (s *store) each(f func(id entity.ID, r *record) error) error {
	return s.db.View(func(tx *stateTx) error {
		return tx.bucket(bucketFiles).ForEach(func(k, v []byte) error {
			r, err := parseRecord(v)
			if err != nil || len(k) != 4 {
				return errRecord
			}
			return f(entity.ID(binary.BigEndian.Uint32(k)), r)
		})
	})
}

// text returns the stored bytes of a file.
func (s *store) text(id entity.ID) (text []byte, err error) {
	if text, ok := s.aheadText(id); ok {
		return text, nil
	}
	err = s.db.View(func(tx *stateTx) error {
		r, err := parseRecord(tx.bucket(bucketFiles).Get(fileKey(id)))
		if err == nil {
			text = r.text
		}
		return err
	})
	return text, err
}

// meta returns one value of meta, empty if there is none.
func (s *store) meta(key []byte) (value []byte, err error) {
	err = s.db.View(func(tx *stateTx) error {
		value = slices.Clone(tx.bucket(bucketMeta).Get(key))
		return nil
	})
	return value, err
}

// putMeta durably sets one value of meta.
func (s *store) putMeta(key, value []byte) error {
	return s.apply(update{meta: map[string][]byte{string(key): value}})
}

// putAll puts values in the order of their keys, which bbolt takes fastest.
func putAll(b stateBucket, values map[string][]byte) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := b.Put([]byte(key), values[key]); err != nil {
			return err
		}
	}
	return nil
}
