// Package changeset writes change sets as text that can be mailed, put one
// after the other, inverted, cut down and applied, reads them again, and shows
// them to people as a table and as a map. docs/changeset.md has the format.
//
//	worldfs changes 1
//	change Door 6555 "bunker door" revision 72
//	  position [46.10353,108.07968,8.694907] -> [47,108,8.5]
//	  targets
//	    - 6001
//	    + 6010
//	create Light 7000 "lamp"
//	  {"id":7000,"type":"Light","revision":3,"fields":{"radius":2}}
//	end
//
// Guarantees: what is read of a written set does the same and is written as the
// same text; every value comes back bit for bit; texts put one after the other
// do what the first does and then what the second does.
//
// Costs: reading and writing take time and memory in proportion to the text.
// Of a long array or text only what changes is written, with two items around
// it, by which it is found again in a world that has moved on.
package changeset

import (
	"iter"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// The lines that begin and end a text.
const (
	header = "worldfs changes"
	format = "1"
	ending = "end"
)

// Error says what is wrong with a text, and where: "fix.changes:17: Door 6555,
// field position: want 3 numbers, got 2".
type Error = interchange.Error

// blocks yields the changes as they are written: those of the properties of one
// entity together where they stand next to each other, what makes, takes away
// or replaces an entity alone.
func blocks(set entity.ChangeSet) iter.Seq[entity.ChangeSet] {
	return groups(set, func(a, b entity.Change) bool { return together(a, b) && sameLayout(a.Of, b.Of) })
}

// together reports whether two changes are of the properties of one entity.
func together(a, b entity.Change) bool { return !whole(a) && !whole(b) && a.ID == b.ID }

func sameLayout(a, b *entity.Layout) bool {
	return a == b || a != nil && b != nil && a.Type == b.Type && a.Revision == b.Revision
}

// groups yields the changes that stand next to each other and belong together.
func groups(set entity.ChangeSet, together func(a, b entity.Change) bool) iter.Seq[entity.ChangeSet] {
	return func(yield func(entity.ChangeSet) bool) {
		for len(set) > 0 {
			n := 1
			for n < len(set) && together(set[0], set[n]) {
				n++
			}
			if !yield(set[:n]) {
				return
			}
			set = set[n:]
		}
	}
}

// whole reports whether the change is one of a whole entity.
func whole(c entity.Change) bool {
	return c.Op == entity.OpCreate || c.Op == entity.OpDelete || c.Op == entity.OpReplace
}

// subject returns whom a change is about, as it was before if it was.
func subject(c entity.Change) (l *entity.Layout, name string) {
	switch e := c.Old; {
	case !whole(c):
		return c.Of, c.Name
	case e == nil:
		return c.New.Layout, c.New.Name()
	default:
		return e.Layout, e.Name()
	}
}
