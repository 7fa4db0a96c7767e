// Package lostedits tells in which entities a merge may have cost edits, and keeps what is known
// of those that it has: a record for each operation that is over, in the world's state directory.
// What resolve has found out once it does not look for again, and what a person has dismissed
// stays dismissed.
package lostedits

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Record is what is known of one operation that is over.
type Record struct {
	Key     string              `json:"key"` // the commit that came of it, or the operation's key
	Kind    vcs.OperationKind   `json:"kind"`
	Commit  string              `json:"commit,omitempty"`
	By      leftconflict.Author `json:"by"`
	Policy  bool                `json:"policy,omitempty"`
	Changes string              `json:"changes,omitempty"` // as in a change set's file; "" for none, or none that anybody misses
	Skipped string              `json:"skipped,omitempty"` // why it could not be looked at
}

// Records is what is known of all.
type Records struct {
	all  []*Record
	kept []byte // as they were read
}

// Read returns none of a file that is damaged, with that as the error.
func Read(dir *worlddir.Dir) (*Records, error) {
	all, data, err := keptfile.Read[Record](dir, worlddir.LostName)
	return &Records{all: all, kept: data}, err
}

// Update changes what is known, as it is by then: other processes may have added to it
// since this one has read it. keep does as worlddir.Dir.Keep.
func Update(dir *worlddir.Dir, keep func(*worlddir.Dir, string, []byte) error, change func(*Records) error) error {
	unlock, err := dir.LockKept()
	if err != nil {
		return err
	}
	defer unlock()
	r, err := Read(dir)
	if err != nil && !errors.Is(err, keptfile.ErrDamaged) {
		return err
	}
	if err := change(r); err != nil {
		return err
	}
	return r.write(dir, keep)
}

// All returns the records, in the order in which they were put. The caller does not change
// them.
func (r *Records) All() []*Record { return r.all }

// Has reports whether an operation is known.
func (r *Records) Has(key string) bool { return r.Get(key) != nil }

// Get returns what is known of an operation, nil for nothing.
func (r *Records) Get(key string) *Record {
	for _, o := range r.all {
		if o.Key == key {
			return o
		}
	}
	return nil
}

// Put adds what is known of an operation, in place of what was.
func (r *Records) Put(o *Record) {
	r.all = slices.DeleteFunc(r.all, func(old *Record) bool { return old.Key == o.Key })
	r.all = append(r.all, o)
}

// Forget drops what is older than a time.
func (r *Records) Forget(before time.Time) {
	r.all = slices.DeleteFunc(r.all, func(o *Record) bool { return o.By.Time.Before(before) })
}

// write keeps the records, if they are not as they were read.
func (r *Records) write(dir *worlddir.Dir, keep func(*worlddir.Dir, string, []byte) error) error {
	data, err := keptfile.Format(r.all)
	if err != nil || bytes.Equal(data, r.kept) || len(r.all) == 0 && r.kept == nil {
		return err
	}
	return keep(dir, worlddir.LostName, data)
}
