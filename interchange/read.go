package interchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// Document is what a stream holds.
type Document struct {
	Types    []*entity.Type   // those that it declares, in its order
	Entities []*entity.Entity // in its order, canonical
}

// Read reads a whole stream. The types that are known already may be nil; those
// that the stream declares count before them. file is the stream's name for
// messages. progress may be nil; it is told how many bytes have been read.
//
// Nothing is returned with an error. One that is about a line is an *Error.
func Read(r io.Reader, file string, known *entity.Types, progress func(bytes int64)) (*Document, error) {
	d := newDocumentReader(known)
	if err := d.read(r, file, progress); err != nil {
		return nil, err
	}
	return &d.document, nil
}

func (d *documentReader) read(r io.Reader, file string, progress func(bytes int64)) error {
	batches := make(chan *batch, 2)
	done := make(chan struct{})
	go split(r, batches, done)
	// The splitter is waited for: the caller may go on with r.
	defer func() {
		close(done)
		for range batches {
		}
	}()
	parser := aheadParser{reader: d, batches: batches}
	defer parser.end()
	var total int64
	for {
		b, ok := parser.next()
		if !ok {
			break
		}
		for i, line := range b.lines {
			if err := d.take(line, b.parsed(i)); err != nil {
				err.File, err.Line = file, d.number
				return err
			}
		}
		if b.err != nil {
			return fmt.Errorf("read %s after line %d: %w", file, d.number, b.err)
		}
		if total += b.size; progress != nil {
			progress(total)
		}
	}
	return nil
}

// batch is some lines, and what ended the stream if they are the last.
type batch struct {
	lines [][]byte // without their ends
	size  int64
	err   error
	ahead *ahead // nil: they were not parsed yet
}

// batchSize is how many bytes of lines go from one goroutine to the other at a
// time. A longer line goes alone.
const batchSize = 256 << 10

// split cuts a stream into lines until it ends or done is closed.
func split(r io.Reader, batches chan<- *batch, done <-chan struct{}) {
	defer close(batches)
	in := bufio.NewReaderSize(r, 64<<10)
	for more := true; more; {
		b := &batch{}
		for more && b.size < batchSize {
			line, err := readLine(in)
			b.size += int64(len(line))
			if more = err == nil; !more && err != io.EOF {
				b.err = err
			} else if more || len(line) > 0 {
				b.lines = append(b.lines, line)
			}
		}
		select {
		case batches <- b:
		case <-done:
			return
		}
	}
}

// errNoJSON ends the reading of a stream that is something else: it may have
// no line ends at all.
var errNoJSON = errors.New(`a line does not begin with "{"; is the file JSON lines?`)

// maxLine is how long a line may be, in bytes: longer than any entity's.
const maxLine = 1 << 30

var errLongLine = errors.New("a line is longer than 1 GiB")

// readLine returns the next line. Memory is taken as the line arrives, and no part of
// it is looked at twice.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	blank := true // so far
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > maxLine {
			return nil, errLongLine
		}
		if !blank {
			continue
		}
		if len(line) == len(part) {
			part = withoutMark(part)
		}
		start := bytes.TrimLeft(part, " \t\r")
		if blank = len(start) == 0; !blank && start[0] != '{' {
			return nil, errNoJSON
		}
	}
}

// withoutMark takes off the byte order mark that some editors put before a
// text.
func withoutMark(line []byte) []byte { return bytes.TrimPrefix(line, []byte("\ufeff")) }

// documentReader takes in a stream line by line.
type documentReader struct {
	document Document
	number   int // of the line, from 1
	types    *entity.Types
	declared map[string]int    // type: line
	seen     map[entity.ID]int // entity: line
	entities entityParser
	put      func(*entity.Entity) // takes each entity, in the order of the stream

	lines *Lines          // those of earlier streams; nil if there are none
	same  func(entity.ID) // takes each entity whose line the first of them has
	sum   lineSum         // of the line whose turn it is, where there are lines
}

func newDocumentReader(known *entity.Types) *documentReader {
	d := &documentReader{types: &entity.Types{}, declared: map[string]int{}, seen: map[entity.ID]int{}}
	if known != nil {
		d.types = known.Clone()
	}
	d.entities.types, d.entities.unknown = d.types, new(unknownTypes)
	d.entities.values.filling = freeFilling
	d.put = func(e *entity.Entity) { d.document.Entities = append(d.document.Entities, e) }
	return d
}

func (d *documentReader) line(line []byte) *Error {
	d.number++
	if d.number == 1 {
		line = withoutMark(line)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	what, v, err := unwrap(line)
	if err != nil {
		return err.salvage(line)
	}
	if what == "type" {
		return d.typeLine(v)
	}
	d.entities.values.filling += fillingPerByte * len(line)
	return d.entityLine(v)
}

// unwrap returns what stands in a line: {"type":…} or {"entity":…}.
func unwrap(line []byte) (what string, v piece, err *Error) {
	p := borrow(line, 0)
	defer p.giveBack()
	if err := p.token(jsontext.KindBeginObject); err != nil {
		return "", v, err
	}
	for n := 0; p.dec.PeekKind() != jsontext.KindEndObject || n == 0; n++ {
		raw, err := p.scalar(`"type" or "entity"`, jsontext.KindString)
		if err != nil {
			return "", v, err
		}
		key := string(p.unquote(raw))
		if n > 0 || key != "type" && key != "entity" {
			return "", v, p.failf(`unknown key %s; a line is {"type":{…}} or {"entity":{…}}`, quote(key))
		}
		what = key
		if v, err = p.piece(); err != nil {
			return "", v, err
		}
	}
	if err := p.token(jsontext.KindEndObject); err != nil {
		return "", v, err
	}
	return what, v, p.end()
}

func (d *documentReader) typeLine(v piece) *Error {
	t, err := parseTypeAt(v.raw, v.offset)
	if err != nil {
		return err
	}
	if line, ok := d.declared[t.Name]; ok {
		err = failf(v.offset, "the type is declared in line %d already", line)
	} else if len(d.seen) > 0 {
		err = failf(v.offset, "types come before the entities")
	}
	if err != nil {
		err.Entity = "type " + quote(t.Name)
		return err
	}
	if d.lines != nil {
		t = d.lines.declaration(t)
	}
	d.declared[t.Name] = d.number
	d.types.Put(t)
	d.document.Types = append(d.document.Types, t)
	return nil
}

func (d *documentReader) entityLine(v piece) *Error {
	e, err := d.entities.parse(v)
	if err != nil {
		return err
	}
	return d.add(e, v.offset)
}

func (d *documentReader) add(e *entity.Entity, offset int) *Error {
	if line, ok := d.seen[e.ID]; ok {
		err := failf(offset, "the ID is in line %d already", line)
		err.Entity = e.String()
		return err
	}
	d.seen[e.ID] = d.number
	d.put(e)
	return nil
}
