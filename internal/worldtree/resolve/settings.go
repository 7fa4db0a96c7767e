package resolve

import (
	"path/filepath"

	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// settleSettings merges world.toml and id_ranges where version control could not, since the
// world cannot be opened before, and where git has merged their lines: one that both sides
// added in two places is there twice then.
func settleSettings(root string, c control, note func(string)) error {
	q := vcs.Query{Names: []string{worlddir.ConfigName, worlddir.RangesName}, Limit: idrange.MaxSize}
	conflict, err := c.isUnmerged(q)
	if err != nil {
		return err
	}
	both, err := c.merged(q)
	if err != nil || !conflict && !both {
		return err
	}
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
	for name := range filemerge.Settings {
		s := filemerge.Setting{Name: name, Path: filepath.Join(root, name), Unmerged: unmerged[name] != nil, Mine: c.operation().Mine, Note: note}
		if !s.Unmerged && !both {
			continue
		}
		var stages [3]vcs.Listed
		if s.Unmerged {
			stages = *unmerged[name]
		}
		if s.Sides, err = c.file(index, name, stages); err != nil {
			return err
		}
		wrote, err := s.Settle(BesideSuffix)
		if err != nil {
			return err
		}
		if wrote || s.Unmerged {
			settled = append(settled, name)
		}
	}
	return index.Stage(settled)
}
