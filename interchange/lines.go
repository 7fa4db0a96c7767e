package interchange

import (
	"hash/maphash"
	"io"

	"github.com/worldfs/worldfs/entity"
)

// Lines reads streams that have much in common. A line that stood in an earlier one,
// under the same declaration of the type, is not parsed again: its entity is that
// one's. Lines are told apart by 128 bits of hashes with seeds of the process's own,
// so that they cannot be made to collide.
type Lines struct {
	seeds    [2]maphash.Seed
	entities map[lineSum]*entity.Entity
	types    map[string]*entity.Type // by how they are written
	unknown  unknownTypes
}

type lineSum [2]uint64

// NewLines returns Lines that have read nothing yet.
func NewLines() *Lines {
	return &Lines{
		seeds:    [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		entities: make(map[lineSum]*entity.Entity), types: make(map[string]*entity.Type),
	}
}

// Read reads a whole stream as the function Read does.
func (l *Lines) Read(r io.Reader, file string) (*Document, error) {
	d := newDocumentReader(nil)
	d.lines, d.fresh = l, make(map[lineSum]*entity.Entity)
	d.entities.lines, d.entities.unknown = l, &l.unknown
	if err := d.read(r, file, nil); err != nil {
		return nil, err
	}
	if len(l.entities) == 0 {
		l.entities = d.fresh
	}
	for sum, e := range d.fresh {
		l.entities[sum] = e
	}
	return &d.document, nil
}

func (l *Lines) sum(line []byte) lineSum {
	return lineSum{maphash.Bytes(l.seeds[0], line), maphash.Bytes(l.seeds[1], line)}
}

// recall returns the entity of a line that an earlier stream has, if it has it.
func (p *entityParser) recall(line []byte) (l aheadLine) {
	if p.lines == nil {
		return l
	}
	l.sum = p.lines.sum(line)
	l.entity = p.lines.known(l.sum, p.types)
	l.known = l.entity != nil
	return l
}

// known returns the entity of a line that an earlier stream has, nil if there is none
// or these types read the line as something else.
func (l *Lines) known(sum lineSum, types *entity.Types) *entity.Entity {
	e := l.entities[sum]
	if e == nil {
		return nil
	}
	t := types.Get(e.Type())
	if t != e.Layout.Type && (t != nil || !e.Layout.Type.Unknown) {
		return nil
	}
	return e
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
