package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/boltfile"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/wal"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Mended says what became of a damaged state.db or log.
type Mended struct {
	Damage  string      `json:"damage"`            // what was wrong, "" if nothing was
	Aside   []string    `json:"aside,omitempty"`   // where the damaged files are now
	Records int         `json:"records,omitempty"` // edits and attributes of so many entities were whole
	Lost    []entity.ID `json:"lost,omitempty"`    // what was noted of these is not whole: they are as the pack or an older note has them
	Unnamed []string    `json:"unnamed,omitempty"` // what is lost besides, or may be, in words

	Salvaged []FromHistory `json:"salvaged,omitempty"` // these are as the history was told of them last
}

// salvage is what is whole of a damaged state.
type salvage struct {
	values map[string]map[string][]byte // bucket, key
	sums   stateSums
	lost   map[entity.ID]bool
	report *Mended
}

// Mend makes a state.db of what is whole of a damaged one and its log. The
// damaged files are kept beside it.
func Mend(dir *worlddir.Dir, d *disk.Disk, damage *Damage) (m Mended, err error) {
	m.Damage = damage.Error()
	data, err := os.ReadFile(dir.DBPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	log, err := wal.Load(dir.WALPath())
	if err != nil {
		return m, err
	}
	v := salvage{values: make(map[string]map[string][]byte), lost: make(map[entity.ID]bool), report: &m}
	for _, name := range buckets {
		v.values[string(name)] = make(map[string][]byte)
	}
	v.readState(data)
	v.readPlain(dir)
	v.readLog(log)
	v.readHistory(dir)
	for id := range v.lost {
		m.Lost = append(m.Lost, id)
	}
	slices.Sort(m.Lost)
	m.Records = len(v.values[string(bucketFiles)])
	return m, v.write(dir, d)
}

// readState takes what is whole of state.db: what its tree leads to, and, where
// that is not all, what else lies in the file.
func (v *salvage) readState(data []byte) {
	f := boltfile.Parse(data)
	faults := f.Walk(func(e boltfile.Element) {
		bucket, known := v.values[e.Bucket]
		value, _, ok := unseal([]byte(e.Bucket), e.Key, e.Value)
		switch {
		case known && ok:
			bucket[string(e.Key)] = bytes.Clone(value)
		case e.Bucket == string(bucketFiles) && len(e.Key) == 4 && len(e.Value) > 0:
			v.lost[entity.ID(binary.BigEndian.Uint32(e.Key))] = true
		}
	})
	tree, _ := parseStateSums(v.values[string(bucketMeta)][string(keySums)])
	v.sums = tree
	f.Scan(v.findSums)
	if v.complete() {
		clear(v.lost)
		return
	}
	lacking := v.lacking()
	f.Scan(func(e boltfile.Element) { v.fill(e, lacking) })
	if v.complete() {
		clear(v.lost)
		return
	}
	v.reportLost(faults)
}

// lacking returns the buckets of which not all is there that the last transaction left.
func (v *salvage) lacking() (names [][]byte) {
	for i, name := range buckets {
		if v.sums.txid == 0 || v.tallyOf(name) != v.sums.tallies[i] {
			names = append(names, name)
		}
	}
	return names
}

// findSums looks for the sums of the last transaction.
func (v *salvage) findSums(e boltfile.Element) {
	if !bytes.Equal(e.Key, keySums) {
		return
	}
	value, _, ok := unseal(bucketMeta, e.Key, e.Value)
	if sums, parsed := parseStateSums(value); ok && parsed && sums.txid > v.sums.txid {
		v.sums = sums
	}
}

// fill takes a value that the tree did not lead to, in the latest state of it that
// can be told. A bucket of which nothing is lacking takes none: what else lies in the file is
// what it had before.
func (v *salvage) fill(e boltfile.Element, lacking [][]byte) {
	for _, name := range lacking {
		value, _, ok := unseal(name, e.Key, e.Value)
		if !ok || isBare(name, e.Key) {
			continue
		}
		bucket := v.values[string(name)]
		have, there := bucket[string(e.Key)]
		if !there || bytes.Equal(name, bucketFiles) && isLater(value, have) {
			bucket[string(e.Key)] = bytes.Clone(value)
		}
	}
}

// isLater reports whether a record is of a later edit than another.
func isLater(a, b []byte) bool {
	x, errX := parseRecord(a)
	y, errY := parseRecord(b)
	return errX == nil && (errY != nil || x.Seq > y.Seq)
}

// complete reports whether all is there that the last transaction left.
func (v *salvage) complete() bool { return len(v.lacking()) == 0 }

func (v *salvage) tallyOf(name []byte) (t tally) {
	for key, value := range v.values[string(name)] {
		if !isBare(name, []byte(key)) {
			t.add(sealOf(name, []byte(key), value))
		}
	}
	return t
}

// reportLost says what may be missing. A record that was found elsewhere in the file
// may be older than the one that is lost, so it counts as lost, too.
func (v *salvage) reportLost(faults []boltfile.Fault) {
	filesLack := false
	for i, name := range buckets {
		if is, was := v.tallyOf(name), v.sums.tallies[i]; is != was || v.sums.txid == 0 {
			v.report.Unnamed = append(v.report.Unnamed, fmt.Sprintf("of %s %d values are whole, %s", contentOf(name), is.count, wasCount(v.sums, was)))
			filesLack = filesLack || bytes.Equal(name, bucketFiles)
		}
	}
	if filesLack {
		v.loseRecords(faults)
	} else {
		clear(v.lost) // another copy of what was damaged is whole
	}
}

// loseRecords counts the records as lost in whose place in the tree something is at fault.
func (v *salvage) loseRecords(faults []boltfile.Fault) {
	for _, f := range faults {
		if f.Bucket != string(bucketFiles) && f.Bucket != "" {
			continue
		}
		from, to := idOf(f.From, 1), idOf(f.To, 1<<32-1)
		v.report.Unnamed = append(v.report.Unnamed, fmt.Sprintf("%s: the last edits of entities from %d to %d may be missing", f.What, from, to))
		for key := range v.values[string(bucketFiles)] {
			if id := entity.ID(binary.BigEndian.Uint32([]byte(key))); uint64(id) >= from && uint64(id) <= to {
				v.lost[id] = true
			}
		}
	}
}

func wasCount(s stateSums, t tally) string {
	if s.txid == 0 {
		return "and how many there were is not known"
	}
	return fmt.Sprintf("and there were %d", t.count)
}

func contentOf(bucket []byte) string {
	switch string(bucket) {
	case string(bucketFiles):
		return "the entities' edits and attributes"
	case string(bucketStamps), string(bucketTexts), string(bucketBases):
		return "what was known of the plain files (bucket " + string(bucket) + ")"
	case string(bucketPacks):
		return "what was known of kept packs"
	}
	return "the state's own notes"
}

func idOf(key []byte, none uint64) uint64 {
	if len(key) != 4 {
		return none
	}
	return uint64(binary.BigEndian.Uint32(key))
}

// readLog takes what is whole of the log and not in state.db.
func (v *salvage) readLog(data []byte) {
	var m Meta
	note := v.values[string(bucketMeta)][string(keyLog)]
	if len(note) >= 16 {
		m.salt, m.logNumber = binary.LittleEndian.Uint64(note), binary.LittleEndian.Uint64(note[8:])
	}
	if data == nil {
		if len(v.values[string(bucketMeta)][string(keyLogIsUsed)]) > 0 {
			v.report.Unnamed = append(v.report.Unnamed, "state.wal: edits synced in the last second before the end may be, since "+logIsGone)
		}
		return
	}
	payloads, last, err := wal.Parse(data, m.salt, m.logNumber)
	if err == nil {
		for _, p := range payloads {
			v.applyLog(p, last)
		}
		return
	}
	records := wal.Salvage(data, m.salt)
	slices.SortFunc(records, func(a, b wal.Record) int { return int(a.Number) - int(b.Number) })
	before := m.logNumber
	for _, r := range records {
		if r.Number <= m.logNumber {
			continue
		}
		if r.Number > before+1 && before > 0 {
			v.report.Unnamed = append(v.report.Unnamed, fmt.Sprintf("records %d to %d of state.wal are lost; edits synced in the last second before the end may be", before+1, r.Number-1))
		}
		before = r.Number
		v.applyLog(r.Payload, r.Number)
	}
	if v.wasClosed() {
		return
	}
	v.report.Unnamed = append(v.report.Unnamed, fmt.Sprintf("%v: synced edits behind record %d may be missing", err, before))
}

// wasClosed reports whether all of the state's own notes are whole, and say that the
// log has nothing.
func (v *salvage) wasClosed() bool {
	i := slices.IndexFunc(buckets, func(name []byte) bool { return bytes.Equal(name, bucketMeta) })
	used := len(v.values[string(bucketMeta)][string(keyLogIsUsed)]) > 0
	return !used && v.sums.txid != 0 && v.tallyOf(bucketMeta) == v.sums.tallies[i]
}

// applyLog takes in one record of the log. One that goes on from a text that is
// lost loses it.
func (v *salvage) applyLog(payload []byte, number uint64) {
	u, err := parseUpdate(payload)
	if err != nil {
		v.report.Unnamed = append(v.report.Unnamed, fmt.Sprintf("record %d of state.wal cannot be read", number))
		return
	}
	files := v.values[string(bucketFiles)]
	for id, r := range u.Records {
		key := string(fileKey(id))
		old, errOld := parseRecord(files[key])
		if errOld == nil && old.Seq > r.Seq {
			continue
		}
		if r.KeepText {
			if errOld != nil {
				v.lost[id] = true
				continue
			}
			r.Text = old.Text
		} else {
			delete(v.lost, id)
		}
		files[key] = r.append(nil)
	}
	for key, value := range u.meta {
		if key != string(keySums) && key != string(keyFormat) {
			v.values[string(bucketMeta)][key] = value
		}
	}
}

// write makes the new state.db and puts it in the damaged one's place, which stays
// beside it as the log does.
func (v *salvage) write(dir *worlddir.Dir, d *disk.Disk) error {
	s := &Store{disk: d, logPath: dir.WALPath()}
	path := dir.DBPath()
	temp := disk.Beside(path, "mended")
	defer os.Remove(temp) // after the rename it is not there
	if err := s.create(temp, v.meta()); err != nil {
		return err
	}
	db, err := openDatabase(temp)
	if err != nil {
		return err
	}
	err = errors.Join(db.Update(v.put), db.Close())
	if err == nil {
		err = v.keepDamaged(d, dir)
	}
	if err == nil {
		err = s.place(temp, path)
	}
	if err == nil {
		err = d.Remove("wal", dir.WALPath())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, d.SyncDir("state", filepath.Dir(path)))
}

// meta returns what a new state.db has where the damaged one's values are lost. No
// inode number that may have been given is given again.
func (v *salvage) meta() Meta {
	m := newMeta()
	m.ino += 1 << 32
	return m
}

func (v *salvage) put(tx *transaction) error {
	salt := slices.Clone(tx.bucket(bucketMeta).Get(keyLog)) // the old log is not the new state's
	for _, name := range buckets {
		values := v.values[string(name)]
		delete(values, string(keySums))
		delete(values, string(keyFormat))
		delete(values, string(keyLogIsUsed)) // the log goes
		if err := putAll(tx.bucket(name), values); err != nil {
			return err
		}
	}
	return tx.bucket(bucketMeta).Put(keyLog, salt)
}

// keepDamaged copies the damaged files to names of their own.
func (v *salvage) keepDamaged(d *disk.Disk, dir *worlddir.Dir) error {
	suffix := ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000")
	for _, path := range []string{dir.DBPath(), dir.WALPath()} {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = d.WriteAtomic("damaged state", path+suffix, data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("keep the damaged state: %w", err)
		}
		v.report.Aside = append(v.report.Aside, path+suffix)
	}
	return nil
}
