package examples_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rock of the demo's island, on which nothing is mounted.
const rock = 31929

// TestTheGameIsPlayed starts the example on a mounted island, and does what its people do.
func TestTheGameIsPlayed(t *testing.T) {
	need(t, "gcc", "pkg-config", "Xvfb", "xdotool", "git")
	screen(t)
	w := newIsland(t)
	g := w.play()
	g.wait("10422 entities, 0 findings, 0 conflicts")
	g.looksLike("testdata/island.png")

	at := w.position(rock)
	px, py := g.pixel(at[0], at[1])

	// A colleague moves the rock to where nothing else is; the game takes that in.
	far := [2]float64{g.x - 500/g.scale, g.y + 0/g.scale}
	w.run("worldfs", "set", "--where", fmt.Sprintf("id == %d", rock), fmt.Sprintf("position.x = %v", far[0]), fmt.Sprintf("position.y = %v", far[1]))
	fx, fy := g.pixel(far[0], far[1])
	for end := time.Now().Add(patience); !lit(g.picture(), fx, fy); {
		require.True(t, time.Now().Before(end), "the rock is where it was moved to")
	}

	// The game drags it back; meanwhile the colleague renames it. Both are there.
	g.pointTo(fx, fy)
	g.do("mousedown", "1")
	w.run("worldfs", "set", "--where", fmt.Sprintf("id == %d", rock), `entity_name = "renamed"`)
	g.pointTo((px+fx)/2, (py+fy)/2)
	g.pointTo(px, py)
	g.do("mouseup", "1")
	g.wait(fmt.Sprintf("saved Rock %d", rock))
	g.wait("10422 entities")
	w.run("worldfs", "sync")
	now := w.position(rock)
	require.InDelta(t, at[0], now[0], 2/g.scale)
	require.InDelta(t, at[1], now[1], 2/g.scale)
	require.Equal(t, at[2], now[2], "height is as it was")
	require.Contains(t, w.run("worldfs", "show", fmt.Sprint(rock)), `"renamed"`)

	// What is selected in the game the tools beside it know, and the other way round.
	require.Contains(t, w.run("worldfs", "select"), fmt.Sprintf("Rock %d", rock))
	w.run("worldfs", "select", "6555", fmt.Sprint(rock))
	g.wait(`selected Door 6555 bunker door and 1 more`)
	w.run("worldfs", "select", "--none")
	g.wait("selected nothing")

	// What is wrong with the world is on the display, until it is mended.
	const group = "1072" // which more refer to than the display has lines
	w.run("worldfs", "rm", group)
	var entities, findings int
	_, err := fmt.Sscanf(g.wait("10421 entities"), "%d entities, %d findings", &entities, &findings)
	require.NoError(t, err)
	require.Greater(t, findings, 7)
	w.run("worldfs", "undo", group)
	g.wait("10422 entities, 0 findings")

	g.decides()

	// Without a mount the game goes on by itself.
	w.run("worldfs", "unmount")
	g.wait("not mounted")
	g.do("key", "Escape")
}

// decides has two people move the rock, and the game say which counts.
func (g *game) decides() {
	t, w := g.t, g.world
	t.Helper()
	set := func(x string) {
		w.run("worldfs", "set", "--where", fmt.Sprintf("id == %d", rock), "position.x = "+x)
		w.run("git", "commit", "-qam", "moved to "+x)
	}
	w.run("git", "commit", "-qam", "renamed")
	w.run("git", "checkout", "-qb", "bob")
	set("50")
	w.run("git", "checkout", "-q", "main")
	set("46")
	_, err := w.command("git", "merge", "bob").CombinedOutput()
	require.Error(t, err, "git cannot merge that")
	g.wait("1 conflicts")
	g.do("key", "1")
	g.wait("mine")
	g.wait("0 conflicts")
	require.Equal(t, 46.0, w.position(rock)[0])
	w.run("git", "commit", "-qam", "merged")
}

// position returns where an entity is, by its text.
func (w *world) position(id int) (p [3]float64) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "entities", fmt.Sprintf("%d.entity_text", id)))
	require.NoError(w.t, err)
	_, after, ok := strings.Cut(string(text), "; position\n")
	require.True(w.t, ok, "%s", text)
	for i, line := range strings.Split(after, "\n")[:3] {
		_, err := fmt.Sscan(line, &p[i])
		require.NoError(w.t, err)
	}
	return p
}

// lit reports whether something is drawn near a pixel.
func lit(p *image.NRGBA, px, py int) bool {
	for y := py - 2; y <= py+2; y++ {
		for x := px - 2; x <= px+2; x++ {
			if c := p.NRGBAAt(x, y); int(c.R)+int(c.G)+int(c.B) > 0x10+0x20+0x2c+60 {
				return true
			}
		}
	}
	return false
}

// looksLike compares what the game shows with a picture. Fonts and how they are drawn
// differ a little from machine to machine.
func (g *game) looksLike(path string) {
	t := g.t
	t.Helper()
	is := g.picture()
	if os.Getenv("REWRITE") != "" {
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, is))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	want, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, want.Bounds(), is.Bounds())
	different := 0
	for y := range is.Bounds().Dy() {
		for x := range is.Bounds().Dx() {
			r, g, b, _ := want.At(x, y).RGBA()
			c := is.NRGBAAt(x, y)
			if off(r, c.R)+off(g, c.G)+off(b, c.B) > 96 {
				different++
			}
		}
	}
	require.Less(t, different, 1024*768/500, "the picture differs from %s", path)
}

func off(a uint32, b uint8) float64 { return math.Abs(float64(a>>8) - float64(b)) }
