package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
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

const (
	recordName = "resolve.json"
	recordDays = 14 // for which operations are remembered
	maxRecord  = 64 << 20
)

func recordPath(dir *worlddir.Dir) string { return filepath.Join(dir.StatePath(), recordName) }

// readRecords returns the records of a world, the newest last.
func readRecords(dir *worlddir.Dir) ([]*record, error) {
	data, err := disk.ReadFile(recordPath(dir), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was resolved: %w", err)
	}
	var all []*record
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it: what was chosen in it is to be chosen again", recordPath(dir), err)
	}
	return all, nil
}

func readRecord(dir *worlddir.Dir, op *vcs.Operation) (*record, error) {
	all, err := readRecords(dir)
	for _, r := range all {
		if r.Operation == op.Key() {
			return r, err
		}
	}
	return &record{Operation: op.Key(), Wrote: make(map[string]string)}, err
}

// write has a record be the newest, and drops those that are too old.
func (r *record) write(dir *worlddir.Dir) error {
	all, err := readRecords(dir)
	if err != nil {
		return err
	}
	r.Time = time.Now().UTC()
	all = slices.DeleteFunc(all, func(o *record) bool {
		return o.Operation == r.Operation || r.Time.Sub(o.Time) > recordDays*24*time.Hour
	})
	data, err := json.Marshal(append(all, r))
	if err != nil {
		return err
	}
	if err := dir.EnsureState(); err != nil {
		return err
	}
	return (&disk.Disk{}).WriteAtomic("what was resolved", recordPath(dir), data, 0o600)
}
