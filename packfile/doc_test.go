package packfile_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the worked example of docs/pack-format.md anew")

const (
	document     = "../docs/pack-format.md"
	exampleBegin = "<!-- The example is written by: go test ./packfile -run Example -update -->\n```\n"
	exampleEnd   = "```\n<!-- end of the example -->"
)

func TestTheDocumentsExampleIsWhatWeWrite(t *testing.T) {
	r, _ := readBySpec(t, encode(t, doorAndLamp()))
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), exampleBegin)
	require.True(t, ok, "the document has no example")
	example, after, ok := strings.Cut(rest, exampleEnd)
	require.True(t, ok, "the document's example has no end")
	if *update {
		text := before + exampleBegin + r.annotated() + exampleEnd + after
		require.NoError(t, os.WriteFile(document, []byte(text), 0o644))
		return
	}
	require.Equal(t, r.annotated(), example, "run: go test ./packfile -run Example -update")
}
