package vcssync

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Record is what version control has still to be told, in .worldfs/vcs.json.
type Record struct {
	Deleted  []Deletion        `json:"deleted,omitempty"`  // that svn may not know of yet
	Returned map[string][]byte `json:"returned,omitempty"` // texts over which svn writes its own meanwhile
	Failure  string            `json:"failure,omitempty"`  // why it could not be told last time; "" if it could
	Since    time.Time         `json:"since,omitzero"`     // of Failure
}

// Deletion is a file of which svn has to hear that it is deleted.
type Deletion struct {
	Name string    `json:"name"` // from the world directory, with slashes
	Time time.Time `json:"time"`
	Base string    `json:"base,omitempty"` // the SHA-1 of the text that svn had of it then; "" if that is not known
}

// byName returns the deletions by the names of their files.
func (r *Record) byName() map[string]Deletion {
	names := make(map[string]Deletion, len(r.Deleted))
	for _, d := range r.Deleted {
		names[d.Name] = d
	}
	return names
}

// Update is a change of a Record. The zero Update changes nothing.
type Update struct {
	Add      []Deletion        `json:"add,omitempty"`
	Drop     []string          `json:"drop,omitempty"`    // names of deletions
	Bases    map[string]string `json:"bases,omitempty"`   // what svn has, of deletions that are on record
	Returned map[string][]byte `json:"returned"`          // nil: as they were
	Failure  *string           `json:"failure,omitempty"` // nil: as it was
}

const (
	recordName = "vcs.json"
	maxRecord  = 256 << 20
)

// noting has one goroutine at a time change a record. Other processes are kept out by
// the world's lock.
var noting sync.Mutex

// Note changes the record of a world, and returns it as it is then. The caller has the
// world's lock.
func Note(dir *worlddir.Dir, u Update) (Record, error) {
	noting.Lock()
	defer noting.Unlock()
	r, err := ReadRecord(dir)
	if err != nil || !r.apply(u) {
		return r, err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	if err := (&disk.Disk{}).WriteAtomic("what version control has to be told", recordPath(dir), data, 0o600); err != nil {
		return r, err
	}
	return r, nil
}

// ReadRecord returns the record of a world.
func ReadRecord(dir *worlddir.Dir) (r Record, err error) {
	data, err := disk.ReadFile(recordPath(dir), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read what version control has to be told: %s: %w", dir.Plainly(recordPath(dir)), err)
	}
	return r, nil
}

func recordPath(dir *worlddir.Dir) string { return filepath.Join(dir.StatePath(), recordName) }

// apply changes the record, and reports whether it did.
func (r *Record) apply(u Update) (changed bool) {
	drop := make(map[string]bool)
	for _, name := range u.Drop {
		drop[name] = true
	}
	for _, d := range u.Add {
		drop[d.Name] = true
	}
	before := len(r.Deleted)
	r.Deleted = slices.DeleteFunc(r.Deleted, func(d Deletion) bool { return drop[d.Name] })
	changed = len(r.Deleted) != before || len(u.Add) > 0
	r.Deleted = append(r.Deleted, u.Add...)
	for i, d := range r.Deleted {
		if base, ok := u.Bases[d.Name]; ok {
			r.Deleted[i].Base, changed = base, true
		}
	}
	if u.Returned != nil {
		changed = changed || len(r.Returned)+len(u.Returned) > 0
		r.Returned = u.Returned
	}
	if u.Failure != nil && *u.Failure != r.Failure {
		changed = true
		r.Failure, r.Since = *u.Failure, time.Time{}
		if r.Failure != "" {
			r.Since = time.Now().UTC()
		}
	}
	return changed
}
