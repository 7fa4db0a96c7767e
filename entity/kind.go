package entity

import "fmt"

// Kind says how a value is stored and written. The numbers are part of no
// format; formats write the names.
type Kind uint8

// The kinds of values. KindNull is the kind of a value that is not there: an
// optional field that is absent, an optional element that is null.
const (
	KindNull Kind = iota
	KindBool
	KindI8
	KindI16
	KindI32
	KindI64
	KindU8
	KindU16
	KindU32
	KindU64
	KindF32
	KindF64
	KindVec2   // two f32: x, y
	KindVec3   // three f32: x, y, z
	KindVec4   // four f32: x, y, z, w
	KindQuat   // four f32: x, y, z, w
	KindMat3x4 // twelve f32: three rows of four, one row after the other
	KindMat4   // sixteen f32: four rows of four
	KindString // UTF-8 text
	KindBlob   // any bytes
	KindExpr   // an expression over variables that the shape names, kept as text
	KindGUID   // 16 bytes
	KindEnum   // an i32 with names for some of its values
	KindFlags  // up to 64 named bits
	KindRef    // an entity's ID; 0 is none
	KindSet    // elements in order of Compare, none twice
	KindArray  // elements in the order given
	KindStruct // members, each a field
)

var kindNames = [...]string{
	KindNull: "null", KindBool: "bool",
	KindI8: "i8", KindI16: "i16", KindI32: "i32", KindI64: "i64",
	KindU8: "u8", KindU16: "u16", KindU32: "u32", KindU64: "u64",
	KindF32: "f32", KindF64: "f64",
	KindVec2: "vec2", KindVec3: "vec3", KindVec4: "vec4", KindQuat: "quat",
	KindMat3x4: "mat3x4", KindMat4: "mat4",
	KindString: "string", KindBlob: "blob", KindExpr: "expr", KindGUID: "guid",
	KindEnum: "enum", KindFlags: "flags", KindRef: "ref",
	KindSet: "set", KindArray: "array", KindStruct: "struct",
}

// String returns the kind's name as types and formats spell it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind returns the kind of that name. "null" is no kind that a field can
// have, so it is not found.
func ParseKind(name string) (Kind, bool) {
	for k := KindBool; int(k) < len(kindNames); k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return KindNull, false
}

// IsSigned reports whether values of the kind are signed integers (enums are).
func (k Kind) IsSigned() bool { return k >= KindI8 && k <= KindI64 || k == KindEnum }

// IsUnsigned reports whether values of the kind are unsigned integers (refs
// and flags are).
func (k Kind) IsUnsigned() bool {
	return k >= KindU8 && k <= KindU64 || k == KindFlags || k == KindRef
}

// IsScalar reports whether a value of the kind has one component and no
// elements: what may stand in a set.
func (k Kind) IsScalar() bool {
	switch k {
	case KindNull, KindVec2, KindVec3, KindVec4, KindQuat, KindMat3x4, KindMat4, KindSet, KindArray, KindStruct:
		return false
	}
	return true
}

// IsList reports whether the kind is a set or an array.
func (k Kind) IsList() bool { return k == KindSet || k == KindArray }

// IsMatrix reports whether the kind is a matrix.
func (k Kind) IsMatrix() bool { return k == KindMat3x4 || k == KindMat4 }

// MaxComponents is the most that Components returns.
const MaxComponents = 16

// Components returns how many f32 a value of the kind has: 2 to 4 for vectors
// and quaternions, 12 or 16 for matrices, 1 for f32, 0 for all others.
func (k Kind) Components() int {
	switch k {
	case KindF32:
		return 1
	case KindVec2:
		return 2
	case KindVec3:
		return 3
	case KindVec4, KindQuat:
		return 4
	case KindMat3x4:
		return 12
	case KindMat4:
		return 16
	}
	return 0
}

// Bits returns the width of an integer kind: 8 to 64, or 0 for other kinds.
func (k Kind) Bits() int {
	switch k {
	case KindI8, KindU8:
		return 8
	case KindI16, KindU16:
		return 16
	case KindI32, KindU32, KindEnum, KindRef:
		return 32
	case KindI64, KindU64, KindFlags:
		return 64
	}
	return 0
}
