package complete

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// world is where a command would be run, as far as it can be read.
type world struct {
	dir  *worlddir.Dir  // nil: there is none
	pack *packfile.Pack // nil: it has none that can be read
}

func openWorld(cmd *cobra.Command) (w world) {
	from := "."
	if f := cmd.Flag("directory"); f != nil && f.Value.String() != "" {
		from = f.Value.String()
	}
	dir, err := worlddir.Find(from)
	if err != nil {
		return world{}
	}
	w.dir = dir
	if pack, err := packfile.ReadFile(dir.PackPath()); err == nil {
		w.pack = pack
	}
	return w
}

// types returns the types that are declared, where there is no pack those of the files.
func (w world) types() *entity.Types {
	if w.pack != nil {
		return w.pack.Types()
	}
	if w.dir != nil {
		if declared, _, err := typefile.ReadDir(w.dir.TypesPath()); err == nil {
			return declared
		}
	}
	return &entity.Types{}
}

// entities yields the IDs that begin as typed, in order, and what people call them.
func (w world) entities(typed string) iter.Seq2[entity.ID, string] {
	return func(yield func(entity.ID, string) bool) {
		if w.pack == nil {
			for _, id := range w.plain(typed) {
				if !yield(id, "") {
					return
				}
			}
			return
		}
		for id := range w.pack.IDs() {
			if !strings.HasPrefix(id.String(), typed) {
				continue
			}
			if e, ok := w.pack.Get(id); ok && !yield(id, e.Type()+" "+e.Name()) {
				return
			}
		}
	}
}

// plain returns the IDs of plain files: of a fresh clone, which has no pack.
func (w world) plain(typed string) (ids []entity.ID) {
	if w.dir == nil {
		return nil
	}
	add := func(dir string) (shards []string) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			id, ok := layout.ParseFileName(e.Name())
			switch {
			case ok && strings.HasPrefix(id.String(), typed):
				ids = append(ids, id)
			case e.IsDir() && layout.IsShard(e.Name()):
				shards = append(shards, filepath.Join(dir, e.Name()))
			}
		}
		return shards
	}
	for _, shard := range add(w.dir.EntitiesPath()) {
		add(shard)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
