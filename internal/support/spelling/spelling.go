// Package spelling finds the name that was meant by one that there is not: the nearest by
// the number of letters that are wrong, left out, too many, or exchanged with the next one.
// Whether letters are upper or lower case counts for nothing, so "Position" is position.
// What is further off than a slip of the finger is not suggested.
package spelling

import (
	"iter"
	"slices"
	"strings"
)

// maxName is the longest name that is compared, in letters: of a longer one, which is no
// name that a person types, nothing is near.
const maxName = 100

// Nearest returns the name that is nearest to one that was given, "" if none is near. Of
// two that are as near it is the first.
func Nearest(given string, names iter.Seq[string]) (nearest string) {
	word := []rune(strings.ToLower(given))
	if len(word) == 0 || len(word) > maxName {
		return ""
	}
	best := slips(len(word)) + 1
	for name := range names {
		other := []rune(strings.ToLower(name))
		if name == given || len(other) > maxName || len(other) > len(word)+best || len(word) > len(other)+best {
			continue
		}
		if d := distance(word, other); d < best || d == best && nearest != "" && name < nearest {
			best, nearest = d, name
		}
	}
	return nearest
}

// DidYouMean returns "; did you mean X?" with the nearest of the names, "" if none is near.
func DidYouMean(given string, names iter.Seq[string]) string {
	if nearest := Nearest(given, names); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// slips is how many letters may be wrong in a name of so many.
func slips(letters int) int {
	switch {
	case letters < 3:
		return 0 // in another case only
	case letters < 5:
		return 1
	case letters < 9:
		return 2
	}
	return 3
}

// distance returns how many letters are to be changed, put in, taken out or exchanged with
// the next one to make b of a, no letter twice.
func distance(a, b []rune) int {
	var before []int // the row before the last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// Sorted returns the names in order, each once, for messages and for Nearest.
func Sorted(names iter.Seq[string]) []string { return slices.Compact(slices.Sorted(names)) }
