package test

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The mount's daemon is killed while resolve writes through it: the next resolve, in the next
// mount, makes of it what one does that nothing disturbs.
func TestResolveWhileTheDaemonIsKilled(t *testing.T) {
	const rounds, many = 5, `type == "Tree" || type == "Rock"`
	b := resolveWorld(t, "plain")
	b.branches(
		func(b *bench) {
			b.run("worldfs", "set", "--where", many, "position.x = position.x + 1")
			b.set(6001, `entity_name = "anns"`)
		},
		func(b *bench) {
			b.run("worldfs", "set", "--where", many, "position.x = position.x + 2", "position.z = 1")
			b.run("rm", config.entityPath("6001"))
		})
	b.run("git", "checkout", "-q", "ann")
	b.run("sh", "-c", "cd .. && cp -a w whole")
	whole := b.cd("../whole")
	whole.try("git", "merge", "bob")
	whole.run("worldfs", "resolve", "--take", "mine")
	want := whole.run("git", "diff", "--cached", "--stat", "ann")
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		b.run("sh", "-c", "cd .. && rm -rf cut && cp -a w cut")
		cut := b.cd("../cut")
		cut.mount()
		cut.try("git", "merge", "bob")
		cmd := cut.command(binary, "resolve", "--take", "mine")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
		cut.kill()
		_ = cmd.Wait()
		cut.run("worldfs", "mount")
		out, code := cut.try("worldfs", "resolve")
		if code == 1 { // killed before the choices were kept
			out = cut.run("worldfs", "resolve", "--take", "mine")
		}
		require.Contains(t, out, "next: git commit")
		cut.requireNoMore()
		require.Equal(t, want, cut.run("git", "diff", "--cached", "--stat", "ann"))
		require.Empty(t, cut.run("git", "diff", "--stat"))
		cut.run("worldfs", "unmount")
		require.Empty(t, cut.run("git", "diff", "--stat"))
	}
}

// Both edit a declaration and entities of it while mounted, then one pulls.
func TestResolveTypesThatBothEditedWhileMounted(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"--no-rebase", "--rebase"} {
		t.Run(way, func(t *testing.T) {
			b, bob := newSharedWorld(t)
			edit := func(b *bench, thickness, field string) {
				text := strings.Replace(b.read("types/Cable.toml"), "default = 0.04", "default = "+thickness, 1)
				b.write("types/Cable.toml", text+"\n[[fields]]\nname = \""+field+"\"\nkind = \"f32\"\n")
				b.eventually(func() bool { // the declaration is in force
					_, code := b.try("worldfs", "set", "--where", "id == 6025", field+" = 1.5")
					return code == 0
				})
				b.run("worldfs", "sync")
			}
			bob.mount()
			b.mount()
			bob.pushes("Bob", func(b *bench) { edit(b, "0.05", "sag") })
			edit(b, "0.06", "strain")
			b.commit("Ann")
			_, code := b.try("git", "pull", way)
			require.Equal(t, 1, code)
			require.Contains(t, b.left(), "Cable thickness: default: yours 0.06 / shared 0.05")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git ")
			b.requireNoMore()
			cable := b.run("worldfs", "show", "6025")
			require.Contains(t, cable, "; sag\n    1.500000")
			require.Contains(t, cable, "; strain\n    1.500000")
			require.Contains(t, b.read("types/Cable.toml"), "default = 0.06")
			b.run("git", map[string][]string{"--no-rebase": {"commit", "-q"}, "--rebase": {"rebase", "--continue"}}[way]...)
			require.Empty(t, b.run("git", "status", "--porcelain"))
			b.run("worldfs", "check")
			b.run("worldfs", "unmount")
			require.Empty(t, b.run("git", "status", "--porcelain"))
		})
	}
}

// A choice follows its entity into a world of another order. A file that was moved to where
// none is read is no deletion: where it belongs is said, and nothing is changed.
func TestResolveOfAnEntityWhoseShardChanged(t *testing.T) {
	t.Parallel()
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, how := range []string{"by hand", "shard"} {
		for _, take := range someOf(t, []string{"mine", "shared"}, how) {
			t.Run(how+", "+take, func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.differ()
				b.try("git", "merge", "bob")
				require.Contains(t, b.left(), "2 left to settle")
				door := "entities/6555.entity_text"
				if how == "shard" {
					b.run("worldfs", "shard", "tens")
					door = "entities/55/6555.entity_text"
				} else {
					b.run("sh", "-c", "mkdir entities/55 && mv "+door+" entities/55")
					out, code := b.try("worldfs", "resolve", "--take", take, "6555")
					require.Equal(t, 3, code, out)
					require.Contains(t, out, "entities/55/6555.entity_text does not lie where world.toml says: move it to "+door)
					b.run("sh", "-c", "mv entities/55/* entities")
				}
				require.Contains(t, b.left("--take", take, "6555"), "1 left to settle")
				b.run("worldfs", "resolve", "--take", take)
				b.requireNoMore()
				require.Equal(t, door+"\n", b.run("find", "entities", "-name", "6555.entity_text"))
				require.Contains(t, b.run("worldfs", "show", "6555"), map[string]string{"mine": "109.0", "shared": "50.0"}[take])
				b.run("git", "add", "-A")
				b.run("git", "commit", "-q", "-m", "merged")
				b.run("worldfs", "check")
				require.Equal(t, door+"\n", b.run("git", "ls-files", "*/6555.entity_text"))
			})
		}
	}
}
