package advice_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// declaredCodes returns the codes that package entity declares.
func declaredCodes(t *testing.T) (codes []string) {
	t.Helper()
	files, err := filepath.Glob("../../../entity/*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") || len(spec.Values) != 1 {
				return true
			}
			if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
				code, err := strconv.Unquote(value.Value)
				require.NoError(t, err)
				codes = append(codes, code)
			}
			return true
		})
	}
	slices.Sort(codes)
	require.Greater(t, len(codes), 30)
	return codes
}

func TestThereIsAdviceOnEveryCode(t *testing.T) {
	require.Equal(t, declaredCodes(t), advice.Codes(), "internal/worldtree/advice/table.go has an entry for each code of entity")
	for _, code := range advice.Codes() {
		e, ok := advice.Of(code)
		require.True(t, ok)
		require.Contains(t, advice.Severities, e.Severity, code)
		require.Regexp(t, `^[A-Z].*\.$`, e.Says, code)
		given := advice.Give(layout.None, []entity.Finding{{Code: code, ID: 6555}})[0]
		if e.Severity != entity.SeverityNote {
			require.NotEmpty(t, given.Mend, "%s: what has to be done about it?", code)
		}
	}
}

func TestAdviceIsOnThisFinding(t *testing.T) {
	for _, x := range []struct {
		found entity.Finding
		in    layout.Layout
		mend  string
	}{
		{entity.Finding{Code: entity.CodeBroken, ID: 6555}, layout.None, "worldfs undo 6555"},
		{entity.Finding{Code: entity.CodeFormatUnset, File: "world.toml"}, layout.None, "worldfs fmt"},
		{entity.Finding{Code: entity.CodeFieldTwice, ID: 6555, Line: 12}, layout.Tens, "$EDITOR +12 entities/55/6555.entity_text"},
		{entity.Finding{Code: entity.CodeTypeFile, File: "types/Door's.toml", Line: 3}, layout.None, `$EDITOR +3 'types/Door'\''s.toml'`},
		{entity.Finding{Code: entity.CodeTypeFile}, layout.None, "worldfs pull"},
		{entity.Finding{Code: entity.CodeConflictFiles, ID: 7, File: "7.entity_text.mine"}, layout.None, "worldfs resolve"},
		{entity.Finding{Code: entity.CodeConflictFiles, ID: 7, File: "7.entity_text.rej"}, layout.LastDigit, "$EDITOR entities/7/7.entity_text.rej"},
		{entity.Finding{Code: entity.CodeMisplaced, ID: 7, File: "entities/7.entity_text"}, layout.LastDigit, "mv -n entities/7.entity_text entities/7/7.entity_text"},
		{layout.LastDigit.MisplacedBeside(7, "entities/7.entity_text"), layout.LastDigit, "rm -i entities/7.entity_text"},
		{entity.Finding{Code: entity.CodeUnreadable, ID: 7, File: "entities/7.entity_text", Message: "permission denied"}, layout.None, "chmod u+rw entities/7.entity_text"},
		{entity.Finding{Code: entity.CodeUnreadable, ID: 7, File: "entities/7.entity_text", Message: "too large"}, layout.None, "rm -i entities/7.entity_text"},
		{entity.Finding{Code: entity.CodeGreatLoss, Mend: "worldfs restore abc"}, layout.None, "worldfs restore abc"},
		{entity.Finding{Code: "of another build"}, layout.None, ""},
	} {
		require.Equal(t, x.mend, advice.Give(x.in, []entity.Finding{x.found})[0].Mend, "%+v", x.found)
	}
}

func TestWhatStopsAShipBuildIsAnError(t *testing.T) {
	given := advice.Give(layout.None, []entity.Finding{
		{Code: entity.CodeRefDangling, ID: 3}, {Code: entity.CodeComputed, ID: 2},
		{Code: entity.CodeRefDangling, ID: 9, Blocks: true}, {Code: "of another build", ID: 1},
		{Code: entity.CodeBroken, ID: 8, Severity: entity.SeverityNote}, // a daemon that knows better
	})
	advice.Sort(given)
	got := ""
	for _, f := range given {
		got += fmt.Sprintf("%d %s; ", f.ID, f.Severity)
	}
	require.Equal(t, "9 error; 1 warning; 3 warning; 2 note; 8 note; ", got)
	require.Equal(t, given, advice.Give(layout.None, given), "advice that was given stands")
}

func TestWordsAreQuotedForAShell(t *testing.T) {
	require.Equal(t, "''", advice.Quote(""))
	require.Equal(t, "entities/7.entity_text", advice.Quote("entities/7.entity_text"))
	require.Equal(t, `'a b$(x)'`, advice.Quote("a b$(x)"))
}

// TestThePageHasTheAdvice holds the tables of docs/findings.md to what the program says.
// REWRITE=1 writes the second one.
func TestThePageHasTheAdvice(t *testing.T) {
	const page, begin, end = "../../../docs/findings.md", "<!-- advice: made by REWRITE=1 go test ./internal/worldtree/advice -->\n", "<!-- end of advice -->"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("| code | severity | in a designer's words | what mends it |\n|---|---|---|---|\n")
	for _, code := range advice.Codes() {
		require.Contains(t, string(text), "\n| `"+code+"` | ", "docs/findings.md has a row for each code")
		e, _ := advice.Of(code)
		l := layout.None
		if code == entity.CodeMisplaced {
			l = layout.LastDigit
		}
		f := advice.Give(l, []entity.Finding{{Code: code, ID: about(code), File: file(code), Blocks: entity.Blocks(code)}})[0]
		mend := "`" + f.Mend + "`"
		if f.Mend == "" {
			mend = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", code, f.Severity, e.Says, mend)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	was, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if os.Getenv("REWRITE") != "" {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644))
		return
	}
	require.Equal(t, b.String(), was)
}

// about is the entity that the page's example of a code is about: 0 for what is about none.
func about(code string) entity.ID {
	if file(code) != "" && code != entity.CodeMisplaced {
		return 0
	}
	return 6555
}

// file is the file that the page's example of a code is about, which has no entity.
func file(code string) string {
	return map[string]string{
		entity.CodeTypeFile: "types/Door.toml", entity.CodeCondition: "types/Door.toml", entity.CodeFormatUnset: "world.toml",
		entity.CodeFileName: "entities/06555.entity_text", entity.CodeConflictRest: "entities/6555.entity_text.theirs",
		entity.CodeMisplaced: "entities/6555.entity_text",
	}[code]
}
