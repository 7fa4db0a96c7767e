package rangecheck

import (
	"context"
	"fmt"
	"path"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/svnrecord"
	"github.com/worldfs/worldfs/internal/worldtree/usedids"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// maxForeign is how many entities are named that have IDs of others'.
const maxForeign = 20

// foreign returns findings about entities that were made here, were in no commit yet, and
// have IDs of another person's. While git is in the middle of a merge or the like, what comes
// in by it is in no commit either: then there are none.
func foreign(ctx context.Context, w *idalloc.World, ranges []idrange.Range) (found []entity.Finding, err error) {
	suspects, err := suspects(ctx, w, idrange.Settled(ranges))
	if err != nil || len(suspects) == 0 || comesIn(w) {
		return nil, err
	}
	if suspects, err = withoutFormer(ctx, w, suspects); err != nil {
		return nil, err
	}
	for i, s := range suspects {
		mend := fmt.Sprintf("worldfs mv %d $(worldfs ids next)", s.id)
		f := entity.Finding{Code: entity.CodeIDForeign, ID: s.id, Mend: mend, Message: fmt.Sprintf(
			"it was made here, and its ID is in the range %s: before it is committed, give it one of yours: %s", s.of, mend)}
		if e, ok := w.Entities.Get(s.id); ok {
			f = f.About(e)
		}
		if more := len(suspects) - i - 1; i+1 == maxForeign && more > 0 {
			f.Message += fmt.Sprintf("; and so it is with %d more", more)
		}
		if found = append(found, f); len(found) == maxForeign {
			break
		}
	}
	return found, nil
}

// suspect is an entity that may have an ID of another person's.
type suspect struct {
	id entity.ID
	of idrange.Range
}

// suspects returns the entities with IDs of others' that are not committed, and whose IDs
// were not handed out here. Version control is asked only where there may be one.
func suspects(ctx context.Context, w *idalloc.World, settled []idrange.Range) (found []suspect, err error) {
	mine := append(w.Keys(), w.Machine.Keys()...)
	mine = append(mine, idrange.Normal(ImportedKey)) // no person's
	for id := range w.IDs() {
		if r, of := idrange.Of(settled, id); of && !r.Disposable && !r.IsOf(mine) {
			found = append(found, suspect{id, r})
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	committed, ok, err := committedIDs(w.Dir)
	if err != nil || !ok {
		return nil, err
	}
	found = without(found, func(id entity.ID) bool { return committed[id] })
	if found, err = withoutBrought(w.Dir, found); err != nil || len(found) == 0 {
		return nil, err
	}
	given, err := w.Given(ctx)
	if err != nil {
		return nil, err
	}
	return without(found, given), nil
}

// withoutBrought drops the entities that svn brought, and that were made by another: what an
// update deleted is a copy of its own file where edits keep it, and what a merge takes in is in
// no commit of this branch.
func withoutBrought(dir *worlddir.Dir, suspects []suspect) ([]suspect, error) {
	if len(suspects) == 0 || dir.WorkingCopy(".git") != "" {
		return suspects, nil
	}
	w, err := vcs.SVN{Dir: dir.Root}.OpenCopy()
	if err != nil {
		return nil, err
	}
	name := func(id entity.ID) string { return path.Join(worlddir.EntitiesName, dir.Settings.Shard.Path(id)) }
	var names []string
	for _, s := range suspects {
		names = append(names, name(s.id))
	}
	known, err := w.Knows(names)
	kept, _ := svnrecord.Read(dir) // of one that cannot be read resolve says so
	return without(suspects, func(id entity.ID) bool {
		from, ok := layout.ParseFileName(path.Base(known[name(id)].From))
		return ok && from == id || vcs.IsMerged(kept, name(id))
	}), err
}

// withoutFormer drops the entities that are there again, by an undo or by version control
// itself, which had them before: they have the IDs that they always had. Where that cannot be
// found out none is named, as what is there again must not get another ID.
func withoutFormer(ctx context.Context, w *idalloc.World, suspects []suspect) ([]suspect, error) {
	ids := make([]entity.ID, len(suspects))
	for i, s := range suspects {
		ids[i] = s.id
	}
	former, err := usedids.Former(ctx, w.Dir, ids, w.Keep)
	if err != nil {
		return nil, fmt.Errorf("whether new entities have IDs of others' is not known: %w", err)
	}
	return without(suspects, func(id entity.ID) bool { return former[id] }), nil
}

func without(suspects []suspect, is func(entity.ID) bool) (rest []suspect) {
	for _, s := range suspects {
		if !is(s.id) {
			rest = append(rest, s)
		}
	}
	return rest
}

// comesIn reports whether git is in the middle of something that brings in others' entities.
func comesIn(w *idalloc.World) bool {
	if w.Dir.WorkingCopy(".git") == "" {
		return false
	}
	op, err := vcs.Git{Dir: w.Dir.Root}.Operation()
	return err != nil || op != nil && !op.Done
}
