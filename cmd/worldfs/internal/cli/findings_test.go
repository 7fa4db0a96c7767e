package cli_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

var update = flag.Bool("update", false, "rewrite the screenfuls in testdata")

// someFindings are of every severity, and have what a terminal may not be told.
func someFindings() []entity.Finding {
	return []entity.Finding{
		{Code: entity.CodeNotCanonical, ID: 7, Type: "Lamp", Message: "it is not written as worldfs would"},
		{Code: entity.CodeRefDangling, ID: 6555, Type: "Door", Name: "bunker door", Field: "target", Other: 6001, Mend: "worldfs undo 6001",
			Message: `it refers to entity 6001, which there is not; Lamp 6001 "desk lamp" was deleted at 2026-03-04 14:30:12 by a program in the mount`},
		{Code: entity.CodeBroken, Blocks: true, ID: 9000, Type: "Door", Name: "a door with a name that is rather longer than most of them are", Line: 12,
			Message: "a value of \x1b[2Jposition is no number"},
		{Code: entity.CodeBroken, Blocks: true, ID: 9001, Type: "Door", Line: 2, Message: "the bracket is open"},
		{Code: entity.CodeTypeFile, Blocks: true, File: "types/Door.toml", Line: 3, Message: "Averylongwordthatfitsintonolineofatableonanarrowterminalandisbrokenitselftherefore"},
		{Code: "of a later build", Message: "whatever that is"},
	}
}

func screen(t *testing.T, style cli.FindingsStyle) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, cli.WriteFindings(&out, layout.None, someFindings(), style))
	return out.String()
}

// TestFindingsLookLikeThis compares with testdata; -update rewrites that.
func TestFindingsLookLikeThis(t *testing.T) {
	for name, style := range map[string]cli.FindingsStyle{
		"lines": {}, "marked": {Marked: true}, "wide": {Width: 120}, "narrow": {Width: 50}, "color": {Width: 80, Color: true},
	} {
		path := "testdata/findings-" + name + ".txt"
		got := screen(t, style)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got, path)
	}
}

func TestFindingsFitTheTerminal(t *testing.T) {
	for width := 1; width < 200; width++ {
		for _, line := range strings.Split(screen(t, cli.FindingsStyle{Width: width}), "\n") {
			if !strings.Contains(line, "→") { // a command stays in one piece
				require.LessOrEqual(t, utf8.RuneCountInString(line), max(width, 40), line)
			}
			require.Equal(t, strings.TrimRight(line, " "), line)
		}
	}
}

func TestColourIsAllThatColourAdds(t *testing.T) {
	plain, colored := screen(t, cli.FindingsStyle{Width: 80}), screen(t, cli.FindingsStyle{Width: 80, Color: true})
	require.NotContains(t, plain, "\x1b")
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[36m"} {
		require.Contains(t, colored, code)
		colored = strings.ReplaceAll(colored, code, "")
	}
	require.Equal(t, plain, colored)
}

func TestLinesAreOneAFinding(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(screen(t, cli.FindingsStyle{Marked: true}), "\n"), "\n")
	require.Len(t, lines, len(someFindings()))
	require.True(t, strings.HasPrefix(lines[0], "* "), "the worst comes first")
}
