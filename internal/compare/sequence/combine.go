package sequence

// Combine lays two sides' edits of one base of n elements over each other. same
// tells whether an element of ours equals one of theirs. The edits may come from
// [Diff], or be finer: a caller that knows that two elements are versions of one
// another says so with an edit of one element to one.
func Combine(n int, ours, theirs []Edit, same func(o, t int) bool) []Chunk {
	c := combiner{same: same}
	c.ours.edits = splitDeletions(ours, theirs)
	c.theirs.edits = splitDeletions(theirs, ours)
	for c.more() {
		c.group()
	}
	c.unchanged(n)
	return c.chunks
}

// combiner walks over the base. at is how far it has come there.
type combiner struct {
	at           int
	ours, theirs walker
	same         func(o, t int) bool
	chunks       []Chunk
}

// walker is one side: the edits that are left, and how far it has come.
type walker struct {
	edits []Edit
	at    int
}

func (c *combiner) more() bool { return len(c.ours.edits)+len(c.theirs.edits) > 0 }

// unchanged adds what lies before a place in the base.
func (c *combiner) unchanged(to int) {
	n := to - c.at
	if n > 0 {
		c.add(Unchanged, Span{c.at, to}, n, n)
	}
}

// add adds a chunk of so many elements of each side, and goes on.
func (c *combiner) add(origin Origin, base Span, ours, theirs int) {
	c.chunks = append(c.chunks, Chunk{
		Origin: origin,
		Base:   base,
		Ours:   Span{c.ours.at, c.ours.at + ours},
		Theirs: Span{c.theirs.at, c.theirs.at + theirs},
	})
	c.at = base.To
	c.ours.at += ours
	c.theirs.at += theirs
}

// group adds the next edit together with all that share elements of the base
// with it.
func (c *combiner) group() {
	base := first(c.ours.edits, c.theirs.edits)
	c.unchanged(base.From)
	var ours, theirs []Edit
	for grown := true; grown; {
		o := c.ours.take(&base)
		t := c.theirs.take(&base)
		ours, theirs = append(ours, o...), append(theirs, t...)
		grown = len(o)+len(t) > 0
	}
	c.decide(base, ours, theirs)
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

func (c *combiner) decide(base Span, ours, theirs []Edit) {
	o, t := length(base, ours), length(base, theirs)
	switch {
	case len(theirs) == 0:
		c.add(Ours, base, o, t)
	case len(ours) == 0:
		c.add(Theirs, base, o, t)
	case base.Len() == 0:
		c.insertions(base, o, t)
	case o == t && c.common(o, func(i int) (int, int) { return i, i }) == o:
		c.add(Both, base, o, t)
	default:
		c.add(Conflict, base, o, t)
	}
}

// length returns how long a part of the base is on a side.
func length(base Span, edits []Edit) int {
	n := base.Len()
	for _, e := range edits {
		n += e.Side.Len() - e.Base.Len()
	}
	return n
}

// common counts how many pairs of elements are equal until two differ. pair gives
// the i-th, counted from where the sides are.
func (c *combiner) common(most int, pair func(i int) (o, t int)) int {
	for i := range most {
		o, t := pair(i)
		if !c.same(c.ours.at+o, c.theirs.at+t) {
			return i
		}
	}
	return most
}

// insertions adds what both sides inserted at one place.
func (c *combiner) insertions(base Span, o, t int) {
	most := min(o, t)
	head := c.common(most, func(i int) (int, int) { return i, i })
	tail := c.common(most-head, func(i int) (int, int) { return o - 1 - i, t - 1 - i })
	if head > 0 {
		c.add(Both, base, head, head)
	}
	switch o, t := o-head-tail, t-head-tail; {
	case o > 0 && t > 0:
		c.add(Conflict, base, o, t)
	case o > 0:
		c.add(Ours, base, o, 0)
	case t > 0:
		c.add(Theirs, base, 0, t)
	}
	if tail > 0 {
		c.add(Both, base, tail, tail)
	}
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
