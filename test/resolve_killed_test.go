package test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The daemon of a mount is killed right after resolve has marked a deletion in a file that git
// leaves as one side has it: nobody has taken markers out, and the conflict is still there.
func TestAMountIsKilledAfterResolve(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.run("worldfs", "vcs", "install")
			b.diverge(func(b *bench) { b.set(6005, "radius = 10"); b.run("rm", config.entityPath("10001")) },
				func(b *bench) { b.set(6005, "radius = 11"); b.set(10001, "position.x = 1") })
			pid := b.record().Pid
			out, _ := b.try("sh", "-c", fmt.Sprintf("git merge -q bob; %s resolve; kill -9 %d", binary, pid))
			require.Contains(t, out, "shared deleted it")
			b.ended(pid)
			b.run("worldfs", "status")
			require.Contains(t, b.left(), "shared deleted it")
			require.Contains(t, b.read(config.entityPath("10001")), "shared deleted it")
		})
	}
}
