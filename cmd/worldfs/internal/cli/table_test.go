package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func printed(t require.TestingT, table Table, color bool, width int) string {
	var b strings.Builder
	require.NoError(t, table.write(&b, color, width))
	return b.String()
}

func TestTable(t *testing.T) {
	table := Table{Head: []string{"id", "name", "position"}}
	table.Add("1", "a lamp with a long name", "1, 2, 3")
	table.Add("6555", "ö", "")
	require.Equal(t, "1     a lamp with a long name  1, 2, 3\n6555  ö\n", printed(t, table, false, 0))
	require.Equal(t, "id    name                     position\n1     a lamp with a long name  1, 2, 3\n6555  ö\n",
		printed(t, table, false, 80))
	require.Equal(t, "\x1b[1mid    name          position\x1b[0m\n1     a lamp with…  1, 2, 3\n6555  ö\n",
		printed(t, table, true, 28))
	require.Empty(t, printed(t, Table{Head: []string{"id"}}, true, 80))
}

// A line is no wider than the terminal, but where columns would have no width left; and
// nothing is cut that has room.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "columns")
		var table Table
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[a-zö]{0,30}`), n, n), 1, 5).Draw(t, "rows")
		for _, row := range rows {
			table.Add(row...)
		}
		width := rapid.IntRange(1, 120).Draw(t, "width")
		whole := printed(t, table, false, 0)
		widest := 0
		for line := range strings.Lines(whole) {
			widest = max(widest, utf8.RuneCountInString(line)-1)
		}
		fit := printed(t, table, false, width)
		if width >= n*(minColumn+tableGap) {
			for line := range strings.Lines(fit) {
				require.LessOrEqual(t, utf8.RuneCountInString(line)-1, width)
			}
		}
		full := tableGap * (n - 1)
		for _, w := range widthsOf(rows) {
			full += w
		}
		if full <= width {
			require.Equal(t, whole, fit)
		}
		require.LessOrEqual(t, widest, full)
	})
}
