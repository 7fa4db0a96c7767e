package leftovers

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Moved is a file with the name of an entity's in a directory that is a shard in no layout.
type Moved struct {
	Path string // in the directory that was looked at, with slashes
	ID   entity.ID
}

// maxDepth is how many directories below one another are looked through: a person's file that was
// dropped in the wrong place lies in one of the first.
const maxDepth = 4

// lookBelow looks for files that were moved into a directory, or below it. What is hidden is a
// program's own, such as .git.
func (s *Seen) lookBelow(dir, in string, depth int) {
	if depth >= maxDepth || strings.HasPrefix(path.Base(in), ".") {
		return
	}
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(in)))
	if err != nil {
		return // gone since, or not for this user's eyes
	}
	for _, e := range entries {
		at := path.Join(in, e.Name())
		if e.IsDir() {
			s.lookBelow(dir, at, depth+1)
			continue
		}
		if id, ok := layout.ParseFileName(e.Name()); ok && e.Type().IsRegular() {
			s.Moved = append(s.Moved, Moved{at, id})
		}
	}
}
