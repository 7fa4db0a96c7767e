package jsonmerge

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
	"vec2": true, "vec3": true, "vec4": true, "transform": true, "xform": true, "matrix": true, "mat3": true, "mat4": true,
	"basis": true, "pose": true, "aabb": true, "bounds": true, "bbox": true,
	"color": true, "colour": true, "tint": true, "rgb": true, "rgba": true, "hsv": true, "hsl": true,
}

// saysVector reports whether a member's name says that its value is a vector: it is,
// or ends with, one of the words, as spawn_pos, SPAWN_POS, lightColor and color2 do.
func saysVector(raw []byte) bool {
	if raw == nil {
		return false
	}
	word, camel := lastWords(unquote(raw))
	for _, s := range [...]string{word, camel} {
		s = strings.ToLower(s)
		if vectorNames[s] || vectorNames[strings.TrimRight(s, "0123456789")] {
			return true
		}
	}
	return false
}

// lastWords returns what follows the last character of a name that is neither letter
// nor digit, and what follows the last change from small letters to capitals in it.
func lastWords(name string) (word, camel string) {
	start, begin, before := 0, 0, rune(0)
	for i, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			start = i + utf8.RuneLen(c)
			begin = start
		case unicode.IsUpper(c) && !unicode.IsUpper(before):
			begin = i
		case unicode.IsLower(c) && unicode.IsUpper(before):
			begin = i - utf8.RuneLen(before)
		}
		before = c
	}
	return name[start:], name[begin:]
}

// vector merges a vector as one value. The comments between its numbers stay, if the
// two have as many.
func (m *merger) vector(b, o, t *node) part {
	p := m.decide(b, o, t)
	if !o.noted && !t.noted {
		return p
	}
	if items, ok := m.numbered(p, b, o, t); ok {
		return m.finish(b, o, t, items)
	}
	m.commentsLost(p, b, o, t)
	return p
}

// numbered returns the numbers of the vector that stands, with their places in the
// other. It returns false if the other has not as many.
func (m *merger) numbered(p part, b, o, t *node) (items []item, ok bool) {
	if o.kind != t.kind || len(o.items()) != len(t.items()) {
		return nil, false
	}
	base, ours, theirs := byPlace(ofKind(b, o.kind)), byPlace(o), byPlace(t)
	for i, key := range ours.keys {
		it := item{part: m.takeOurs(&o.inside.items[i]), ours: i}
		_, it.base = base.get(key)
		number, at := theirs.get(key)
		if number == nil {
			return nil, false
		}
		if it.theirs = at; p.doc == m.theirs {
			it.part = m.takeTheirs(number)
		}
		items = append(items, it)
	}
	return items, true
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
