package cache

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// takeInDisplaced takes in a pack that another program saved while ours was
// being published, and then removes it.
func (w *World) takeInDisplaced(path string, known *packfile.Pack) error {
	if path == "" {
		return nil
	}
	p, err := packfile.ReadFile(path)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return fmt.Errorf("take in the pack that was saved meanwhile: %w; it is kept", err)
	}
	if err := w.takeInPack(p, known); err != nil {
		return err
	}
	return w.disk.Remove("displaced pack", path)
}

// takeInPack takes in a pack that another program saved: what it changed since
// the pack that it had loaded, property by property. That is the one it names,
// or else the one that was published then. Where an edit of ours changed the
// same property, ours stands.
func (w *World) takeInPack(p, published *packfile.Pack) error {
	if p.World() != w.dir.ID {
		return ErrOtherWorld
	}
	if err := w.settle(true); err != nil {
		return err
	}
	v := w.snapshot(true)
	base, err := w.kept(p.BasedOn())
	if err != nil {
		base = published
	}
	changes, conflicts := rebase(entity.Diff(base, p), v)
	for id, c := range changes {
		if c.entity != nil {
			c.entity = underTypes(c.entity, v.types)
			changes[id] = c
		}
	}
	r := count(v, changes)
	w.log.Info("took in a pack that another program saved", "created", r.Created, "changed", r.Changed,
		"deleted", r.Deleted, "conflicts", conflicts)
	return w.intake(v, changes)
}

// rebase returns what a change set does to a world that has moved on. Where
// the world does not have what the set's maker knew, it stays as it is, and
// counts as a conflict unless both say the same.
func rebase(set entity.ChangeSet, v *View) (changes map[entity.ID]change, conflicts int) {
	changes = make(map[entity.ID]change)
	for _, c := range set {
		now, exists := v.Get(c.ID)
		if done, ok := changes[c.ID]; ok {
			now = done.entity
		}
		to, ok := rebaseOne(c, now, exists)
		switch {
		case !ok:
			conflicts++
		case to == nil:
			changes[c.ID] = change{gone: true}
		case to != now:
			changes[c.ID] = change{entity: to}
		}
	}
	return changes, conflicts
}

// rebaseOne returns what a change makes of now; not ok if it does not fit.
func rebaseOne(c entity.Change, now *entity.Entity, exists bool) (to *entity.Entity, ok bool) {
	switch c.Op {
	case entity.OpCreate:
		if !exists {
			return c.New, true
		}
		return now, now.Equal(c.New)
	case entity.OpDelete:
		return nil, exists && now.Equal(c.Old)
	case entity.OpReplace:
		if exists && now.Equal(c.Old) {
			return c.New, true
		}
		return now, exists && now.Equal(c.New)
	}
	if !exists {
		return nil, false
	}
	if !c.Fits(now) {
		return now, now.Value(c.Field).Equal(c.To)
	}
	return c.On(now), true
}
