package sequence

// Order merges the order of things that stand at most once in each sequence. It
// returns those that kept says stay, each once; they must be in one of the two
// sides. clash is true where both sides moved the same things differently: then
// first's order stands. What only one side has goes behind what it stands behind
// there; at one place, first's before second's.
func Order[K comparable](base, first, second []K, kept func(K) bool) (out []K, clash bool) {
	inFirst, inSecond := set(first), set(second)
	shared := func(k K) bool { return inFirst[k] && inSecond[k] && kept(k) }
	ours, theirs := Filter(first, shared), Filter(second, shared)
	common, ok := rearrange(Filter(base, shared), ours, theirs)
	if !ok {
		common = ours
	}
	one, two := runs(first, shared, kept), runs(second, shared, kept)
	out = append(append(out, one.front...), two.front...)
	for _, k := range common {
		out = append(append(append(out, k), one.behind[k]...), two.behind[k]...)
	}
	return out, !ok
}

// rearrange merges two orders of the same things, some of which may be new. It
// returns false where they contradict each other.
func rearrange[K comparable](base, ours, theirs []K) ([]K, bool) {
	var out []K
	for _, c := range Merge(base, ours, theirs) {
		switch c.Origin {
		case Conflict:
			return nil, false
		case Theirs:
			out = append(out, theirs[c.Theirs.From:c.Theirs.To]...)
		default:
			out = append(out, ours[c.Ours.From:c.Ours.To]...)
		}
	}
	// What both moved, but not to the same place, stands twice.
	return out, len(out) == len(ours) && len(set(out)) == len(out)
}

// placed is what one side alone has, by what it stands behind.
type placed[K comparable] struct {
	front  []K
	behind map[K][]K
}

func runs[K comparable](side []K, shared, kept func(K) bool) placed[K] {
	p := placed[K]{behind: make(map[K][]K)}
	var anchor K
	anchored := false
	for _, k := range side {
		switch {
		case !kept(k):
		case shared(k):
			anchor, anchored = k, true
		case anchored:
			p.behind[anchor] = append(p.behind[anchor], k)
		default:
			p.front = append(p.front, k)
		}
	}
	return p
}

func set[K comparable](s []K) map[K]bool {
	out := make(map[K]bool, len(s))
	for _, k := range s {
		out[k] = true
	}
	return out
}

// Filter returns what of a sequence is to be kept, in its order.
func Filter[K comparable](s []K, keep func(K) bool) []K {
	var out []K
	for _, k := range s {
		if keep(k) {
			out = append(out, k)
		}
	}
	return out
}
