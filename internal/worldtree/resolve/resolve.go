// Package resolve brings home what version control merges file by file: it reads the
// trees of a merge from git or svn itself, merges the worlds in them, and has the working
// copy and the index follow.
//
// What they could not see is settled with the rest: an entity that one side deleted and
// the other changed, two entities of one ID, circles, dangling refs, a line of a vector
// from either side. world.toml is merged by key, id_ranges by line.
//
// Three worlds make one (the merged world): the base, ours and theirs. It comes home by
// another merge: what git, svn or an earlier call left in the working copy gives way to
// it, what a person has edited since stands. So nothing that a person typed is lost, and to
// resolve twice changes nothing more.
package resolve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// ErrNothing says that there is nothing that could be resolved.
var ErrNothing = errors.New("nothing to resolve")

// Keep replaces a file of a world's local state.
type Keep func(dir *worlddir.Dir, name string, data []byte) error

// Options are how to resolve.
type Options struct {
	Operation *vcs.Operation // nil: what git is in the middle of, or has just done
	Note      func(string)   // told what the person should know; may be nil
	Keep      Keep           // nil: this process replaces the files itself
}

func (o *Options) complete() {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Keep == nil {
		o.Keep = (*worlddir.Dir).Keep
	}
}

// Resolution is a merge of version control's, merged as a world.
type Resolution struct {
	Operation *vcs.Operation
	Merged    *merge.Result    // of the base, ours and theirs
	Left      []merge.Conflict // that are for people to settle
	Stands    []merge.Conflict // where an edit of the working copy stands instead of the merged world's value
	Unread    []Unread         // files that are left as they are
	Lost      *Lost            // what the person threw away who settled files by hand, while the operation is not over; may be nil

	dir     *worlddir.Dir
	control control
	index   *vcs.Index
	files   *workingCopy
	sides   [3]*worldform.World // base, ours, theirs
	arrived map[entity.ID]*entity.Entity
	reread  [3]map[entity.ID]*entity.Entity // by side
	home    *merge.Result
	past    *record
	rules   merge.Options
	chosen  int // how many choices were made in earlier calls

	states map[entity.ID]state // of entities that git could not merge, and those that a person changed

	taking bool                   // what was looked at ahead is taken in: the working copy has nothing of it yet
	texts  map[entity.ID][][]byte // of those that were read at once, for textsOf

	note     func(string)
	keepFile Keep
	working
	settled map[string]bool                      // types whose declarations a person has settled
	authors [2]map[entity.ID]leftconflict.Author // of ours and theirs
}

// working is what was seen of entities' texts in the working copy.
type working struct {
	unread  map[entity.ID]bool                 // they are not read
	marked  map[entity.ID]bool                 // with conflict markers
	carried []entity.ID                        // they come along with what a person settled
	saved   map[entity.ID][]savemarks.Standing // what games' saves have marked
}

// Open finds out what is being merged in a world directory, and merges it. It changes
// world.toml and id_ranges, where a merge has left them so that they cannot be read.
func Open(root string, o Options) (*Resolution, error) {
	o.complete()
	c, err := findControl(root, o)
	if err != nil {
		return nil, err
	}
	op := c.operation()
	if err := settleSettings(root, c, o.Note); err != nil {
		return nil, err
	}
	dir, err := worlddir.Open(root)
	if err != nil {
		return nil, err
	}
	r := &Resolution{Operation: op, dir: dir, control: c, note: o.Note, keepFile: o.Keep}
	if err := r.readPast(); err != nil {
		return nil, err
	}
	if err := r.readSides(); err != nil {
		return nil, err
	}
	if err := r.readUpdate(); err != nil {
		return nil, err
	}
	if r.index, err = c.index(indexQuery()); err != nil {
		return nil, err
	}
	if r.sides[1].Source.Len() == 0 && r.sides[2].Source.Len() == 0 {
		return nil, fmt.Errorf("%w: on neither side does %s have an entity of this world (it sees them where the world is mounted or has plain files, and they were added)", ErrNothing, c.name())
	}
	if r.files, err = readWorkingCopy(root, r.index, dir.Settings.Shard); err != nil {
		return nil, err
	}
	if s, svn := c.(svnControl); svn {
		r.files.moved = s.moved
	}
	if err := r.files.checkPlaces(); err != nil {
		return nil, err
	}
	r.forgetWritten()
	if err := r.forgetTakenBack(); err != nil {
		return nil, err
	}
	if err := r.readLeft(); err != nil {
		return nil, err
	}
	r.readRules()
	return r, r.settle()
}

// readPast reads what is known from earlier calls.
func (r *Resolution) readPast() (err error) {
	r.past, err = readRecord(r.dir, r.Operation)
	switch {
	case errors.Is(err, keptfile.ErrDamaged):
		r.note(fmt.Sprintf("%v: what was chosen is to be chosen again", err))
	case err != nil:
		return err
	}
	r.chosen = len(r.past.Choices)
	return nil
}

// Finished returns the merge or the rebase that git has just gone through with, for hooks,
// nil where it did none or where only one side changed the world at root: git has that right.
func Finished(root string) (*vcs.Operation, error) {
	git := vcs.Git{Dir: root}
	op, err := git.Finished()
	if op == nil || err != nil || len(op.Bases) == 0 {
		return op, err
	}
	q := worldform.TextQuery()
	q.Names = append(slices.Clone(q.Names), worlddir.RangesName)
	q.Want = nil
	for _, side := range []string{op.Ours, op.Theirs} {
		if differs, err := git.Differs(op.Bases[0], side, q); !differs || err != nil {
			return nil, err
		}
	}
	return op, nil
}

// settle merges the three worlds with what was chosen, and has that come home.
func (r *Resolution) settle() error {
	if err := r.merge(); err != nil {
		return err
	}
	return r.bringHome()
}

func (r *Resolution) merge() (err error) {
	if r.Merged, err = mergedBy(r, r.past.Choices); err == nil {
		r.past.followed.Name(r.Merged.Renumbered)
	}
	return err
}

// mergedBy returns the merged world as choices have it.
func mergedBy(r *Resolution, choices []Choice) (*merge.Result, error) {
	sides := worldform.Sides(r.sides)
	for i := range sides {
		if i < 2 && len(r.arrived) > 0 {
			sides[i].Entities = entity.NewOverlay(sides[i].Entities, r.arrived)
		}
		if len(r.reread[i]) > 0 {
			sides[i].Entities = entity.NewOverlay(sides[i].Entities, r.reread[i])
		}
	}
	options := r.rules
	options.Amended = amend(choices, &sides, r.Operation)
	options.Choose = chosen(choices, r.Operation)
	return merge.Worlds(sides[0], sides[1], sides[2], options)
}

// readSides reads the worlds that are brought together, with the IDs that entities got in
// earlier merges.
func (r *Resolution) readSides() (err error) {
	git, ok := r.control.(*gitControl)
	if ok {
		git.earlier = append(renumbered.InHistory(git.Git, r.Operation), r.past.earlier...)
	}
	if r.sides, err = r.control.sides(r.dir.Root); err == nil && ok {
		git.earlier = append(git.earlier, renumbered.InCommits(git.Git, r.Operation, &r.sides)...)
		r.past.followed = renumbered.Follow(git.Git, r.Operation, git.earlier, &r.sides)
		r.past.united = renumbered.Unite(git.Git, r.Operation, git.earlier, r.keeps(), &r.sides, &r.past.followed)
	}
	return err
}

// readRules reads how this world is merged.
func (r *Resolution) readRules() {
	options, err := readRules(r.dir, r.Operation)
	if err != nil {
		r.note(fmt.Sprintf("%v; until that is settled no ID has an owner", err))
	}
	if r.past.Given == nil && err == nil {
		r.past.Given = &given{Ranges: options.Ranges.List, Published: published(r.control, r.Operation)}
	}
	if r.past.Given != nil {
		options.Ranges.List, options.Published = r.past.Given.Ranges, r.past.Given.Published
	}
	if options.Program == merge.Neither && (merge.Yields(r.sides[1].Types) || merge.Yields(r.sides[2].Types)) {
		options.Program = program(r, options.Ranges.List)
	}
	options.Ranges.Creators = r.creators(options.Ranges.List)
	r.rules = options
}

// readRules returns how a world is merged in an operation.
func readRules(dir *worlddir.Dir, op *vcs.Operation) (merge.Options, error) {
	options, err := mergerules.Read(dir)
	if op.Mine {
		options.Shared = merge.Ours
		options.Ranges.Party, options.Program = merge.Theirs, options.Program.Other()
	} else if op.Kind == vcs.Merging {
		options.Peers = true
	}
	return options, err
}

// keeps returns the side whose IDs stay, where both have one entity by two: what others can
// have already.
func (r *Resolution) keeps() merge.Party {
	switch {
	case r.Operation.Mine:
		return merge.Ours
	case r.past.Given != nil:
		return r.past.Given.Published
	}
	return published(r.control, r.Operation)
}

// published returns the side of a merge that others can have already, Neither where both
// are or none is, or where it is what others have shared by what is being done.
func published(c control, op *vcs.Operation) merge.Party {
	if op.Mine || op.Kind != vcs.Merging {
		return merge.Neither
	}
	git, ok := c.(*gitControl)
	if !ok {
		return merge.Neither
	}
	ours, theirs := git.IsPublished(op.Ours), git.IsPublished(op.Theirs)
	switch {
	case ours == theirs:
		return merge.Neither
	case ours:
		return merge.Ours
	}
	return merge.Theirs
}
