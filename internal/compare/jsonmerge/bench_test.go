package jsonmerge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// level writes a level of n entities, some of which a side changed.
func level(n int, changed func(i int) bool) []byte {
	var out strings.Builder
	out.WriteString("{\n  \"entities\": [\n")
	for i := range n {
		x := i * 3
		if changed(i) {
			x++
		}
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(&out, "    {\"id\": %d, \"type\": \"tree\", \"pos\": [%d.5, 0, %d], \"tags\": [\"oak\", \"old\"]}%s\n", 1000+i, x, i, comma)
	}
	out.WriteString("  ]\n}\n")
	return []byte(out.String())
}

func BenchmarkLevel(b *testing.B) {
	base := level(10_422, func(int) bool { return false })
	ours := level(10_422, func(i int) bool { return i%20 == 0 })
	theirs := level(10_422, func(i int) bool { return i%20 == 7 })
	benchmark(b, base, ours, theirs)
}

func BenchmarkTiles(b *testing.B) {
	tiles := func(painted int) []byte {
		var out []byte
		for i := range 1_000_000 {
			tile := i % 7
			if i%1000 == painted {
				tile = 9
			}
			out = append(strconv.AppendInt(out, int64(tile), 10), ',')
		}
		return slices.Concat([]byte{'['}, out[:len(out)-1], []byte{']'})
	}
	benchmark(b, tiles(-1), tiles(3), tiles(5))
}

// BenchmarkReversed is a list that both sides turned around differently, which no
// search for what moved gets through.
func BenchmarkReversed(b *testing.B) {
	list := func(order func(i int) int) []byte {
		var out []string
		for i := range 100_000 {
			out = append(out, strconv.Quote("line "+strconv.Itoa(order(i))))
		}
		return []byte("[" + strings.Join(out, ",") + "]")
	}
	benchmark(b, list(func(i int) int { return i }),
		list(func(i int) int { return 99_999 - i }), list(func(i int) int { return i * 7919 % 100_000 }))
}

func benchmark(b *testing.B, base, ours, theirs []byte) {
	b.SetBytes(int64(len(base) + len(ours) + len(theirs)))
	b.ReportAllocs()
	for b.Loop() {
		_, _, err := Merge(base, ours, theirs, Options{})
		require.NoError(b, err)
	}
}
