// Package greatloss says when so many entities are gone at once that a person is to be
// asked whether that is meant: a directory removed in the wrong place, a checkout that was
// cut off, a branch with hardly anything in it.
package greatloss

import (
	"crypto/sha256"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Min is how many entities are gone at least in a great loss, but for a smaller world of
// which all are.
const Min = 100

// Is reports whether it is a great loss that gone of had entities are gone: at least Min
// and more than half of all, or all of a smaller world.
func Is(had, gone int) bool {
	return gone >= Min && 2*gone > had || had > 0 && gone == had
}

// Renumbered returns how many of the entities that are gone from a world have another ID
// now: what was made is the same but for its ID and its refs, which may have followed.
func Renumbered(had entity.Source, gone []entity.ID, made []*entity.Entity) (n int) {
	if len(made) == 0 {
		return 0
	}
	were := make(map[[sha256.Size]byte]int, len(gone))
	for _, id := range gone {
		if e, ok := had.Get(id); ok {
			were[likeness(e)]++
		}
	}
	for _, e := range made {
		if like := likeness(e); were[like] > 0 {
			were[like]--
			n++
		}
	}
	return n
}

// likeness returns a hash of all that an entity is but its ID and what has refs.
func likeness(e *entity.Entity) [sha256.Size]byte {
	c := e.Clone()
	c.ID = 1
	for i, f := range c.Layout.Fields {
		if f.Shape.Declares(func(k entity.Kind) bool { return k == entity.KindRef }) {
			c.Values[i] = entity.Value{}
		}
	}
	return sha256.Sum256(textcodec.Append(nil, c))
}
