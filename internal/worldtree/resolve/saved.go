package resolve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// What a game's save has marked in the text of an entity is no conflict of the merge, and what
// it holds is nowhere else: it stays marked in what the merge makes of the text.

// readSaved finds out what in the texts of the working copy a save has marked.
func (r *Resolution) readSaved(working *worldform.World) error {
	r.saved = make(map[entity.ID][]savemarks.Standing)
	marks, err := savemarks.Read(r.dir)
	switch {
	case errors.Is(err, keptfile.ErrDamaged):
		r.note(fmt.Sprintf("%v: what games have saved is not told from what is merged", err))
	case err != nil:
		return err
	}
	for _, m := range marks {
		isMerges := func(field string, other *entity.Entity) bool {
			return isDisputed(r, m.ID, field) && isOfEither(r, other, field)
		}
		if s := m.In(working.Texts[m.ID], working.Types).Without(m.ID, working.Types, isMerges); len(s.Fields) > 0 {
			r.saved[m.ID] = append(r.saved[m.ID], s)
		}
	}
	return nil
}

// isDisputed reports whether the merge has a conflict about a field of an entity, or a person
// has chosen what becomes of it.
func isDisputed(r *Resolution, id entity.ID, field string) bool {
	return slices.ContainsFunc(r.Merged.Conflicts, func(c merge.Conflict) bool { return c.ID == id && c.Field == field }) ||
		slices.ContainsFunc(r.past.Choices, func(c Choice) bool { return c.ID == id && c.Field == field })
}

// isOfEither reports whether a side of the merge has a field as an entity has it.
func isOfEither(r *Resolution, have *entity.Entity, field string) bool {
	return slices.ContainsFunc(r.sides[1:], func(side *worldform.World) bool {
		e, ok := side.Source.Get(have.ID)
		return ok && e.Layout.Index(field) >= 0 && have.WithField(field, e).Equal(have)
	})
}

// withoutOwn returns findings about an entity of the working copy without those of what stands as
// it is there: a value that a person, or a game's save, has put in the place of ours between the
// markers, and what a save has marked; unless the merge is about that, too, and comes to it only
// now: then what the entity has there of a side's gives way.
func (r *Resolution) withoutOwn(have *entity.Entity, findings []entity.Finding) []entity.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f entity.Finding) bool {
		switch {
		case f.Code != entity.CodeConflict || f.ID != have.ID:
			return false
		case savemarks.Has(r.saved[f.ID], f.Field):
			return !(isOpen(r, f) && isOfSide(r, have, f.Field))
		}
		return isOwn(r, have, f.Field)
	})
}

// isOwn reports whether an entity has lines in a field about which there is a conflict that no side
// has there, so that version control has not put them together, and no choice has been made
// against them. They are in no revision.
func isOwn(r *Resolution, have *entity.Entity, field string) bool {
	var sides [][]byte
	for _, side := range r.sides {
		if e, ok := side.Source.Get(have.ID); ok {
			sides = append(sides, textcodec.Append(nil, e))
		}
	}
	return filemerge.HasOwnLine(field, textcodec.Append(nil, have), sides) && !slices.ContainsFunc(r.past.Choices, func(c Choice) bool {
		return c.ID == have.ID && c.Field == field && c.Take.party(r.Operation) != merge.Ours
	})
}

// isOpen reports whether the merge has a conflict where a finding tells of one, and the working
// copy is not by a choice about it yet.
func isOpen(r *Resolution, f entity.Finding) bool {
	return isDisputed(r, f.ID, f.Field) && !slices.ContainsFunc(r.past.Applied, func(c Choice) bool { return c.ID == f.ID && c.Field == f.Field })
}

// isOfSide reports whether an entity has a field as one of the sides has it.
func isOfSide(r *Resolution, have *entity.Entity, field string) bool {
	return slices.ContainsFunc(r.sides[:], func(side *worldform.World) bool {
		e, ok := side.Source.Get(have.ID)
		return ok && have.WithField(field, e).Equal(have)
	})
}
