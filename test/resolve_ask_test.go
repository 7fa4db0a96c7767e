package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The person is asked about what is left, one key each.
func TestResolveAsks(t *testing.T) {
	b := resolveWorld(t, "mounted")
	b.differ()
	b.try("git", "merge", "bob")
	tty := b.onTerminal("resolve", "-i")
	tty.expect(`1 of 2: Puzzle_Panel 6001 "bunker panel": yours changed it`)
	tty.expect("[?] ")
	tty.press("u") // there is nothing to undo
	tty.expect("this is the first")
	tty.press("?")
	tty.expect("Enter  leave this one for later")
	tty.press("v")
	tty.expect("not about a value")
	tty.press("s")
	tty.expect("shared")
	tty.expect("2 of 2: Door 6555")
	tty.press("u")
	tty.expect("undone")
	tty.expect("1 of 2: Puzzle_Panel")
	tty.press("m")
	tty.expect("2 of 2: Door 6555")
	tty.press("v")
	tty.expect("position = ")
	tty.press("48, here\n")
	tty.expect("position = ") // what is typed now is a value still, and no key
	tty.press("m\n")
	tty.expect("position = ")
	tty.press("48, 108.5, 8.75\n")
	tty.expect("next: git commit")
	require.Zero(t, tty.end())
	require.Contains(t, b.names("entities"), config.entityPath("6001")[len("entities/"):])
	for _, value := range []string{"48.0", "108.5", "8.75"} {
		require.Contains(t, b.run("worldfs", "show", "6555"), value)
	}
	b.requireNoMore()
	b.run("git", "commit", "-q", "-m", "merged")
	b.run("worldfs", "check")
}

// What was answered before the terminal was closed, or the person left, is answered.
func TestResolveAsksAgainOnlyAboutWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, leave := range someOf(t, []string{"kill", "q", "\x03", "\r"}) {
		t.Run(leave, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.differ()
			b.try("git", "merge", "bob")
			tty := b.onTerminal("resolve", "--interactive")
			tty.expect("1 of 2: Puzzle_Panel 6001")
			tty.press("s")
			tty.expect("2 of 2: Door 6555")
			tty.expect("[?] ")
			if leave == "kill" {
				require.NoError(t, tty.cmd.Process.Kill())
				require.Negative(t, tty.end())
			} else {
				tty.press(leave)
				require.Equal(t, 1, tty.end())
			}
			out := b.left()
			require.NotContains(t, out, "6001")
			require.Contains(t, out, "1 left to settle")
			_, code := b.try("worldfs", "show", "6001")
			require.Equal(t, 3, code)
			require.Contains(t, b.run("worldfs", "resolve", "--take", "base"), "next: git commit")
			require.Contains(t, b.run("worldfs", "show", "6555"), "8.694907")
		})
	}
}

func TestResolveSetsValues(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.differ()
			b.try("git", "merge", "bob")
			for args, want := range map[string]string{
				"entity_name=1":     "no conflict is left about entity_name of 6555",
				"positionx=[1,2,3]": "no conflict is left about positionx of 6555",
				"position=3":        "position",
				"position":          "is not FIELD=EXPR",
			} {
				out, code := b.try("worldfs", "resolve", "--set", "6555", args)
				require.Equal(t, 2, code, out)
				require.Contains(t, out, want)
			}
			out, code := b.try("worldfs", "resolve", "-i")
			require.Equal(t, 2, code, out)
			require.Contains(t, out, "a terminal")
			require.Contains(t, b.left("--set", "6555", "position.z = position.z + 1", "position.x = 47"), "1 left to settle")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
			door := b.run("worldfs", "show", "6555")
			require.Contains(t, door, "9.694907")
			require.Contains(t, door, "47.0")
			b.requireNoMore()
			b.run("worldfs", "check")
		})
	}
}
