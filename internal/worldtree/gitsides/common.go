package gitsides

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// A commit that was picked, or rebased after another had merged it, is on both sides twice,
// as two commits, and what the sides come of has nothing of it. So it would be taken for two
// entities of one ID what one person made, for nothing that another then deleted it, and for
// a change of both what one side has long had. The base of an entity is what it was when
// both sides last had it alike.

// withCommon has the base have entities that were alike on both sides since, as they were
// then, and those that were deleted before and are back on both sides, as they were last.
// It returns these.
func withCommon(root string, op *vcs.Operation, sides *[3]*worldform.World) (map[entity.ID]*entity.Entity, error) {
	common, err := hadAlike(root, op.Ours, op.Theirs, sides)
	if err != nil {
		return nil, err
	}
	for id, e := range wereDeleted(root, op.Bases, sides) {
		if common[id] == nil {
			common[id] = e
		}
	}
	if isMadeAgain(op.Kind) {
		maps.DeleteFunc(common, func(id entity.ID, _ *entity.Entity) bool { return !onlyOnSides(id, sides) })
	}
	if len(common) > 0 {
		base := *sides[0]
		base.Source = entity.NewOverlay(base.Source, common)
		sides[0] = &base
	}
	return common, nil
}

// isMadeAgain reports whether a person has one change made again here: a commit that is picked
// or reverted, a stash, a patch. That it was made here before, and taken back since, is no
// reason to leave it out. An entity that it made, and that is here still, is the same one all
// the same.
func isMadeAgain(kind vcs.OperationKind) bool {
	return kind != vcs.Merging && kind != vcs.Rebasing && kind != vcs.Pulling
}

// onlyOnSides reports whether both sides have an entity and the base does not.
func onlyOnSides(id entity.ID, sides *[3]*worldform.World) bool {
	_, base := sides[0].Source.Get(id)
	_, ours := sides[1].Source.Get(id)
	_, theirs := sides[2].Source.Get(id)
	return !base && ours && theirs
}

// hadAlike returns entities as both sides had them alike since.
func hadAlike(root string, ours, theirs string, sides *[3]*worldform.World) (map[entity.ID]*entity.Entity, error) {
	common := make(map[entity.ID]*entity.Entity)
	apart := comeApart(sides)
	if len(apart) == 0 {
		return common, nil
	}
	q := worldform.TextQuery()
	q.Names = []string{strings.TrimSuffix(layout.Prefix, "/")}
	q.Want = func(name string) bool {
		id, ok := layout.EntityOf(name)
		return ok && apart[id]
	}
	given, err := vcs.Git{Dir: root}.BothGave(ours, theirs, q)
	if err != nil || len(given[0].Files) == 0 {
		return common, err
	}
	var versions [2]map[entity.ID][]*entity.Entity
	for i, tree := range given {
		if versions[i], err = readVersions(tree, sides[1].Types); err != nil {
			return nil, err
		}
	}
	for id := range versions[0] {
		if e := lastAlike(versions[0][id], versions[1][id]); e != nil {
			common[id] = e
		}
	}
	return common, nil
}

// comeApart returns the entities that the sides do not have alike. One that a side has as
// the base may be among those: it may have had the other's change, and gone back.
func comeApart(sides *[3]*worldform.World) map[entity.ID]bool {
	apart := make(map[entity.ID]bool)
	for ours, theirs := range entity.Differing(sides[1].Source, sides[2].Source) {
		if ours == nil {
			ours = theirs
		}
		apart[ours.ID] = true
	}
	return apart
}

// lastAlike returns the newest of the versions that both sides had, nil if there is none.
// Which side is ours makes no difference.
func lastAlike(ours, theirs []*entity.Entity) (last *entity.Entity) {
	least := 0
	for i, e := range ours {
		j := slices.IndexFunc(theirs, e.Same)
		if j < 0 || last != nil && i+j > least {
			continue
		}
		if last == nil || i+j < least || bytes.Compare(textcodec.Append(nil, e), textcodec.Append(nil, last)) < 0 {
			last, least = e, i+j
		}
	}
	return last
}

// readVersions reads what a file was, the newest first; what cannot be read is left out.
func readVersions(tree *vcs.Tree, types *entity.Types) (map[entity.ID][]*entity.Entity, error) {
	versions := make(map[entity.ID][]*entity.Entity)
	for f, err := range tree.Read(tree.Files) {
		if err != nil {
			return nil, err
		}
		id, _ := layout.EntityOf(f.Name)
		if read, err := textcodec.Decode(f.Data, id, types); err == nil {
			versions[id] = append(versions[id], read.Entity)
		}
	}
	return versions, nil
}
