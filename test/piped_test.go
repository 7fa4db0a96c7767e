package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A command whose output goes into another on the same world is not waited for by that one.
func TestACommandIntoAnotherOnOneWorld(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"", "entities", "cover"} {
		t.Run("shape="+shape, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "bash")
			b.run("worldfs", "demo", "--entities", "2000", "w") // more than a pipe holds
			b = b.cd("w")
			if shape != "" {
				b.run("worldfs", "mount", "--shape", shape)
				defer b.run("worldfs", "unmount")
			}
			pipe := func(from, to string) string {
				return b.run("bash", "-c", `set -o pipefail; "$0" `+from+` | "$0" `+to, binary)
			}
			require.Equal(t, "0 created, 0 changed, 0 deleted, 2,000 unchanged\n", pipe("export", "import --whole -"))
			require.Contains(t, pipe(`set --where 'type == "Tree"' 'position.x = position.x + 1' --dry-run`, "apply -"), " changed, 0 deleted")
		})
	}
}
