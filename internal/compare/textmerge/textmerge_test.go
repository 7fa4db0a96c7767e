package textmerge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergeTOML(t *testing.T) {
	const base = "# the world\nid = \"x\"\n\nshard = \"none\" # flat\n\n[merge]\npolicy = \"leave\"\n"
	for name, c := range map[string]struct {
		ours, theirs, want string
		clashes            int
	}{
		"nothing":                    {base, base, base, 0},
		"only ours":                  {base + "x = 1\n", base, base + "x = 1\n", 0},
		"only theirs":                {base, base + "x = 1\n", base + "x = 1\n", 0},
		"both append":                {base + "x = 1\n", base + "y = 2\n", base + "y = 2\nx = 1\n", 0},
		"both append after comments": {base + "# size\n# x = 0\nx = 1\n", base + "# size\n# x = 0\ny = 2\n", base + "y = 2\n# size\n# x = 0\nx = 1\n", 0},
		"with its own comment":       {base + "x = 1\n", base + "# two\ny = 2\n", base + "# two\ny = 2\nx = 1\n", 0},
		"both the same":              {base + "x = 1\n", base + "x = 1\n", base + "x = 1\n", 0},
		"both otherwise":             {base + "x = 1\n", base + "x = 2\n", base + "x = 2\n", 1},
		"another's value": {"# the world\nid = \"x\"\n\nshard = \"none\" # flat\n\n[merge]\npolicy = \"mine\"\n", "id = \"x\"\nshard = \"last-digit\"\n[merge]\npolicy = \"leave\"\n",
			"id = \"x\"\nshard = \"last-digit\"\n[merge]\npolicy = \"mine\"\n", 0},
		"taken away":             {"id = \"x\"\n", base, "id = \"x\"\n", 0},
		"taken away and changed": {"id = \"x\"\n", "id = \"x\"\nshard = \"last-digit\"\n", "id = \"x\"\nshard = \"last-digit\"\n", 1},
		"an array over lines":    {"a = [\n  1,\n  2,\n]\nid = \"x\"\n", "id = \"x\"\nb = [\n  \"# no comment\",\n]\n", "a = [\n  1,\n  2,\n]\nid = \"x\"\nb = [\n  \"# no comment\",\n]\n", 0},
		"tables of an array":     {"id = \"x\"\n[[merge.rules]]\ntype = \"A\"\n[[merge.rules]]\ntype = \"B\"\n", "id = \"x\"\nhistory_days = 3\n", "id = \"x\"\nhistory_days = 3\n[[merge.rules]]\ntype = \"A\"\n[[merge.rules]]\ntype = \"B\"\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			from := base
			if name == "an array over lines" || name == "tables of an array" {
				from = "id = \"x\"\n"
			}
			merged, clashes := TOML([]byte(from), []byte(c.ours), []byte(c.theirs))
			require.Equal(t, c.want, string(merged))
			require.Len(t, clashes, c.clashes)
		})
	}
}

func TestMergeLines(t *testing.T) {
	merged := func(base, ours, theirs string) string {
		out, clashes := Lines([]byte(base), []byte(ours), []byte(theirs))
		require.Empty(t, clashes)
		return string(out)
	}
	const base = "# ranges\n1 10 A #A\n10 20 B #B\n"
	require.Equal(t, base, merged(base, base, base))
	require.Equal(t, base+"30 40 D #D\n20 30 C #C\n", merged(base, base+"20 30 C #C\n", base+"30 40 D #D\n"))
	require.Equal(t, "# ranges\n10 20 B #B\n20 30 C #C\n", merged(base, "# ranges\n10 20 B #B\n", base+"20 30 C #C\n"))
	require.Equal(t, "# ranges\n1 12 A #A\n", merged(base, "# ranges\n1 12 A #A\n10 20 B #B\n", "# ranges\n1 10 A #A\n"))
	require.Equal(t, "# ranges\n1 10 A #A\n10 20 B #B", merged(base, "# ranges\r\n1 10 A #A\r\n10 20 B #B", base)[:len(base)-1], "line ends do not count")
}

func TestWithoutRepeats(t *testing.T) {
	const side = "# a\n\n1 2 A\n\n3 4 B\n"
	require.Equal(t, side, string(WithoutRepeats([]byte(side), []byte(side), []byte(side))))
	require.Equal(t, side, string(WithoutRepeats([]byte("# a\n\n1 2 A\n\n3 4 B\n1 2 A\r\n"), []byte(side), nil)))
	require.Equal(t, "5 6 C\n5 6 C\n", string(WithoutRepeats([]byte("5 6 C\n5 6 C\n"), []byte(side))), "a person's own")
}

// What a clash says are the two values, without the comments before them.
func TestAClashIsTold(t *testing.T) {
	_, clashes := TOML([]byte("id = 1\n"), []byte("id = 1\n# how long\n\ndays = 30\n"), []byte("id = 1\n# how long\ndays = 20 # short\n"))
	require.Equal(t, []string{"days: both sides set it; days = 20 # short stands, not days = 30"}, clashes)
}

// The comments behind the last key have no key to be called by.
func TestAClashAboutTheCommentsAtTheEndIsTold(t *testing.T) {
	const base = "id = 1\n# end\n"
	_, clashes := TOML([]byte(base), []byte("id = 1\n"), []byte("id = 1\n# the end\n"))
	require.Equal(t, []string{"the comments at its end: one side took it away, the other changed it; it stays"}, clashes)
	_, clashes = TOML([]byte(base), []byte("id = 1\n# an end\n"), []byte("id = 1\n# the end\n"))
	require.Equal(t, []string{"the comments at its end: both sides changed them; they are as the shared side has them"}, clashes)
}

func TestByGit(t *testing.T) {
	merged, clean, err := ByGit([]byte("a\nb\nc\nd\ne\n"), []byte("A\nb\nc\nd\ne\n"), []byte("a\nb\nc\nd\nE\n"))
	require.NoError(t, err)
	require.True(t, clean)
	require.Equal(t, "A\nb\nc\nd\nE\n", string(merged))
	merged, clean, err = ByGit([]byte("a\n"), []byte("b\n"), []byte("c\n"))
	require.NoError(t, err)
	require.False(t, clean)
	require.Contains(t, string(merged), "<<<<<<<")
}

func TestUnmergedIsOneConflict(t *testing.T) {
	text := Unmerged([]byte("a\n"), []byte("b"), [2]string{"yours", "shared"}, 7)
	require.Equal(t, "<<<<<<< yours\na\n=======\nb\n>>>>>>> shared\n", string(text))
	require.True(t, HasMarkers(text))
}

func TestUnmark(t *testing.T) {
	sides, ok := Unmark([]byte("a\n<<<<<<< x\nb\n||||||| y\nc\n=======\nd\n>>>>>>> z\ne\n=======\n"))
	require.True(t, ok)
	require.Equal(t, "a\nb\ne\n=======\n", string(sides[0]))
	require.Equal(t, "a\nd\ne\n=======\n", string(sides[1]))
	sides, ok = Unmark([]byte("<<<<<<< x\n<<<<<<<< y\na\n========\nb\n>>>>>>>> z\n=======\nc\n>>>>>>> w\n"))
	require.True(t, ok)
	require.Equal(t, "<<<<<<<< y\na\n========\nb\n>>>>>>>> z\n", string(sides[0]))
	require.Equal(t, "c\n", string(sides[1]))
	for _, incomplete := range []string{"<<<<<<< x\na\n", "a\n>>>>>>> z\n", "<<<<<<< x\n=======\n<<<<<<< x\n", "<<<<<<< x\na\n>>>>>>> z\n"} {
		_, ok := Unmark([]byte(incomplete))
		require.False(t, ok, incomplete)
	}
}

// A side that is no TOML or not there, as where a symlink took the file's place, takes no key away.
func TestASideThatIsNoTOMLDoesNotCount(t *testing.T) {
	const base, edited = "id = \"a\"\ndays = 1\n", "id = \"a\"\ndays = 2\n"
	for _, other := range []string{"", "../elsewhere/file"} {
		for _, sides := range [][2]string{{edited, other}, {other, edited}} {
			merged, clashes := TOML([]byte(base), []byte(sides[0]), []byte(sides[1]))
			require.Equal(t, edited, string(merged))
			require.Equal(t, []string{"one side has none that can be read; it is as the other side has it"}, clashes)
		}
	}
}
