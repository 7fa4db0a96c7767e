package marked

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/textcodec"
)

// settleDerived settles the poses of what is mounted as the side has them that stands where
// its parent carries it now: they follow from that, and there is no choice.
func (m *Files) settleDerived() {
	for _, f := range m.files {
		if on, ok := f.mountedOn(); ok {
			if parent := m.standing(on); parent != nil {
				f.settleDerived(parent)
			}
		}
	}
}

// mountedOn returns what an entity is mounted on, if there is no conflict about how.
func (f *file) mountedOn() (on entity.ID, ok bool) {
	if f.entities[0] == nil || len(f.open) == 0 {
		return 0, false
	}
	for _, l := range f.open {
		if l.Field == "" { // about all of it
			return 0, false
		}
	}
	on = f.entities[0].MountParent()
	if on == 0 || on != f.entities[1].MountParent() {
		return 0, false
	}
	for _, field := range f.entities[0].Layout.Type.Mount.Offset {
		if !f.entities[0].Value(field).Equal(f.entities[1].Value(field)) {
			return 0, false
		}
	}
	return on, true
}

// standing returns an entity that has no conflict itself, nil where there is none.
func (m *Files) standing(id entity.ID) *entity.Entity {
	if m.of(id) != nil {
		return nil
	}
	text, _, err := m.text(m.dir.Settings.Shard.Name(id))
	if err != nil {
		return nil
	}
	read, err := textcodec.Decode(text, id, m.types)
	if err != nil {
		return nil
	}
	return read.Entity
}

// settleDerived is that for one file.
func (f *file) settleDerived(parent *entity.Entity) {
	for _, side := range []int{f.mine, 1 - f.mine} {
		to, ok := entity.Carried(f.entities[side], parent)
		if !ok {
			return
		}
		if is, _ := to.Has(f.entities[side]); is {
			pose := f.entities[side].Layout.Type.Mount.Pose
			f.take(side, slices.DeleteFunc(slices.Clone(f.open), func(l leftconflict.Conflict) bool { return !slices.Contains(pose, l.Field) }))
			return
		}
	}
}
