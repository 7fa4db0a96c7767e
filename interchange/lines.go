package interchange

import (
	"hash/maphash"
	"io"
	"maps"

	"github.com/worldfs/worldfs/entity"
)

// Lines reads streams that have much in common. A line that stood in an earlier one,
// under the same declaration of the type, is not parsed again. Lines are told apart
// by 128 bits of hashes with seeds of the process's own, so that they cannot be made
// to collide.
//
// Of the first stream, hashes and IDs are remembered: 48 bytes a line or so. The
// caller has its entities in whatever form is small. Of the others, entities are
// remembered where they are few: at most laterAtLeast and a laterShare of the first.
type Lines struct {
	seeds   [2]maphash.Seed
	first   map[lineSum]firstLine      // of the first stream; nil before it was read
	later   map[lineSum]*entity.Entity // of others
	types   map[string]*entity.Type    // by how they are written
	unknown unknownTypes
}

// How many entities of a later stream are remembered at most; of one that has more, none.
const (
	laterAtLeast = 8 << 10
	laterShare   = 8 // one in
)

type lineSum [2]uint64

// firstLine is an entity of the first stream.
type firstLine struct {
	id  entity.ID
	typ *entity.Type
}

// Sink takes the entities of a stream as they are read, in its order.
type Sink struct {
	Entity func(*entity.Entity)
	Same   func(entity.ID) // one that is the first stream's, whose line it has; not called of that one
}

// NewLines returns Lines that have read nothing yet.
func NewLines() *Lines {
	return &Lines{
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		later: make(map[lineSum]*entity.Entity), types: make(map[string]*entity.Type),
	}
}

// Read reads a whole stream as the function Read does, and returns the types that it
// declares. What the sink was given counts for nothing with an error.
func (l *Lines) Read(r io.Reader, file string, to Sink) ([]*entity.Type, error) {
	d := newDocumentReader(nil)
	d.lines, d.same = l, to.Same
	d.entities.lines, d.entities.unknown = l, &l.unknown
	first, later := make(map[lineSum]firstLine), make(map[lineSum]*entity.Entity)
	most := laterAtLeast + len(l.first)/laterShare
	d.put = func(e *entity.Entity) {
		switch {
		case l.first == nil:
			first[d.sum] = firstLine{e.ID, e.Layout.Type}
		case len(later) < most:
			later[d.sum] = e
		default:
			most = 0
			clear(later)
		}
		to.Entity(e)
	}
	if err := d.read(r, file, nil); err != nil {
		return nil, err
	}
	if l.first == nil {
		l.first = first
	}
	maps.Copy(l.later, later)
	return d.document.Types, nil
}

func (l *Lines) sum(line []byte) lineSum {
	return lineSum{maphash.Bytes(l.seeds[0], line), maphash.Bytes(l.seeds[1], line)}
}

// recall returns what an earlier stream has in a line, if it has the line and these
// types read it as the same.
func (p *entityParser) recall(line []byte) (l aheadLine) {
	if p.lines == nil {
		return l
	}
	l.sum = p.lines.sum(line)
	if known, ok := p.lines.first[l.sum]; ok && isReadAs(known.typ, p.types) {
		l.known = known.id
	} else if e := p.lines.later[l.sum]; e != nil && isReadAs(e.Layout.Type, p.types) {
		l.known, l.entity = e.ID, e
	}
	return l
}

// isReadAs reports whether a type is the one of its name.
func isReadAs(t *entity.Type, types *entity.Types) bool {
	now := types.Get(t.Name)
	return now == t || now == nil && t.Unknown
}

// declaration returns the type as an earlier stream declares it, if one does so alike.
func (l *Lines) declaration(t *entity.Type) *entity.Type {
	written := string(AppendType(nil, t))
	if known := l.types[written]; known != nil {
		return known
	}
	l.types[written] = t
	return t
}
