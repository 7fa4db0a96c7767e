package test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file in conflict that is gone is what version control was told of it: nothing, and the
// conflict is there still, or that it is deleted.
func TestResolveAFileThatWasRemoved(t *testing.T) {
	t.Parallel()
	const removed = `your edit stands: Door 6555 "bunker door": removed, although both sides changed it`
	for _, install := range []bool{false, true} {
		for how, remove := range inTurn(t, map[string][]string{
			"rm":            {"rm", "FILE"},
			"git rm":        {"git", "rm", "-q", "-f", "FILE"},
			"rm, added":     {"sh", "-c", "rm FILE; git add -A"},
			"git rm cached": {"sh", "-c", "git rm -q -f --cached FILE; rm FILE"},
		}) {
			for _, before := range someOf(t, []bool{false, true}, install, how) {
				t.Run(fmt.Sprintf("install %t, resolved before %t, %s", install, before, how), func(t *testing.T) {
					b := resolveWorld(t, "plain")
					b.conflictAndMore(install)
					if before {
						b.try("worldfs", "resolve")
					}
					name := config.entityPath("6555")
					for i := range remove {
						remove[i] = regexp.MustCompile("FILE").ReplaceAllString(remove[i], name)
					}
					b.run(remove[0], remove[1:]...)
					if how == "rm" {
						for i := range 2 {
							out, code := b.try("worldfs", "resolve")
							require.Equal(t, 1, code, out)
							require.Contains(t, out, "position: yours 8")
							require.Equal(t, i == 0, regexp.MustCompile("was removed .* git rm removes").MatchString(out), out)
							require.Contains(t, b.read(name), "<<<<<<< ")
						}
						return
					}
					for range 2 {
						require.Contains(t, b.run("worldfs", "resolve"), removed)
						require.NoFileExists(t, b.path(name))
						require.Equal(t, "D  "+name+"\n", b.run("git", "status", "--short", "--", name))
					}
					b.run("worldfs", "resolve", "--take", "mine", "6555")
					b.holds(6555, "position.x == 8 && travel == 3 && map_size == 4")
					require.NotContains(t, b.run("worldfs", "resolve"), "removed")
				})
			}
		}
	}
}

// So it is of a file that git has merged without a conflict.
func TestResolveAMergedFileThatWasRemoved(t *testing.T) {
	t.Parallel()
	for how, remove := range map[string]string{"rm": "rm", "git rm": "git rm -q -f"} {
		t.Run(how, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.diverge(
				func(b *bench) { b.set(6555, "position.x = 7"); b.set(6001, "position.x = 7") },
				func(b *bench) { b.set(6555, "travel = 3"); b.set(6001, "group_id = 1003") })
			b.run("git", "merge", "-q", "--no-commit", "bob")
			b.run("sh", "-c", remove+" "+config.entityPath("6555"))
			for range 2 {
				b.run("worldfs", "resolve")
				require.NoFileExists(t, b.path(config.entityPath("6555")))
			}
		})
	}
}

// Where one side deleted it, to remove it is to take that side, and is told.
func TestResolveADeletedFileThatWasRemoved(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		for how, remove := range map[string]string{"rm": "rm ", "git rm": "git rm -q -f "} {
			t.Run(place+", "+how, func(t *testing.T) {
				b := resolveWorld(t, place)
				b.diverge(
					func(b *bench) { b.run("rm", config.entityPath("10003")) },
					func(b *bench) { b.set(10003, "position.x = 8") })
				b.try("git", "merge", "-q", "bob")
				b.run("sh", "-c", remove+config.entityPath("10003"))
				for range 2 {
					require.Contains(t, b.run("worldfs", "resolve"), "removed, although one side changed it")
					require.NoFileExists(t, b.path(config.entityPath("10003")))
				}
				b.run("worldfs", "resolve", "--take", "mine", "10003")
				b.holds(10003, "position.x == 8")
			})
		}
	}
}

// Both sides' lines without the markers are no choice of either.
func TestResolveBothSidesKept(t *testing.T) {
	t.Parallel()
	for _, install := range []bool{false, true} {
		for _, before := range someOf(t, []bool{false, true}, install) {
			t.Run(fmt.Sprintf("install %t, resolved before %t", install, before), func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.conflictAndMore(install)
				if before {
					b.try("worldfs", "resolve")
				}
				name := config.entityPath("6555")
				b.write(name, regexp.MustCompile(`(?m)^(<<<<<<< .*|=======|>>>>>>> .*)\n`).ReplaceAllString(b.read(name), ""))
				text := b.read(name)
				for range 2 {
					out, code := b.try("worldfs", "resolve")
					require.Equal(t, 1, code, out)
					require.Contains(t, out, "left as it is: "+name+", line ")
					require.Contains(t, out, "field position")
					require.Equal(t, text, b.read(name))
				}
				require.Equal(t, "UU "+name+"\n", b.run("git", "status", "--short", "--", name))
				out := b.run("worldfs", "resolve", "--take", "shared", "6555")
				require.Contains(t, out, "1 resolved")
				b.holds(6555, "position.x == 7 && travel == 3 && map_size == 4")
				require.NotContains(t, b.run("worldfs", "check"), "twice")
			})
		}
	}
}

// conflictAndMore has git merge two edits of a door's position, and one more of each side.
func (b *bench) conflictAndMore(install bool) {
	b.Helper()
	b.diverge(
		func(b *bench) { b.set(6555, "position.x = 7", "map_size = 4") },
		func(b *bench) { b.set(6555, "position.x = 8", "travel = 3") })
	if install {
		b.run("worldfs", "vcs", "install")
	}
	b.try("git", "merge", "-q", "bob")
}

// So it is with svn, and on a mount.
func TestResolveAFileThatWasRemovedInSVN(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		for how, remove := range map[string]string{"rm": "rm ", "svn rm": "svn rm -q --force "} {
			t.Run(place+", "+how, func(t *testing.T) {
				team := newSVNTeam(t, place)
				team.svnClash()
				b, name := team.ann, config.entityPath("6555")
				b.svnUpdate()
				if how == "svn rm" {
					b.left() // svn itself forgets then that there was a conflict
				}
				b.run("sh", "-c", remove+name)
				if how == "rm" {
					for range 2 {
						out, code := b.try("worldfs", "resolve")
						require.Equal(t, 1, code, out)
						require.Contains(t, out, "1 left to settle")
						require.Contains(t, b.read(name), "<<<<<<< ")
					}
					return
				}
				for range 2 {
					require.Contains(t, b.run("worldfs", "resolve"), `your edit stands: Door 6555 "bunker gate": removed`)
					require.NoFileExists(t, b.path(name))
				}
				b.run("worldfs", "resolve", "--take", "mine", "6555")
				b.holds(6555, "position.y == 109")
				b.svnNoMore()
			})
		}
	}
}

// In a rebase it is the person's own edit that is taken up again.
func TestResolveAFileThatWasRemovedInARebase(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.diverge(
				func(b *bench) { b.set(6555, "position.x = 7", "map_size = 4") },
				func(b *bench) { b.set(6555, "position.x = 8", "travel = 3") })
			b.try("git", "rebase", "-q", "bob")
			name := config.entityPath("6555")
			b.run("rm", name)
			out, code := b.try("worldfs", "resolve")
			require.Equal(t, 1, code, out)
			require.Contains(t, b.read(name), "<<<<<<< ")
			b.run("git", "rm", "-q", "-f", name)
			require.Contains(t, b.run("worldfs", "resolve"), "your edit stands")
			b.run("worldfs", "resolve", "--take", "mine", "6555")
			b.holds(6555, "position.x == 8 && map_size == 4 && travel == 3")
		})
	}
}
