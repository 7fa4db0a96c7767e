package changeset

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// FuzzParse checks that whatever is read is written as a text that is read as
// the same, and can be made on worlds that know nothing of it.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"doors.changes", "doors-reverse.changes", "errors.txt", "mailed.changes"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		for part := range strings.SplitSeq(string(text), "--------\n") {
			f.Add([]byte(part))
		}
	}
	a, b := doors(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := Parse(bytes.NewReader(text), "f", a.Types)
		if err != nil {
			require.Nil(t, set)
			return
		}
		canonical := formatted(t, parsed(t, formatted(t, set), a.Types))
		require.Equal(t, canonical, formatted(t, parsed(t, canonical, a.Types)))
		for _, w := range []*entity.World{a, b} {
			base, theirs, _ := Sides(set, w)
			for x := range theirs.All() {
				require.NoError(t, x.Validate())
			}
			for x := range base.All() {
				require.NoError(t, x.Validate())
			}
			applied(set, w)
			applied(set.Invert(), w)
			var out bytes.Buffer
			require.NoError(t, Table(&out, set, true, 60))
			require.NoError(t, Map(&out, set, w))
		}
	})
}
