package sequence

// Diff returns what leads from base to side, in order, the parts between edits
// being equal. It is the shortest such difference, unless that is too long to
// search for; of equally short ones that in which elements stay in their places:
// a tile that was painted over was not moved.
func Diff[K comparable](base, side []K) []Edit {
	d := differ{}
	d.a, d.b = number(base, side)
	d.budget = 1<<20 + 32*(len(base)+len(side))
	d.diff(Span{0, len(base)}, Span{0, len(side)}, true)
	return d.edits
}

// number gives equal elements equal numbers, which are quicker to compare.
func number[K comparable](base, side []K) (a, b []int32) {
	known := make(map[K]int32)
	of := func(elements []K) []int32 {
		out := make([]int32, len(elements))
		for i, e := range elements {
			n, ok := known[e]
			if !ok {
				n = int32(len(known))
				known[e] = n
			}
			out[i] = n
		}
		return out
	}
	return of(base), of(side)
}

// differ compares two sequences of numbers.
type differ struct {
	a, b   []int32
	edits  []Edit
	budget int // steps that the search may still take
}

// diff compares two parts. landmarks says whether it may fall back on them.
func (d *differ) diff(a, b Span, landmarks bool) {
	for a.From < a.To && b.From < b.To && d.a[a.From] == d.b[b.From] {
		a.From++
		b.From++
	}
	for a.From < a.To && b.From < b.To && d.a[a.To-1] == d.b[b.To-1] {
		a.To--
		b.To--
	}
	switch {
	case a.Len() == 0 || b.Len() == 0:
		d.add(a, b)
	case d.search(a, b):
	case landmarks:
		d.between(a, b, d.landmarks(a, b))
	default:
		d.add(a, b)
	}
}

// search adds the shortest edits from a to b, or returns false when they would
// take too much to find.
func (d *differ) search(a, b Span) bool {
	pairs, ok := d.shortest(a, b)
	if !ok {
		return false
	}
	if a.Len() == b.Len() {
		if inPlace := d.inPlace(a, b); len(inPlace) >= len(pairs) {
			pairs = inPlace
		}
	}
	d.gaps(a, b, pairs)
	return true
}

// inPlace returns the pairs of equal elements at the same place.
func (d *differ) inPlace(a, b Span) []pair {
	var out []pair
	for i := range a.Len() {
		if d.a[a.From+i] == d.b[b.From+i] {
			out = append(out, pair{a.From + i, b.From + i})
		}
	}
	return out
}

// gaps adds what lies between the pairs.
func (d *differ) gaps(a, b Span, pairs []pair) {
	for _, p := range pairs {
		d.add(Span{a.From, p.a}, Span{b.From, p.b})
		a.From, b.From = p.a+1, p.b+1
	}
	d.add(a, b)
}

// add adds an edit, to the last one where they touch.
func (d *differ) add(a, b Span) {
	if a.Len() == 0 && b.Len() == 0 {
		return
	}
	if n := len(d.edits); n > 0 {
		last := &d.edits[n-1]
		if last.Base.To == a.From && last.Side.To == b.From {
			last.Base.To, last.Side.To = a.To, b.To
			return
		}
	}
	d.edits = append(d.edits, Edit{a, b})
}

// pair is an element of a and its equal in b.
type pair struct{ a, b int }

// between searches what lies between the pairs.
func (d *differ) between(a, b Span, pairs []pair) {
	d.budget += 16 * (a.Len() + b.Len())
	for _, p := range pairs {
		d.diff(Span{a.From, p.a}, Span{b.From, p.b}, false)
		a.From, b.From = p.a+1, p.b+1
	}
	d.diff(a, b, false)
}
