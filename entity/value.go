package entity

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Value is one value of any kind. The zero Value is null: it stands for an
// optional field that is absent. Values are immutable: the slices given to
// NewList and NewStruct and returned by Items belong to the value.
//
// Floats are held as their IEEE 754 bits, so every NaN payload and -0 stay
// what they were; Equal and Compare look at bits, never at numbers.
type Value struct {
	kind Kind
	bits [2]uint64 // scalars in bits[0]; vectors two f32 a word; a guid's 16 bytes, little-endian
	text string    // string, blob, expr; a matrix's f32, little-endian, as packs have them
	list []Value   // set, array: elements; struct: members in the shape's order
}

// GUID is a 128-bit identity, in the byte order of its usual text form.
type GUID [16]byte

// Dashed returns the guid in its usual text form: hex digits in five groups.
func (g GUID) Dashed() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
}

// NewBool returns a bool.
func NewBool(b bool) Value {
	if b {
		return Value{kind: KindBool, bits: [2]uint64{1, 0}}
	}
	return Value{kind: KindBool}
}

// NewInt returns a signed integer or an enum's number. The caller has checked
// that i fits the kind (see FitsInt).
func NewInt(kind Kind, i int64) Value {
	return Value{kind: kind, bits: [2]uint64{uint64(i), 0}}
}

// NewUint returns an unsigned integer, flags or a ref. The caller has checked
// that u fits the kind (see FitsUint).
func NewUint(kind Kind, u uint64) Value {
	return Value{kind: kind, bits: [2]uint64{u, 0}}
}

// NewRef returns a reference to the entity id; 0 is none.
func NewRef(id ID) Value { return NewUint(KindRef, uint64(id)) }

// NewF32 returns an f32 of these IEEE 754 bits.
func NewF32(bits uint32) Value {
	return Value{kind: KindF32, bits: [2]uint64{uint64(bits), 0}}
}

// NewF64 returns an f64 of these IEEE 754 bits.
func NewF64(bits uint64) Value {
	return Value{kind: KindF64, bits: [2]uint64{bits, 0}}
}

// NewVec returns a vec2, vec3, vec4 or quat of these IEEE 754 bits, of which
// the kind's first Components count.
func NewVec(kind Kind, c [4]uint32) Value {
	for i := kind.Components(); i < 4; i++ {
		c[i] = 0
	}
	return Value{kind: kind, bits: [2]uint64{
		uint64(c[0]) | uint64(c[1])<<32,
		uint64(c[2]) | uint64(c[3])<<32,
	}}
}

// NewMatrix returns a mat3x4 or mat4 of its components' IEEE 754 bits, row by
// row, each as four bytes, little-endian. The caller has checked that there are
// as many as the kind has.
func NewMatrix(kind Kind, rows string) Value { return Value{kind: kind, text: rows} }

// NewComponents returns an f32, a vector, a quaternion or a matrix of these
// IEEE 754 bits, of which the kind's first Components count.
func NewComponents(kind Kind, c [MaxComponents]uint32) Value {
	switch {
	case kind == KindF32:
		return NewF32(c[0])
	case !kind.IsMatrix():
		return NewVec(kind, [4]uint32(c[:4]))
	}
	rows := make([]byte, 0, 4*MaxComponents)
	for _, bits := range c[:kind.Components()] {
		rows = binary.LittleEndian.AppendUint32(rows, bits)
	}
	return NewMatrix(kind, string(rows))
}

// NewString returns a string. The caller has checked that it is UTF-8.
func NewString(s string) Value { return Value{kind: KindString, text: s} }

// NewBlob returns a blob of the bytes in s.
func NewBlob(s string) Value { return Value{kind: KindBlob, text: s} }

// NewExpr returns an expression of its source, which is what stands behind the
// equals sign of a text. The caller has checked it (see Shape.Check).
func NewExpr(source string) Value { return Value{kind: KindExpr, text: source} }

// NewGUID returns a guid.
func NewGUID(g GUID) Value {
	return Value{kind: KindGUID, bits: [2]uint64{
		binary.LittleEndian.Uint64(g[:8]), binary.LittleEndian.Uint64(g[8:]),
	}}
}

// NewList returns an array, or a set whose items the caller has sorted (see
// SortSet).
func NewList(kind Kind, items []Value) Value { return Value{kind: kind, list: items} }

// NewStruct returns a struct of members in the order of its shape's fields.
func NewStruct(members []Value) Value { return Value{kind: KindStruct, list: members} }

// Kind returns the value's kind, KindNull for the zero Value.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether there is no value.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool reports whether a bool is true.
func (v Value) Bool() bool { return v.bits[0] != 0 }

// Int returns a signed integer or an enum's number.
func (v Value) Int() int64 { return int64(v.bits[0]) }

// Uint returns an unsigned integer, flags or a ref.
func (v Value) Uint() uint64 { return v.bits[0] }

// Ref returns the ID that a ref holds; 0 is none.
func (v Value) Ref() ID { return ID(v.bits[0]) }

// F32 returns an f32's bits.
func (v Value) F32() uint32 { return uint32(v.bits[0]) }

// F64 returns an f64's bits.
func (v Value) F64() uint64 { return v.bits[0] }

// Component returns the bits of component i of a vector, quaternion, matrix or
// f32.
func (v Value) Component(i int) uint32 {
	if v.kind.IsMatrix() {
		b := v.text[4*i:]
		return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	}
	return uint32(v.bits[i>>1] >> (32 * (i & 1)))
}

// Components returns the bits of the components that the value's kind has,
// zeros behind them.
func (v Value) Components() (c [MaxComponents]uint32) {
	for i := range v.kind.Components() {
		c[i] = v.Component(i)
	}
	return c
}

// Text returns a string, a blob's bytes, or an expression's source.
func (v Value) Text() string { return v.text }

// GUID returns a guid's bytes.
func (v Value) GUID() GUID {
	var g GUID
	binary.LittleEndian.PutUint64(g[:8], v.bits[0])
	binary.LittleEndian.PutUint64(g[8:], v.bits[1])
	return g
}

// Items returns the elements of a set or array, or a struct's members. The
// caller does not change them.
func (v Value) Items() []Value { return v.list }

// Equal reports whether both are the same bit for bit.
func (v Value) Equal(o Value) bool {
	if v.kind != o.kind || v.bits != o.bits || v.text != o.text || len(v.list) != len(o.list) {
		return false
	}
	for i := range v.list {
		if !v.list[i].Equal(o.list[i]) {
			return false
		}
	}
	return true
}

// Compare orders values: null first, then by kind, then integers by number,
// floats by the total order of IEEE 754-2008 (5.10), texts by bytes, guids by
// bytes, lists element by element. It is 0 only for equal values.
func (v Value) Compare(o Value) int {
	if v.kind != o.kind {
		return cmp.Compare(v.kind, o.kind)
	}
	switch k := v.kind; {
	case k.IsSigned():
		return cmp.Compare(v.Int(), o.Int())
	case k == KindString || k == KindBlob || k == KindExpr:
		return strings.Compare(v.text, o.text)
	case k == KindF64:
		return cmp.Compare(totalOrder64(v.F64()), totalOrder64(o.F64()))
	case k.Components() > 0:
		return compareComponents(v, o)
	case k == KindGUID:
		a, b := v.GUID(), o.GUID()
		return bytes.Compare(a[:], b[:])
	case k.IsList() || k == KindStruct:
		return slices.CompareFunc(v.list, o.list, Value.Compare)
	}
	return cmp.Compare(v.bits[0], o.bits[0])
}

func compareComponents(v, o Value) int {
	for i := range v.kind.Components() {
		if c := cmp.Compare(totalOrder32(v.Component(i)), totalOrder32(o.Component(i))); c != 0 {
			return c
		}
	}
	return 0
}

// totalOrder32 maps f32 bits to integers that sort as the floats do.
func totalOrder32(bits uint32) int32 {
	return int32(bits) ^ int32(uint32(int32(bits)>>31)>>1)
}

func totalOrder64(bits uint64) int64 {
	return int64(bits) ^ int64(uint64(int64(bits)>>63)>>1)
}

// SortSet sorts items in place as a set's are, drops what stands there twice,
// and reports whether that changed anything.
func SortSet(items []Value) (sorted []Value, changed bool) {
	inOrder := true
	for i := 1; i < len(items); i++ {
		if items[i-1].Compare(items[i]) >= 0 {
			inOrder = false
			break
		}
	}
	if inOrder {
		return items, false
	}
	slices.SortFunc(items, Value.Compare)
	return slices.CompactFunc(items, Value.Equal), true
}

// FitsInt reports whether i is in the range of a signed kind.
func FitsInt(kind Kind, i int64) bool {
	shift := 64 - kind.Bits()
	return i<<shift>>shift == i
}

// FitsUint reports whether u is in the range of an unsigned kind.
func FitsUint(kind Kind, u uint64) bool {
	shift := 64 - kind.Bits()
	return u<<shift>>shift == u
}

// F32Of returns an f32 of the nearest bits to f.
func F32Of(f float32) Value { return NewF32(math.Float32bits(f)) }

// F64Of returns an f64.
func F64Of(f float64) Value { return NewF64(math.Float64bits(f)) }

// VecOf returns a vec2, vec3, vec4, quat, mat3x4 or mat4 of these components,
// zero where there are fewer.
func VecOf(kind Kind, c ...float32) Value {
	var bits [MaxComponents]uint32
	for i, f := range c {
		bits[i] = math.Float32bits(f)
	}
	return NewComponents(kind, bits)
}
