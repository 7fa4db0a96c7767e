package jsonmerge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzMerge checks that whatever merges obeys the laws and can be read back.
func FuzzMerge(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c["base.json"]), []byte(c["ours.json"]), []byte(c["theirs.json"]), false)
		f.Add([]byte(c["base.json"]), []byte(c["theirs.json"]), []byte(c["ours.json"]), true)
	}
	f.Add([]byte(`[1,2]`), []byte(`[ 1.0 , 3]`), []byte(`[0,2,{"a":null}]`), true)
	f.Add([]byte(``), []byte("\ufeff{\"\\u0061\":-0}\r\n"), []byte(`{"a":0E1}`), false)
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte, other bool) {
		o := Options{}
		if other {
			o.Prefer = Theirs
		}
		out, report, err := Merge(base, ours, theirs, o)
		if err != nil {
			require.Nil(t, out)
			return
		}
		// The result is a document, and merged with a side again it gives no more.
		again, _ := mustMerge(t, base, out, out, o)
		require.Equal(t, string(out), string(again))
		for _, c := range report.Conflicts {
			require.True(t, c.Path.IsValid())
			require.NotEmpty(t, c.String())
		}
		again, _ = mustMerge(t, ours, ours, theirs, o)
		require.Equal(t, string(theirs), string(again))
		requireSame(t, ours, theirs, ours, o, theirs)
		requireSame(t, base, ours, ours, o, ours)
		swapped := Options{Prefer: 1 - o.Prefer}
		requireSame(t, base, theirs, ours, swapped, out)
	})
}

// requireSame checks that a merge has the value of a document.
func requireSame(t *testing.T, base, ours, theirs []byte, o Options, want []byte) {
	out, _ := mustMerge(t, base, ours, theirs, o)
	p := parser{table: newTable()}
	a, err := p.parse(out, "merged")
	require.NoError(t, err)
	b, err := p.parse(want, "wanted")
	require.NoError(t, err)
	require.Equal(t, b.root.exact, a.root.exact, "%s\n%s", out, want)
}
