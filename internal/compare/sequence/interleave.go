package sequence

import "slices"

// Interleave returns what both inserted at one place: what they share at the
// beginning and the end once, and between it both runs, the lesser first.
func Interleave[T any](a, b []T, compare func(a, b T) int) []T {
	same := func(x, y T) bool { return compare(x, y) == 0 }
	lead := 0
	for lead < len(a) && lead < len(b) && same(a[lead], b[lead]) {
		lead++
	}
	out := slices.Clone(a[:lead])
	a, b = a[lead:], b[lead:]
	tail := 0
	for tail < len(a) && tail < len(b) && same(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	end := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if slices.CompareFunc(a, b, compare) > 0 {
		a, b = b, a
	}
	return slices.Concat(out, a, b, end)
}
