package worldform

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
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
	if i < 0 && !o.First && len(o.Like) == 0 {
		doc, err := interchange.Read(f, path, nil, nil)
		if err != nil {
			return nil, err
		}
		return ofDocument(doc), nil
	}
	lines := interchange.NewLines()
	if i >= 0 {
		lines = o.Like[i].lines
	}
	doc, err := lines.Read(f, path)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		world := ofDocument(doc)
		world.lines = lines
		return world, nil
	}
	return &World{Types: entity.NewTypes(doc.Types...), Source: over(o.Like[i].Source, doc.Entities), lines: lines}, nil
}

func ofDocument(doc *interchange.Document) *World {
	types := entity.NewTypes(doc.Types...)
	world := entity.NewWorld(entity.GUID{}, types)
	for _, e := range doc.Entities {
		world.Put(e)
	}
	return &World{Types: types, Source: world}
}

// over returns the entities as what another world is with changes.
func over(under entity.Source, entities []*entity.Entity) *entity.Overlay {
	same := make(map[entity.ID]bool, len(entities))
	var others []*entity.Entity
	for _, e := range entities {
		if known, _ := under.Get(e.ID); known == e {
			same[e.ID] = true
		} else {
			others = append(others, e)
		}
	}
	return withOthers(under, same, slices.Values(others))
}
