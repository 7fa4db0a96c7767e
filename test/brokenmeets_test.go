package test

import (
	"strings"
	"testing"

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

// twoDoorsText is the text of the first of the two doors.
const twoDoorsText = "Door\n1\n6555\n; width\n    10\n; height\n    10\n"
