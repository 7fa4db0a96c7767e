package test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// What chmod and chown make of entities/ and of a shard stays: after the mount,
// in the next one, and after the daemon was killed.
func TestTheModeOfADirectoryStays(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"entities", "cover"} {
		if config.cover() && shape != "cover" {
			continue
		}
		t.Run(shape, func(t *testing.T) {
			b := newBench(t)
			b.env = append(b.env, "WORLDFS_PLAIN=true")
			b.run("worldfs", "demo", "--entities", "20", "w")
			b.run("worldfs", "-C", "w", "shard", "last-digit")
			o := outside{b.cd("w"), shape}
			o.Cleanup(func() {
				if o.mounted() {
					o.must("unmount")
				}
			})
			dirs := []string{"entities", "entities/1"}
			look := func() string { return o.run("stat", append([]string{"-c", "%n %a %u %g"}, dirs...)...) }
			change := func(mode, owner string) string {
				for _, dir := range dirs {
					if os.Getuid() == 0 {
						o.run("chown", owner, dir)
					}
					o.run("chmod", mode, dir)
				}
				now := look()
				require.Contains(t, now, dirs[1]+" "+mode)
				return now
			}
			o.must("mount")
			want := change("750", "1:2")
			o.must("unmount")
			require.Equal(t, want, look(), "after the mount")
			o.must("mount")
			require.Equal(t, want, look(), "in the next one")
			want = change("1771", "0:3")
			o.kill()
			o.must("status")
			require.Equal(t, want, look(), "after it was killed")
			want = change("711", "2:2")
			o.must("mount")
			require.Equal(t, want, look(), "set while it was not mounted")
			o.must("unmount")
			require.Equal(t, want, look(), "and after that")
		})
	}
}
