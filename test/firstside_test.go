package test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person puts in the place of the first side between a merge's markers stands until another
// side is taken: it is nowhere else.
func TestTheFirstSideOfAMergesMarkIsEdited(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct {
		place        string
		driver       bool
		by           []string
		first, other string
		take, size   string
	}{
		"merge":            {"mounted", true, []string{"merge", "bob"}, "7", "6", "mine", "9"},
		"merge, unmounted": {"", true, []string{"merge", "bob"}, "7", "6", "shared", "6"},
		"without a driver": {"", false, []string{"merge", "bob"}, "7", "6", "mine", "9"},
		"rebase":           {"", true, []string{"rebase", "bob"}, "6", "7", "shared", "9"},
		"rebase, mine":     {"cover", true, []string{"rebase", "bob"}, "6", "7", "mine", "7"},
	}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, c.place)
			if c.driver {
				b.run("worldfs", "vcs", "install")
			}
			b.diverge(func(b *bench) { b.set(6555, "map_size = 6") }, func(b *bench) { b.set(6555, "map_size = 7") })
			_, code := b.try("git", c.by...)
			require.NotZero(t, code)
			b.left()
			b.requireSizes(c.first, c.other)
			text := b.read(config.entityPath("6555"))
			b.write(config.entityPath("6555"), strings.Replace(text, "\n    "+c.first+"\n=======", "\n    9\n=======", 1))
			for range 2 {
				b.left()
				b.requireSizes("9", c.other)
			}
			b.run("worldfs", "resolve", "--take", c.take, "6555")
			b.requireNoMarker()
			require.Equal(t, c.size, sizeOf(t, b.read(config.entityPath("6555"))))
			if c.by[0] == "merge" {
				b.requireMerged(c.size)
				return
			}
			b.run("git", "rebase", "--continue")
			require.Equal(t, c.size, sizeOf(t, b.read(config.entityPath("6555"))))
		})
	}
}

// What git has put together of both sides in the first one is no person's, though a person has
// edited the file: it gives way to the side that is taken.
func TestTheFirstSideOfAMergesMarkIsMixed(t *testing.T) {
	b := resolveWorld(t, "")
	b.diverge(func(b *bench) { b.set(6555, "position.x = 50", "position.z = 12") }, func(b *bench) { b.set(6555, "position.z = 11") })
	_, code := b.try("git", "merge", "bob")
	require.NotZero(t, code)
	text := b.read(config.entityPath("6555"))
	require.Contains(t, text, "; position\n    50.0", "git takes x of the one side, and marks z")
	b.write(config.entityPath("6555"), strings.Replace(text, "; map_size\n    512\n", "; map_size\n    9\n", 1))
	require.Contains(t, b.left(), "position: yours 46.10353, 108.07968, 11 (ann, 2001-02-03) / shared 50, 108.07968, 12 (bob, 2001-02-03)")
	b.run("worldfs", "resolve", "--take", "mine", "6555")
	require.Contains(t, b.run("worldfs", "show", "6555", "--json"), `"position":[46.10353,108.07968,11]`)
	b.requireMerged("9")
}

// requireSizes waits until both sizes are marked in the text of the door.
func (b *bench) requireSizes(first, second string) {
	b.Helper()
	want := fmt.Sprintf("; map_size\n    %s\n=======\n; map_size\n    %s\n>>>>>>>", first, second)
	b.eventually(func() bool { return strings.Contains(b.doorText(), want) })
}

// doorText returns the text of the door, once what was saved is taken in.
func (b *bench) doorText() string {
	b.Helper()
	b.run("worldfs", "sync")
	text, err := os.ReadFile(b.path(config.entityPath("6555")))
	require.NoError(b, err)
	return string(text)
}

// sizeOf returns the map_size in a text.
func sizeOf(t *testing.T, text string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "; map_size\n    ")
	require.True(t, found, text)
	size, _, _ := strings.Cut(after, "\n")
	return size
}
