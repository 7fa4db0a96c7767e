package editing

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// nearNames says which types may be meant by a name that none has.
func nearNames(name string, types *entity.Types) string {
	var near []string
	lower := strings.ToLower(name)
	for _, t := range types.All() {
		other := strings.ToLower(t.Name)
		if distance(lower, other) <= max(1, len(lower)/3) || strings.Contains(other, lower) {
			near = append(near, t.Name)
		}
	}
	const most = 5
	if len(near) == 0 {
		return ""
	}
	return "; is it " + strings.Join(near[:min(len(near), most)], ", ") + "?"
}

// distance returns how many bytes are to be put in, taken out or replaced to make b of a:
// the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			} else {
				row[j+1] = min(row[j+1], last[j]+1)
			}
		}
	}
	return row[len(b)]
}
