package resolve

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// lostRecord is what is known of one operation that is over.
type lostRecord struct {
	Key     string              `json:"key"` // the commit that came of it, or the operation's key
	Kind    vcs.OperationKind   `json:"kind"`
	Commit  string              `json:"commit,omitempty"`
	By      leftconflict.Author `json:"by"`
	Policy  bool                `json:"policy,omitempty"`
	Changes string              `json:"changes,omitempty"` // as in a change set's file; "" for none, or none that anybody misses
	Skipped string              `json:"skipped,omitempty"` // why it could not be looked at
}

// lostRecords is what is known of all.
type lostRecords struct {
	all  []*lostRecord
	kept []byte // as they were read
}

// readLost returns none of a file that is damaged, with that as the error.
func readLost(dir *worlddir.Dir) (*lostRecords, error) {
	all, data, err := keptfile.Read[lostRecord](dir, worlddir.LostName)
	return &lostRecords{all: all, kept: data}, err
}

// updateLost changes what is known, as it is by then: other processes may have added to it
// since this one has read it.
func updateLost(dir *worlddir.Dir, keep Keep, change func(*lostRecords) error) error {
	unlock, err := dir.LockKept()
	if err != nil {
		return err
	}
	defer unlock()
	r, err := readLost(dir)
	if err != nil && !errors.Is(err, keptfile.ErrDamaged) {
		return err
	}
	if err := change(r); err != nil {
		return err
	}
	return r.write(dir, keep)
}

func (r *lostRecords) has(key string) bool { return r.get(key) != nil }

func (r *lostRecords) get(key string) *lostRecord {
	for _, o := range r.all {
		if o.Key == key {
			return o
		}
	}
	return nil
}

// record returns what is known of one operation.
func (l *Lost) record() *lostRecord {
	o := &lostRecord{Key: l.key, Kind: l.Kind, Commit: l.Commit, By: l.By, Policy: l.Policy}
	var text bytes.Buffer
	if len(l.Changes) > 0 && changeset.Format(&text, l.Changes) == nil { // a buffer takes all
		o.Changes = text.String()
	}
	return o
}

// put adds what is known of an operation, in place of what was.
func (r *lostRecords) put(o *lostRecord) {
	r.all = slices.DeleteFunc(r.all, func(old *lostRecord) bool { return old.Key == o.Key })
	r.all = append(r.all, o)
}

// forget drops what is older than a time.
func (r *lostRecords) forget(before time.Time) {
	r.all = slices.DeleteFunc(r.all, func(o *lostRecord) bool { return o.By.Time.Before(before) })
}

// lost returns what was lost, the last first. What was of types that are declared otherwise
// now, so that it cannot be read, cannot come back.
func (r *lostRecords) lost(types *entity.Types) (all []*Lost) {
	for _, o := range r.all {
		if o.Changes == "" {
			continue
		}
		changes, err := changeset.Parse(strings.NewReader(o.Changes), ".worldfs/"+worlddir.LostName, types)
		if err != nil {
			continue
		}
		all = append(all, &Lost{Kind: o.Kind, Commit: o.Commit, By: o.By, Policy: o.Policy, Changes: changes, key: o.Key})
	}
	slices.SortStableFunc(all, func(a, b *Lost) int { return b.By.Time.Compare(a.By.Time) })
	return all
}

// write keeps the records, if they are not as they were read.
func (r *lostRecords) write(dir *worlddir.Dir, keep Keep) error {
	data, err := keptfile.Format(r.all)
	if err != nil || bytes.Equal(data, r.kept) || len(r.all) == 0 && r.kept == nil {
		return err
	}
	return keep(dir, worlddir.LostName, data)
}

// KeepLost has what is left of what was lost be all that is missed of it. What another
// process has settled meanwhile stays settled.
func KeepLost(dir *worlddir.Dir, lost []*Lost, keep Keep) error {
	types, _, err := typefile.ReadDir(dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return updateLost(dir, keep, func(known *lostRecords) error {
		for _, now := range known.lost(types) {
			i := slices.IndexFunc(lost, func(l *Lost) bool { return l.key == now.key })
			if i < 0 {
				continue
			}
			if now.Changes, err = changeset.Both(now.Changes, lost[i].Changes); err != nil {
				return err
			}
			known.put(now.record())
		}
		return nil
	})
}
