package fsnode_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// rewriteHelper makes a file empty and writes it, over and over, until the file
// beside it is there.
func rewriteHelper(args []string) error {
	text := bytes.Repeat([]byte("text "), 150)
	for {
		if _, err := os.Lstat(args[1]); err == nil {
			return nil
		}
		if err := os.WriteFile(args[0], text, 0o644); err != nil {
			return err
		}
	}
}

// Who reads a file that is made empty and written meanwhile gets what it was,
// nothing, or what it is, and not zeros. One read in fifty was zeros, in every
// try; what is left happens when the writer does not get to run for a while, so
// on a loaded machine a try is no measurement, and the best of some counts.
func TestAFileThatIsMadeEmptyDoesNotReadAsZeros(t *testing.T) {
	for _, name := range []string{"1.entity_text", "scratch.txt"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 1)
			r.write(name, "text ")
			writer := helperCommand(nil, "rewrite", r.path(name), r.path("stop"))
			require.NoError(t, writer.Start())
			const reads, tries = 2000, 8
			zeros := reads
			for try := 0; try < tries && zeros >= reads/200; try++ {
				zeros = 0
				for range reads {
					if bytes.HasPrefix([]byte(r.read(name)), []byte{0}) {
						zeros++
					}
				}
			}
			r.write("stop", "")
			require.NoError(t, writer.Wait())
			require.Less(t, zeros, reads/200)
		})
	}
}
