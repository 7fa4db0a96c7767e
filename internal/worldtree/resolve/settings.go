package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
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
	for name, merge := range filemerge.Settings {
		s := setting{name: name, path: filepath.Join(root, name), merge: merge, unmerged: unmerged[name] != nil, mine: c.operation().Mine, note: note}
		if !s.unmerged && !both {
			continue
		}
		var stages [3]vcs.Listed
		if s.unmerged {
			stages = *unmerged[name]
		}
		if s.sides, err = c.file(index, name, stages); err != nil {
			return err
		}
		wrote, err := s.settle()
		if err != nil {
			return err
		}
		if wrote || s.unmerged {
			settled = append(settled, name)
		}
	}
	return index.Stage(settled)
}

// setting is one of these files, to be merged.
type setting struct {
	name, path string
	merge      func(base, ours, theirs []byte) (merged []byte, clashes []string)
	sides      [3][]byte // base, ours, theirs
	unmerged   bool
	mine       bool // theirs is the person's own
	note       func(string)
}

// settle merges the file, unless a person has taken the markers out, or one that is not
// unmerged is otherwise than git has merged it by itself, and reports whether it wrote it.
func (s *setting) settle() (wrote bool, err error) {
	now, err := disk.ReadFile(s.path, idrange.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err == nil && s.unmerged && !textmerge.HasMarkers(now) {
		return false, nil
	}
	merged, clashes := s.merge(s.sides[0], s.sides[1], s.sides[2])
	if s.mine && len(clashes) > 0 { // where both say something else, the shared side stands
		merged, clashes = s.merge(s.sides[0], s.sides[2], s.sides[1])
	}
	if !s.unmerged {
		byGit, clean, err := textmerge.ByGit(s.sides[0], s.sides[1], s.sides[2])
		if err != nil || s.name != worlddir.RangesName && !(clean && bytes.Equal(byGit, now)) {
			return false, err
		}
		if !clean || !bytes.Equal(byGit, now) { // a person's, or of several commits that git made anew
			merged, clashes = textmerge.WithoutRepeats(now, s.sides[1], s.sides[2]), nil
		}
	}
	if bytes.Equal(merged, now) {
		return false, nil
	}
	for _, c := range clashes {
		s.note(fmt.Sprintf("%s: %s", s.name, c))
	}
	if merged == nil {
		return true, os.Remove(s.path)
	}
	return true, replaceFile(s.path, merged)
}
