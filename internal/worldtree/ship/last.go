package ship

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/packfile"
)

// Shipped is a build that was made: its pack and its map.
type Shipped struct {
	Pack *packfile.Pack
	Map  *Map
}

// ErrOtherBuild says that a pack and a map are not of the same build.
var ErrOtherBuild = errors.New("the map is of another build than the pack")

// Open reads the pack of a build and the map beside it. The pack of a program that made no
// maps has the editor's IDs.
func Open(path string) (*Shipped, error) {
	p, err := packfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if p.BasedOn() == [32]byte{} {
		return &Shipped{p, Identity(p.World(), p.Hash(), p)}, nil
	}
	m, err := ReadMap(path + MapSuffix)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Build != p.Hash() {
		return nil, fmt.Errorf("%s: %w: the map is of %.16s, the pack %.16s", path, ErrOtherBuild, m.BuildID(), hexOf(p.Hash()))
	}
	return &Shipped{p, m}, nil
}

// InEditor returns the entities of a build with the editor's IDs, as far as the map knows
// them.
func (s *Shipped) InEditor() (*entity.World, error) {
	back := s.Map.back()
	follow := func(_ string, _ bool, to entity.ID) entity.ID {
		if id, ok := back[to]; ok {
			return id
		}
		return to
	}
	w := entity.NewWorld(s.Map.World, s.Pack.Types())
	for e := range s.Pack.All() {
		n := e.Clone()
		n.ID = follow("", false, e.ID)
		for i, f := range n.Layout.Fields {
			n.Values[i] = rewrite(f.Name, &f.Shape, n.Values[i], follow)
		}
		w.Put(n)
	}
	return w, s.Pack.Err()
}

// Difference is what is new in a build against the last one, by the editor's IDs.
type Difference struct {
	Build    string  `json:"build"` // the last one's
	Revision string  `json:"revision,omitempty"`
	Entities int     `json:"entities"`
	Bytes    int64   `json:"bytes"`
	Created  []Named `json:"created,omitempty"`
	Deleted  []Named `json:"deleted,omitempty"`
	Changed  []Named `json:"changed,omitempty"`
}

// difference compares a build with the last one.
func difference(last, now *Shipped) (*Difference, error) {
	was, err := last.InEditor()
	if err != nil {
		return nil, err
	}
	is, err := now.InEditor()
	if err != nil {
		return nil, err
	}
	d := &Difference{
		Build: last.Map.BuildID(), Revision: last.Map.Revision, Entities: last.Pack.Len(), Bytes: int64(len(last.Pack.Bytes())),
	}
	for _, in := range last.Map.Entries {
		if _, still := is.Get(in.ID); !in.Gone && !still {
			d.Deleted = append(d.Deleted, in.Named)
		}
	}
	for _, in := range now.Map.Entries {
		if in.Gone {
			continue
		}
		before, had := was.Get(in.ID)
		after, _ := is.Get(in.ID)
		switch {
		case !had:
			d.Created = append(d.Created, in.Named)
		case !alike(before, after):
			d.Changed = append(d.Changed, in.Named)
		}
	}
	return d, nil
}

// alike reports whether two entities are the same to a game.
func alike(a, b *entity.Entity) bool {
	return a.Type() == b.Type() && a.Revision() == b.Revision() &&
		bytes.Equal(interchange.AppendEntity(nil, a), interchange.AppendEntity(nil, b))
}
