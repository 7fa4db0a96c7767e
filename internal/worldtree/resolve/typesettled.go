package resolve

import (
	"errors"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// typesBefore returns the declarations from which those of the merged world come home.
// What a person has settled counts as the merged world's: the person's edit of that stands.
func (r *Resolution) typesBefore(known, working *worldform.World) (*entity.Types, error) {
	types := known.Types.Clone()
	r.settled = make(map[string]bool)
	disputed := make(map[string]bool)
	for _, c := range r.Merged.Conflicts {
		disputed[c.Type] = disputed[c.Type] || c.ID == 0 && c.Left
		t := working.Types.Get(c.Type)
		if c.ID != 0 || c.Left || t == nil || t.Unknown || r.Merged.Types.Get(c.Type) != nil {
			continue
		}
		settled, err := r.isTypeSettled(typePath(c.Type), false)
		if err != nil {
			return nil, err
		}
		if !settled { // it is decided that the declaration goes
			types.Put(t)
		}
	}
	for _, t := range r.Merged.Types.All() {
		settled, err := r.isTypeSettled(typePath(t.Name), disputed[t.Name])
		if err != nil {
			return nil, err
		}
		if settled {
			r.settled[t.Name] = true
			types.Put(t)
		}
	}
	return types, nil
}

// isTypeSettled reports whether a types file that git could not merge, or that an earlier
// call has written, is as a person has made it.
func (r *Resolution) isTypeSettled(name string, disputed bool) (bool, error) {
	if r.files.marked[name] {
		return false, nil
	}
	if r.files.added[name] {
		return true, nil
	}
	if wrote, ok := r.past.Wrote[name]; ok {
		return wrote != r.files.object(name), nil
	}
	if r.Operation.Done && disputed {
		git, err := r.isMergedByGit(name)
		return !git, err
	}
	_, unmerged := r.files.unmerged[name]
	return (unmerged || r.files.resolved[name]) && !r.files.isGits(name), nil
}

// isMergedByGit reports whether a file is what git makes of the three texts by itself.
func (r *Resolution) isMergedByGit(name string) (bool, error) {
	if len(r.Operation.Bases) == 0 {
		return false, nil
	}
	var texts [3][]byte
	for i, rev := range []string{r.Operation.Bases[0], r.Operation.Ours, r.Operation.Theirs} {
		for f, err := range (vcs.Git{Dir: r.dir.Root}).Files(vcs.Query{Rev: rev, Names: []string{name}, Limit: typefile.MaxSize}) {
			if err != nil {
				return false, err
			}
			texts[i] = f.Data
		}
	}
	have, err := os.ReadFile(r.files.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	merged, clean, err := textmerge.ByGit(texts[0], texts[1], texts[2])
	return clean && string(merged) == string(have), err
}
