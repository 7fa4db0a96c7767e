package jsonmerge

import (
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// isVector reports whether a value is a vector, a quaternion or a colour on all sides.
// These merge as one: half of ours and half of theirs is a rotation that neither made.
func (m *merger) isVector(b, o, t *node) bool {
	named := len(m.path) > 0 && saysVector(m.path[len(m.path)-1].name)
	for _, n := range [...]*node{b, o, t} {
		if n != nil && !m.isVectorNode(n, named) {
			return false
		}
	}
	return true
}

// maxVector is how many numbers a value may have that its name says is a vector: a
// matrix of four by four.
const maxVector = 16

// isVectorNode reports whether a value can be one vector: two to four numbers in an
// array, or in an object whose members say so; as many as a matrix has, if the
// value's name says so.
func (m *merger) isVectorNode(n *node, named bool) bool {
	count := len(n.items())
	if count < 2 || count > maxVector {
		return false
	}
	for i := range n.items() {
		if n.inside.items[i].kind != jsontext.KindNumber {
			return false
		}
	}
	switch n.kind {
	case jsontext.KindBeginArray:
		return count <= 4 || named
	case jsontext.KindBeginObject:
		return count <= 4 && (named || m.hasComponents(n))
	}
	return false
}

// components returns the names of a vector's members and a colour's, each with a bit
// of its own.
func components(t *table) map[int32]uint8 {
	out := make(map[int32]uint8)
	for i, letter := range "xyzwrgba" {
		out[t.text(string(letter))] = 1 << i
		out[t.text(strings.ToUpper(string(letter)))] = 1 << i
	}
	return out
}

// hasComponents reports whether an object's members are x and y, z and w behind them,
// or r, g and b, and a behind them.
func (m *merger) hasComponents(n *node) bool {
	var have uint8
	for _, name := range n.inside.names {
		bit := m.components[name.id]
		if bit == 0 || have&bit != 0 {
			return false
		}
		have |= bit
	}
	switch have {
	case 0b0000_0011, 0b0000_0111, 0b0000_1111, 0b0111_0000, 0b1111_0000:
		return true
	}
	return false
}

// vectorNames are the words with which names of vectors, quaternions and colours end.
var vectorNames = map[string]bool{
	"pos": true, "position": true, "location": true, "translation": true, "origin": true, "offset": true,
	"rot": true, "rotation": true, "orientation": true, "euler": true, "quat": true, "quaternion": true,
	"scale": true, "direction": true, "normal": true, "tangent": true, "velocity": true, "vector": true,
	"vec2": true, "vec3": true, "vec4": true, "transform": true, "matrix": true, "pose": true,
	"color": true, "colour": true, "tint": true, "rgb": true, "rgba": true, "hsv": true, "hsl": true,
}

// saysVector reports whether a member's name says that its value is a vector: it is,
// or ends with, one of the words, as spawn_pos and lightColor do.
func saysVector(raw []byte) bool {
	if raw == nil {
		return false
	}
	name := unquote(raw)
	start := 0
	for i, c := range name {
		if unicode.IsUpper(c) {
			start = i
		} else if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			start = i + len(string(c))
		}
	}
	return vectorNames[strings.ToLower(name)] || vectorNames[strings.ToLower(name[start:])]
}

// vector merges a vector as one value. The comments between its numbers stay, if the
// two have as many.
func (m *merger) vector(b, o, t *node) part {
	p := m.whole(b, o, t)
	if !o.noted && !t.noted || o.kind != t.kind || len(o.items()) != len(t.items()) {
		return p
	}
	bk, ok, tk := byPlace(ofKind(b, o.kind)), byPlace(o), byPlace(t)
	var items []item
	for i, key := range ok.keys {
		_, base := bk.get(key)
		ti, theirs := tk.get(key)
		if ti == nil {
			return p
		}
		it := item{part: m.takeOurs(&o.inside.items[i]), base: base, ours: i, theirs: theirs}
		if p.doc == m.theirs {
			it.part = m.takeTheirs(ti)
		}
		items = append(items, it)
	}
	return m.finish(b, o, t, items)
}

// byPlace returns an object by its members' names, an array by its elements' places.
func byPlace(n *node) keyed {
	if n == nil || n.kind == jsontext.KindBeginObject {
		return byName(n)
	}
	k := keyed{node: n}
	for i := range n.items() {
		k.add(int32(i))
	}
	return k
}
