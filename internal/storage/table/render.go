package table

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// renderer is what rendering a text needs besides the text itself. It is used again:
// a process that reads a whole world has all of it rendered once, and only the
// texts should stay in memory after that.
type renderer struct {
	scratch packfile.Scratch
	text    []byte
}

var renderers = sync.Pool{New: func() any { return new(renderer) }}

// maxRendererSize is the size in bytes of a text beyond which the memory that it was
// rendered in is not kept for others.
const maxRendererSize = 64 << 10

// renderFrom renders the values of an entity that are from a place, false if there
// are none.
func renderFrom(id entity.ID, pack *packfile.Pack, from origin, good *entity.Entity) (text []byte, ok bool) {
	r := renderers.Get().(*renderer)
	e := good
	if from == inThePack {
		e, ok = pack.GetInto(id, &r.scratch)
	} else {
		ok = from == itsOwn
	}
	if ok {
		r.text = textcodec.Append(r.text[:0], e)
		text = slices.Clone(r.text)
	}
	if len(r.text) <= maxRendererSize {
		r.scratch.Reset()
		renderers.Put(r)
	}
	return text, ok
}

// errNoText is why a file that there is cannot be read: neither the pack nor
// state.db has its text. It is no fs.ErrNotExist, after which callers look again.
var errNoText = errors.New("its text is neither in world.pack nor in .worldfs/state.db; worldfs restore lists the packs that may have it")

// render returns the bytes of a file that does not hold them itself.
func (t *Table) render(f *File) ([]byte, error) {
	t.mu.RLock()
	id, pack, origin := f.id, t.pack, inThePack
	var good *entity.Entity
	if t.untouchedFiles.Get(id) != f {
		s := t.slots[id]
		if s == nil || s.file != f {
			t.mu.RUnlock()
			return nil, nil // it was just unlinked; the caller sees that its version moved
		}
		if s.stored {
			defer t.mu.RUnlock()
			return t.store.Text(id)
		}
		origin, good = s.origin, s.good
	}
	t.mu.RUnlock() // every lookup would wait for the decoding
	text, ok := renderFrom(id, pack, origin, good)
	if !ok {
		return nil, fmt.Errorf("entity %d: %w", id, errNoText)
	}
	return text, nil
}

// valuesLocked returns an entity's last good values, nil if it never had any. The
// caller has mu.
func (t *Table) valuesLocked(id entity.ID, s *slot) *entity.Entity {
	if s == nil {
		return valuesFrom(id, t.pack, inThePack, nil)
	}
	return valuesFrom(id, t.pack, s.origin, s.good)
}

// valuesFrom returns the last good values of an entity whose values are from a
// place.
func valuesFrom(id entity.ID, pack *packfile.Pack, from origin, good *entity.Entity) *entity.Entity {
	switch from {
	case inThePack:
		e, _ := pack.Get(id)
		return e
	case itsOwn:
		return good
	}
	return nil
}
