// Package conflicts takes in what merges and version control left to people: the file of
// conflicts that a merge wrote, and the files that lie beside entities'.
package conflicts

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// conflictTaking takes in what a merge left to people: where the policy leaves it
// to them, too, it is marked in the world's texts and types files; else the
// policy's side comes to stand. What has been decided since stays as it is.
type conflictTaking struct {
	world   *cache.World
	dir     *worlddir.Dir
	options merge.Options
	report  cache.Report
	edits   map[entity.ID]*entity.Entity // nil: it is deleted
	marks   map[entity.ID]textcodec.Marks
}

// Take takes in a file that a merge wrote beside its result, which r gives; file is its name
// in messages.
func Take(world *cache.World, dir *worlddir.Dir, r io.Reader, file string, options merge.Options) (cache.Report, error) {
	view, err := world.View()
	if err != nil {
		return cache.Report{}, err
	}
	d, err := conflictfile.Read(r, file, view.Types())
	if err != nil {
		return cache.Report{}, err
	}
	t := conflictTaking{world: world, dir: dir, options: options}
	for _, typ := range d.Types {
		if err := t.declaration(view.Types().Get(typ.Stands.Name), typ); err != nil {
			return cache.Report{}, err
		}
	}
	cause := cache.Cause{By: cache.ByApply, Note: file, Source: history.Source{Set: world.NewSet()}} // of both intakes
	left, types := t.report.Conflicts, t.report.Types
	t.report, err = world.Edit(cause, func(v *cache.View) (base, theirs entity.Source, err error) {
		t.look(v, d.Entities)
		return v.Overlay, entity.NewOverlay(v.Overlay, t.edits), nil
	}, merge.Options{})
	if err != nil {
		return t.report, err
	}
	t.report.Types = types
	t.report.Conflicts = append(left, t.report.Conflicts...)
	err = world.Mark(cause, func(v *cache.View) map[entity.ID]textcodec.Marks {
		t.report.Conflicts = left
		t.look(v, d.Entities)
		return t.marks
	})
	return t.report, err
}

// policy returns what becomes of a conflict.
func (t *conflictTaking) policy(typ, field string) merge.Policy {
	if t.options.Rules != nil {
		if p, ok := t.options.Rules(typ, field); ok {
			return p
		}
	}
	return t.options.Policy
}

// decided returns the side that a policy has stand, false where people decide.
func decided(p merge.Policy) (conflictfile.Side, bool) {
	switch p {
	case merge.Shared:
		return conflictfile.Theirs, true
	case merge.Mine:
		return conflictfile.Ours, true
	}
	return "", false
}

func partyOf(side conflictfile.Side) merge.Party {
	if side == conflictfile.Theirs {
		return merge.Theirs
	}
	return merge.Ours
}

// look finds out what is to be done with the entities.
func (t *conflictTaking) look(v *cache.View, entities []conflictfile.Entity) {
	t.edits, t.marks = make(map[entity.ID]*entity.Entity), make(map[entity.ID]textcodec.Marks)
	for _, d := range entities {
		now, _ := v.Get(d.ID())
		for _, c := range d.Conflicts {
			t.conflict(now, d, c)
		}
	}
}

func (t *conflictTaking) conflict(now *entity.Entity, d conflictfile.Entity, c conflictfile.Conflict) {
	other := d.Of(c.Stands.Other())
	if isDecided(now, other, c.Field) {
		return
	}
	typ := d.Of(c.Stands)
	if typ == nil {
		typ = other
	}
	if side, ok := decided(t.policy(typ.Type(), c.Field)); !ok {
		t.mark(now, d, c)
	} else if side != c.Stands {
		t.take(now, other, c)
	}
}

// isDecided reports whether an entity is as the side has it that did not stand, or
// there is nothing left to disagree about. now and other may be nil.
func isDecided(now, other *entity.Entity, field string) bool {
	switch {
	case now == nil:
		return other == nil || field != ""
	case other == nil:
		return false
	case field == "":
		return now.Equal(other)
	}
	i, j := now.Layout.Index(field), other.Layout.Index(field)
	if i >= 0 && j >= 0 {
		return now.Values[i].Equal(other.Values[j])
	}
	return i < 0 && j < 0 && slices.Equal(rawOf(now, field), rawOf(other, field))
}

// rawOf returns the lines of an unknown field.
func rawOf(e *entity.Entity, name string) (raw []entity.Raw) {
	for _, r := range e.Unknown {
		if r.Name == name {
			raw = append(raw, r)
		}
	}
	return raw
}

// mark leaves a conflict to people.
func (t *conflictTaking) mark(now *entity.Entity, d conflictfile.Entity, c conflictfile.Conflict) {
	about := now
	if now == nil {
		about = d.Of(c.Stands.Other()) // or it would be decided
	}
	words := fmt.Sprintf("%s, %s: %s; both are marked in its text", about, c.Path, c.Why)
	if c.Path == "" {
		words = fmt.Sprintf("%s: %s; it is marked in its text", about, c.Why)
	}
	if now == nil {
		words = fmt.Sprintf("%s: %s; it is not there any more, and so has no text that could be marked", about, c.Why)
	}
	t.report.Conflicts = append(t.report.Conflicts, cache.Conflict{Kind: merge.Kind(c.Kind), ID: about.ID, Field: c.Field, Left: true, Words: words})
	m, begun := t.marks[about.ID]
	if !begun {
		names := t.options.SideNames()
		m = textcodec.Marks{Ours: names[merge.Ours], Theirs: names[merge.Theirs], Other: d.Theirs}
	}
	if c.Field == "" {
		c := merge.Conflict{Kind: merge.Kind(c.Kind), Ours: merge.Version{Entity: d.Ours}, Theirs: merge.Version{Entity: d.Theirs}}
		m.Whole = c.Whole(t.options.SideNames())
	} else if !slices.Contains(m.Fields, c.Field) {
		m.Fields = append(m.Fields, c.Field)
	}
	t.marks[about.ID] = m
}

var errNoPlace = errors.New("the entity has no place for the other side's value; decide it in its text")

// take has the other side stand.
func (t *conflictTaking) take(now, other *entity.Entity, c conflictfile.Conflict) {
	if c.Field == "" {
		if now == nil {
			t.edits[other.ID] = other
		} else {
			t.edits[now.ID] = other
		}
		return
	}
	if e, edited := t.edits[now.ID]; edited {
		if e == nil {
			return // the field goes with the entity
		}
		now = e
	}
	e, err := withField(now, other, c.Field)
	if err != nil {
		t.report.Conflicts = append(t.report.Conflicts, cache.Conflict{Kind: merge.Kind(c.Kind), ID: now.ID, Field: c.Field, Left: true,
			Words: fmt.Sprintf("%s, %s: %v", now, c.Path, err)})
		return
	}
	t.edits[now.ID] = e
}

// withField returns an entity with the value that another has of a field.
func withField(e, other *entity.Entity, field string) (*entity.Entity, error) {
	if e == nil || other == nil {
		return nil, errNoPlace
	}
	e = e.Clone()
	i, j := e.Layout.Index(field), other.Layout.Index(field)
	switch {
	case i >= 0 && j >= 0:
		v, ok := entity.Value{}, other.Values[j].IsNull()
		if !ok {
			v, ok = entity.Widen(other.Values[j], &other.Layout.Fields[j].Shape, &e.Layout.Fields[i].Shape)
		}
		if e.Values[i] = v; !ok || e.Validate() != nil {
			return nil, errNoPlace
		}
	case i < 0 && j < 0:
		e.Unknown = append(slices.DeleteFunc(e.Unknown, func(r entity.Raw) bool { return r.Name == field }), rawOf(other, field)...)
	default:
		return nil, errNoPlace
	}
	return e, nil
}
