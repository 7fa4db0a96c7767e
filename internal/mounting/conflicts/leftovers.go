package conflicts

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/leftovers"
)

// Leftovers returns what the files in dir say that version control left beside entities',
// those whose names are nearly an entity's, and those that were moved away from their places. known are the other findings.
func Leftovers(world *cache.World, dir string, known []entity.Finding) ([]entity.Finding, error) {
	seen, err := leftovers.Look(dir)
	if err != nil || len(seen.Beside)+len(seen.Nearly)+len(seen.Moved) == 0 {
		return nil, err
	}
	view, err := world.View()
	if err != nil {
		return nil, err
	}
	found := append(nearlyNamed(view, world.Layout(), seen.Nearly), moved(view, world.Layout(), seen.Moved)...)
	codes := make(map[entity.ID]entity.Finding)
	for _, f := range known {
		if f.Code == entity.CodeConflict || f.Code == entity.CodeBroken {
			codes[f.ID] = f
		}
	}
	for id, beside := range seen.Beside {
		f, isConflict := conflictOf(id, beside, codes[id].Code != "")
		if !isConflict {
			found = append(found, rests(view, dir, id, beside)...)
			continue
		}
		if e, ok := view.Get(id); ok {
			f = f.About(e)
		}
		f.Line = codes[id].Line
		f.Message += "; loaded meanwhile: " + loaded(world, id, beside, codes[id].Code)
		found = append(found, f)
	}
	slices.SortStableFunc(found, func(a, b entity.Finding) int { return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.File, b.File)) })
	return found, nil
}

// conflictOf says what the files beside an entity's mean, if they mean a
// conflict. marked says that the entity's own text has one.
func conflictOf(id entity.ID, beside []leftovers.File, marked bool) (f entity.Finding, ok bool) {
	by := make(map[string]leftovers.File)
	var revisions []string
	for _, l := range beside {
		by[l.Suffix] = l
		if _, of := l.Revision(); of {
			revisions = append(revisions, l.Suffix)
		}
	}
	slices.SortFunc(revisions, func(a, b string) int { return revisionOf(by[a]) - revisionOf(by[b]) })
	name := layout.FileName(id)
	f = entity.Finding{Code: entity.CodeConflictFiles, ID: id}
	yours, svn := by["mine"], "mine"
	if _, merging := by["working"]; merging {
		yours, svn = by["working"], "working"
	}
	switch refused, left := by["rej"], len(revisions); {
	case left > 0 && yours.Path != "":
		theirs := revisions[left-1]
		f.File = name + "." + svn
		f.Message = fmt.Sprintf("svn left a conflict at %s: %s.%s is yours, %s.%s is theirs; settle it in %s, then svn resolve",
			when(yours.At), name, svn, name, theirs, name)
	case refused.Path != "":
		f.File = name + ".rej"
		f.Message = fmt.Sprintf("a part of a change was refused at %s: %s.rej has it; put it in, or not, and remove that file", when(refused.At), name)
	case by["orig"].Path != "" && marked:
		f.File = name + ".orig"
		f.Message = fmt.Sprintf("a merge left %s.orig at %s, the text as it was before; settle the conflict in %s and remove that file",
			name, when(by["orig"].At), name)
	default:
		return f, false
	}
	return f, true
}

func revisionOf(l leftovers.File) int {
	n, _ := l.Revision()
	return n
}

func when(t time.Time) string { return t.Local().Format(time.DateTime) }

// loaded says which side's values the entity has until a person settles the
// conflict.
func loaded(world *cache.World, id entity.ID, beside []leftovers.File, code string) string {
	switch code {
	case entity.CodeConflict:
		return "the first side of the markers in its text"
	case entity.CodeBroken:
		return "the last good values, since its text does not parse"
	}
	file, err := world.Lookup(id)
	if err != nil {
		return "nothing, since its file is gone"
	}
	text, err := file.Text()
	if err != nil {
		return "what its file has"
	}
	for _, l := range beside {
		if hasText(l.Path, text) {
			return "what " + filepath.Base(l.Path) + " has"
		}
	}
	return "what its file has now"
}

// hasText reports whether a file, itself and no symlink, has that text.
func hasText(path string, text []byte) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|osfile.NoFollow, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	other, err := io.ReadAll(io.LimitReader(f, int64(len(text))+1))
	return err == nil && bytes.Equal(other, text)
}
