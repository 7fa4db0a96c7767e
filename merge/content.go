package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/interchange"
)

// What has to be chosen between two sides that are alike, or out of all IDs, is chosen by
// content: then two machines that merge the same choose the same, whichever side each sees
// as ours, and in whatever order three worlds come together.

// digest stands for an entity's content.
type digest [sha256.Size]byte

func (d digest) compare(o digest) int { return bytes.Compare(d[:], o[:]) }

// digestDepth is how far refs are followed from an entity to others that are new: enough
// to tell apart what only differs in what it refers to.
const digestDepth = 8

// digests computes the digests of what the sides have. A ref counts as what it refers to
// where that is new, for its ID may be another after a merge.
type digests struct {
	*merger
	known map[digestKey]digest
}

type digestKey struct {
	party Party
	id    entity.ID
	depth int
}

func (m *merger) newDigests() *digests {
	return &digests{merger: m, known: make(map[digestKey]digest)}
}

// of returns the digest of a side's entity.
func (d *digests) of(p Party, id entity.ID) digest { return d.at(digestKey{p, id, digestDepth}) }

func (d *digests) at(key digestKey) digest {
	if sum, ok := d.known[key]; ok {
		return sum
	}
	var sum digest
	if s := d.slots[key.id]; s != nil {
		if e := either(key.party, s.ours, s.theirs); e != nil {
			sum = d.sum(key, e)
		}
	}
	d.known[key] = sum
	return sum
}

// sum returns the digest of an entity without its ID.
func (d *digests) sum(key digestKey, e *entity.Entity) digest {
	c := *e
	c.ID = 1
	c.Values = slices.Clone(e.Values)
	var behind []digest
	for _, i := range d.refFields(e.Layout).all {
		c.Values[i] = reference.Replace(&e.Layout.Fields[i].Shape, c.Values[i], func(id entity.ID, _ bool) entity.ID {
			if s := d.slots[id]; s == nil || s.base != nil {
				return id
			}
			if key.depth > 0 {
				behind = append(behind, d.at(digestKey{key.party, id, key.depth - 1}))
			}
			return 0
		})
	}
	slices.SortFunc(behind, digest.compare) // a set has its refs in the order of their IDs
	data := interchange.AppendEntity(nil, &c)
	for _, b := range behind {
		data = append(data, b[:]...)
	}
	return sha256.Sum256(data)
}

// spread returns a number below n that a digest and an ID choose.
func (d digest) spread(id entity.ID, n uint64) uint64 {
	data := binary.LittleEndian.AppendUint32(d[:len(d):len(d)], uint32(id))
	sum := sha256.Sum256(data)
	return binary.LittleEndian.Uint64(sum[:]) % n
}
