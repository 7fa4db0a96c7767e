package filemerge_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/textcodec"
)

// What git marks is known as git's; what was typed there, or half taken away, is not.
func TestIsMarked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		var sides [3][]byte
		var last *entity.Entity
		for i := range sides {
			e := entitytest.Entity(7, typ).Draw(t, "entity")
			if last != nil && last.Layout.Revision == e.Layout.Revision && len(last.Values) == len(e.Values) { // it differs in some fields
				for n := range e.Values {
					if rapid.Bool().Draw(t, "same") {
						e.Values[n] = last.Values[n]
					}
				}
			} else if last == nil {
				last = e
			}
			sides[i] = textcodec.Append(nil, e)
		}
		merged, clean, err := textmerge.ByGit(sides[0], sides[1], sides[2])
		require.NoError(t, err)
		if clean {
			return
		}
		require.True(t, filemerge.IsMarked(sides, merged), "%s", merged)
		lines := bytes.SplitAfter(merged, []byte("\n"))
		i := rapid.IntRange(0, len(lines)-2).Draw(t, "edited line")
		edited := func(line string) []byte {
			all := append([][]byte{}, lines...)
			all[i] = []byte(line)
			return bytes.Join(all, nil)
		}
		require.False(t, filemerge.IsMarked(sides, edited(string(lines[i])+"    typed\n")))
		for _, marker := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(lines[i], []byte(marker)) {
				require.False(t, filemerge.IsMarked(sides, edited("")))
			}
		}
	})
}

func TestHasOwnLine(t *testing.T) {
	others := [][]byte{[]byte("Door\n1\n7\n; at\n    1\n    2\n; size\n    3\n"), []byte("Door\n1\n7\n; at\n    4\n    5\n; size\n    6\n")}
	for text, own := range map[string]bool{
		"Door\n1\n7\n; at\n    4\n    2\n; size\n    9\n": false,
		"Door\n1\n7\n; at\n    4\n    3\n; size\n    9\n": true, // which another field has
		"Door\n1\n7\n; size\n    9\n":                     false,
	} {
		require.Equal(t, own, filemerge.HasOwnLine("at", []byte(text), others), text)
	}
}
