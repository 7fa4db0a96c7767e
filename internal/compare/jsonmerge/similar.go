package jsonmerge

import (
	"slices"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// alignSimilar compares an array with its base. Where elements were replaced, it
// finds out which of the new ones are versions of which of the old.
func alignSimilar(base, side *node) []sequence.Edit {
	var out []sequence.Edit
	for _, e := range sequence.Diff(values(base), values(side)) {
		if e.Base.Len() == 0 || e.Side.Len() == 0 {
			out = append(out, e)
			continue
		}
		b := base.inside.items[e.Base.From:e.Base.To]
		s := side.inside.items[e.Side.From:e.Side.To]
		out = splitAt(out, e, similar(b, s))
	}
	return out
}

func values(n *node) []int32 {
	out := make([]int32, len(n.items()))
	for i := range out {
		out[i] = n.inside.items[i].value
	}
	return out
}

// splitAt splits an edit into pairs and what lies between them. Between two pairs as
// many elements on either side are pairs too.
func splitAt(out []sequence.Edit, e sequence.Edit, pairs [][2]int) []sequence.Edit {
	at := e
	between := func(b, s int) {
		at.Base.To, at.Side.To = b, s
		if at.Base.Len() == at.Side.Len() {
			out = appendPairs(out, at)
		} else {
			out = append(out, at)
		}
		at.Base.From, at.Side.From = b, s
	}
	for _, p := range pairs {
		b, s := e.Base.From+p[0], e.Side.From+p[1]
		between(b, s)
		between(b+1, s+1)
	}
	between(e.Base.To, e.Side.To)
	return out
}

func appendPairs(out []sequence.Edit, e sequence.Edit) []sequence.Edit {
	for i := range e.Base.Len() {
		b, s := e.Base.From+i, e.Side.From+i
		out = append(out, sequence.Edit{Base: sequence.Span{From: b, To: b + 1}, Side: sequence.Span{From: s, To: s + 1}})
	}
	return out
}

// maxComparing bounds what finding similar elements costs.
const maxComparing = 1 << 20

// similar pairs objects and arrays that have at least half in common, without
// crossings, so that all pairs together have the most.
func similar(b, s []node) [][2]int {
	inside := 0
	for _, list := range [][]node{b, s} {
		for i := range list {
			inside += len(list[i].items())
		}
	}
	n := len(b) + len(s)
	if inside == 0 || n > maxComparing/(n+inside) {
		return nil
	}
	marksB, marksS := marks(b), marks(s)
	best := make([][]int32, len(b)+1) // best[i][j]: of b from i on and s from j on
	best[len(b)] = make([]int32, len(s)+1)
	score := make([][]int32, len(b))
	for i := len(b) - 1; i >= 0; i-- {
		best[i], score[i] = make([]int32, len(s)+1), make([]int32, len(s))
		for j := len(s) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if b[i].kind == s[j].kind {
				score[i][j] = common(marksB[i], marksS[j])
			}
			if score[i][j] > 0 {
				best[i][j] = max(best[i][j], score[i][j]+best[i+1][j+1])
			}
		}
	}
	return follow(best, score)
}

// follow returns the pairs that make the best sum.
func follow(best, score [][]int32) [][2]int {
	var out [][2]int
	for i, j := 0, 0; i < len(score) && j < len(score[i]); {
		switch {
		case score[i][j] > 0 && best[i][j] == score[i][j]+best[i+1][j+1]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

// marks returns, for each value, its members and elements as sorted numbers.
func marks(list []node) [][]uint64 {
	out := make([][]uint64, len(list))
	for i := range list {
		n := &list[i]
		for j := range n.items() {
			key := int32(j)
			if len(n.inside.names) > 0 {
				key = n.inside.names[j].id
			}
			out[i] = append(out[i], pack(key, n.inside.items[j].value))
		}
		slices.Sort(out[i])
	}
	return out
}

// common counts what two sorted lists share, 0 if it is less than half of the longer.
func common(a, b []uint64) int32 {
	longer, n := max(len(a), len(b)), 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n, a, b = n+1, a[1:], b[1:]
		}
	}
	if 2*n < longer {
		return 0
	}
	return int32(n)
}
