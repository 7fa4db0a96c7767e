package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The files of a conflict beside an entity are told while the world is mounted,
// too, in either shape, and no more once they are gone.
func TestFilesOfAConflictInAMount(t *testing.T) {
	for _, shape := range []string{"entities", "cover"} {
		t.Run(shape, func(t *testing.T) {
			b := newBench(t)
			b.run("worldfs", "demo", "--entities", "20", "w")
			b = b.cd("w")
			b.run("worldfs", "mount", "--shape", shape)
			b.Cleanup(func() { b.run("worldfs", "-C", b.dir, "unmount") })
			name := "entities/" + b.names("entities")[0]
			for _, suffix := range []string{".mine", ".r1", ".r2"} {
				b.write(name+suffix, "another text\n")
			}
			require.Contains(t, b.run("worldfs", "status", "--json"), `"code":"conflict-files"`)
			b.run("rm", name+".mine", name+".r1", name+".r2")
			require.NotContains(t, b.run("worldfs", "status", "--json"), "conflict-files")
		})
	}
}
