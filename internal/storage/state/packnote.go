package state

import (
	"bytes"
	"time"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// PackNote is what is remembered of a pack by its hash, longer than the pack
// itself is kept.
type PackNote struct {
	At     time.Time // when it was published or saved; no two packs have the same
	Saved  bool      // another program saved it, and it has been taken in
	Loaded bool      // another program has read it while it was the published one

	// Published says that it was published, too, where Saved says that another program
	// saved it. What was not saved was published.
	Published bool
}

// MaxNotes is how many packs are remembered: the newest.
const MaxNotes = 8192

const (
	noteSaved     = 1 << 0
	noteLoaded    = 1 << 1
	notePublished = 1 << 2
	noteSize      = fileattr.TimeSize + 1
)

func (n PackNote) append(dst []byte) []byte {
	var flags byte
	if n.Saved {
		flags |= noteSaved
	}
	if n.Loaded {
		flags |= noteLoaded
	}
	if n.Published {
		flags |= notePublished
	}
	return append(fileattr.AppendTime(dst, n.At), flags)
}

// parseNote reads what append wrote, the zero note where there is none.
func parseNote(b []byte) (n PackNote) {
	if len(b) < noteSize {
		return n
	}
	at, flags := fileattr.ParseTime(b), b[fileattr.TimeSize]
	return PackNote{At: at, Saved: flags&noteSaved != 0, Loaded: flags&noteLoaded != 0, Published: flags&notePublished != 0}
}

// putNotes writes notes. A zero time leaves the one that is there; flags are
// never taken away.
func putNotes(b sealedBucket, notes map[[32]byte]PackNote) error {
	values := make(map[string][]byte, len(notes))
	for hash, n := range notes {
		old := parseNote(b.Get(hash[:]))
		if n.At.IsZero() {
			n.At = old.At
		}
		n.Saved, n.Loaded, n.Published = n.Saved || old.Saved, n.Loaded || old.Loaded, n.Published || old.Published
		values[string(hash[:])] = n.append(nil)
	}
	return putAll(b, values)
}

// Notes returns what is remembered of packs.
func (s *Store) Notes() (map[[32]byte]PackNote, error) {
	notes := make(map[[32]byte]PackNote)
	err := s.db.View(func(tx *transaction) error {
		return tx.bucket(bucketPacks).ForEach(func(k, v []byte) error {
			if len(k) == 32 {
				notes[[32]byte(bytes.Clone(k))] = parseNote(v)
			}
			return nil
		})
	})
	return notes, err
}

// DropNotes forgets packs.
func (s *Store) DropNotes(hashes [][32]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	return s.update(func(tx *transaction) error {
		for _, hash := range hashes {
			if err := tx.bucket(bucketPacks).Delete(hash[:]); err != nil {
				return err
			}
		}
		return nil
	})
}
