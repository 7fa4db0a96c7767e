// Package packfile is the world pack: a whole world, types and entities, in
// one file that a game's loader reads as it lies. docs/pack-format.md is its
// specification; the constants and layouts here are part of that format.
//
// A pack is canonical: the same world gives the same bytes on any machine. It
// describes itself (its types are inside), every section has a checksum, an
// entity is found by its ID in constant time, and values of fixed width lie at
// aligned offsets, to be used in place.
//
// Parse checks the header, every checksum and the structure: types, tables,
// directory and index. It allocates for types and tables only; for 10,000
// entities it takes half a millisecond, and one more if the types are others
// than those of the pack that was parsed before. Rows are checked when they
// are decoded, and none of this panics or goes out of bounds whatever the
// bytes are; Check decodes them all. A pack that others wrote is to be Checked
// before it is taken in. Decoding an entity takes an allocation for itself, one
// for its values and one for each list and struct. Strings are not copied:
// they keep the pack's bytes alive.
package packfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"unsafe"

	"github.com/worldfs/worldfs/entity"
)

// Pack is a pack in memory. It is safe for concurrent use. It implements
// entity.Source: there, an entity that cannot be decoded is left out, and Err
// tells.
type Pack struct {
	data   []byte
	text   string // the same bytes
	header *header
	types  *entity.Types
	tables []Table
	index  index
	hash   func() [32]byte

	canonical bool // see MarkEncoded

	like  *Pack     // see ParseLike
	other []pairing // what is not the same there, by ID

	mu  sync.Mutex
	err error // the first that Get or All met, guarded by mu
}

var _ entity.Source = (*Pack)(nil)

// Parse opens a pack. data must not change afterwards.
func Parse(data []byte) (*Pack, error) { return parse(data, nil) }

// parse is Parse of a pack that may have its entities in the places of another, which
// may be nil: then these need not be checked again.
func parse(data []byte, like *Pack) (*Pack, error) {
	h, err := parseHeader(data)
	if err != nil {
		return nil, err
	}
	p := newPack(data, h)
	if p.types, err = typesOf(data, h.sections[secTypes]); err != nil {
		return nil, err
	}
	for _, check := range []func() error{p.checkVersion, p.checkHeap, p.parseTables} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if like == nil || !p.hasPlacesOf(like) {
		if err := p.checkPlaces(); err != nil {
			return nil, err
		}
	}
	if err := p.checkExtra(); err != nil {
		return nil, err
	}
	return p, nil
}

// newPack returns a pack of which types and tables are still to be found out.
func newPack(data []byte, h *header) *Pack {
	p := &Pack{data: data, text: unsafe.String(unsafe.SliceData(data), len(data)), header: h}
	p.hash = sync.OnceValue(func() [32]byte { return Hash(data) })
	p.index = index(p.bytes(secIndex))
	return p
}

// ReadFile reads the pack at path into private memory: an engine may write
// over the file in place, under a mapping.
func ReadFile(path string) (*Pack, error) { return readFile(path, Parse) }

// ReadLike is ReadFile of a pack that has much in common with another (see ParseLike).
func ReadLike(path string, like *Pack) (*Pack, error) {
	return readFile(path, func(data []byte) (*Pack, error) { return ParseLike(data, like) })
}

func readFile(path string, parse func([]byte) (*Pack, error)) (*Pack, error) {
	data, err := readBytes(path)
	if err != nil {
		return nil, fmt.Errorf("read pack: %w", err)
	}
	p, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read pack %s: %w", path, err)
	}
	return p, nil
}

// IsAt reports whether the file at path has the pack's bytes. One that cannot be
// read has not.
func (p *Pack) IsAt(path string) bool {
	info, err := os.Stat(path) // first, for opening a pipe would wait
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(p.data)) {
		return false
	}
	f, err := OpenQuietly(path)
	if err != nil {
		return false
	}
	defer f.Close()
	piece := make([]byte, pieceSize)
	for want := range pieces(p.data) {
		if _, err := io.ReadFull(f, piece[:len(want)]); err != nil || !bytes.Equal(piece[:len(want)], want) {
			return false
		}
	}
	return true
}

// ReadKnown is ReadFile of a file that has not changed since its content hash
// was found to be hash, which is then not computed once more: half of what
// reading a large pack takes. Its checksums and structure are checked all the
// same.
func ReadKnown(path string, hash [32]byte) (*Pack, error) {
	p, err := ReadFile(path)
	if err == nil {
		p.hash = func() [32]byte { return hash }
	}
	return p, err
}

// Head is what the beginning of a pack says.
type Head struct {
	Entities int
	Size     int64    // bytes
	BasedOn  [32]byte // see Pack.BasedOn
}

// Head returns what the pack's beginning says.
func (p *Pack) Head() Head { return Head{p.Len(), int64(len(p.data)), p.BasedOn()} }

// ReadHead reads only the beginning of the pack at path, which is known to be
// whole.
func ReadHead(path string) (Head, error) {
	f, err := OpenQuietly(path)
	if err != nil {
		return Head{}, fmt.Errorf("read pack: %w", err)
	}
	defer f.Close()
	data := make([]byte, headerSize)
	if _, err := io.ReadFull(f, data); err != nil {
		return Head{}, fmt.Errorf("read pack %s: %w", path, err)
	}
	if err := checkMagic(data); err != nil {
		return Head{}, fmt.Errorf("read pack %s: %w", path, err)
	}
	return Head{int(le.Uint32(data[offEntities:])), int64(le.Uint64(data[offLength:])), [32]byte(data[offBasedOn:])}, nil
}

// readBytes reads a file, but of one that does not begin as a pack does only
// the beginning.
func readBytes(path string) ([]byte, error) {
	info, err := os.Stat(path) // first, for opening a pipe would wait
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := OpenQuietly(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && !bytes.Equal(head, []byte(magic)) {
		return head[:n], nil
	}
	if err != nil {
		return nil, err
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	data.Write(head)
	_, err = data.ReadFrom(f)
	return data.Bytes(), err
}

// bytes returns a section.
func (p *Pack) bytes(kind int) []byte {
	s := p.header.sections[kind]
	return p.data[s.off:s.end:s.end]
}

// World returns the world's ID.
func (p *Pack) World() entity.GUID { return p.header.world }

// Types returns the types that the pack declares. The caller does not change
// them.
func (p *Pack) Types() *entity.Types { return p.types }

// BasedOn returns the content hash of the pack that the writer had loaded,
// zero in packs that worldfs writes.
func (p *Pack) BasedOn() [32]byte { return p.header.basedOn }

// IsBasedOnItself reports whether the pack says that its writer had loaded a pack with the
// same content: a ship build, or what a program has saved twice.
func (p *Pack) IsBasedOnItself() bool {
	return p.BasedOn() != [32]byte{} && p.BasedOn() == p.Hash()
}

// Hash returns the pack's content hash (see the function Hash). It is computed
// once.
func (p *Pack) Hash() [32]byte { return p.hash() }

// ShareHash has a pack that was just made take o's hash where it has o's bytes,
// whatever o was based on. Computing it would take five times as long.
func (p *Pack) ShareHash(o *Pack) {
	if len(p.data) == len(o.data) && bytes.Equal(p.data[headerSize:], o.data[headerSize:]) &&
		bytes.Equal(hashedHead(p.data[:headerSize]), hashedHead(o.data[:headerSize])) {
		p.hash = o.hash
	}
}

// MarkEncoded says that the pack is known to have the content hash of one that
// Encode or EncodeChanges made, and so the same bytes: what changes it may then
// rely on its canonical form. It is called before the pack is used.
func (p *Pack) MarkEncoded() { p.canonical = true }

// Bytes returns the pack's bytes. The caller does not change them.
func (p *Pack) Bytes() []byte { return p.data }

// Len returns how many entities there are.
func (p *Pack) Len() int { return p.header.entities }

// Has reports whether there is an entity of that ID.
func (p *Pack) Has(id entity.ID) bool {
	_, ok := p.find(id)
	return ok
}

// Get returns the entity of that ID, false if there is none or it cannot be
// decoded (see Err).
func (p *Pack) Get(id entity.ID) (*entity.Entity, bool) {
	i, ok := p.find(id)
	if !ok {
		return nil, false
	}
	e, err := p.At(i)
	p.keep(err)
	return e, err == nil
}

// IDs returns the entities' IDs in order.
func (p *Pack) IDs() iter.Seq[entity.ID] {
	return func(yield func(entity.ID) bool) {
		for i := range p.Len() {
			if !yield(p.idAt(i)) {
				return
			}
		}
	}
}

// All returns the entities in the order of their IDs. Those that cannot be
// decoded are left out (see Err).
func (p *Pack) All() iter.Seq[*entity.Entity] {
	return func(yield func(*entity.Entity) bool) {
		for i := range p.Len() {
			e, err := p.At(i)
			p.keep(err)
			if err == nil && !yield(e) {
				return
			}
		}
	}
}

// Err returns the first error that Get or All met. A reader of a pack that has
// not been Checked asks for it at the end.
func (p *Pack) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *Pack) keep(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// At returns entity i in the order of IDs, 0 <= i < Len.
func (p *Pack) At(i int) (*entity.Entity, error) {
	d := decoder{pack: p, budget: p.header.sections[secHeap].len()}
	return d.entity(i)
}

// Check finds out that every entity can be decoded, and returns the first error. It also finds lists
// that several values share, by which a small pack could stand for a huge
// world.
func (p *Pack) Check() error {
	v := newVerifier(p)
	for i := range p.Len() {
		if err := v.row(i); err != nil {
			return err
		}
	}
	return nil
}

// find returns the place of an ID in the directory.
func (p *Pack) find(id entity.ID) (int, bool) {
	slot := homeSlot(id, p.index.slots())
	for range p.index.slots() {
		n := p.index.at(slot)
		if n == 0 {
			return 0, false
		}
		if p.idAt(int(n-1)) == id {
			return int(n - 1), true
		}
		slot = p.index.after(slot)
	}
	return 0, false
}

// place returns the table and the row of entity i.
func (p *Pack) place(i int) (*Table, int) {
	at := p.header.sections[secDirectory].off + i*directoryEntrySize
	return &p.tables[le.Uint32(p.data[at:])], int(le.Uint32(p.data[at+4:]))
}

func (p *Pack) idAt(i int) entity.ID {
	t, row := p.place(i)
	return t.ID(row)
}
