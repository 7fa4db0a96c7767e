package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

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
	Wrote     map[string]string `json:"wrote,omitempty"` // files to the object IDs of their contents, "" for removed
	Given     *given            `json:"given,omitempty"`
}

// given is what new IDs depend on beside the three worlds. It may change once they are
// merged: what is published then, and the new IDs have a range. They stay all the same.
type given struct {
	Ranges    []merge.Range `json:"ranges"`
	Published merge.Party   `json:"published"`
}

const recordDays = 14 // for which operations are remembered

// readRecords returns the records of a world, the newest last.
func readRecords(dir *worlddir.Dir) (all []*record, err error) {
	data, err := dir.Kept(worlddir.ResolvedName)
	if data == nil || err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf(".worldfs/%s: %w; remove it: what was chosen in it is to be chosen again", worlddir.ResolvedName, err)
	}
	return slices.DeleteFunc(all, func(r *record) bool { return r == nil }), nil
}

func readRecord(dir *worlddir.Dir, op *vcs.Operation) (*record, error) {
	all, err := readRecords(dir)
	found := &record{Operation: op.Key()}
	for _, r := range all {
		if r.Operation == op.Key() {
			found = r
		}
	}
	if found.Wrote == nil {
		found.Wrote = make(map[string]string)
	}
	return found, err
}

// keep has a record be the newest, and drops those that are too old.
func (r *Resolution) keep() error {
	all, err := readRecords(r.dir)
	if err != nil {
		return err
	}
	r.past.Time = time.Now().UTC()
	all = slices.DeleteFunc(all, func(o *record) bool {
		return o.Operation == r.past.Operation || r.past.Time.Sub(o.Time) > recordDays*24*time.Hour
	})
	data, err := json.Marshal(append(all, r.past))
	if err != nil {
		return err
	}
	return r.keepFile(r.dir, worlddir.ResolvedName, data)
}
