package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// readOnly is a world that needs a newer build. Of such a world the published
// pack is read, and nothing is written, neither state nor plain files.
type readOnly struct {
	dir   *worlddir.Dir
	newer error // a worlddir.NewerError
	pack  *packfile.Pack
}

var _ World = (*readOnly)(nil)

// openReadOnly opens a world that needs a newer build; newer says so. A world
// without a pack is empty: its texts cannot be read without its types.
func openReadOnly(dir *worlddir.Dir, newer error) (*readOnly, error) {
	r := &readOnly{dir: dir, newer: newer}
	pack, err := cache.ReadPublished(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(newer, err)
	}
	r.pack = pack
	return r, nil
}

// finding says that the world needs a newer build.
func newerFinding(newer error) entity.Finding {
	return entity.Finding{Code: entity.CodeFormatNewer, Blocks: true, File: "world.toml", Message: newer.Error()}
}

// Status implements World.
func (r *readOnly) Status() (Status, error) {
	st := Status{Root: r.dir.Root, World: uuid.UUID(r.dir.ID).String(), Pack: r.dir.PackPath()}
	st.Findings = []entity.Finding{newerFinding(r.newer)}
	if r.pack != nil {
		st.Entities, st.Types = r.pack.Len(), r.pack.Types().Len()
	}
	return st, nil
}

// Check implements World.
func (r *readOnly) Check() ([]entity.Finding, error) {
	return []entity.Finding{newerFinding(r.newer)}, nil
}

// Ship implements World.
func (r *readOnly) Ship() ([]byte, []entity.Finding, error) {
	return nil, []entity.Finding{newerFinding(r.newer)}, fmt.Errorf("%w", cache.ErrShip)
}

// Read implements World.
func (r *readOnly) Read() (Reading, error) {
	if r.pack == nil {
		return Reading{}, r.newer
	}
	return Reading{World: r.dir.ID, Types: r.pack.Types(), Source: r.pack}, nil
}

// Text implements World.
func (r *readOnly) Text(id entity.ID) ([]byte, error) {
	if r.pack == nil {
		return nil, r.newer
	}
	e, ok := r.pack.Get(id)
	if !ok {
		return nil, fmt.Errorf("entity %d: %w", id, fs.ErrNotExist)
	}
	return textcodec.Append(nil, e), nil
}

// Close implements World.
func (r *readOnly) Close() error { return nil }

// Sync implements World.
func (r *readOnly) Sync() error { return r.newer }

// Import implements World.
func (r *readOnly) Import(io.Reader, string, ImportOptions) (cache.Report, error) {
	return cache.Report{}, r.newer
}

// Apply implements World.
func (r *readOnly) Apply(io.Reader, string, ApplyOptions) (cache.Report, error) {
	return cache.Report{}, r.newer
}

// Format implements World.
func (r *readOnly) Format([]entity.ID, bool) (cache.Report, error) { return cache.Report{}, r.newer }

// Kept implements World.
func (r *readOnly) Kept() ([]packstore.Kept, error) { return nil, r.newer }

// Restore implements World.
func (r *readOnly) Restore(cache.Target) (cache.Restored, error) { return cache.Restored{}, r.newer }

// History implements World.
func (r *readOnly) History(entity.ID) ([]Event, error) { return nil, r.newer }

// Undo implements World.
func (r *readOnly) Undo(entity.ID, time.Time) (Undone, error) { return Undone{}, r.newer }

// Unpack implements World.
func (r *readOnly) Unpack(string) (int, error) { return 0, r.newer }
