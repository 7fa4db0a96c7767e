package typefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrors reads each file of testdata/errors and compares all messages with
// testdata/errors.golden.
func TestErrors(t *testing.T) {
	cases, err := filepath.Glob("testdata/errors/*.toml")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	var got strings.Builder
	for _, path := range cases {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = Parse(data, "types/"+filepath.Base(path))
		require.Error(t, err, path)
		var e *Error
		require.ErrorAs(t, err, &e)
		fmt.Fprintln(&got, err)
	}
	golden(t, "testdata/errors.golden", []byte(got.String()))
}

func TestParseLimits(t *testing.T) {
	for name, data := range map[string]string{
		"arrays":      "name = 'x'\nattributes.a = " + strings.Repeat("[", 1<<20),
		"tables":      "name = 'x'\nattributes.a = " + strings.Repeat("{a=", 1<<20),
		"long key":    strings.Repeat("a.", 1<<20) + "a = 1",
		"long header": "[" + strings.Repeat("a.", 1<<20) + "a]",
		"large":       strings.Repeat("\n", MaxSize+1),
	} {
		_, err := Parse([]byte(data), name)
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 300)
	}
}
