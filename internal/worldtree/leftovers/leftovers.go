// Package leftovers finds the files that lie beside those of entities and are none: what
// version control, or patch, has put there (the sides of a conflict, a change that was
// refused, a text as it was), and what people meant to be entities' files and did not name
// quite like one.
package leftovers

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// File is such a file: 6555.entity_text.mine.
type File struct {
	Path   string
	Suffix string // mine, working, r12, merge-left.r10, merge-right.r12, orig, rej, theirs, yours, ours, base
	At     time.Time
}

var names = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+` + regexp.QuoteMeta(layout.Suffix) + `)\.(mine|working|r[0-9]+|merge-(?:left|right)\.r[0-9]+|orig|rej|theirs|yours|ours|base)$`)
})

// Revision returns the revision of svn's that a file has the text of, and whether it is
// one with such a text.
func (f *File) Revision() (number int, ok bool) {
	digits := f.Suffix[strings.LastIndexByte(f.Suffix, 'r')+1:]
	number, _ = strconv.Atoi(digits) // digits, or too many of them
	return number, strings.Trim(digits, "0123456789") == ""
}

// Seen is what lies in a directory of entities' files.
type Seen struct {
	Beside map[entity.ID][]File
	Nearly []Nearly // in the order of their paths
	Moved  []Moved  // likewise
}

// Find returns what version control has left in a directory of files beside entities' and
// in its shards.
func Find(dir string) (map[entity.ID][]File, error) {
	seen, err := Look(dir)
	return seen.Beside, err
}

// Look looks at a directory of entities' files and its shards.
func Look(dir string) (Seen, error) {
	seen := Seen{Beside: make(map[entity.ID][]File)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return seen, fmt.Errorf("look for files of conflicts: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			seen.add(dir, "", e)
			continue
		}
		if !layout.IsShard(e.Name()) {
			seen.lookBelow(dir, e.Name(), 0)
			continue
		}
		inside, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			continue // gone since
		}
		for _, file := range inside {
			if file.IsDir() {
				seen.lookBelow(dir, path.Join(e.Name(), file.Name()), 1)
				continue
			}
			seen.add(dir, e.Name(), file)
		}
	}
	return seen, nil
}

func (s *Seen) add(dir, shard string, e os.DirEntry) {
	if _, ok := layout.ParseFileName(e.Name()); ok || !e.Type().IsRegular() {
		return
	}
	m := names().FindStringSubmatch(e.Name())
	if m == nil {
		if id, nearly := meant(e.Name()); nearly {
			s.Nearly = append(s.Nearly, Nearly{Path: path.Join(shard, e.Name()), ID: id})
		}
		return
	}
	id, ok := layout.ParseFileName(m[1])
	info, err := e.Info()
	if ok && err == nil {
		s.Beside[id] = append(s.Beside[id], File{filepath.Join(dir, shard, e.Name()), m[2], info.ModTime()})
	}
}
