package editors

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// TestVSCode has VS Code's own reader of grammars check each token of the samples.
func TestVSCode(t *testing.T) { eachKind(t, checkVSCode) }

var likeAnother = regexp.MustCompile(`^([-+]?\d+$|;)`)

func checkVSCode(t *testing.T, samples []sample) {
	test, err := filepath.Abs("vscode/node_modules/.bin/vscode-tmgrammar-test")
	require.NoError(t, err)
	require.FileExists(t, test, "scripts/setup.sh test installs it")
	know(t, "vscode/*.json", "vscode/syntaxes/*")
	// The checker's own line comes first: of a type that is called as what stands further
	// down, such as 7 or "; x", the grammar cannot know that it is one then.
	samples = slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return likeAnother.MatchString(s.lines[0].text) })
	paths := texts(t, samples, ".entity_text", asserted)
	cmd := exec.Command(test, "--compact", filepath.Join(filepath.Dir(paths[0]), "*.entity_text"))
	cmd.Dir = "vscode"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, tail(string(out)))
	require.Equal(t, len(paths), strings.Count(string(out), "✓"), "each sample is checked")
}

// tail is the end of a text that is too long to read.
func tail(s string) string { return s[max(0, len(s)-4000):] }

// remark begins what the checker reads; no line of a sample begins so.
const remark = "//"

// asserted returns a sample in the form that vscode-tmgrammar-test reads: below each line
// what is at which of its columns, in UTF-16.
func asserted(s sample) string {
	var b strings.Builder
	b.WriteString(remark + ` SYNTAX TEST "source.entity_text" "` + s.name + "\"\n")
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
		if l.unknown {
			continue
		}
		for _, token := range l.tokens {
			from, to := units(l.text[:token.from]), units(l.text[:token.to])
			b.WriteString(remark + "<" + strings.Repeat("~", from) + strings.Repeat("-", to-from) + " " + token.class.scope + ".entity_text\n")
		}
	}
	return b.String()
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

// A grammar that fails on purpose: what is checked is checked.
func TestVSCodesCheckerFindsAWrongScope(t *testing.T) {
	s := by(t, "wrong", "Door", is{"Door", aField})
	path := texts(t, []sample{s}, ".entity_text", asserted)[0]
	cmd := exec.Command("node_modules/.bin/vscode-tmgrammar-test", "--compact", path)
	cmd.Dir = "vscode"
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "support.type.property-name")
}

// What the extension's manifest names is there, and is JSON.
func TestTheExtensionIsWhole(t *testing.T) {
	var manifest struct {
		Contributes struct {
			Languages []struct{ ID, Configuration string }
			Grammars  []struct{ Language, ScopeName, Path string }
		}
	}
	readJSON(t, "vscode/package.json", &manifest)
	require.Len(t, manifest.Contributes.Languages, 1)
	require.Len(t, manifest.Contributes.Grammars, 1)
	language, grammar := manifest.Contributes.Languages[0], manifest.Contributes.Grammars[0]
	require.Equal(t, language.ID, grammar.Language)
	var configuration map[string]any
	readJSON(t, filepath.Join("vscode", language.Configuration), &configuration)
	require.Contains(t, configuration, "brackets")
	var scopes struct{ ScopeName string }
	readJSON(t, filepath.Join("vscode", grammar.Path), &scopes)
	require.Equal(t, grammar.ScopeName, scopes.ScopeName)
}

func readJSON(t *testing.T, path string, into any) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), path)
}
