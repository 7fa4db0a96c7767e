package ship

import "github.com/worldfs/worldfs/entity"

// widths are the bytes of a value of fixed size in a pack.
var widths = map[entity.Kind]int64{
	entity.KindBool: 1, entity.KindI8: 1, entity.KindU8: 1, entity.KindI16: 2, entity.KindU16: 2,
	entity.KindI64: 8, entity.KindU64: 8, entity.KindF64: 8,
	entity.KindVec2: 8, entity.KindVec3: 12, entity.KindVec4: 16, entity.KindQuat: 16,
	entity.KindMat3x4: 48, entity.KindMat4: 64, entity.KindGUID: 16,
}

// perEntity is what a pack has of each entity beside its values: its ID, and its places in
// the directory and the index.
const perEntity = 4 + 8 + 6

// sizeOf returns how many bytes a pack has for an entity: its values, each string and list
// where it is used, without what rows are padded with.
func sizeOf(e *entity.Entity) int64 {
	size := int64(perEntity)
	for i, f := range e.Layout.Fields {
		size += sizeOfValue(&f.Shape, e.Values[i])
	}
	return size
}

func sizeOfValue(s *entity.Shape, v entity.Value) int64 {
	size := widths[s.Kind]
	switch s.Kind {
	case entity.KindFlags:
		if size = 4; s.WideFlags() {
			size = 8
		}
	case entity.KindString, entity.KindBlob, entity.KindExpr:
		if size = 4; len(v.Text()) > 0 {
			size += 4 + int64(len(v.Text())+3)&^3
		}
	case entity.KindSet, entity.KindArray:
		if size = 4; len(v.Items()) > 0 {
			size += 4
		}
		for _, item := range v.Items() {
			size += sizeOfValue(s.Of, item)
		}
	case entity.KindStruct:
		for i, f := range s.Fields {
			var member entity.Value
			if !v.IsNull() {
				member = v.Items()[i]
			}
			size += sizeOfValue(&f.Shape, member)
		}
	}
	if size == 0 {
		size = 4 // a ref, an enum, an i32
	}
	return size
}
