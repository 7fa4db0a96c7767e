package daemon

import (
	"errors"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// readOnly is a world that needs a newer build. Of such a world the published
// pack is read, and nothing is written, neither state nor plain files.
type readOnly struct {
	dir   *worlddir.Dir
	newer error // a worlddir.NewerError
	pack  *packfile.Pack
}

// openReadOnly opens a world that needs a newer build; newer says so. A world
// without a pack is empty: its texts cannot be read without its types.
func openReadOnly(dir *worlddir.Dir, newer error) (opened, error) {
	r := &readOnly{dir: dir, newer: newer}
	pack, err := mend.ReadPublished(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(newer, err)
	}
	r.pack = pack
	return r, nil
}

// finding says that the world needs a newer build.
func newerFinding(newer error) entity.Finding {
	f := entity.Finding{Code: entity.CodeFormatNewer, Blocks: true, File: "world.toml", Message: newer.Error()}
	return advice.Give(layout.None, []entity.Finding{f})[0]
}

// Close implements opened.
func (r *readOnly) Close() error { return nil }
