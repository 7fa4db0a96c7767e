package test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A shell that was in entities/ before the mount saves there: unmounting takes that in, and says
// what came in and what else lies there now. Where the plain files were moved aside the shell
// stands among them, and else beneath the mount.
func TestUnmountSaysWhatCameInFromBeneath(t *testing.T) {
	t.Parallel()
	for shape := range shapes {
		for _, plain := range []string{"true", "false"} {
			t.Run(shape+",plain="+plain, func(t *testing.T) {
				t.Parallel()
				unmountsOverSaves(t, shape, plain, false)
			})
		}
	}
	t.Run("killed", func(t *testing.T) { unmountsOverSaves(t, "entities", "true", true) })
}

func unmountsOverSaves(t *testing.T, shape, plain string, killed bool) {
	b := newBench(t)
	b.env = append(b.env, "WORLDFS_PLAIN="+plain)
	b.run("worldfs", "demo", "--entities", "20", "w")
	b = b.cd("w")
	b.run("worldfs", "sync")
	stand, err := os.Open(b.path("entities"))
	require.NoError(t, err)
	defer stand.Close()
	beneath := fmt.Sprintf("/proc/self/fd/%d/", stand.Fd())
	b.run("worldfs", "mount", "--shape", shape)
	name := b.names("entities")[0]
	text := b.read("entities/" + name)
	for to, what := range map[string]string{
		name: strings.Replace(text, "The Island", "An Island", 1), "70001.entity_text": text,
		"70002.entity_text": "no entity\n", "notes.txt": "mine",
	} {
		require.NoError(t, os.WriteFile(beneath+to, []byte(what), 0o644))
	}
	if killed {
		b.kill()
	}
	out := b.run("worldfs", "unmount")
	require.Contains(t, out, "world.pack is whole\nwhat was saved beneath the mount came in: 1 created, 1 changed, 1 that cannot be read (worldfs history; worldfs status)\n")
	require.Contains(t, out, b.path("entities/notes.txt")+" was put beneath the mount, and is there now\n")
	require.Contains(t, b.read("entities/"+name), "An Island")
	require.Equal(t, "mine", b.read("entities/notes.txt"))
	require.NotContains(t, b.run("worldfs", "mount")+b.run("worldfs", "unmount"), "beneath")
}
