package sequence

// Combine lays two sides' edits of one base of n elements over each other. same
// tells whether an element of ours equals one of theirs. The edits may come from
// [Diff], or be finer: a caller that knows that two elements are versions of one
// another says so with an edit of one element to one.
func Combine(n int, ours, theirs []Edit, same func(o, t int) bool) []Chunk {
	var out []Chunk
	for _, c := range Align(n, splitDeletions(ours, theirs), splitDeletions(theirs, ours)) {
		switch {
		case c.Origin != Conflict:
			out = append(out, c)
		case c.Base.Len() == 0:
			out = appendInsertions(out, c, same)
		default:
			if o, t := c.Ours.Len(), c.Theirs.Len(); o == t && common(c, o, same) == o {
				c.Origin = Both
			}
			out = append(out, c)
		}
	}
	return out
}

// Align lays two sides' edits of one base of n elements over each other without
// looking at elements: what both changed is a Conflict, be it to the same. Changes of
// the two sides are in one chunk only where they change the same elements of the
// base, or insert at the same place.
func Align(n int, ours, theirs []Edit) []Chunk {
	a := aligner{ours: walker{edits: ours}, theirs: walker{edits: theirs}}
	for a.more() {
		a.group()
	}
	a.unchanged(n)
	return a.chunks
}

// aligner walks over the base. at is how far it has come there.
type aligner struct {
	at           int
	ours, theirs walker
	chunks       []Chunk
}

// walker is one side: the edits that are left, and how far it has come.
type walker struct {
	edits []Edit
	at    int
}

func (a *aligner) more() bool { return len(a.ours.edits)+len(a.theirs.edits) > 0 }

// unchanged adds what lies before a place in the base.
func (a *aligner) unchanged(to int) {
	n := to - a.at
	if n > 0 {
		a.add(Unchanged, Span{a.at, to}, n, n)
	}
}

// add adds a chunk of so many elements of each side, and goes on.
func (a *aligner) add(origin Origin, base Span, ours, theirs int) {
	a.chunks = append(a.chunks, Chunk{
		Origin: origin,
		Base:   base,
		Ours:   Span{a.ours.at, a.ours.at + ours},
		Theirs: Span{a.theirs.at, a.theirs.at + theirs},
	})
	a.at = base.To
	a.ours.at += ours
	a.theirs.at += theirs
}

// group adds the next edit together with all that share elements of the base
// with it.
func (a *aligner) group() {
	base := first(a.ours.edits, a.theirs.edits)
	a.unchanged(base.From)
	var ours, theirs []Edit
	for grown := true; grown; {
		o := a.ours.take(&base)
		t := a.theirs.take(&base)
		ours, theirs = append(ours, o...), append(theirs, t...)
		grown = len(o)+len(t) > 0
	}
	a.add(originOf(ours, theirs), base, length(base, ours), length(base, theirs))
}

// first returns the place of the first edit. Where an insertion touches what
// comes next, it is first.
func first(ours, theirs []Edit) Span {
	switch {
	case len(ours) == 0:
		return theirs[0].Base
	case len(theirs) == 0:
		return ours[0].Base
	}
	o, t := ours[0].Base, theirs[0].Base
	if o.From < t.From || o.From == t.From && o.To <= t.To {
		return o
	}
	return t
}

// take takes the edits that share elements with base, which grows with them.
func (w *walker) take(base *Span) []Edit {
	n := 0
	for n < len(w.edits) && overlap(*base, w.edits[n].Base) {
		base.From = min(base.From, w.edits[n].Base.From)
		base.To = max(base.To, w.edits[n].Base.To)
		n++
	}
	taken := w.edits[:n]
	w.edits = w.edits[n:]
	return taken
}

// overlap reports whether two edits at these places cannot stand side by side.
func overlap(a, b Span) bool {
	return a == b || a.From < b.To && b.From < a.To
}

// originOf says whose the edits of a chunk are.
func originOf(ours, theirs []Edit) Origin {
	switch {
	case len(theirs) == 0:
		return Ours
	case len(ours) == 0:
		return Theirs
	}
	return Conflict
}

// length returns how long a part of the base is on a side.
func length(base Span, edits []Edit) int {
	n := base.Len()
	for _, e := range edits {
		n += e.Side.Len() - e.Base.Len()
	}
	return n
}

// common counts how many elements at the beginning of a chunk are equal on both sides,
// most of them at the most.
func common(c Chunk, most int, same func(o, t int) bool) int {
	n := 0
	for n < most && same(c.Ours.From+n, c.Theirs.From+n) {
		n++
	}
	return n
}

// commonEnd is common from the end of the chunk.
func commonEnd(c Chunk, most int, same func(o, t int) bool) int {
	n := 0
	for n < most && same(c.Ours.To-1-n, c.Theirs.To-1-n) {
		n++
	}
	return n
}

// appendInsertions appends what both sides inserted at one place, in parts.
func appendInsertions(out []Chunk, c Chunk, same func(o, t int) bool) []Chunk {
	most := min(c.Ours.Len(), c.Theirs.Len())
	head := common(c, most, same)
	tail := commonEnd(c, most-head, same)
	part := func(origin Origin, ours, theirs Span) {
		if ours.Len()+theirs.Len() > 0 {
			out = append(out, Chunk{origin, c.Base, ours, theirs})
		}
	}
	part(Both, Span{c.Ours.From, c.Ours.From + head}, Span{c.Theirs.From, c.Theirs.From + head})
	ours, theirs := Span{c.Ours.From + head, c.Ours.To - tail}, Span{c.Theirs.From + head, c.Theirs.To - tail}
	part(inserted(ours, theirs), ours, theirs)
	part(Both, Span{ours.To, c.Ours.To}, Span{theirs.To, c.Theirs.To})
	return out
}

// inserted says which sides inserted something, where what they did is not the same.
func inserted(ours, theirs Span) Origin {
	switch {
	case theirs.Len() == 0:
		return Ours
	case ours.Len() == 0:
		return Theirs
	}
	return Conflict
}

// splitDeletions splits a side's deletions where one of the other begins or ends:
// what both deleted is then one chunk, and what one of them deleted another.
func splitDeletions(edits, other []Edit) []Edit {
	var cuts []int
	for _, e := range other {
		if e.Side.Len() == 0 {
			cuts = append(cuts, e.Base.From, e.Base.To)
		}
	}
	var out []Edit
	for _, e := range edits {
		for len(cuts) > 0 && cuts[0] <= e.Base.From {
			cuts = cuts[1:]
		}
		for e.Side.Len() == 0 && len(cuts) > 0 && cuts[0] < e.Base.To {
			if cuts[0] > e.Base.From {
				out = append(out, Edit{Span{e.Base.From, cuts[0]}, e.Side})
				e.Base.From = cuts[0]
			}
			cuts = cuts[1:]
		}
		out = append(out, e)
	}
	return out
}
