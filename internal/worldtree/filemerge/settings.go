package filemerge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Settings are the files beside the types and the entities, and how they merge.
var Settings = map[string]func(base, ours, theirs []byte) (merged []byte, clashes []string){
	worlddir.ConfigName: textmerge.TOML,
	worlddir.RangesName: textmerge.Lines,
}

// Setting is one of Settings in a working copy, to be merged.
type Setting struct {
	Name, Path string
	Sides      [3][]byte    // base, ours, theirs
	Unmerged   bool         // version control could not merge it
	Mine       bool         // theirs is the person's own
	Note       func(string) // told where both sides say something else
}

// Settle merges the file, unless a person has taken the markers out, or one that is not
// unmerged is otherwise than git has merged it by itself, and reports whether it wrote it.
// What is to take the file's place is beside it meanwhile, under a name with suffix.
func (s *Setting) Settle(suffix string) (wrote bool, err error) {
	now, err := disk.ReadFile(s.Path, idrange.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err == nil && s.Unmerged && !textmerge.HasMarkers(now) {
		return false, nil
	}
	merge := Settings[s.Name]
	merged, clashes := merge(s.Sides[0], s.Sides[1], s.Sides[2])
	if s.Mine && len(clashes) > 0 { // where both say something else, the shared side stands
		merged, clashes = merge(s.Sides[0], s.Sides[2], s.Sides[1])
	}
	if !s.Unmerged {
		byGit, clean, err := textmerge.ByGit(s.Sides[0], s.Sides[1], s.Sides[2])
		if err != nil || s.Name != worlddir.RangesName && !(clean && bytes.Equal(byGit, now)) {
			return false, err
		}
		if !clean || !bytes.Equal(byGit, now) { // a person's, or of several commits that git made anew
			merged, clashes = textmerge.WithoutRepeats(now, s.Sides[1], s.Sides[2]), nil
		}
	}
	if bytes.Equal(merged, now) {
		return false, nil
	}
	for _, c := range clashes {
		s.Note(fmt.Sprintf("%s: %s", s.Name, c))
	}
	if merged == nil {
		return true, os.Remove(s.Path)
	}
	return true, disk.Replace(s.Path, suffix, merged, 0o666)
}
