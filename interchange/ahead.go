package interchange

import (
	"bytes"
	"runtime"

	"github.com/worldfs/worldfs/entity"
)

// Once there are entities no more types come, so the lines of the next batches
// can be parsed on every core while those of this one are put in their order.
// What cannot be parsed so is left to the caller that puts them in order: it is parsed
// once more, with all that is known by then, and what is wrong with it is told.

// ahead are the lines of one batch, parsed before their turn.
type ahead struct {
	lines []aheadLine
	done  chan struct{} // closed when they are there
}

// aheadLine is an entity that stands in a line; nil: it is left to its turn.
type aheadLine struct {
	entity  *entity.Entity
	offset  int // where it begins
	filling int // what it took, see valueParser
	sum     lineSum
	known   entity.ID // an earlier stream has the line, with this entity; 0: none has
}

// aheadParser has batches parsed ahead.
type aheadParser struct {
	reader  *documentReader
	batches <-chan *batch
	waiting []*batch // in their order
}

// next returns the next batch, and has those after it begun with that have come.
func (p *aheadParser) next() (*batch, bool) {
	if len(p.waiting) == 0 {
		b, ok := <-p.batches
		if !ok {
			return nil, false
		}
		p.begin(b)
	}
	for len(p.waiting) <= runtime.GOMAXPROCS(0) && p.beginNext() {
	}
	b := p.waiting[0]
	p.waiting = p.waiting[1:]
	if b.ahead != nil {
		<-b.ahead.done
	}
	return b, true
}

// beginNext begins with the next batch, if there is one already that can be
// parsed ahead.
func (p *aheadParser) beginNext() bool {
	if len(p.reader.seen) == 0 {
		return false
	}
	select {
	case b, ok := <-p.batches:
		if ok {
			p.begin(b)
		}
		return ok
	default:
		return false
	}
}

// begin has a batch parsed, where entities have begun. What may be left to
// defaults in it is never less than when its turn comes, so that what is too much
// then may be parsed now, but no more than in proportion to what was read.
func (p *aheadParser) begin(b *batch) {
	if len(p.reader.seen) == 0 {
		p.waiting = append(p.waiting, b)
		return
	}
	size := b.size
	for _, before := range p.waiting {
		size += before.size
	}
	parser := entityParser{
		types: p.reader.types, unknown: p.reader.entities.unknown, lines: p.reader.lines, undeclared: p.reader.entities.undeclared,
	}
	parser.values.filling = p.reader.entities.values.filling + fillingPerByte*int(size)
	b.ahead = &ahead{lines: make([]aheadLine, len(b.lines)), done: make(chan struct{})}
	p.waiting = append(p.waiting, b)
	go func() {
		defer close(b.ahead.done)
		for i, line := range b.lines {
			b.ahead.lines[i] = parser.ahead(line)
		}
	}()
}

// end returns when nothing is being parsed any more.
func (p *aheadParser) end() {
	for _, b := range p.waiting {
		if b.ahead != nil {
			<-b.ahead.done
		}
	}
}

// ahead parses a line that is to have an entity.
func (p *entityParser) ahead(line []byte) (l aheadLine) {
	if len(bytes.TrimSpace(line)) == 0 {
		return l
	}
	if l = p.recall(line); l.known != 0 {
		return l
	}
	what, v, err := unwrap(line)
	if err != nil || what != "entity" {
		return aheadLine{}
	}
	before := p.values.filling
	if l.entity, err = p.parse(v); err != nil {
		return aheadLine{}
	}
	l.offset, l.filling = v.offset, before-p.values.filling
	return l
}

// parsed returns what is known of a line ahead of its turn.
func (b *batch) parsed(i int) aheadLine {
	if b.ahead == nil {
		return aheadLine{}
	}
	return b.ahead.lines[i]
}

// take takes in a line whose turn has come.
func (d *documentReader) take(line []byte, l aheadLine) *Error {
	if l.entity == nil && l.known == 0 {
		l = d.entities.recall(line)
	}
	d.sum = l.sum
	filling := d.entities.values.filling + fillingPerByte*len(line) - l.filling
	if l.entity == nil && l.known == 0 || filling < 0 || l.known != 0 && d.seen[l.known] != 0 {
		return d.line(line)
	}
	d.number++
	d.entities.values.filling = filling
	if l.entity != nil {
		return d.add(l.entity, l.offset)
	}
	d.seen[l.known] = d.number
	d.same(l.known)
	return nil
}
