package fsnode

import "sync/atomic"

// mark is something that may be true of a File.
type mark uint32

const (
	markEntity       mark = 1 << iota // its back is an entity
	markAttrInFlight                  // a SETATTR may be answered that the kernel has not taken in
)

// marks are those that are true, in a few bytes: there are as many as files. Any
// goroutine may look at them at any time.
type marks struct{ bits atomic.Uint32 }

func (m *marks) has(k mark) bool { return m.bits.Load()&uint32(k) != 0 }

func (m *marks) set(k mark) { m.bits.Or(uint32(k)) }

// clear reports whether the mark was set.
func (m *marks) clear(k mark) bool { return m.bits.And(^uint32(k))&uint32(k) != 0 }
