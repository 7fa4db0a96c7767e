package entity

// Refs calls do with every ref of the entity that refers to something: the path to it, which
// is the field's name and behind dots those of a struct's members, and whether the entity
// follows what it refers to. What a field has that the type does not know is not read. It
// ends when do returns false.
func (e *Entity) Refs(do func(field string, direct bool, to ID) bool) {
	for i, f := range e.Layout.Fields {
		if !eachRef(f.Name, &f.Shape, e.Values[i], do) {
			return
		}
	}
}

func eachRef(path string, s *Shape, v Value, do func(field string, direct bool, to ID) bool) bool {
	switch v.Kind() {
	case KindRef:
		return v.Ref() == 0 || do(path, s.Direct, v.Ref())
	case KindSet, KindArray:
		if s.Of.Kind != KindRef && s.Of.Kind != KindStruct && !s.Of.Kind.IsList() {
			return true
		}
		for _, item := range v.Items() {
			if !eachRef(path, s.Of, item, do) {
				return false
			}
		}
	case KindStruct:
		for i, f := range s.Fields {
			if !eachRef(path+"."+f.Name, &f.Shape, v.Items()[i], do) {
				return false
			}
		}
	}
	return true
}
