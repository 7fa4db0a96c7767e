// Package ship makes ship builds: the pack that a game loads, made of a world of the
// editor's, and the ship map beside it, by which what the game says of an entity is found
// in the editor again.
//
// What a build guarantees:
//
//  1. The same world and options give the same bytes, whatever the machine.
//  2. What ships is what the editor has: the pack is read back and compared with the world,
//     value by value and ref by ref through the map, before it is returned.
//  3. A number that was a ship ID of one entity is never one of another, as long as each
//     build is given the map of the one before (Options.Earlier).
//  4. No ref that is followed (a direct one) leads nowhere. Others may: renumbered they
//     become 0, and with the editor's IDs they stay as they are.
//  5. The pack says which build it is: its content hash stands in based_on, and in the map.
//
// The package holds the world twice in memory, in the editor's form and in the game's.
package ship

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// Options say what a build is like. The zero value is a build with the editor's IDs and
// without names.
type Options struct {
	Names   bool // entities' names ship
	Dense   bool // IDs are numbered from 1
	ByType  bool // and those of each type follow one another
	Earlier *Map // an earlier build's, whose IDs stay as they are; it makes the build a dense one
}

// World is what is built from.
type World struct {
	ID       entity.GUID
	Types    *entity.Types
	Entities entity.Source
}

// Build is what ships, what is kept beside it, and what a person should know of it.
type Build struct {
	Pack  []byte
	Map   *Map
	Notes Notes
}

// RefusedError says what in a world, as it would ship, stops a build.
type RefusedError struct{ Findings []entity.Finding }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the world cannot ship: %s", e.Findings[0])
}

// Make builds a world. The caller has found nothing in it that stops a ship build; what
// only shows in the build itself is a RefusedError.
func Make(w World, o Options) (*Build, error) {
	m, err := prepare(w, o)
	if err != nil {
		return nil, err
	}
	shipped, err := m.world()
	if err != nil {
		return nil, err
	}
	if refused := m.refused(shipped); len(refused) > 0 {
		return nil, &RefusedError{refused}
	}
	data, err := packfile.Encode(w.ID, shipped.Types, shipped)
	if err != nil {
		return nil, err
	}
	m.ids.Build = packfile.Hash(data)
	packfile.SetBasedOn(data, m.ids.Build)
	if err := m.verify(data); err != nil {
		return nil, fmt.Errorf("the ship build that was made is not the world: %w", err)
	}
	m.notes.Suspects = m.suspects()
	return &Build{data, m.ids, m.notes}, nil
}

// making is a build in the making.
type making struct {
	options Options
	editor  World
	types   map[string]*entity.Type // as they ship, by name
	chosen  []*entity.Entity        // what ships, upgraded, with the editor's values, by ID
	leftOut map[entity.ID]bool      // entities of types that do not ship
	ids     *Map
	to      map[entity.ID]entity.ID // ship IDs by the editor's
	notes   Notes
	found   []entity.Finding
}

// prepare sorts out what ships, and gives it IDs.
func prepare(w World, o Options) (*making, error) {
	o.Dense = o.Dense || o.Earlier != nil
	m := &making{options: o, editor: w, types: make(map[string]*entity.Type)}
	if err := m.choose(); err != nil {
		return nil, err
	}
	return m, m.number()
}

// choose sorts out what ships.
func (m *making) choose() error {
	m.leftOut = make(map[entity.ID]bool)
	fields, lefts := newLeftFields(), make(map[string]int)
	for e := range m.editor.Entities.All() {
		t := e.Layout.Type
		if t.EditorOnly {
			m.leftOut[e.ID] = true
			lefts[t.Name]++
			continue
		}
		up, err := m.upgrade(e)
		if err != nil {
			return err
		}
		fields.count(e, m.options.Names)
		m.chosen = append(m.chosen, up)
	}
	m.notes.Fields = fields.list
	for _, t := range m.editor.Types.All() {
		if t.EditorOnly {
			m.notes.Types = append(m.notes.Types, LeftType{t.Name, lefts[t.Name]})
		} else {
			m.types[t.Name] = shippedType(t, m.options.Names)
		}
	}
	return nil
}

func (m *making) upgrade(e *entity.Entity) (*entity.Entity, error) {
	declared := m.editor.Types.Get(e.Type())
	if e.Layout.Type.Unknown || declared == nil {
		return nil, fmt.Errorf("%s: its type is not declared", e)
	}
	if e.Revision() > declared.Revision {
		return nil, fmt.Errorf("%s: it is at revision %d, its type only at %d", e, e.Revision(), declared.Revision)
	}
	return textcodec.Upgrade(e)
}

// shippedType returns a type as it ships, perhaps without the field that names entities.
func shippedType(t *entity.Type, names bool) *entity.Type {
	i := t.Current().LabelField()
	if names || i < 0 {
		return t.ForShip()
	}
	label := *t.Current().Fields[i]
	label.EditorOnly = true
	fields := append([]*entity.Field(nil), t.Current().Fields...)
	fields[i] = &label
	bare := &entity.Type{Name: t.Name, Revision: t.Revision, Fields: fields, Attributes: t.Attributes}
	return bare.ForShip()
}

// world returns the world as it ships.
func (m *making) world() (*entity.World, error) {
	types := entity.NewTypes()
	for _, t := range m.editor.Types.All() {
		if shipped := m.types[t.Name]; shipped != nil {
			types.Put(m.withDefaults(shipped))
		}
	}
	world := entity.NewWorld(m.editor.ID, types)
	for _, e := range m.chosen {
		n, err := e.ForShip(types.Get(e.Type()))
		if err != nil {
			return nil, err
		}
		for i, f := range n.Layout.Fields {
			n.Values[i] = rewrite(f.Name, &f.Shape, n.Values[i], func(path string, direct bool, to entity.ID) entity.ID {
				return m.follow(e, path, direct, to)
			})
		}
		n.ID = m.to[e.ID]
		world.Put(n)
	}
	return world, nil
}

// follow returns the ship ID of what a ref of e leads to, and notes one that leads nowhere.
func (m *making) follow(e *entity.Entity, path string, direct bool, to entity.ID) entity.ID {
	if id, ok := m.to[to]; ok {
		return id
	}
	m.notes.Dangling = append(m.notes.Dangling, Dangling{Named: named(e), Field: path, To: to, LeftOut: m.leftOut[to]})
	if direct {
		what := fmt.Sprintf("it follows entity %d, which there is not", to)
		if m.leftOut[to] {
			what = fmt.Sprintf("it follows entity %d, whose type is editor_only and does not ship", to)
		}
		m.found = append(m.found, entity.Finding{
			Code: entity.CodeRefDangling, Blocks: true, Field: path, Other: to, Message: what,
		}.About(e))
	}
	if m.options.Dense {
		return 0
	}
	return to
}

// refused returns what stops the build: refs that are followed to nowhere, and what is
// wrong only with the world as it ships, such as two values that have become equal.
func (m *making) refused(shipped *entity.World) []entity.Finding {
	found := m.found
	for _, f := range entity.Check(shipped) {
		if !f.Blocks || f.Code == entity.CodeRefDangling {
			continue
		}
		found = append(found, m.inEditor(f))
	}
	return found
}

// inEditor returns a finding about the world as it ships as one about the editor's.
func (m *making) inEditor(f entity.Finding) entity.Finding {
	if in, ok := m.ids.Entity(f.ID); ok {
		f.ID, f.Name = in.ID, in.Name
	}
	if in, ok := m.ids.Entity(f.Other); ok {
		f.Other = in.ID
	}
	if f.Code == entity.CodeNotUnique {
		f.Message = fmt.Sprintf("entity %d has the same value, and no two may", f.Other)
	}
	f.Message = "as it ships: " + f.Message
	return f
}

// Findings returns what of an error of Make stops a build, none if it is of another kind.
func Findings(err error) []entity.Finding {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.Findings
	}
	return nil
}
