package sequence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// apply makes a side of its base and the edits, and checks their order.
func apply(t require.TestingT, base, side []byte, edits []Edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		require.LessOrEqual(t, at, e.Base.From)
		require.NotZero(t, e.Base.Len()+e.Side.Len())
		out = append(append(out, base[at:e.Base.From]...), side[e.Side.From:e.Side.To]...)
		at = e.Base.To
	}
	return append(out, base[at:]...)
}

// show writes chunks as "ab {x|y} c": what is merged, and conflicts.
func show(base, ours, theirs string) string {
	var out strings.Builder
	for _, c := range Merge([]byte(base), []byte(ours), []byte(theirs)) {
		o, t := ours[c.Ours.From:c.Ours.To], theirs[c.Theirs.From:c.Theirs.To]
		switch c.Origin {
		case Conflict:
			fmt.Fprintf(&out, "{%s|%s}", o, t)
		case Theirs:
			out.WriteString(t)
		default:
			out.WriteString(o)
		}
	}
	return out.String()
}

func TestMerge(t *testing.T) {
	for _, c := range []struct{ base, ours, theirs, want string }{
		{"", "", "", ""},
		{"abc", "abc", "abc", "abc"},
		{"abc", "aXbc", "abcY", "aXbcY"},
		{"abc", "aXc", "aYc", "a{X|Y}c"},
		{"abc", "aXc", "aXc", "aXc"},
		{"abc", "Xbc", "aYc", "XYc"},             // they touch, and share nothing
		{"abc", "aXbc", "aYc", "aXYc"},           // an insertion touches what is replaced
		{"abc", "abXc", "aYc", "aYXc"},           // behind it likewise
		{"abcd", "ad", "aXcd", "a{|Xc}d"},        // deleted and changed
		{"abcd", "ad", "abXcd", "a{|bXc}d"},      // deleted around an insertion
		{"abcdef", "aef", "abf", "af"},           // deletions that share an element
		{"abcdef", "af", "acdf", "af"},           // one deletion within the other
		{"abcdef", "acdf", "af", "af"},           // and the other way round
		{"ab", "aXYb", "aXZb", "aX{Y|Z}b"},       // insertions with a common head
		{"ab", "aXYb", "aZYb", "a{X|Z}Yb"},       // and tail
		{"ab", "aXb", "aXYb", "aXYb"},            // one continues the other
		{"00000", "0X0Y0", "000Z0", "0X0{Y|Z}0"}, // painted in place
		{"00000", "0X000", "00Z00", "0XZ00"},
	} {
		require.Equal(t, c.want, show(c.base, c.ours, c.theirs), "%s, %s, %s", c.base, c.ours, c.theirs)
	}
}

// few draws sequences that have much in common by accident.
func few(t *rapid.T, label string) []byte {
	return rapid.SliceOfN(rapid.ByteRange('a', 'e'), 0, 12).Draw(t, label)
}

func TestDiffLeadsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, side := few(t, "base"), few(t, "side")
		require.Equal(t, string(side), string(apply(t, base, side, Diff(base, side))))
	})
}

func TestDiffIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, side := few(t, "base"), few(t, "side")
		size := 0
		for _, e := range Diff(base, side) {
			size += e.Base.Len() + e.Side.Len()
		}
		require.Equal(t, len(base)+len(side)-2*longestCommon(base, side), size)
	})
}

// longestCommon is the length of the longest common subsequence, found slowly.
func longestCommon(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			row[j+1] = max(row[j], above)
			if x == y {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestDiffOfWhatIsTooDifferent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	base := make([]int, 50_000)
	for i := range base {
		base[i] = r.IntN(100)
	}
	side := slices.Clone(base)
	r.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
	for i := 0; i < len(base); i += 5000 { // landmarks
		base[i], side[i] = 1_000_000+i, 1_000_000+i
	}
	edits := Diff(base, side)
	require.NotEmpty(t, edits)
	for _, e := range edits {
		require.NotZero(t, e.Base.From%5000, "a landmark was given up")
		require.Equal(t, e.Base, e.Side)
	}
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := string(few(t, "a")), string(few(t, "b"))
		require.Equal(t, b, show(a, a, b))
		require.Equal(t, b, show(a, b, a))
		require.Equal(t, b, show(a, b, b))
	})
}

func TestChunksCoverAndMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := few(t, "base"), few(t, "ours"), few(t, "theirs")
		chunks := Merge(base, ours, theirs)
		var b, o, h int
		for i, c := range chunks {
			require.Equal(t, []int{b, o, h}, []int{c.Base.From, c.Ours.From, c.Theirs.From})
			b, o, h = c.Base.To, c.Ours.To, c.Theirs.To
			chunks[i].Ours, chunks[i].Theirs = c.Theirs, c.Ours
			switch c.Origin {
			case Ours:
				chunks[i].Origin = Theirs
			case Theirs:
				chunks[i].Origin = Ours
			}
		}
		require.Equal(t, []int{len(base), len(ours), len(theirs)}, []int{b, o, h})
		require.Equal(t, chunks, Merge(base, theirs, ours))
	})
}

// Of what is aligned each side comes out whole, what a side did not change is as in
// the base, and what both changed is none that one of them did alone.
func TestAlignedSidesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := few(t, "base"), few(t, "ours"), few(t, "theirs")
		var b, o, h []byte
		for _, c := range Align(len(base), Diff(base, ours), Diff(base, theirs)) {
			was, mine, other := base[c.Base.From:c.Base.To], ours[c.Ours.From:c.Ours.To], theirs[c.Theirs.From:c.Theirs.To]
			b, o, h = append(b, was...), append(o, mine...), append(h, other...)
			require.NotEqual(t, Both, c.Origin)
			require.Equal(t, c.Origin == Ours || c.Origin == Conflict, string(was) != string(mine))
			require.Equal(t, c.Origin == Theirs || c.Origin == Conflict, string(was) != string(other))
		}
		require.Equal(t, []string{string(base), string(ours), string(theirs)}, []string{string(b), string(o), string(h)})
	})
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		base, first, second, gone, want string
		clash                           bool
	}{
		{base: "abc", first: "abc", second: "cab", want: "cab"},
		{base: "abcdef", first: "bacdef", second: "abcdfe", want: "bacdfe"},
		{base: "abc", first: "abXc", second: "abYc", want: "abXYc"},
		{base: "abc", first: "Xabc", second: "Yabc", want: "XYabc"},
		{base: "abc", first: "aXc", second: "abYc", gone: "b", want: "aXYc"},
		{base: "abc", first: "ac", second: "bac", want: "bac"}, // kept though first deleted it
		{base: "abcd", first: "bcda", second: "bacd", want: "bcda", clash: true},
		{base: "", first: "XY", second: "YX", want: "XY", clash: true},
		{base: "", first: "XYa", second: "XbY", want: "XbYa"},
	} {
		out, clash := Order([]byte(c.base), []byte(c.first), []byte(c.second), func(k byte) bool {
			return !strings.ContainsRune(c.gone, rune(k))
		})
		require.Equal(t, c.want, string(out), "%+v", c)
		require.Equal(t, c.clash, clash, "%+v", c)
	}
}

func TestOrderHasEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) []byte {
			return rapid.SliceOfNDistinct(rapid.ByteRange('a', 'l'), 0, 12, rapid.ID[byte]).Draw(t, label)
		}
		base, first, second := draw("base"), draw("first"), draw("second")
		out, _ := Order(base, first, second, func(k byte) bool { return k%5 != 0 })
		want := set(append(slices.Clone(first), second...))
		for k := range want {
			if k%5 == 0 {
				delete(want, k)
			}
		}
		require.Len(t, out, len(want))
		require.Equal(t, want, set(out))
		for _, other := range [][2][]byte{{base, first}, {first, base}, {first, first}} {
			out, clash := Order(base, other[0], other[1], func(k byte) bool { return slices.Contains(first, k) })
			require.False(t, clash)
			require.Equal(t, string(first), string(out))
		}
	})
}
