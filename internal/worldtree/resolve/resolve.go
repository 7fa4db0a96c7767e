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

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// ErrNothing says that there is nothing that could be resolved.
var ErrNothing = errors.New("nothing to resolve")

// Options are how to resolve.
type Options struct {
	Note func(string) // told what the person should know; may be nil

	// Keep replaces a file of the local state; nil: this process does so itself.
	Keep func(dir *worlddir.Dir, name string, data []byte) error
}

// Resolution is a merge of version control's, merged as a world.
type Resolution struct {
	Operation *vcs.Operation
	Merged    *merge.Result    // of the base, ours and theirs
	Left      []merge.Conflict // that are for people to settle
	Stands    []merge.Conflict // where an edit of the working copy stands instead of the merged world's value
	Unread    []string         // files that do not parse, and are left as they are

	dir     *worlddir.Dir
	control control
	index   *vcs.Index
	files   *workingCopy
	sides   [3]*worldform.World // base, ours, theirs
	home    *merge.Result
	past    *record
	rules   merge.Options
	chosen  int // how many choices were made in earlier calls

	note     func(string)
	keepFile func(dir *worlddir.Dir, name string, data []byte) error
	unread   map[entity.ID]bool
	authors  [2]map[entity.ID]Author // of ours and theirs
}

// Open finds out what is being merged in a world directory, and merges it. It changes
// world.toml and id_ranges, where a merge has left them so that they cannot be read.
func Open(root string, o Options) (*Resolution, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Keep == nil {
		o.Keep = (*worlddir.Dir).Keep
	}
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
	if r.past, err = readRecord(dir, op); err != nil {
		return nil, err
	}
	r.chosen = len(r.past.Choices)
	if r.index, err = c.index(worldform.TextQuery()); err != nil {
		return nil, err
	}
	if r.sides, err = c.sides(root); err != nil {
		return nil, err
	}
	if r.sides[1].Source.Len() == 0 && r.sides[2].Source.Len() == 0 {
		return nil, fmt.Errorf("%w: on neither side does %s have an entity of this world (it sees them where the world is mounted or has plain files, and they were added)", ErrNothing, c.name())
	}
	if r.files, err = readWorkingCopy(root, r.index); err != nil {
		return nil, err
	}
	r.rules = r.readRules()
	return r, r.settle()
}

// settle merges the three worlds with what was chosen, and has that come home.
func (r *Resolution) settle() (err error) {
	sides := worldform.Sides(r.sides)
	r.past.amend(&sides, r.Operation)
	options := r.rules
	options.Choose = r.past.chosen(r.Operation)
	if r.Merged, err = merge.Worlds(sides[0], sides[1], sides[2], options); err != nil {
		return err
	}
	return r.bringHome()
}

// readRules returns how this world is merged.
func (r *Resolution) readRules() merge.Options {
	options, err := mergerules.Read(r.dir)
	if err != nil {
		r.note(fmt.Sprintf("%v; until that is settled no ID has an owner", err))
	}
	if r.Operation.Mine {
		options.Shared = merge.Ours
		if options.Ranges != nil {
			options.Ranges = swapped{options.Ranges}
		}
	}
	return options
}

// swapped are the ranges where this machine's own side is theirs.
type swapped struct{ merge.Ranges }

// Owner implements merge.Ranges.
func (s swapped) Owner(id entity.ID) merge.Party { return s.Ranges.Owner(id).Other() }

// Next implements merge.Ranges.
func (s swapped) Next(p merge.Party, id entity.ID, free func(entity.ID) bool) (entity.ID, bool) {
	return s.Ranges.Next(p.Other(), id, free)
}
