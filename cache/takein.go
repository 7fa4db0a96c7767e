package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/typefile"
)

// Intake is what comes into a world from outside.
type Intake struct {
	Types    []*entity.Type
	Entities []*entity.Entity
	Whole    bool // what is missing is deleted
}

// Report says what became of an intake.
type Report struct {
	Created   int `json:"created"`
	Changed   int `json:"changed"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
	Conflicts int `json:"conflicts"`
	Broken    int `json:"broken"` // texts that do not parse; they are kept
}

// TakeIn takes in types and entities. What did not change keeps its text, its
// times and its inode number. When it returns without an error all of it is in
// the published pack, otherwise none of the entities are.
func (w *World) TakeIn(in Intake) (Report, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.takeInTypes(in); err != nil {
		return Report{}, err
	}
	if err := w.settle(true); err != nil {
		return Report{}, err
	}
	v := w.snapshot(true)
	changes := make(map[entity.ID]change)
	named := make(map[entity.ID]bool, len(in.Entities))
	for _, e := range in.Entities {
		named[e.ID] = true
		e = underTypes(e, v.types)
		if old, ok := v.Get(e.ID); !ok || !old.Equal(e) {
			changes[e.ID] = change{entity: e}
		}
	}
	if in.Whole {
		for id := range v.pack.IDs() {
			w.deleteMissing(id, named, changes)
		}
		for _, id := range v.ids {
			w.deleteMissing(id, named, changes)
		}
	}
	report := count(v, changes)
	report.Unchanged = len(in.Entities) - report.Created - report.Changed
	return report, w.intake(v, changes)
}

func (w *World) deleteMissing(id entity.ID, named map[entity.ID]bool, changes map[entity.ID]change) {
	if !named[id] && w.exists(id) {
		changes[id] = change{gone: true}
	}
}

// takeInTypes writes the declarations that are new, and puts them in force.
func (w *World) takeInTypes(in Intake) error {
	if len(in.Types) > 0 {
		if err := os.MkdirAll(w.dir.TypesPath(), 0o755); err != nil {
			return fmt.Errorf("write types: %w", err)
		}
		if _, err := typefile.WriteDir(w.dir.TypesPath(), in.Types); err != nil {
			return err
		}
	}
	if in.Whole {
		if err := w.removeTypes(in.Types); err != nil {
			return err
		}
	}
	return w.reloadTypes()
}

// removeTypes removes the files of types that are not among keep.
func (w *World) removeTypes(keep []*entity.Type) error {
	kept := entity.NewTypes(keep...)
	for _, t := range w.Types().All() {
		if kept.Get(t.Name) != nil {
			continue
		}
		path := filepath.Join(w.dir.TypesPath(), typefile.FileName(t.Name))
		if err := w.disk.Remove("types file", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// underTypes returns e with the layout that the types give it.
func underTypes(e *entity.Entity, types *entity.Types) *entity.Entity {
	t := types.Get(e.Type())
	if t == nil || t == e.Layout.Type {
		return e
	}
	l := t.Layout(e.Revision())
	if !slices.EqualFunc(l.Fields, e.Layout.Fields, func(a, b *entity.Field) bool { return a.Name == b.Name && a.Kind == b.Kind }) {
		return entity.Carry(e, t)
	}
	n := *e
	n.Layout = l
	return &n
}
