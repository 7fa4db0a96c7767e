package resolve

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

const typesPrefix = "types/"

// typePath returns where a type is declared.
func typePath(name string) string { return typesPrefix + typefile.FileName(name) }

// writeTypes writes the declarations that are not in types/ already, and marks those
// about which a conflict is left.
func (a *applying) writeTypes() error {
	before, err := a.readTypes()
	if err != nil {
		return err
	}
	if err := a.unmarkTypes(); err != nil {
		return err
	}
	if err := a.unmarkPulled(); err != nil {
		return err
	}
	dir := a.dir.TypesPath()
	declared := slices.DeleteFunc(a.home.Types.All(), func(t *entity.Type) bool { return t.Unknown })
	if _, err := typefile.WriteDir(dir, declared); err != nil {
		return err
	}
	for _, d := range a.Merged.DisputedTypes() {
		if a.settled[d.Stands.Name] {
			continue
		}
		if _, err := typefile.MarkDir(dir, d.Stands.Name, d.Other, d.Names); err != nil {
			return err
		}
	}
	if err := a.removeTypes(); err != nil {
		return err
	}
	after, err := a.readTypes()
	if err != nil {
		return err
	}
	for name, data := range after {
		if was, had := before[name]; !had || !bytes.Equal(was, data) {
			a.touched[name] = true
			a.done.Written++
		}
	}
	return nil
}

// isEditedType reports whether a file has an edit of a person's in it, of what is merged.
func (a *applying) isEditedType(name string) bool {
	return slices.ContainsFunc(a.Merged.Types.All(), func(t *entity.Type) bool {
		home := a.home.Types.Get(t.Name)
		return typePath(t.Name) == name && home != nil && !worldform.SameDeclaration(home, t)
	})
}

// removeTypes removes the files of declarations about which there was a conflict and that
// the merged world has not.
func (a *applying) removeTypes() error {
	for _, side := range a.sides {
		for _, t := range side.Types.All() {
			name := typePath(t.Name)
			_, unmerged := a.files.unmerged[name]
			if !unmerged && !a.isDecided(t.Name) || a.isDisputed(name) || a.home.Types.Get(t.Name) != nil {
				continue
			}
			if _, err := os.Lstat(a.files.path(name)); err != nil {
				continue
			}
			if err := a.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isDecided reports whether there was a conflict about a declaration.
func (a *applying) isDecided(name string) bool {
	return slices.ContainsFunc(a.Merged.Conflicts, func(c merge.Conflict) bool { return c.ID == 0 && c.Type == name && !c.Left })
}

// readTypes reads the files in types/.
func (a *applying) readTypes() (map[string][]byte, error) {
	files := make(map[string][]byte)
	entries, err := os.ReadDir(a.dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		name := path.Join(typesPrefix, e.Name())
		if files[name], err = os.ReadFile(a.files.path(name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// unmarkTypes has the declarations in which there are markers be as one side has them,
// with its comments: what is merged is written there.
func (a *applying) unmarkTypes() error {
	var sides []vcs.Listed
	for _, name := range slices.Sorted(maps.Keys(a.files.unmerged)) {
		if !strings.HasPrefix(name, typesPrefix) || !a.files.marked[name] {
			continue
		}
		stages := a.files.unmerged[name]
		side := stages[2].Listed
		if side.Object == "" {
			side = stages[3].Listed
		}
		sides = append(sides, side)
	}
	for f, err := range a.index.Tree(nil).Read(sides) {
		if err != nil {
			return err
		}
		if err := disk.Replace(a.files.path(f.Name), BesideSuffix, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// unmarkPulled writes the declarations of which a pull has marked the conflict, where that is
// decided: of these git has no sides. Markers that are about anything else stay.
func (a *applying) unmarkPulled() error {
	for name, marked := range a.files.marked {
		i := slices.IndexFunc(a.home.Types.All(), func(t *entity.Type) bool { return typePath(t.Name) == name && a.isDecided(t.Name) })
		if _, unmerged := a.files.unmerged[name]; !marked || unmerged || i < 0 || a.isDisputed(name) {
			continue
		}
		data, err := os.ReadFile(a.files.path(name))
		if err != nil {
			return err
		}
		sides, ok := textmerge.Unmark(data)
		if !ok {
			continue
		}
		if data, err = typefile.Update(sides[0], a.home.Types.All()[i]); err != nil {
			return err
		}
		if err := disk.Replace(a.files.path(name), BesideSuffix, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
