package resolve

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/creators"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// record is what is known of one operation from calls before: what was chosen, and what
// was written. It is local, in .worldfs.
type record struct {
	Operation string            `json:"operation"` // its key
	Time      time.Time         `json:"time"`
	Choices   []Choice          `json:"choices,omitempty"`
	Applied   []Choice          `json:"applied,omitempty"` // those that the working copy is by
	Wrote     map[string]string `json:"wrote,omitempty"`   // files to the object IDs of their contents, "" for removed
	Under     map[string]string `json:"under,omitempty"`   // of files that were written with edits of a person's: the entity without them, as it was merged
	Given     *given            `json:"given,omitempty"`

	Renumbered []renumbered.Entity `json:"renumbered,omitempty"`

	anew     bool     // the operation was begun anew since this was kept
	read     []Choice // what the file has of them, as far as this process knows
	others   []*record
	steps    []*record           // those of the others that are of steps of this one, once they are known
	earlier  []renumbered.Entity // in the others
	followed renumbered.Followed
	united   []merge.Renumbering // to what the other side has
}

// given is what new IDs depend on beside the three worlds. It may change once they are
// merged: what is published then, and the new IDs have a range. They stay all the same.
type given struct {
	Ranges    []merge.Range `json:"ranges"`
	Published merge.Party   `json:"published"`
	Creators  creators.Kept `json:"creators,omitzero"` // of svn
}

const recordDays = 14 // for which operations are remembered

// readRecord returns the record of an operation, which knows what got another ID in those
// before.
func readRecord(dir *worlddir.Dir, op *vcs.Operation) (*record, error) {
	all, _, err := keptfile.Read[record](dir, worlddir.ResolvedName)
	found := recordOf(all, op.Key())
	for _, r := range all {
		if r != found {
			found.others = append(found.others, r)
			found.earlier = append(found.earlier, r.Renumbered...)
		}
	}
	return found, err
}

// recordOf returns the record of an operation, an empty one if there is none.
func recordOf(all []*record, key string) *record {
	found := &record{Operation: key}
	for _, r := range all {
		if r.Operation == key {
			found = r
		}
	}
	if found.Wrote == nil {
		found.Wrote = make(map[string]string)
	}
	found.read = slices.Clone(found.Choices)
	return found
}

// keep has a record be the newest, and drops those that are too old. What another process
// has kept since this one read it stays.
func (r *Resolution) keep() error {
	unlock, err := r.dir.LockKept()
	if err != nil {
		return err
	}
	defer unlock()
	all, _, err := keptfile.Read[record](r.dir, worlddir.ResolvedName)
	if err != nil && !errors.Is(err, keptfile.ErrDamaged) {
		return err
	}
	r.past.adopt(recordOf(all, r.past.Operation))
	r.past.Time = time.Now().UTC()
	all = slices.DeleteFunc(all, func(o *record) bool {
		return o.Operation == r.past.Operation || r.past.Time.Sub(o.Time) > recordDays*24*time.Hour
	})
	data, err := keptfile.Format(append(all, r.past))
	if err != nil {
		return err
	}
	if err := r.keepFile(r.dir, worlddir.ResolvedName, data); err != nil {
		return fmt.Errorf("what was chosen cannot be kept: %w", err)
	}
	r.past.read = slices.Clone(r.past.Choices)
	return nil
}

// forgetWritten drops what is noted of files that are unmerged and otherwise than an earlier
// call has left them, if the operation was begun anew since, as by git merge --abort and the
// same merge again: then git has written them, and no person.
func (r *Resolution) forgetWritten() {
	if r.past.anew = r.Operation.Begun.After(r.past.Time); !r.past.anew {
		return
	}
	for name := range r.files.unmerged {
		if r.files.object(name) != r.past.Wrote[name] {
			delete(r.past.Wrote, name)
		}
	}
}

// adopt takes over what another process has kept about the same operation: choices about
// what this one has chosen nothing of, and files that this one has not written.
func (r *record) adopt(now *record) {
	own := slices.DeleteFunc(slices.Clone(r.Choices), func(c Choice) bool { return isIn(r.read, c) })
	dropped := slices.DeleteFunc(slices.Clone(r.read), func(c Choice) bool { return isIn(r.Choices, c) })
	r.Choices = slices.DeleteFunc(slices.Clone(now.Choices), func(c Choice) bool { return isIn(dropped, c) })
	r.choose(own)
	for name, object := range now.Wrote {
		if _, ok := r.Wrote[name]; !ok && now.Time.After(r.Time) {
			r.Wrote[name] = object
			r.noteUnder(name, now.Under[name])
		}
	}
}

func isIn(choices []Choice, c Choice) bool {
	return slices.ContainsFunc(choices, func(o Choice) bool {
		return o.matter() == c.matter() && o.Take == c.Take && string(o.Value) == string(c.Value)
	})
}
