package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// In svn, too, the person is asked about what is left, and what was answered stands.
func TestResolveAsksInSVN(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			team.svnDiffer()
			b := team.ann
			b.svnUpdate()
			tty := b.onTerminal("resolve", "-i")
			tty.expect(`1 of 2: Puzzle_Panel 6001 "bunker panel": yours changed it`)
			tty.press("s")
			tty.expect("2 of 2: Door 6555")
			tty.press("u")
			tty.expect("1 of 2: Puzzle_Panel")
			tty.press("m")
			tty.expect("2 of 2: Door 6555")
			tty.press("q")
			require.Equal(t, 1, tty.end())
			require.Contains(t, b.left(), "1 left to settle")
			tty = b.onTerminal("resolve", "-i")
			tty.expect("1 of 1: Door 6555")
			tty.press("v")
			tty.expect("position = ")
			tty.press("48, 108.5, 8.75\n")
			tty.expect("next: svn commit")
			require.Zero(t, tty.end())
			b.svnNoMore()
			fresh := team.fresh()
			require.Contains(t, fresh.run("worldfs", "show", "6001"), "Puzzle_Panel")
			require.Contains(t, fresh.run("worldfs", "show", "6555"), "    108.500000 : 42d90000\n")
		})
	}
}

func TestResolveSetsValuesInSVN(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			team.svnDiffer()
			b := team.ann
			b.svnUpdate()
			status := b.run("svn", "status")
			for args, want := range map[string]string{
				"entity_name=1": "no conflict is left about entity_name of 6555",
				"position=3":    "position",
			} {
				out, code := b.try("worldfs", "resolve", "--set", "6555", args)
				require.Equal(t, 2, code, out)
				require.Contains(t, out, want)
				require.Equal(t, status, b.run("svn", "status"))
			}
			require.Contains(t, b.left("--set", "6555", "position.z = position.z + 1", "position.x = 47"), "1 left to settle")
			b.svnNoMore()
			require.Contains(t, b.run("worldfs", "resolve", "--take", "shared", "6001"), "next: svn commit")
			fresh := team.fresh()
			door := fresh.run("worldfs", "show", "6555")
			require.Contains(t, door, "    47.000000 : 423c0000\n    109.000000 : 42da0000\n    9.694907 : ")
			_, code := fresh.try("worldfs", "show", "6001")
			require.Equal(t, 3, code)
		})
	}
}
