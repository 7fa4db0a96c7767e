package jsonmerge

import (
	"bytes"
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
		o.Dialect = dialectOf(base, ours, theirs)
		out, report, err := Merge(base, ours, theirs, o)
		if err != nil {
			require.Nil(t, out)
			return
		}
		requireReadBack(t, base, ours, theirs, o)
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
		swapped := Options{Prefer: 1 - o.Prefer, Dialect: o.Dialect}
		requireSame(t, base, theirs, ours, swapped, out)
	})
}

// requireSame checks that a merge has the value of a document.
func requireSame(t require.TestingT, base, ours, theirs []byte, o Options, want []byte) {
	out, _ := mustMerge(t, base, ours, theirs, o)
	requireEqual(t, want, out, o.Dialect)
}

// requireEqual checks that two documents say the same, comments included.
func requireEqual(t require.TestingT, want, got []byte, dialect Dialect, of ...[]byte) {
	p := parser{table: newTable(), dialect: dialect}
	a, err := p.parse(got, "got")
	require.NoError(t, err)
	b, err := p.parse(want, "wanted")
	require.NoError(t, err)
	if a.root.bare != b.root.bare { // the comments at the ends have other places
		require.Equal(t, b.root.value, a.root.value, "%s\n---\n%s\n---\n%s", got, want, bytes.Join(of, []byte("\n---\n")))
		return
	}
	require.Equal(t, b.exact, a.exact, "%s\n---\n%s\n---\n%s", got, want, bytes.Join(of, []byte("\n---\n")))
}
