package merge

import (
	"cmp"
	"slices"
)

// nameKey is what has a name in a list in which a name can stand more than once:
// the name, and how many of it came before.
type nameKey struct {
	name string
	nth  int
}

func (k nameKey) compare(o nameKey) int { return cmp.Or(cmp.Compare(k.name, o.name), k.nth-o.nth) }

// nameKeys returns the keys of all lists by name. Their places are symbols for
// mergeOrder, which puts the lesser first where both sides insert at one place, so
// that the order does not depend on which side is called ours.
func nameKeys(lists [][]string) (keys []nameKey) {
	for _, list := range lists {
		keys = append(keys, keysOf(list)...)
	}
	slices.SortFunc(keys, nameKey.compare)
	return slices.Compact(keys)
}

func keysOf(list []string) []nameKey {
	keys := make([]nameKey, len(list))
	count := make(map[string]int)
	for i, name := range list {
		keys[i] = nameKey{name, count[name]}
		count[name]++
	}
	return keys
}

// symbolsOfNames returns the places in keys of the names of a list.
func symbolsOfNames(keys []nameKey, list []string) []int {
	symbols := make([]int, len(list))
	for i, key := range keysOf(list) {
		symbols[i], _ = slices.BinarySearchFunc(keys, key, nameKey.compare)
	}
	return symbols
}
