package resolve

import (
	"bytes"
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

// settleSettings merges world.toml and id_ranges where git could not, since the world cannot
// be opened before, and where git has merged their lines: one that both sides added in two
// places is there twice then.
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
	both, err := bothChangedSettings(git, op)
	if err != nil {
		return err
	}
	var settled []string
	for name, merge := range settings {
		if !unmerged[name] && !both {
			continue
		}
		wrote, err := settleFile(root, git, op, name, merge, unmerged[name], note)
		if err != nil {
			return err
		}
		if wrote || unmerged[name] {
			settled = append(settled, name)
		}
	}
	return index.Stage(settled)
}

// bothChangedSettings reports whether both sides changed any of these files, and git may
// have merged it, line by line, without a conflict.
func bothChangedSettings(git vcs.Git, op *vcs.Operation) (bool, error) {
	if len(op.Bases) == 0 {
		return false, nil
	}
	q := vcs.Query{Names: []string{configName, rangesName}}
	for _, side := range []string{op.Ours, op.Theirs} {
		if differs, err := git.Differs(op.Bases[0], side, q); !differs || err != nil {
			return false, err
		}
	}
	return true, nil
}

// settleFile merges one file that is unmerged, unless a person has taken the markers out, or
// that is as git has merged it by itself, and reports whether it wrote it.
func settleFile(root string, git vcs.Git, op *vcs.Operation, name string, merge func(base, ours, theirs []byte) ([]byte, []string), unmerged bool, note func(string)) (wrote bool, err error) {
	path := filepath.Join(root, name)
	now, err := disk.ReadFile(path, idrange.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err == nil && unmerged && !hasMarkers(now) {
		return false, nil
	}
	sides, err := settingsOf(git, op, name)
	if err != nil {
		return false, err
	}
	merged, clashes := merge(sides[0], sides[1], sides[2])
	if op.Mine && len(clashes) > 0 { // where both say something else, the shared side stands
		merged, clashes = merge(sides[0], sides[2], sides[1])
	}
	if !unmerged {
		byGit, clean, err := vcs.MergeFile(sides[0], sides[1], sides[2])
		if err != nil || name != rangesName && !(clean && bytes.Equal(byGit, now)) {
			return false, err
		}
		if !clean || !bytes.Equal(byGit, now) { // a person's, or of several commits that git made anew
			merged, clashes = withoutRepeats(now, sides[1], sides[2]), nil
		}
	}
	if bytes.Equal(merged, now) {
		return false, nil
	}
	for _, c := range clashes {
		note(fmt.Sprintf("%s: %s", name, c))
	}
	if merged == nil {
		return true, os.Remove(path)
	}
	return true, replaceFile(path, merged)
}

// settingsOf returns a file as the base, ours and theirs have it.
func settingsOf(git vcs.Git, op *vcs.Operation, name string) (sides [3][]byte, err error) {
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
				return sides, err
			}
			sides[i] = f.Data
		}
	}
	return sides, nil
}
