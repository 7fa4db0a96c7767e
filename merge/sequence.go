package merge

import "github.com/worldfs/worldfs/internal/compare/sequence"

// A sequence is merged as symbols: numbers that stand for its elements, equal
// elements having equal numbers.

// chunk is a run of all three that is merged as one.
type chunk struct {
	base, ours, theirs sequence.Span
	byOurs, byTheirs   bool // the sides that changed it
}

// merge3 cuts three sequences into chunks, in order, that cover them. Changes
// of the two sides are in one chunk only where they change the same elements
// of the base, or insert at the same place.
func merge3(base, ours, theirs []int) []chunk {
	o := reader{edits: sequence.Diff(base, ours)}
	t := reader{edits: sequence.Diff(base, theirs)}
	var out []chunk
	for at := 0; ; {
		next, ok := group(&o, &t)
		if !ok {
			return appendSame(out, &o, &t, at, len(base))
		}
		out = appendSame(out, &o, &t, at, next.base.From)
		next.ours, next.byOurs = o.take(next.base)
		next.theirs, next.byTheirs = t.take(next.base)
		out = append(out, next)
		at = next.base.To
	}
}

func appendSame(out []chunk, o, t *reader, from, to int) []chunk {
	if from == to {
		return out
	}
	return append(out, chunk{
		base:   sequence.Span{From: from, To: to},
		ours:   sequence.Span{From: from + o.shift, To: to + o.shift},
		theirs: sequence.Span{From: from + t.shift, To: to + t.shift},
	})
}

// reader goes through the edits of a side.
type reader struct {
	edits []sequence.Edit
	shift int // from a place in the base to that in the side, past the edits taken
}

// group returns the run of the base that the next edits change which cannot be
// taken apart.
func group(o, t *reader) (chunk, bool) {
	var run sequence.Span
	switch {
	case len(o.edits) == 0 && len(t.edits) == 0:
		return chunk{}, false
	case len(t.edits) == 0 || len(o.edits) > 0 && before(o.edits[0].Base, t.edits[0].Base):
		run = o.edits[0].Base
	default:
		run = t.edits[0].Base
	}
	for i, j := 0, 0; ; {
		switch {
		case i < len(o.edits) && overlap(run, o.edits[i].Base):
			run.To = max(run.To, o.edits[i].Base.To)
			i++
		case j < len(t.edits) && overlap(run, t.edits[j].Base):
			run.To = max(run.To, t.edits[j].Base.To)
			j++
		default:
			return chunk{base: run}, true
		}
	}
}

// before orders runs of the base: an insertion comes before what begins at its
// place.
func before(a, b sequence.Span) bool {
	return a.From < b.From || a.From == b.From && a.To < b.To
}

// overlap reports whether an edit, which does not begin before the run, changes
// something of it.
func overlap(run, h sequence.Span) bool {
	if run.Len() == 0 || h.Len() == 0 {
		return run == h || h.From > run.From && h.From < run.To
	}
	return h.From < run.To
}

// take passes the edits in a run of the base and returns the run of the side.
func (r *reader) take(base sequence.Span) (side sequence.Span, changed bool) {
	side.From = base.From + r.shift
	for len(r.edits) > 0 && (overlap(base, r.edits[0].Base)) {
		h := r.edits[0]
		r.shift = h.Side.To - h.Base.To
		r.edits = r.edits[1:]
		changed = true
	}
	side.To = base.To + r.shift
	return side, changed
}
