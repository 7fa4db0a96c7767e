// Package pullrecord keeps what worldfs pull is doing, or has done last: in .worldfs/pull.json,
// from before the first file is touched. By it a pull that was interrupted is finished, and what
// one has left in conflict is known until something is committed.
package pullrecord

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Record is what was pulled last.
type Record struct {
	Version int      `json:"version"`
	Head    string   `json:"head,omitempty"`   // where git's branch was
	Tip     string   `json:"tip,omitempty"`    // where it is to be
	Bases   []string `json:"bases,omitempty"`  // what Shared and Mine have in common
	Shared  string   `json:"shared,omitempty"` // what came in
	Mine    string   `json:"mine,omitempty"`   // all that the person had, committed or not
	Ended   bool     `json:"ended"`

	// Of svn, instead of commits: the revision, and what it was about.
	Revision string `json:"revision,omitempty"`
	SVN      []byte `json:"svn,omitempty"`

	// Besides the world: the trees that git's working tree goes from and to. "": nothing
	// there changes.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	// What of the world git's index had otherwise than Head, as the working tree had it:
	// files that were staged, and those of which git was only told that they are to be
	// added.
	Staged []string `json:"staged,omitempty"`
	Told   []string `json:"told,omitempty"`
}

const version = 1

// Read returns the record of a world's last pull, nil if there is none.
func Read(dir *worlddir.Dir) (*Record, error) {
	data, err := dir.Kept(worlddir.PulledName)
	if data == nil || err != nil {
		return nil, err
	}
	var r Record
	err = json.Unmarshal(data, &r)
	if err == nil && r.Version > version {
		return nil, fmt.Errorf(".worldfs/%s was written by a later build of worldfs; use that build", worlddir.PulledName)
	}
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf(".worldfs/%s is damaged: %w; remove it: all that was pulled is in version control, and what you had is in git the commit refs/worktree/worldfs/mine", worlddir.PulledName, err)
	}
	return &r, nil
}

// check refuses what no pull has written: version control is called with it.
func (r *Record) check() error {
	for _, object := range append([]string{r.Head, r.Tip, r.Shared, r.Mine, r.From, r.To}, r.Bases...) {
		if strings.Trim(object, "0123456789abcdef") != "" {
			return fmt.Errorf("%q is no object of git's", object)
		}
	}
	switch {
	case strings.Trim(r.Revision, "0123456789") != "" || (r.Revision == "") != (r.SVN == nil):
		return fmt.Errorf("%q is no revision of svn's", r.Revision)
	case !r.Ended && r.SVN == nil && (r.Head == "" || r.Tip == "" || r.Shared == "" || r.Mine == ""):
		return errors.New("it does not say what was pulled")
	}
	return nil
}

// IsBehind reports whether a pull of svn's was of an earlier revision.
func (r *Record) IsBehind(revision uint64) bool {
	to, err := strconv.ParseUint(r.Revision, 10, 63)
	return err == nil && to < revision
}

// Write keeps the record.
func (r *Record) Write(dir *worlddir.Dir, keep func(dir *worlddir.Dir, name string, data []byte) error) error {
	r.Version = version
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return keep(dir, worlddir.PulledName, data)
}

// Operation is the pull as an operation: ours is what is shared.
func (r *Record) Operation() *vcs.Operation {
	return &vcs.Operation{Kind: vcs.Pulling, Bases: r.Bases, Ours: r.Shared, Theirs: r.Mine, Mine: true}
}
