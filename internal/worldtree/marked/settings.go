package marked

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
)

// MergeSettings merges world.toml by key and id_ranges by line where they have markers, and
// returns those that it wrote: no world can be opened before. Where both sides say
// something else about a key, the shared value stands, and note is told.
func MergeSettings(root string, note func(string)) (written []string, err error) {
	for name, merge := range filemerge.Settings {
		path := filepath.Join(root, name)
		text, err := disk.ReadFile(path, idrange.MaxSize)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !textmerge.HasMarkers(text) {
			continue
		}
		if err != nil {
			return written, err
		}
		sides, whole := textmerge.Unmark(text)
		if !whole {
			continue // it is told where it is read
		}
		shared := 1 - mineOf(labelsOf(text))
		merged, clashes := merge(nil, sides[shared], sides[1-shared])
		for _, c := range clashes {
			note(fmt.Sprintf("%s: %s", name, c))
		}
		if err := disk.Replace(path, resolve.BesideSuffix, merged, 0o666); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}
