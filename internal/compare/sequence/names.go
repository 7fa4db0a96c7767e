package sequence

import (
	"cmp"
	"slices"
)

// NameKey is what has a name in a list in which a name can stand more than once:
// the name, and how many of it came before.
type NameKey struct {
	Name string
	Nth  int
}

func (k NameKey) compare(o NameKey) int { return cmp.Or(cmp.Compare(k.Name, o.Name), k.Nth-o.Nth) }

// NameKeys returns the keys of all lists by name. Their places are symbols for
// a merge, which puts the lesser first where both sides insert at one place, so
// that the order does not depend on which side is called ours.
func NameKeys(lists [][]string) (keys []NameKey) {
	for _, list := range lists {
		keys = append(keys, keysOf(list)...)
	}
	slices.SortFunc(keys, NameKey.compare)
	return slices.Compact(keys)
}

func keysOf(list []string) []NameKey {
	keys := make([]NameKey, len(list))
	count := make(map[string]int)
	for i, name := range list {
		keys[i] = NameKey{name, count[name]}
		count[name]++
	}
	return keys
}

// SymbolsOfNames returns the places in keys of the names of a list.
func SymbolsOfNames(keys []NameKey, list []string) []int {
	symbols := make([]int, len(list))
	for i, key := range keysOf(list) {
		symbols[i], _ = slices.BinarySearchFunc(keys, key, NameKey.compare)
	}
	return symbols
}
