package leftovers

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Nearly is a file whose name is nearly that of an entity's: 06555.entity_text,
// 6555.entity_txt, 6555.ENTITY_TEXT, "6555 - Copy.entity_text".
type Nearly struct {
	Path string    // in the directory, with slashes
	ID   entity.ID // that it is meant to be; 0 where its number is none of an entity's
}

// A number, what file managers add to the name of a copy, and what stands for the suffix.
var nearly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:copy of )?\s*([0-9]+)(?: ?- ?copy| ?\(?copy\)?)?(?: ?\([0-9]+\))?\s*\.\s*([a-z_ .-]+?)(?: ?\(copy\))?$`)
})

// meant returns the entity that a file is meant to be, whose name is none of an entity's.
func meant(name string) (id entity.ID, ok bool) {
	m := nearly().FindStringSubmatch(strings.ToLower(name))
	if m == nil || !isSuffix(m[2]) {
		return 0, false
	}
	number, err := strconv.ParseUint(m[1], 10, 32)
	if err != nil {
		return 0, true
	}
	return entity.ID(number), true
}

// isSuffix reports whether what stands behind the dot is meant as the suffix of entities'
// files: with two letters wrong at most, or as an editor that adds .txt leaves it.
func isSuffix(s string) bool {
	want := strings.TrimPrefix(layout.Suffix, ".")
	s = strings.TrimSuffix(s, ".txt")
	return s == "entity" || distance(s, want) <= 2
}

// distance returns how many letters have to be put in, left out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, diagonal := i+1, row[0]
		row[0] = left
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			left = min(cost, left+1, diagonal+1)
			row[j+1] = left
		}
	}
	return row[len(b)]
}
