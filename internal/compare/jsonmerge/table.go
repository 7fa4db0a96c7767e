package jsonmerge

import (
	"encoding/binary"
	"slices"
)

// table numbers values: equal ones have equal numbers, whichever document they are
// from. A container is known by the numbers of what it holds, so that comparing two
// trees is comparing two numbers.
type table struct {
	ids     map[string]int32
	numbers map[string]numberIDs // by spelling
	key     []byte
	members []uint64
}

// numberIDs are what a number's value and its spelling are known by.
type numberIDs struct{ value, exact int32 }

func newTable() *table {
	return &table{ids: make(map[string]int32), numbers: make(map[string]numberIDs)}
}

// A key begins with what it is of, so that no two kinds share one.
const (
	keyText   = '"'
	keyNumber = '0'
	keyWord   = 'w'
	keyArray  = '['
	keyObject = '{'

	keyAgain   = '+'
	keyComment = '/'
	keyNoted   = '*' // a value and the comments around it
)

// id returns the number for t.key.
func (t *table) id() int32 {
	if id, ok := t.ids[string(t.key)]; ok {
		return id
	}
	id := int32(len(t.ids))
	t.ids[string(t.key)] = id
	return id
}

func (t *table) start(kind byte) { t.key = append(t.key[:0], kind) }

// text numbers a string.
func (t *table) text(s string) int32 {
	t.start(keyText)
	t.key = append(t.key, s...)
	return t.id()
}

// quoted numbers a string as it is spelled.
func (t *table) quoted(raw []byte) int32 {
	t.start(keyText)
	t.key = appendUnquoted(t.key, raw)
	return t.id()
}

// word numbers true, false and null.
func (t *table) word(raw []byte) int32 {
	t.start(keyWord)
	t.key = append(t.key, raw...)
	return t.id()
}

// number numbers a number by its value and by its spelling.
func (t *table) number(raw []byte) (value, exact int32) {
	ids, ok := t.numbers[string(raw)]
	if !ok {
		t.start(keyNumber)
		t.key = appendNumber(t.key, raw)
		ids = numberIDs{value: t.id(), exact: -1 - int32(len(t.numbers))} // no other's
		t.numbers[string(raw)] = ids
	}
	return ids.value, ids.exact
}

// again numbers a value that stands in a set so many times before.
func (t *table) again(value, times int32) int32 {
	t.start(keyAgain)
	t.key = binary.LittleEndian.AppendUint32(t.key, uint32(value))
	t.key = binary.LittleEndian.AppendUint32(t.key, uint32(times))
	return t.id()
}

// array numbers an array by its elements' numbers.
func (t *table) array(n int, element func(i int) int32) int32 {
	t.start(keyArray)
	for i := range n {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(element(i)))
	}
	return t.id()
}

// object numbers an object by its members' names and values, in any order.
func (t *table) object(n int, member func(i int) (name, value int32)) int32 {
	t.members = t.members[:0]
	for i := range n {
		t.members = append(t.members, pack(member(i)))
	}
	slices.Sort(t.members)
	t.start(keyObject)
	for _, m := range t.members {
		t.key = binary.LittleEndian.AppendUint64(t.key, m)
	}
	return t.id()
}

func pack(high, low int32) uint64 { return uint64(uint32(high))<<32 | uint64(uint32(low)) }
