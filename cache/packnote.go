package cache

import (
	"bytes"
	"time"

	"github.com/worldfs/worldfs/internal/fileattr"
)

// packNote is what is remembered of a pack by its hash, longer than the pack
// itself is kept.
type packNote struct {
	at     time.Time // when it was published or saved; no two packs have the same
	saved  bool      // another program saved it, and it has been taken in
	loaded bool      // another program has read it while it was the published one
}

const (
	noteSaved  = 1 << 0
	noteLoaded = 1 << 1
	noteSize   = fileattr.TimeSize + 1

	keepNotes = 8192 // the newest of them
)

func (n packNote) append(dst []byte) []byte {
	var flags byte
	if n.saved {
		flags |= noteSaved
	}
	if n.loaded {
		flags |= noteLoaded
	}
	return append(fileattr.AppendTime(dst, n.at), flags)
}

// parseNote reads what append wrote, the zero note where there is none.
func parseNote(b []byte) (n packNote) {
	if len(b) < noteSize {
		return n
	}
	return packNote{at: fileattr.ParseTime(b), saved: b[fileattr.TimeSize]&noteSaved != 0, loaded: b[fileattr.TimeSize]&noteLoaded != 0}
}

// putNotes writes notes. A zero time leaves the one that is there; flags are
// never taken away.
func putNotes(b stateBucket, notes map[[32]byte]packNote) error {
	values := make(map[string][]byte, len(notes))
	for hash, n := range notes {
		old := parseNote(b.Get(hash[:]))
		if n.at.IsZero() {
			n.at = old.at
		}
		n.saved, n.loaded = n.saved || old.saved, n.loaded || old.loaded
		values[string(hash[:])] = n.append(nil)
	}
	return putAll(b, values)
}

// notes returns what is remembered of packs.
func (s *store) notes() (map[[32]byte]packNote, error) {
	notes := make(map[[32]byte]packNote)
	err := s.db.View(func(tx *stateTx) error {
		return tx.bucket(bucketPacks).ForEach(func(k, v []byte) error {
			if len(k) == 32 {
				notes[[32]byte(bytes.Clone(k))] = parseNote(v)
			}
			return nil
		})
	})
	return notes, err
}

// dropNotes forgets packs.
func (s *store) dropNotes(hashes [][32]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	return s.update(func(tx *stateTx) error {
		for _, hash := range hashes {
			if err := tx.bucket(bucketPacks).Delete(hash[:]); err != nil {
				return err
			}
		}
		return nil
	})
}
