package mergestudy

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// outcome is a merged world as it reads back from its texts.
type outcome struct {
	world *entity.World

	renamed  [2]map[entity.ID]entity.ID // by side: entities that the report says got new IDs
	repaired map[property]bool          // what the report says was repaired

	marked                 bool // conflicts may be marked in the texts
	unreadable, duplicates bool
}

// faults is what a merge broke without saying so.
type faults struct{ unreadable, duplicates, dangling, cycles, lost, mixed bool }

func (o *outcome) renumber(r merge.Renumbering) {
	i := 0
	if r.Side == merge.Theirs {
		i = 1
	}
	if o.renamed[i] == nil {
		o.renamed[i] = make(map[entity.ID]entity.ID)
	}
	o.renamed[i][r.From] = r.To
}

func (o *outcome) id(side int, id entity.ID) entity.ID {
	if to, ok := o.renamed[side][id]; ok {
		return to
	}
	return id
}

// get returns the entity that a side knew under an ID, nil if there is none.
func (o *outcome) get(side int, id entity.ID) *entity.Entity {
	e, _ := o.world.Get(o.id(side, id))
	return e
}

// as returns a side's value as the merged world should have it.
func (o *outcome) as(side int, s *entity.Shape, v entity.Value) entity.Value {
	switch {
	case len(o.renamed[side]) == 0:
		return v
	case v.Kind() == entity.KindRef:
		return entity.NewRef(o.id(side, v.Ref()))
	case v.Kind() == entity.KindStruct:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = o.as(side, &s.Fields[i].Shape, items[i])
		}
		return entity.NewStruct(items)
	case !v.Kind().IsList():
		return v
	}
	items := slices.Clone(v.Items())
	for i := range items {
		items[i] = o.as(side, s.Of, items[i])
	}
	if v.Kind() == entity.KindSet {
		items, _ = entity.SortSet(items)
	}
	return entity.NewList(v.Kind(), items)
}

func text(e *entity.Entity) []byte { return textcodec.Append(nil, e) }

// readFiles reads texts by ID.
func (c *threeWay) readFiles(texts map[entity.ID][]byte, o *outcome) *outcome {
	if o.world == nil {
		o.world = entity.NewWorld(c.base.ID, c.types)
	}
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		o.read(id, texts[id])
	}
	return o
}

// readBigFile reads texts one behind the other, a blank line between them.
func (c *threeWay) readBigFile(all []byte) *outcome {
	o := &outcome{world: entity.NewWorld(c.base.ID, c.types)}
	for _, text := range bytes.Split(all, []byte("\n\n")) {
		text = append(bytes.Trim(text, "\n"), '\n')
		if len(text) == 1 {
			continue
		}
		_, _, id, err := textcodec.Header(text)
		if err != nil {
			o.unreadable = true
			continue
		}
		if _, twice := o.world.Get(id); twice {
			o.duplicates = true
		}
		o.read(id, text)
	}
	return o
}

func (o *outcome) read(id entity.ID, text []byte) {
	r, err := textcodec.Decode(text, id, o.world.Types)
	if err != nil {
		o.unreadable = true
		return
	}
	for _, f := range r.Findings {
		switch f.Code {
		case entity.CodeKeyTwice, entity.CodeFieldTwice:
			o.duplicates = true
		case entity.CodeFieldUnknown:
			o.unreadable = o.unreadable || !isUnknown(f.Field)
		case entity.CodeFieldMissing: // a text as it was before the other side declared the field
			o.unreadable = o.unreadable || !slices.Contains(declarable, f.Field)
		case entity.CodeConflict:
			o.unreadable = o.unreadable || !o.marked
		case entity.CodeSetUnordered, entity.CodeNotCanonical:
			// It is read all the same, and means what it says.
		default:
			o.unreadable = true
		}
	}
	o.world.Put(r.Entity)
}

// examine looks for what is broken. Where there are conflicts, only edits with
// which no side disagrees must be there. It names the edits that are not.
func (c *threeWay) examine(o *outcome, conflict bool) (f faults, missing string) {
	f.unreadable, f.duplicates = o.unreadable, o.duplicates
	for _, finding := range entity.Check(o.world) {
		switch finding.Code {
		case entity.CodeRefDangling:
			f.dangling = true
		case entity.CodeRefCycle:
			f.cycles = true
		case entity.CodeNotUnique:
			f.duplicates = true
		}
	}
	for i, s := range c.sides {
		for j := range s.edits {
			e, disputed := &s.edits[j], c.overlapping[i][j]
			if disputed && conflict || i == 0 && c.void[j] || e.kept(o, i) {
				continue
			}
			f.lost, f.mixed = f.lost || !disputed, f.mixed || disputed
			missing += fmt.Sprintf("side %d: %v %s %s; ", i, e.property, e.at, e.does)
		}
	}
	return f, missing
}
