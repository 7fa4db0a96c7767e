package sequence

import "slices"

// Tracked is a side's sequence with what its elements were in the base.
type Tracked struct {
	Came   []int  // by place: the element of the base; -1: a new one
	Went   []int  // by element of the base: its place; -1: the side removed it
	Floats []bool // by place: the element is new, or was moved
}

// Track finds out what became of the elements of the base on a side. single
// reports whether an element is told apart from all others, so that it is the
// same wherever it stands. As many new elements as are gone, at one place, are
// these, changed.
func Track(base, side []int, single func(symbol int) bool) Tracked {
	t := Tracked{Came: make([]int, len(side)), Went: make([]int, len(base)), Floats: make([]bool, len(side))}
	for i := range t.Went {
		t.Went[i] = -1
	}
	for i := range t.Came {
		t.Came[i] = -1
	}
	edits := Diff(base, side)
	t.unchanged(edits)
	t.moved(base, side, single)
	for _, e := range edits {
		t.changed(e)
	}
	for place, from := range t.Came {
		t.Floats[place] = t.Floats[place] || from < 0
	}
	return t
}

func (t *Tracked) link(from, place int) { t.Went[from], t.Came[place] = place, from }

// unchanged links what lies between the edits.
func (t *Tracked) unchanged(edits []Edit) {
	from, place := 0, 0
	for _, e := range append(slices.Clone(edits), Edit{
		Base: Span{From: len(t.Went), To: len(t.Went)}, Side: Span{From: len(t.Came), To: len(t.Came)},
	}) {
		for ; from < e.Base.From; from, place = from+1, place+1 {
			t.link(from, place)
		}
		from, place = e.Base.To, e.Side.To
	}
}

// moved links what is gone at one place and there at another.
func (t *Tracked) moved(base, side []int, single func(symbol int) bool) {
	gone := make(map[int]int)
	for from, place := range t.Went {
		if place < 0 && single(base[from]) {
			gone[base[from]] = from
		}
	}
	for place, from := range t.Came {
		if was, ok := gone[side[place]]; from < 0 && ok {
			t.link(was, place)
			t.Floats[place] = true
		}
	}
}

// changed links what is gone in an edit with what is new there.
func (t *Tracked) changed(e Edit) {
	var gone, made []int
	for from := e.Base.From; from < e.Base.To; from++ {
		if t.Went[from] < 0 {
			gone = append(gone, from)
		}
	}
	for place := e.Side.From; place < e.Side.To; place++ {
		if t.Came[place] < 0 {
			made = append(made, place)
		}
	}
	if len(gone) != len(made) {
		return
	}
	for i := range gone {
		t.link(gone[i], made[i])
	}
}

// Moved reports whether the side moved an element of the base.
func (t *Tracked) Moved(from int) bool { return t.Went[from] >= 0 && t.Floats[t.Went[from]] }
