package interchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line of blanks is read as fast as any other: looking at all of it for each part that
// arrives would take minutes for this one.
func TestALongLineOfBlanks(t *testing.T) {
	blanks := bytes.Repeat([]byte(" \t"), 200<<20/2)
	d, err := Read(io.MultiReader(strings.NewReader("\ufeff"), bytes.NewReader(blanks), strings.NewReader("\n"+declarations)), "f", nil, nil)
	require.NoError(t, err)
	require.Len(t, d.Types, 1)
	_, err = readLine(bufio.NewReader(io.MultiReader(bytes.NewReader(blanks[:1<<20]), strings.NewReader("x"), bytes.NewReader(blanks))))
	require.True(t, errors.Is(err, errNoJSON))
}
