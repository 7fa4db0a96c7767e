package resolve

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// editedMarked returns the files with conflict markers that a person has edited since they
// were marked, some of the markers being there still: what is in such a file is nowhere else.
func (r *Resolution) editedMarked(broken []entity.ID) (map[string]bool, error) {
	edited := make(map[string]bool)
	var stages []vcs.Listed
	sides := make(map[string]*[3][]byte)
	for _, name := range slices.Sorted(maps.Keys(r.files.marked)) {
		id, ok := layout.EntityOf(name)
		if !ok || !r.files.marked[name] {
			continue
		}
		if len(r.saved[id]) > 0 {
			edited[name] = true
			continue
		}
		if wrote, written := r.past.Wrote[name]; written {
			edited[name] = wrote != r.files.object(name)
			continue
		}
		all := r.files.unmerged[name]
		if all[2].Object == "" || all[3].Object == "" {
			continue
		}
		sides[name] = new([3][]byte)
		for _, stage := range all[1:] {
			if stage.Object != "" {
				stages = append(stages, stage.Listed)
			}
		}
	}
	i := 0
	for f, err := range r.index.Tree(nil).Read(stages) {
		if err != nil {
			return nil, err
		}
		all := r.files.unmerged[f.Name]
		for n, stage := range all[1:] {
			if stage.Object == stages[i].Object {
				sides[f.Name][n] = f.Data
			}
		}
		i++
	}
	for name, texts := range sides {
		text, err := disk.ReadFile(filepath.Join(r.files.root, filepath.FromSlash(name)), cache.MaxFileSize)
		if err != nil {
			return nil, err
		}
		id, _ := layout.EntityOf(name)
		isBroken := slices.Contains(broken, id)
		if !r.files.driver[name] && !isBroken {
			edited[name] = !filemerge.IsMarked(*texts, text)
		} else if edited[name], err = r.isEdited(id, *texts, text, isBroken); err != nil {
			return nil, err
		}
	}
	return edited, nil
}

// isEdited reports whether a marked text is not as the driver, or version control, has marked
// it. What the driver marks parses, so that a text that does is compared with just that: with
// what it merges by property, has git merge by lines, or leaves to resolve as a whole.
func (r *Resolution) isEdited(id entity.ID, sides [3][]byte, text []byte, broken bool) (bool, error) {
	unlabelled := string(textmerge.WithoutLabels(text))
	isText := func(merged []byte, _ bool) bool { return string(textmerge.WithoutLabels(merged)) == unlabelled }
	if r.isByDriver(id, sides, isText) {
		return false, nil
	}
	if broken {
		return !filemerge.IsMarked(sides, text), nil
	}
	if isText(textmerge.Unmerged(sides[1], sides[2], [2]string{}, textmerge.MarkerSize), false) {
		return false, nil
	}
	merged, clean, err := textmerge.ByGit(sides[0], sides[1], sides[2])
	return !isText(merged, clean), err
}
