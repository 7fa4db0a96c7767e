// Package rangecheck finds what is wrong with a world's ranges of IDs, and with the IDs of its
// entities, and settles what can be settled.
//
// None of it keeps the world from being used: a finding says whose IDs are in doubt before two
// people make different things of one. Only a file that does not parse stops a ship build.
package rangecheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// File returns what is wrong with id_ranges by itself, and with the role in force.
func File(dir *worlddir.Dir) ([]entity.Finding, error) {
	file, err := rangefile.Read(dir)
	if err != nil {
		return nil, err
	}
	var found []entity.Finding
	if role := dir.Settings.SharedRole; role != "" {
		found = append(found, entity.Finding{Code: entity.CodeRoleShared, File: worlddir.ConfigName, Message: fmt.Sprintf(
			"role = %q is given to everybody who has the world, so that all take IDs from the same ranges; "+
				"take the line out, and put it into worldfs/config.toml in the configuration of the one whose role it is, or give it with --role or %s",
			role, worlddir.RoleVariable)})
	}
	if file.Wrong != nil {
		found = append(found, notInForce(file))
	}
	for _, o := range idrange.Overlaps(file.Ranges) {
		f := entity.Finding{Code: entity.CodeRangesOverlap, File: worlddir.RangesName, Message: fmt.Sprintf(
			"%s has IDs of line %d, %s: %d to %d are nobody's until that is settled (worldfs ids check --fix)",
			o.Second, o.First.Line, o.First, o.From, o.To)}
		if file.Wrong == nil { // else the lines are those of another file
			f.Line = o.Second.Line
		}
		found = append(found, f)
	}
	return found, nil
}

// notInForce is the finding about a file that does not parse, or is gone.
func notInForce(file rangefile.File) entity.Finding {
	code, stands := entity.CodeRangesFile, "no ranges are known here until it does: correct the line"
	switch {
	case file.Gone: // which a checkout of before it may have done: builds of then are made all the same
		code, stands = entity.CodeRangesGone, "the last good file stays in force until then; an empty file takes all ranges back"
	case file.Kept:
		stands = "the last good file stays in force: correct the line"
	}
	return entity.Finding{Code: code, Blocks: entity.Blocks(code), File: worlddir.RangesName, Line: file.Wrong.Line,
		Message: file.Wrong.Reason + "; " + stands}
}

// World returns what is wrong with id_ranges, and which IDs of entities are in doubt. What
// cannot be found out now is noted.
func World(ctx context.Context, w *idalloc.World) ([]entity.Finding, error) {
	found, err := File(w.Dir)
	if err != nil {
		return nil, err
	}
	outside, err := Outside(w)
	if err != nil {
		return nil, err
	}
	untold, err := Untold(ctx, w)
	return slices.Concat(found, outside, untold), err
}

// Untold returns what only version control tells: the ranges of ours that no other person
// knows of, and the entities that were made here and have IDs of another person's. What
// cannot be found out now is noted.
func Untold(ctx context.Context, w *idalloc.World) (found []entity.Finding, err error) {
	file, err := rangefile.Read(w.Dir)
	if err != nil || len(file.Ranges) == 0 {
		return nil, err // where no one has a range, no one minds
	}
	unknown, err := Unknown(w, file.Ranges)
	if err != nil {
		note(w, err)
	}
	for _, r := range unknown {
		found = append(found, entity.Finding{Code: entity.CodeRangeUnknown, File: worlddir.RangesName, Line: r.Line, Message: unknownText(r)})
	}
	foreign, err := foreign(ctx, w, file.Ranges)
	if err != nil {
		note(w, err)
	}
	return append(found, foreign...), nil
}

func note(w *idalloc.World, err error) {
	if w.Note != nil {
		w.Note(err.Error())
	}
}

func unknownText(r idrange.Range) string {
	return fmt.Sprintf("nobody else knows of your range %s yet, and somebody can take the same: worldfs ids claim --commit publishes it", r)
}

// Remind notes the ranges of ours that no other person knows of.
func Remind(w *idalloc.World) {
	file, err := rangefile.Read(w.Dir)
	if err != nil || w.Note == nil {
		return // the command that needs the ranges reports it
	}
	unknown, _ := Unknown(w, file.Ranges) // it is a reminder
	for _, r := range unknown {
		w.Note(unknownText(r))
	}
}

// Outside returns the finding about entities in no range, if there are any. Where there is no
// range at all there are none. It asks nothing but the ranges and the entities' IDs.
func Outside(w *idalloc.World) ([]entity.Finding, error) {
	file, err := rangefile.Read(w.Dir)
	if err != nil || len(file.Ranges) == 0 {
		return nil, err
	}
	ids := idrange.Outside(file.Ranges, slices.Collect(w.IDs()))
	if len(ids) == 0 {
		return nil, nil
	}
	f := entity.Finding{Code: entity.CodeIDOutside, ID: ids[0], Message: "its ID is in no range"}
	if e, ok := w.Entities.Get(ids[0]); ok {
		f = f.About(e)
	}
	if more := len(ids) - 1; more > 0 {
		f.Message = fmt.Sprintf("its ID and those of %d more, up to %d, are in no range", more, ids[more])
	}
	f.Message += ", so somebody can take it: add a line to id_ranges (worldfs ids check --fix adds one)"
	return []entity.Finding{f}, nil
}
