// Package leftovers finds the files that version control, or patch, has put beside those
// of entities: the sides of a conflict, a change that was refused, a text as it was.
package leftovers

import (
	"fmt"
	"os"
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
	Suffix string // mine, working, r12, merge-left.r10, merge-right.r12, orig, rej
	At     time.Time
}

var names = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+` + regexp.QuoteMeta(layout.Suffix) + `)\.(mine|working|r[0-9]+|merge-(?:left|right)\.r[0-9]+|orig|rej)$`)
})

// Revision returns the revision of svn's that a file has the text of, and whether it is
// one with such a text.
func (f *File) Revision() (number int, ok bool) {
	digits := f.Suffix[strings.LastIndexByte(f.Suffix, 'r')+1:]
	number, _ = strconv.Atoi(digits) // digits, or too many of them
	return number, strings.Trim(digits, "0123456789") == ""
}

// Find returns those in a directory of files beside entities' and in its shards.
func Find(dir string) (map[entity.ID][]File, error) {
	found := make(map[entity.ID][]File)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for files of conflicts: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !layout.IsShard(e.Name()) {
			add(found, dir, e)
			continue
		}
		shard := filepath.Join(dir, e.Name())
		inside, err := os.ReadDir(shard)
		if err != nil {
			continue // gone since
		}
		for _, e := range inside {
			add(found, shard, e)
		}
	}
	return found, nil
}

func add(to map[entity.ID][]File, dir string, e os.DirEntry) {
	m := names().FindStringSubmatch(e.Name())
	if m == nil || !e.Type().IsRegular() {
		return
	}
	id, ok := layout.ParseFileName(m[1])
	info, err := e.Info()
	if ok && err == nil {
		to[id] = append(to[id], File{filepath.Join(dir, e.Name()), m[2], info.ModTime()})
	}
}
