package state

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

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/wal"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Store is state.db: the edits that the pack does not have yet, and what is
// local to this machine (inode numbers, times, exact texts). bbolt makes each
// update atomic and durable; those that a caller waits for are in a log first
// (see ApplyFast).
type Store struct {
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

	mu             sync.Mutex
	unflushed      Update    // what the log has and state.db does not; guarded by mu, and changed with writing
	unflushedSince time.Time // zero: that is nothing; guarded by mu
}

// currentFormat is the version of what follows. A change that an older worldfs
// would misread, or that makes this one misread an older one's, counts it up and
// adds to upgrades. A new bucket or key needs neither.
const currentFormat = 4

var (
	bucketMeta   = []byte("meta")
	bucketFiles  = []byte("files")  // ID, big-endian -> record
	bucketStamps = []byte("stamps") // ID / stampsTogether, big-endian -> stamps of plain files
	bucketTexts  = []byte("texts")  // ID, big-endian -> what the plain file held, if no pack has it
	bucketBases  = []byte("bases")  // u32, big-endian -> hash of a pack that stamps refer to

	bucketPacks = []byte("packs") // hash -> what is known of that pack: see PackNote

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

// ErrNewer is what opening a state.db of a newer format gives.
var ErrNewer = errors.New("the state in .worldfs was written by a newer worldfs; use that one")

// Meta is what state.db holds beside records.
type Meta struct {
	Mark
	Base, Made         [32]byte
	ino                uint64
	Seq                uint64
	Born, Mtime, Ctime time.Time
	Seen               Seen
	Fresh              bool // the database was made just now

	salt, logNumber uint64 // of the log
	logIsUsed       bool   // there is one, which may have what state.db does not
}

// Open opens the state of a world directory, whose lock the caller holds.
// What is damaged in it is a *Damage, and nothing is changed then.
func Open(dir *worlddir.Dir, d *disk.Disk, log *slog.Logger, inMemory bool) (*Store, Meta, error) {
	path := dir.DBPath()
	disk.Sweep(path, "tmp")
	disk.Sweep(dir.WALPath(), "tmp")
	s := &Store{disk: d, log: log, logPath: dir.WALPath(), inMemory: inMemory}
	if err := s.prepare(dir); err != nil {
		return nil, Meta{}, err
	}
	db, err := s.openFile(path)
	if err != nil {
		return nil, Meta{}, fmt.Errorf("open %s: %w", path, err)
	}
	s.db = db
	m, err := s.read()
	if err != nil {
		return nil, Meta{}, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return s, m, nil
}

// prepare has a state.db be there that is whole and of this format.
func (s *Store) prepare(dir *worlddir.Dir) error {
	path := dir.DBPath()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if lostState(dir) {
			return damagef("it is gone, and its log or the packs that it knew are still there")
		}
		return s.create(path, newMeta())
	}
	format, err := examine(path)
	if err != nil || format == currentFormat {
		return err
	}
	if s.inMemory && !dir.IsAside() {
		return fmt.Errorf("upgrade %s: %w", path, ErrInMemory)
	}
	return s.upgrade(path, format)
}

func newMeta() Meta {
	m := Meta{ino: firstIno, Born: time.Now(), salt: rand.Uint64()}
	m.Mtime, m.Ctime = m.Born, m.Born
	return m
}

// create makes a state.db, which gets its name when it is whole: one that is empty
// is then never a new one.
func (s *Store) create(path string, m Meta) error {
	temp := disk.Beside(path, "tmp")
	defer os.Remove(temp) // after the rename it is not there
	db, err := openDatabase(temp)
	if err != nil {
		return fmt.Errorf("make state: %w", err)
	}
	err = db.Update(func(tx *transaction) error {
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
func (s *Store) place(temp, path string) error {
	if err := s.disk.Rename("state", temp, path); err != nil {
		return err
	}
	return s.disk.SyncDir("state", filepath.Dir(path))
}

// read returns what state.db and the log hold.
func (s *Store) read() (Meta, error) {
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
func (s *Store) current() (m Meta, err error) {
	err = s.db.View(func(tx *transaction) error {
		m.get(tx.bucket(bucketMeta))
		return nil
	})
	m.Fresh = s.created
	return m, err
}

func (m *Meta) put(b sealedBucket) error {
	le := binary.LittleEndian
	for _, p := range []struct{ key, value []byte }{
		{keyFormat, le.AppendUint32(nil, currentFormat)},
		{keyLog, logNote(m.salt, m.logNumber)},
		{keyIno, le.AppendUint64(nil, m.ino)},
		{keyBorn, fileattr.AppendTime(nil, m.Born)},
		{keyDir, DirTimes{Mtime: m.Mtime, Ctime: m.Ctime}.append(nil)},
	} {
		if err := b.Put(p.key, p.value); err != nil {
			return err
		}
	}
	return nil
}

func (m *Meta) get(b sealedBucket) {
	u64 := func(key []byte, at int) uint64 {
		v := b.Get(key)
		if len(v) < at+8 {
			return 0
		}
		return binary.LittleEndian.Uint64(v[at:])
	}
	copy(m.Base[:], b.Get(keyBase))
	copy(m.Made[:], b.Get(keyMade))
	m.Mark = parseMark(b.Get(keyNext))
	m.salt, m.logNumber = u64(keyLog, 0), u64(keyLog, 8)
	m.logIsUsed = len(b.Get(keyLogIsUsed)) > 0
	m.ino, m.Seq = max(u64(keyIno, 0), firstIno), u64(keySeq, 0)
	m.Born, m.Mtime = fileattr.ParseTime(b.Get(keyBorn)), fileattr.ParseTime(b.Get(keyDir))
	if times := b.Get(keyDir); len(times) >= 2*fileattr.TimeSize {
		m.Ctime = fileattr.ParseTime(times[fileattr.TimeSize:])
	}
	m.Seen = parseSeen(b.Get(keySeen))
}

// Layout returns where the plain files lie, unless a relocation is under way.
func (s *Store) Layout() (l layout.Layout, err error) {
	err = s.db.View(func(tx *transaction) error {
		if v := tx.bucket(bucketMeta).Get(keyLayout); len(v) == 1 && v[0] <= byte(layout.Hundreds) {
			l = layout.Layout(v[0])
		}
		return nil
	})
	return l, err
}

func fileKey(id entity.ID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(id)) }

// EachRecord calls f for every record, in the order of the IDs.
func (s *Store) EachRecord(f func(id entity.ID, r *Record) error) error {
	return s.db.View(func(tx *transaction) error {
		return tx.bucket(bucketFiles).ForEach(func(k, v []byte) error {
			r, err := parseRecord(v)
			if err != nil || len(k) != 4 {
				return ErrRecord
			}
			return f(entity.ID(binary.BigEndian.Uint32(k)), r)
		})
	})
}

// Text returns the stored bytes of a file.
func (s *Store) Text(id entity.ID) (text []byte, err error) {
	if text, ok := s.unflushedText(id); ok {
		return text, nil
	}
	err = s.db.View(func(tx *transaction) error {
		r, err := parseRecord(tx.bucket(bucketFiles).Get(fileKey(id)))
		if err == nil {
			text = r.Text
		}
		return err
	})
	return text, err
}

// meta returns one value of meta, empty if there is none.
func (s *Store) meta(key []byte) (value []byte, err error) {
	err = s.db.View(func(tx *transaction) error {
		value = slices.Clone(tx.bucket(bucketMeta).Get(key))
		return nil
	})
	return value, err
}

// putMeta durably sets one value of meta.
func (s *Store) putMeta(key, value []byte) error {
	return s.Apply(Update{meta: map[string][]byte{string(key): value}})
}

// PutBase notes the pack that the edits sit on.
func (s *Store) PutBase(hash [32]byte) error { return s.putMeta(keyBase, hash[:]) }

// PutLayout notes where the plain files lie.
func (s *Store) PutLayout(l layout.Layout) error { return s.putMeta(keyLayout, []byte{byte(l)}) }

// PutSeen notes how world.pack and types/ are.
func (s *Store) PutSeen(now Seen) error { return s.putMeta(keySeen, now.append(nil)) }

// PutSaved stores what is known of the last save of another program, JSON that the
// caller understands.
func (s *Store) PutSaved(note []byte) error { return s.putMeta(keySaved, note) }

// Saved returns what PutSaved stored, empty if there is none.
func (s *Store) Saved() ([]byte, error) { return s.meta(keySaved) }

// putIno notes that no inode number from limit on was ever used.
func (s *Store) putIno(limit uint64) error {
	return s.putMeta(keyIno, binary.LittleEndian.AppendUint64(nil, limit))
}

// PutPlainInStep notes the last edit with which all plain files are in step.
func (s *Store) PutPlainInStep(edit uint64) error {
	return s.putMeta(keyPlain, binary.LittleEndian.AppendUint64(nil, edit))
}

// PlainInStep returns what PutPlainInStep noted, 0 if there is none.
func (s *Store) PlainInStep() (edit uint64, err error) {
	noted, err := s.meta(keyPlain)
	if len(noted) == 8 {
		edit = binary.LittleEndian.Uint64(noted)
	}
	return edit, err
}

// putAll puts values in the order of their keys, which bbolt takes fastest.
func putAll(b sealedBucket, values map[string][]byte) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := b.Put([]byte(key), values[key]); err != nil {
			return err
		}
	}
	return nil
}
