package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// twoDoors is a world whose doors have two numbers.
const twoDoors = `{"type":{"name":"Door","revision":1,"fields":[{"name":"width","kind":"u8"},{"name":"height","kind":"u8"}]}}
{"entity":{"id":6555,"type":"Door","revision":1,"fields":{"width":10,"height":10}}}
{"entity":{"id":6556,"type":"Door","revision":1,"fields":{"width":12,"height":12}}}
`

// unread is a world that is not mounted, whose game saves while a text that was edited has
// not been read by any command.
type unread struct {
	*bench
	game *engine
}

const unreadDoor = entity.ID(6555)

func newUnread(t *testing.T) *unread {
	b := plainWorld(t, twoDoors)
	b.run("worldfs", "pack")
	return &unread{b, b.engine()}
}

func (u *unread) file() string { return config.entityPath(unreadDoor.String()) }

// types has a person type a value, of which no command hears.
func (u *unread) types(field, from, to string) {
	u.Helper()
	was := u.read(u.file())
	now := strings.Replace(was, "; "+field+"\n    "+from, "; "+field+"\n    "+to, 1)
	require.NotEqual(u, was, now)
	u.write(u.file(), now)
}

// saves has the game save a value of the door.
func (u *unread) saves(field string, value uint64) {
	u.Helper()
	e, ok := u.game.world.Get(unreadDoor)
	require.True(u, ok)
	e = e.Clone()
	e.Values[e.Layout.Index(field)] = entity.NewUint(entity.KindU8, value)
	u.game.world.Put(e)
	u.game.replace(true)
}

// says requires that the door's text has each of these, after a command.
func (u *unread) says(parts ...string) {
	u.Helper()
	u.try("worldfs", "pack")
	for _, part := range parts {
		require.Contains(u, u.read(u.file()), part)
	}
}

// A game saves, and a text of the same entity was edited that no command has read yet: what both
// say is there afterwards, or is a conflict.
func TestASaveMeetsATextThatWasNotReadYet(t *testing.T) {
	t.Parallel()
	for name, meet := range unreadMeetings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meet(newUnread(t))
		})
	}
}

var unreadMeetings = map[string]func(*unread){
	"the same field": func(u *unread) {
		u.saves("width", 20)
		u.types("width", "10", "30")
		u.says("<<<<<<<", "20", "30")
	},
	"different fields": func(u *unread) {
		u.saves("width", 20)
		u.types("height", "10", "30")
		u.says("width\n    20", "height\n    30")
		require.NotContains(u, u.read(u.file()), "<<<<<<<")
	},
	"a conflict about the same field": func(u *unread) {
		u.types("width", "10", "25")
		u.run("worldfs", "pack")
		u.saves("width", 20)
		u.types("width", "25", "30")
		u.says("<<<<<<<", "20", "30")
	},
	"a conflict about another field": func(u *unread) {
		u.types("width", "10", "25")
		u.run("worldfs", "pack")
		u.saves("width", 20)
		u.types("height", "10", "30")
		u.says("<<<<<<<", "25", "20", "height\n    30")
	},
	"a conflict that is then settled": func(u *unread) {
		u.types("width", "10", "25")
		u.run("worldfs", "pack")
		u.saves("width", 20)
		u.types("height", "10", "30")
		u.says("<<<<<<<")
		u.run("sed", "-i", "/^<<<<<<</d; /^=======/,/^>>>>>>>/d", u.file())
		u.says("width\n    25", "height\n    30")
		require.NotContains(u, u.read(u.file()), "<<<<<<<")
		require.Zero(u, u.conflicts())
	},
	"a text that is broken, and mended": func(u *unread) {
		u.saves("width", 20)
		whole := u.read(u.file())
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    what", 1))
		u.says("what")
		require.Contains(u, u.run("worldfs", "show", "--from", "world.pack", unreadDoor.String()), "width\n    20")
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    30", 1))
		u.says("width\n    20", "height\n    30")
		require.NotContains(u, u.read(u.file()), "<<<<<<<")
	},
	"a text that is broken, and as it was": func(u *unread) {
		u.saves("width", 20)
		whole := u.read(u.file())
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    what", 1))
		u.says("what")
		u.write(u.file(), whole)
		u.says("width\n    20", "height\n    10")
	},
	"a text that is broken, and in conflict when mended": func(u *unread) {
		u.saves("width", 20)
		whole := u.read(u.file())
		u.write(u.file(), strings.Replace(whole, "width\n    10", "width\n    what", 1))
		u.says("what")
		u.write(u.file(), strings.Replace(whole, "width\n    10", "width\n    30", 1))
		u.says("<<<<<<<", "20", "30")
	},
	"a text that is broken amid a conflict": func(u *unread) {
		u.types("width", "10", "25")
		u.run("worldfs", "pack")
		u.saves("width", 20)
		whole := u.read(u.file())
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    what", 1))
		u.says("what")
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    30", 1))
		u.says("<<<<<<<", "25", "20", "height\n    30")
	},
	"a text that is broken, and touched while it is mounted": func(u *unread) {
		u.saves("width", 20)
		whole := u.read(u.file())
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    what", 1))
		u.says("what")
		u.mount()
		u.run("chmod", "600", u.file())
		u.run("touch", "-d", "2001-02-03", u.file())
		u.run("worldfs", "unmount")
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    30", 1))
		u.says("width\n    20", "height\n    30")
	},
	"a text that is broken, and touched": func(u *unread) {
		u.saves("width", 20)
		whole := u.read(u.file())
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    what", 1))
		u.says("what")
		u.run("touch", "-d", "2001-02-03", u.file())
		u.says("what")
		u.write(u.file(), strings.Replace(whole, "height\n    10", "height\n    30", 1))
		u.says("width\n    20", "height\n    30")
	},
	"a deletion by the game": func(u *unread) {
		u.game.world.Delete(unreadDoor)
		u.game.replace(true)
		u.types("width", "10", "30")
		u.says("30")
		require.NotZero(u, u.conflicts())
	},
	"a text that was deleted": func(u *unread) {
		u.saves("width", 20)
		u.run("rm", u.file())
		u.says("20")
		require.NotZero(u, u.conflicts())
	},
}

// conflicts returns how many conflicts status tells of.
func (u *unread) conflicts() int {
	u.Helper()
	said, _ := u.try("worldfs", "status", "--json")
	return strings.Count(said, `"code":"conflict"`)
}
