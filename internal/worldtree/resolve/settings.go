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

// settings are the files beside the types and the entities, and how they merge.
var settings = map[string]func(base, ours, theirs []byte) (merged []byte, clashes []string){
	"world.toml": mergeTOML,
	"id_ranges":  mergeLines,
}

// settleSettings merges world.toml and id_ranges where version control could not: the
// world cannot be opened before.
func settleSettings(root string, c control, note func(string)) error {
	q := vcs.Query{Names: []string{"world.toml", "id_ranges"}, Limit: idrange.MaxSize}
	index, err := c.index(q)
	if err != nil {
		return err
	}
	unmerged := make(map[string]*[3]vcs.Listed)
	for _, f := range index.Files {
		if f.Stage == 0 {
			continue
		}
		if unmerged[f.Name] == nil {
			unmerged[f.Name] = new([3]vcs.Listed)
		}
		unmerged[f.Name][f.Stage-1] = f.Listed
	}
	var settled []string
	for name, merge := range settings {
		if unmerged[name] == nil {
			continue
		}
		sides, err := readSides(index, unmerged[name])
		if err != nil {
			return err
		}
		if c.operation().Mine { // where both say something else, the shared side stands
			sides[1], sides[2] = sides[2], sides[1]
		}
		merge := func() ([]byte, []string) { return merge(sides[0], sides[1], sides[2]) }
		if err := settleFile(root, name, merge, note); err != nil {
			return err
		}
		settled = append(settled, name)
	}
	return index.Stage(settled)
}

// readSides reads what the three sides have of a file.
func readSides(index *vcs.Index, listed *[3]vcs.Listed) (sides [3][]byte, err error) {
	for i, l := range listed {
		if l.Object == "" {
			continue
		}
		for f, err := range index.Tree(nil).Read([]vcs.Listed{l}) {
			if err != nil {
				return sides, err
			}
			sides[i] = f.Data
		}
	}
	return sides, nil
}

// settleFile merges one file that is unmerged, unless a person has taken the markers out.
func settleFile(root, name string, merge func() (merged []byte, clashes []string), note func(string)) error {
	path := filepath.Join(root, name)
	now, err := disk.ReadFile(path, idrange.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && !hasMarkers(now) {
		return nil
	}
	merged, clashes := merge()
	for _, c := range clashes {
		note(fmt.Sprintf("%s: %s", name, c))
	}
	if merged == nil {
		return os.Remove(path)
	}
	return replaceFile(path, merged)
}
