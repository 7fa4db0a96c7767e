package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

const (
	configName = "world.toml"
	rangesName = "id_ranges"
)

// settings are the files beside the types and the entities, and how they merge.
var settings = map[string]func(base, ours, theirs []byte) (merged []byte, clashes []string){
	configName: mergeTOML,
	rangesName: mergeLines,
}

// settleSettings merges world.toml and id_ranges where git could not: the world cannot
// be opened before.
func settleSettings(root string, git vcs.Git, op *vcs.Operation, note func(string)) error {
	q := vcs.Query{Names: []string{configName, rangesName}, Limit: idrange.MaxSize}
	index, err := git.Index(q)
	if err != nil {
		return err
	}
	unmerged := make(map[string]bool)
	for _, f := range index.Files {
		if f.Stage != 0 {
			unmerged[f.Name] = true
		}
	}
	var settled []string
	for name, merge := range settings {
		if !unmerged[name] {
			continue
		}
		if err := settleFile(root, git, op, name, merge, note); err != nil {
			return err
		}
		settled = append(settled, name)
	}
	return index.Stage(settled)
}

// settleFile merges one file that is unmerged, unless a person has taken the markers out.
func settleFile(root string, git vcs.Git, op *vcs.Operation, name string, merge func(base, ours, theirs []byte) ([]byte, []string), note func(string)) error {
	path := filepath.Join(root, name)
	now, err := disk.ReadFile(path, idrange.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && !hasMarkers(now) {
		return nil
	}
	var sides [3][]byte
	revs := [3]string{"", op.Ours, op.Theirs}
	if len(op.Bases) > 0 {
		revs[0] = op.Bases[0]
	}
	for i, rev := range revs {
		if rev == "" {
			continue
		}
		for f, err := range git.Files(vcs.Query{Rev: rev, Names: []string{name}, Limit: idrange.MaxSize}) {
			if err != nil {
				return err
			}
			sides[i] = f.Data
		}
	}
	merged, clashes := merge(sides[0], sides[1], sides[2])
	if op.Mine && len(clashes) > 0 { // where both say something else, the shared side stands
		merged, clashes = merge(sides[0], sides[2], sides[1])
	}
	for _, c := range clashes {
		note(fmt.Sprintf("%s: %s", name, c))
	}
	if merged == nil {
		return os.Remove(path)
	}
	return replaceFile(path, merged)
}
