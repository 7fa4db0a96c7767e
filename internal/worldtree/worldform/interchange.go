package worldform

import (
	"io"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/packfile"
)

// openInterchange reads a file of JSON lines. Those that a world has which was opened
// before are not parsed again, and are that world's entities.
func openInterchange(path string, o Options) (*World, error) {
	f, err := interchange.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	i := slices.IndexFunc(o.Like, func(w *World) bool { return w.lines != nil })
	switch {
	case i >= 0:
		return readLike(o.Like[i], f, path)
	case o.First || len(o.Like) > 0:
		return readPacked(f, path)
	}
	doc, err := interchange.Read(f, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return ofDocument(doc), nil
}

func ofDocument(doc *interchange.Document) *World {
	types := entity.NewTypes(doc.Types...)
	world := entity.NewWorld(entity.GUID{}, types)
	for _, e := range doc.Entities {
		world.Put(e)
	}
	return &World{Types: types, Source: world}
}

// readLike reads lines of which a world that was opened before has many: as that
// world with changes.
func readLike(like *World, r io.Reader, path string) (*World, error) {
	same := make(map[entity.ID]bool, like.Source.Len())
	var others []*entity.Entity
	types, err := like.lines.Read(r, path, interchange.Sink{
		Entity: func(e *entity.Entity) { others = append(others, e) },
		Same:   func(id entity.ID) { same[id] = true },
	})
	if err != nil {
		return nil, err
	}
	return &World{Types: entity.NewTypes(types...), Source: withOthers(like.Source, same, slices.Values(others)), lines: like.lines}, nil
}

// readPacked reads the first of several files. Its entities stay as a pack, which
// takes a tenth of their memory.
func readPacked(r io.Reader, path string) (*World, error) {
	lines, p := interchange.NewLines(), newPacker()
	declared, err := lines.Read(r, path, interchange.Sink{Entity: p.put})
	if err != nil {
		return nil, err
	}
	pack, err := p.finish(entity.NewTypes(declared...))
	if err != nil {
		return nil, err
	}
	return &World{Types: pack.Types(), Source: pack, lines: lines}, nil
}

// packer makes a pack of entities as they come.
type packer struct {
	pack    *packfile.Pack
	waiting map[entity.ID]*entity.Entity
	err     error
}

// packedAtOnce is how many entities wait to be packed, and the share of those that
// are packed which may wait: each packing copies the pack.
const (
	packedAtOnce  = 8 << 10
	packedPerWait = 8
)

func newPacker() *packer {
	return &packer{pack: packfile.Empty(entity.GUID{}), waiting: make(map[entity.ID]*entity.Entity)}
}

func (p *packer) put(e *entity.Entity) {
	p.waiting[e.ID] = e
	if len(p.waiting) >= max(packedAtOnce, p.pack.Len()/packedPerWait) {
		p.flush(nil)
	}
}

// flush packs what waits. An error stays.
func (p *packer) flush(types *entity.Types) {
	if p.err == nil {
		p.pack, p.err = packfile.EncodeChanges(entity.GUID{}, types, p.pack, p.waiting)
	}
	clear(p.waiting)
}

// finish returns the pack, with these types.
func (p *packer) finish(types *entity.Types) (*packfile.Pack, error) {
	p.flush(types)
	return p.pack, p.err
}
