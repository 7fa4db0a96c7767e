package test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// brokenMeetings are what changes an entity whose text does not parse, as the world knows.
var brokenMeetings = map[string]func(*unread){
	"a save":         func(u *unread) { u.saves("width", 20) },
	"a field is set": func(u *unread) { u.run("worldfs", "set", "--where", "id == 6555", "width = 20") },
}

// What comes in takes the place of a text that does not parse, and says so: in the file, in the
// status and in the history, which has the text.
func TestABrokenTextIsNotReplacedInSilence(t *testing.T) {
	t.Parallel()
	for name, meets := range brokenMeetings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newUnread(t).requireTold(meets)
		})
		t.Run(name+", mounted", func(t *testing.T) {
			t.Parallel()
			u := newUnread(t)
			u.mount()
			u.requireTold(meets)
		})
	}
}

// requireTold requires that a broken text whose place another takes is told of, until a person
// has seen to it.
func (u *unread) requireTold(meets func(*unread)) {
	u.Helper()
	u.write(u.file(), strings.Replace(twoDoorsText, "height\n    10", "height\n    what", 1))
	u.try("worldfs", "status") // which reads it
	meets(u)
	u.eventually(func() bool {
		u.try("worldfs", "pack")
		return strings.Contains(u.read(u.file()), "width\n    20")
	})
	require.Contains(u, u.read(u.file()), "a text that did not parse")
	require.Equal(u, 1, u.conflicts())
	said, _ := u.try("worldfs", "status")
	require.Contains(u, said, "Door 6555, line 8: this has taken the place of a text that did not parse, which worldfs history 6555 shows")
	said = u.run("worldfs", "history", unreadDoor.String())
	require.Contains(u, said, "it did not parse, and what came in took its place")
	require.Contains(u, u.run("worldfs", "history", "--json", unreadDoor.String()), `height\n    what`)

	u.write(u.file(), strings.Replace(twoDoorsText, "width\n    10", "width\n    20", 1))
	u.run("worldfs", "pack")
	require.Zero(u, u.conflicts())
}

// A person who takes an entity back to a time at which its text was whole gives the broken one
// up: no conflict is left of it.
func TestAnUndoOfWhatIsBrokenLeavesNoConflict(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"plain", "mounted"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			u := newUnread(t)
			if place == "mounted" {
				u.mount()
			}
			before := time.Now().Format(time.RFC3339Nano)
			u.run("worldfs", "set", "--where", "id == 6555", "width = 20")
			u.write(u.file(), strings.Replace(u.read(u.file()), "height\n    10", "height\n    what", 1))
			u.try("worldfs", "status")
			u.run("worldfs", "undo", "6555", "--at", before, "--yes")
			u.run("worldfs", "pack")
			require.Equal(t, twoDoorsText, u.read(u.file()))
			require.Zero(t, u.conflicts())
		})
	}
}

// A person who is at work on the text of what is mounted keeps it where its parent is moved
// before any command has read either.
func TestABrokenTextStaysWhereItsParentIsMoved(t *testing.T) {
	b := resolveWorldOf(t, "plain", 300) // with a door that carries a panel
	child := config.entityPath("6006")
	broken := strings.Replace(b.read(child), "; timer_seconds\n", "; timer_seconds\n    what\n", 1)
	b.write(child, broken)
	b.run("sed", "-i", `/^; position$/{n;s/.*/    12/}`, config.entityPath("6555"))
	b.try("worldfs", "status")
	require.Equal(t, broken, b.read(child))
	require.Contains(t, b.run("worldfs", "show", "6555"), "    12")
	b.try("worldfs", "pack")
	require.Equal(t, broken, b.read(child))
}

// twoDoorsText is the text of the first of the two doors.
const twoDoorsText = "Door\n1\n6555\n; width\n    10\n; height\n    10\n"
