package packstore

import (
	"encoding/binary"
	"hash/crc32"
	"iter"
	"os"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/packfile"
)

// sums are the digests of a pack's entities, so that it is known how far a
// save is from each kept pack without reading those.
type sums struct {
	ids     []entity.ID // in order
	digests []uint64
}

func sumsOf(p *packfile.Pack) sums {
	return sums{ids: idsOf(p), digests: p.Digests()}
}

func idsOf(p *packfile.Pack) []entity.ID {
	ids := make([]entity.ID, p.Len())
	for i := range ids {
		ids[i] = p.IDAt(i)
	}
	return ids
}

// A file of sums is a checksum, the number of entities, their IDs, their
// digests. One that is not as it should be is made anew.
func (s sums) append(dst []byte) []byte {
	le, at := binary.LittleEndian, len(dst)
	dst = slices.Grow(dst, 8+12*len(s.ids))
	dst = le.AppendUint32(append(dst, 0, 0, 0, 0), uint32(len(s.ids)))
	for _, id := range s.ids {
		dst = le.AppendUint32(dst, uint32(id))
	}
	for _, d := range s.digests {
		dst = le.AppendUint64(dst, d)
	}
	le.PutUint32(dst[at:], crc32.Checksum(dst[at+4:], crc32.MakeTable(crc32.Castagnoli)))
	return dst
}

func parseSums(b []byte) (s sums, ok bool) {
	le := binary.LittleEndian
	if len(b) < 8 || le.Uint32(b) != crc32.Checksum(b[4:], crc32.MakeTable(crc32.Castagnoli)) {
		return s, false
	}
	n := int(le.Uint32(b[4:]))
	if len(b) != 8+12*n {
		return s, false
	}
	s = sums{ids: make([]entity.ID, n), digests: make([]uint64, n)}
	for i := range n {
		s.ids[i] = entity.ID(le.Uint32(b[8+4*i:]))
		s.digests[i] = le.Uint64(b[8+4*n+8*i:])
	}
	return s, true
}

// Derivation says how a pack was made, where that is known: from another one by
// changes, nil for what is not there any more.
type Derivation struct {
	From    *packfile.Pack
	Changes map[entity.ID]*entity.Entity
}

// EnsureSums has a kept pack's sums lie beside it.
func (s *Store) EnsureSums(p *packfile.Pack, made Derivation) error {
	if _, err := os.Lstat(s.Path(p.Hash()) + sumsSuffix); err == nil {
		return nil
	}
	if made.From != nil {
		if after, ok := s.sumsAfter(p, made); ok {
			return s.writeSums(p.Hash(), after)
		}
	}
	return s.writeSums(p.Hash(), sumsOf(p))
}

// sumsAfter returns the sums of a pack whose derivation is known, as those of the pack
// before it were but for what changed.
func (s *Store) sumsAfter(p *packfile.Pack, made Derivation) (sums, bool) {
	before, ok := s.readSums(made.From.Hash())
	if !ok {
		return sums{}, false
	}
	digests, ok := p.DigestsAfter(made.From, before.digests, made.Changes)
	return sums{ids: idsOf(p), digests: digests}, ok
}

// writeSums puts a kept pack's sums beside it.
func (s *Store) writeSums(hash [32]byte, of sums) error {
	path := s.Path(hash) + sumsSuffix
	temp := disk.Beside(path, "tmp")
	err := disk.WriteSoon(temp, of.append(nil), 0o600)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // the first error is the one to tell
	}
	return err
}

// sums returns a kept pack's.
func (s *Store) sums(hash [32]byte) (sums, error) {
	if read, ok := s.readSums(hash); ok {
		return read, nil
	}
	p, err := s.Get(hash)
	if err != nil {
		return sums{}, err
	}
	of := sumsOf(p)
	_ = s.writeSums(hash, of) // the next time, else
	return of, nil
}

// readSums returns the sums that lie beside a kept pack.
func (s *Store) readSums(hash [32]byte) (sums, bool) {
	b, err := os.ReadFile(s.Path(hash) + sumsSuffix)
	if err != nil {
		return sums{}, false
	}
	return parseSums(b)
}

// differing yields the places, in a and in b, of the entities that differ, -1
// where there is none.
func differing(a, b sums) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		i, j := 0, 0
		for i < len(a.ids) || j < len(b.ids) {
			switch {
			case j == len(b.ids) || i < len(a.ids) && a.ids[i] < b.ids[j]:
				if !yield(i, -1) {
					return
				}
				i++
			case i == len(a.ids) || b.ids[j] < a.ids[i]:
				if !yield(-1, j) {
					return
				}
				j++
			default:
				if a.digests[i] != b.digests[j] && !yield(i, j) {
					return
				}
				i, j = i+1, j+1
			}
		}
	}
}
