package state

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/boltfile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Damage says that state.db or its log is not as it was written. Mend mends
// it.
type Damage struct {
	File string // "state.db" or "state.wal"
	What string
}

func (d *Damage) Error() string {
	return fmt.Sprintf(".worldfs/%s is damaged: %s; nothing was changed; "+
		"worldfs restore brings back all that is whole and lists what is not", d.File, d.What)
}

func damagef(format string, args ...any) *Damage {
	return &Damage{File: "state.db", What: fmt.Sprintf(format, args...)}
}

// examine reads all of a state.db before bbolt is to believe it, and returns its
// format.
func examine(path string) (format uint32, err error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return 0, err
	}
	defer unmap()
	err = guard(func() (err error) {
		format, err = examineBytes(data)
		return err
	})
	return format, err
}

// examination is what examining a state.db found.
type examination struct {
	format  uint32
	sums    stateSums
	summed  bool // sums was there
	tallies tallies
	badKey  *boltfile.Element // a value that is not what was written, nil if none
}

func examineBytes(data []byte) (format uint32, err error) {
	f := boltfile.Parse(data)
	var x examination
	faults := f.Walk(x.look)
	switch {
	case len(faults) > 0:
		return 0, damagef("%s", faults[0].What)
	case !x.summed && x.format > currentFormat:
		return 0, newerState(x.format)
	case !x.summed && x.format > 0 && x.format < currentFormat:
		return x.format, nil // it has no checksums
	case !x.summed:
		return 0, damagef("what it holds is not counted")
	case x.sums.format != x.format:
		return 0, damagef("it gives its format as %d and as %d", x.format, x.sums.format)
	case x.format > currentFormat:
		return 0, newerState(x.format)
	case x.badKey != nil:
		return 0, damagef("value %x of bucket %s is not what was written", x.badKey.Key, x.badKey.Bucket)
	case x.sums.txid != f.Txid():
		return 0, damagef("what it holds is counted as of another transaction")
	}
	for i, t := range x.tallies {
		if t != x.sums.tallies[i] {
			return 0, damagef("bucket %s has other values than were written: %d and not %d", buckets[i], t.count, x.sums.tallies[i].count)
		}
	}
	return x.format, nil
}

// look takes in one value.
func (x *examination) look(e boltfile.Element) {
	bucket := []byte(e.Bucket)
	i := slices.IndexFunc(buckets, func(b []byte) bool { return string(b) == e.Bucket })
	value, sum, ok := unseal(bucket, e.Key, e.Value)
	switch {
	case i < 0:
	case isBare(bucket, e.Key) && string(e.Key) == string(keySums):
		if x.sums, x.summed = parseStateSums(value); !ok {
			x.summed = false
		}
	case isBare(bucket, e.Key):
		if len(e.Value) == 4 {
			x.format = binary.LittleEndian.Uint32(e.Value)
		}
	case !ok && x.badKey == nil:
		x.badKey = &e
	default:
		x.tallies[i].add(sum)
	}
}

func newerState(format uint32) error {
	return fmt.Errorf("%w (its format is %d, this one knows up to %d)", ErrNewer, format, currentFormat)
}

// lostState reports whether a world directory without a state.db must once have
// had one: it has the log of one, or packs that one noted.
func lostState(dir *worlddir.Dir) bool {
	if _, err := os.Lstat(dir.WALPath()); err == nil {
		return true
	}
	entries, _ := os.ReadDir(dir.PacksPath()) // without it there are none
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") })
}
