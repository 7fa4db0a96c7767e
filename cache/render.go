package cache

import (
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
