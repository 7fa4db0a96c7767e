package resolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Keep replaces a file of a world's local state.
type Keep func(dir *worlddir.Dir, name string, data []byte) error

// lostRecord is what is known of one operation that is over.
type lostRecord struct {
	Key     string            `json:"key"` // the commit that came of it, or the operation's key
	Kind    vcs.OperationKind `json:"kind"`
	Commit  string            `json:"commit,omitempty"`
	By      Author            `json:"by"`
	Policy  bool              `json:"policy,omitempty"`
	Changes string            `json:"changes,omitempty"` // as in a change set's file; "" for none, or none that anybody misses
}

// lostRecords is what is known of all.
type lostRecords struct {
	all  []*lostRecord
	kept []byte // as they were read
}

func readLost(dir *worlddir.Dir) (*lostRecords, error) {
	data, err := dir.Kept(worlddir.LostName)
	if err != nil {
		return nil, err
	}
	r := &lostRecords{kept: data}
	if data == nil {
		return r, nil
	}
	if err := json.Unmarshal(data, &r.all); err != nil {
		return nil, fmt.Errorf(".worldfs/%s: %w; remove it: what merges have cost is found out again", worlddir.LostName, err)
	}
	r.all = slices.DeleteFunc(r.all, func(o *lostRecord) bool { return o == nil })
	return r, nil
}

func (r *lostRecords) has(key string) bool {
	return slices.ContainsFunc(r.all, func(o *lostRecord) bool { return o.Key == key })
}

// add adds what an operation has cost, in place of what was known of it.
func (r *lostRecords) add(l *Lost) {
	o := &lostRecord{Key: l.key, Kind: l.Kind, Commit: l.Commit, By: l.By, Policy: l.Policy}
	var text bytes.Buffer
	if len(l.Changes) > 0 && changeset.Format(&text, l.Changes) == nil { // a buffer takes all
		o.Changes = text.String()
	}
	r.all = slices.DeleteFunc(r.all, func(o *lostRecord) bool { return o.Key == l.key })
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
	data, err := json.Marshal(r.all)
	if err != nil || bytes.Equal(data, r.kept) || len(r.all) == 0 && r.kept == nil {
		return err
	}
	return keep(dir, worlddir.LostName, data)
}

// KeepLost has what is left of what was lost be all that is missed of it.
func KeepLost(dir *worlddir.Dir, lost []*Lost, keep Keep) error {
	known, err := readLost(dir)
	if err != nil {
		return err
	}
	for _, l := range lost {
		known.add(l)
	}
	return known.write(dir, keep)
}
