package packfile

import "github.com/worldfs/worldfs/entity"

// index is the hash table from IDs to places in the directory: slots of a u32,
// 0 where there is nothing, else the place and one. A third of it is free.
type index []byte

// indexSlots returns how many slots the index of n entities has.
func indexSlots(n int) int { return n + n/2 + 1 }

func newIndex(n int) index { return make(index, 4*indexSlots(n)) }

func (x index) slots() int { return len(x) / 4 }

func (x index) at(slot int) uint32 { return le.Uint32(x[4*slot:]) }

// put adds an ID that is not in the index yet. Those before it came in order.
func (x index) put(id entity.ID, place int) {
	slot := homeSlot(id, x.slots())
	for x.at(slot) != 0 {
		slot = x.after(slot)
	}
	le.PutUint32(x[4*slot:], uint32(place+1))
}

// after returns the slot to look at next.
func (x index) after(slot int) int {
	if slot++; slot < x.slots() {
		return slot
	}
	return 0
}

// homeSlot returns the slot where the search for an ID begins: its bits mixed
// (the finalizer of MurmurHash3) and scaled to the number of slots.
func homeSlot(id entity.ID, slots int) int {
	h := uint32(id)
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	return int(uint64(h) * uint64(slots) >> 32)
}
