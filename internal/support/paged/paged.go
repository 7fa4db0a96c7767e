// Package paged maps numbers of which many lie close together, as the IDs of
// entities and inode numbers do, to pointers. Where they are dense that takes some
// 10 bytes each, of which a map takes 27; a number that has none near it takes 150.
package paged

import "iter"

// Number is what is mapped.
type Number interface{ ~uint32 | ~uint64 }

// Map is a map of numbers to pointers that are not nil. The zero Map is empty, and
// ready to be used. It is as safe for concurrent use as a map.
type Map[K Number, V any] struct {
	pages map[K]*page[V]
	len   int
}

// page has a number's pointer at the number's lowest bits, nil for none.
type page[V any] [1 << pageBits]*V

const pageBits = 4

// Get returns a number's pointer, nil if there is none.
func (m *Map[K, V]) Get(k K) *V {
	p := m.pages[k>>pageBits]
	if p == nil {
		return nil
	}
	return p[at(k)]
}

// Put has a number stand for v.
func (m *Map[K, V]) Put(k K, v *V) {
	if m.pages == nil {
		m.pages = make(map[K]*page[V])
	}
	p := m.pages[k>>pageBits]
	if p == nil {
		p = new(page[V])
		m.pages[k>>pageBits] = p
	}
	if p[at(k)] == nil {
		m.len++
	}
	p[at(k)] = v
}

// Delete has a number stand for nothing.
func (m *Map[K, V]) Delete(k K) {
	p := m.pages[k>>pageBits]
	if p == nil || p[at(k)] == nil {
		return
	}
	m.len--
	p[at(k)] = nil
	if *p == (page[V]{}) {
		delete(m.pages, k>>pageBits)
	}
}

// Len returns how many numbers stand for something.
func (m *Map[K, V]) Len() int { return m.len }

// Values returns what they stand for, in no order.
func (m *Map[K, V]) Values() iter.Seq[*V] {
	return func(yield func(*V) bool) {
		for _, p := range m.pages {
			for _, v := range p {
				if v != nil && !yield(v) {
					return
				}
			}
		}
	}
}

// at returns where on its page a number is.
func at[K Number](k K) int { return int(k & (1<<pageBits - 1)) }
