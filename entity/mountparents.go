package entity

import "iter"

// MountParents yields the entities of a source that are mounted on something, in any order,
// and what that is. A source that knows without reading whole entities has a method of this
// name.
func MountParents(s Source) iter.Seq2[ID, ID] {
	if s, ok := s.(interface{ MountParents() iter.Seq2[ID, ID] }); ok {
		return s.MountParents()
	}
	return func(yield func(ID, ID) bool) {
		for e := range s.All() {
			if on := e.MountParent(); on != 0 && !yield(e.ID, on) {
				return
			}
		}
	}
}
