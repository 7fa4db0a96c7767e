package worldform

import (
	"io"
	"maps"
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
// world with changes. Where too many differ to wait for it, they stay as a pack, which
// takes a tenth of their memory, and the others with them.
func readLike(like *World, r io.Reader, path string) (*World, error) {
	same, p := make(map[entity.ID]bool, like.Source.Len()), newPacker()
	declared, err := like.lines.Read(r, path, interchange.Sink{
		Entity: p.put,
		Same:   func(id entity.ID) { same[id] = true },
	})
	if err != nil {
		return nil, err
	}
	types := entity.NewTypes(declared...)
	if !p.began {
		return &World{Types: types, Source: withOthers(like.Source, same, maps.Values(p.waiting)), lines: like.lines}, nil
	}
	for id := range same {
		if e, ok := like.Source.Get(id); ok {
			p.put(e)
		}
	}
	return p.world(types, like.lines)
}

// readPacked reads the first of several files. Its entities stay as a pack, which
// takes a tenth of their memory.
func readPacked(r io.Reader, path string) (*World, error) {
	lines, p := interchange.NewLines(), newPacker()
	declared, err := lines.Read(r, path, interchange.Sink{Entity: p.put})
	if err != nil {
		return nil, err
	}
	return p.world(entity.NewTypes(declared...), lines)
}

// packer makes a pack of entities as they come.
type packer struct {
	pack    *packfile.Pack
	waiting map[entity.ID]*entity.Entity
	began   bool // there were so many that some are packed
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
	p.began = true
	if p.err == nil {
		p.pack, p.err = packfile.EncodeChanges(entity.GUID{}, types, p.pack, p.waiting)
	}
	clear(p.waiting)
}

// world returns the world of the packed entities, with these types.
func (p *packer) world(types *entity.Types, lines *interchange.Lines) (*World, error) {
	p.flush(types)
	if p.err != nil {
		return nil, p.err
	}
	return &World{Types: p.pack.Types(), Source: p.pack, lines: lines}, nil
}
