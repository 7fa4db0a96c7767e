// Package filemerge merges one file of a world by itself, by property, as git gives it to a
// merge driver and svn to a diff3 command: with no look at the rest of the world. What it
// cannot see it leaves, and package resolve finds it.
package filemerge

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// ErrAlone says that a file cannot be merged by itself: what it says depends on what
// cannot be known here, such as the other side's types, or it cannot be read. Version
// control merges its text then, and resolve.Open the world.
var ErrAlone = errors.New("it cannot be merged by itself")

// File is a file of a world that both sides of a merge changed, by itself, as git gives it
// to a merge driver.
type File struct {
	Root               string // the world directory, whose types are in force
	Name               string // of the file, from Root
	Base, Ours, Theirs []byte
	Options            merge.Options
}

// Merge merges the file by property, and reports whether no conflict is left; those that
// are, are marked. What it cannot see, such as refs to what the other side deleted, is left
// to resolve.Open.
func (f *File) Merge() (merged []byte, clean bool, err error) {
	if !f.IsPlain() {
		return nil, false, ErrAlone
	}
	if id, ok := layout.EntityOf(f.Name); ok {
		types, err := f.types()
		if err != nil {
			return nil, false, err
		}
		return f.MergeEntity(id, types)
	}
	if settle := Settings[f.Name]; settle != nil {
		merged, clashes := settle(f.Base, f.Ours, f.Theirs)
		if len(clashes) > 0 || f.Name == worlddir.RangesName && !areRanges(merged) {
			return nil, false, ErrAlone
		}
		return merged, true, nil
	}
	return f.mergeType()
}

// IsPlain reports whether all sides have the file, with no conflict in it.
func (f *File) IsPlain() bool {
	return !slices.ContainsFunc([][]byte{f.Base, f.Ours, f.Theirs}, func(text []byte) bool {
		return len(text) == 0 || textmerge.HasMarkers(text)
	})
}

func areRanges(text []byte) bool {
	_, err := idrange.Parse(text, worlddir.RangesName)
	return err == nil
}

// types returns the declaration of the entity's type, which is most often in the file
// that is named for it.
func (f *File) types() (*entity.Types, error) {
	name, _, _, err := textcodec.Header(f.Ours)
	if err != nil {
		return nil, ErrAlone
	}
	dir := filepath.Join(f.Root, worlddir.TypesName)
	if err := typefile.CheckDir(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAlone, err)
	}
	path := filepath.Join(dir, typefile.FileName(name))
	data, err := disk.ReadFile(path, typefile.MaxSize)
	if err == nil {
		if t, err := typefile.Parse(data, path); err == nil && t.Name == name {
			return entity.NewTypes(t), nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrAlone, err)
	}
	types, problems, err := typefile.ReadDir(dir)
	if err != nil || len(problems) > 0 {
		return nil, ErrAlone
	}
	return types, nil
}

// MergeEntity merges the texts of an entity, whose type is among types, as Merge does.
func (f *File) MergeEntity(id entity.ID, types *entity.Types) (merged []byte, clean bool, err error) {
	var sides [3]merge.Side
	var entities [3]*entity.Entity
	for i, text := range [][]byte{f.Base, f.Ours, f.Theirs} {
		if entities[i] = decodeAlone(text, id, types); entities[i] == nil {
			return nil, false, ErrAlone
		}
		world := entity.NewWorld(entity.GUID{}, types)
		world.Put(entities[i])
		sides[i] = merge.Of(world)
	}
	options := f.Options
	options.Alone = true
	result, err := merge.Worlds(sides[0], sides[1], sides[2], options)
	if err != nil {
		return nil, false, err
	}
	if text, left := result.Marked()[id]; left {
		return text, false, nil
	}
	e, ok := result.Get(id)
	switch {
	case !ok || result.Counts.Left > 0:
		return nil, false, ErrAlone
	case e.Same(entities[1]):
		return f.Ours, true, nil
	case e.Same(entities[2]):
		return f.Theirs, true, nil
	}
	return textcodec.Append(nil, e), true, nil
}

// decodeAlone returns the entity that a text says, nil where the types in force may not be
// those that it was written under.
func decodeAlone(text []byte, id entity.ID, types *entity.Types) *entity.Entity {
	read, err := textcodec.Decode(text, id, types)
	if err != nil {
		return nil
	}
	for _, f := range read.Findings {
		switch f.Code {
		case entity.CodeIDDiffers, entity.CodeTypeUnknown, entity.CodeRevisionNewer, entity.CodeFieldUnknown:
			return nil
		}
	}
	l := read.Entity.Layout
	if l.Type.Unknown || l.Revision > l.Type.Revision || len(read.Entity.Unknown) > 0 {
		return nil
	}
	return read.Entity
}

// mergeType merges the declarations of a type. Comments are those of ours.
func (f *File) mergeType() (merged []byte, clean bool, err error) {
	var sides [3]merge.Side
	name := ""
	for i, text := range [][]byte{f.Base, f.Ours, f.Theirs} {
		t, err := typefile.Parse(text, f.Name)
		if err != nil || name != "" && t.Name != name {
			return nil, false, ErrAlone
		}
		name = t.Name
		sides[i] = merge.Side{Types: entity.NewTypes(t), Entities: &entity.World{}}
	}
	result, err := merge.Worlds(sides[0], sides[1], sides[2], f.Options)
	if err != nil {
		return nil, false, err
	}
	t := result.Types.Get(name)
	if t == nil {
		return nil, false, ErrAlone
	}
	if merged, err = typefile.Update(f.Ours, t); err != nil {
		return nil, false, ErrAlone
	}
	for _, d := range result.DisputedTypes() {
		merged, err = typefile.MarkType(merged, d.Stands, d.Other, d.Names)
		return merged, !textmerge.HasMarkers(merged), err
	}
	return merged, true, nil
}
