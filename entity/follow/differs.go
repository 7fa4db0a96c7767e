package follow

import (
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// hasMoved reports whether anything that may be a place differs: of an entity that is not
// mounted itself only its children say which of its fields are its pose.
func hasMoved(was, is *entity.Entity) bool {
	if was == is {
		return false
	}
	for i, f := range is.Layout.Fields {
		if k := is.Values[i].Kind(); (k == entity.KindVec3 || k == entity.KindQuat) && !was.Value(f.Name).Equal(is.Values[i]) {
			return true
		}
	}
	return false
}

// mountChanged reports whether an entity is mounted on another parent than before, or
// otherwise.
func mountChanged(was, is *entity.Entity) bool {
	return was.MountParent() != is.MountParent() || !sameValues(was, is, is.Layout.Type.Mount.Offset)
}

// poseIs reports whether the pose is as it was.
func poseIs(was, is *entity.Entity) bool { return sameValues(was, is, is.Layout.Type.Mount.Pose) }

func sameValues(a, b *entity.Entity, fields []string) bool {
	for _, name := range fields {
		if !a.Value(name).Equal(b.Value(name)) {
			return false
		}
	}
	return true
}

// noEffect says that a pose was changed alone, of an entity that a parent carries.
func noEffect(was, is, parent *entity.Entity) string {
	m := is.Layout.Type.Mount
	var changed []string
	for _, name := range m.Pose {
		if !was.Value(name).Equal(is.Value(name)) {
			changed = append(changed, name)
		}
	}
	verb := " is"
	if len(changed) > 1 {
		verb = " are"
	}
	return is.String() + ": " + strings.Join(changed, " and ") + verb + " derived from its mount on " + parent.String() +
		", and what was given has no effect: change " + strings.Join(m.Offset, " or ") + ", or " + m.Parent
}
