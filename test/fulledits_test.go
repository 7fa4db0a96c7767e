package test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command that edits the world does on a disk without room what it does elsewhere, or
// says so and has done nothing; and the next one, with room again, does.
func TestEditsOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		kind, what, place string
	}{
		{"ext4", "bytes", "plain"}, {"ext4", "bytes", "mounted"}, {"ext4", "bytes", "cover"},
		{"ext4", "inodes", "plain"}, {"ext4", "inodes", "mounted"}, {"ext4", "inodes", "cover"},
		{"tmpfs", "bytes", "plain"}, {"tmpfs", "bytes", "mounted"}, {"tmpfs", "bytes", "cover"},
	}) {
		t.Run(fmt.Sprint(c.kind, " ", c.what, " ", c.place), func(t *testing.T) {
			t.Parallel()
			if c.place == "plain" && config["plain"] == "false" {
				t.Skip("there are no files while the world is not mounted")
			}
			testFullEdits(newSmallDisk(t, c.kind, c.what == "inodes"), c.place)
		})
	}
}

// fullEdits are the commands, each of which changes what the world holds.
var fullEdits = [][]string{
	{"set", "--where", "type in [\"Door\", \"Lamp\"]", "entity_name = \"set\""},
	{"rm", "6001", "--yes"},
	{"undo", "6001"},
	{"mv", "6555", "6556"},
	{"undo", "--since", "1h", "--yes"},
	{"new", "Door", "--at", "1,2,3", "-n", "5"},
	{"import", "../../change.jsonl"},
	{"fmt", "--upgrade"},
}

// withoutNewIDs is an export without the IDs that a range of a clone's own gives.
func withoutNewIDs(export string) string {
	return regexp.MustCompile(`"id":9\d{4},`).ReplaceAllString(export, "")
}

func testFullEdits(d *smallDisk, place string) {
	d.run("worldfs", "demo", "--entities", "100", "disk/w")
	w := &bench{T: d.T, dir: d.dir + "/w", env: d.ownIDs().env}
	w.run("worldfs", "unpack")
	w.run("worldfs", "ids", "claim")
	d.write("change.jsonl", `{"entity":{"id":6005,"type":"Lamp","fields":{"radius":77}}}`+"\n")
	w.run("sed", "-i", "s/^revision = 57$/revision = 58/", "types/Lamp.toml")
	w.run("worldfs", "status")
	d.run("cp", "-r", "disk/w", "under")
	d.run("mkdir", "beside")
	d.run("mv", "under", "beside/w")
	twin := &bench{T: d.T, dir: d.path("beside/w"), env: d.ownIDs().env} // on a disk with room
	w.mountIn(place)
	for _, edit := range fullEdits {
		name := strings.Join(edit, " ")
		d.fill()
		before := w.run("worldfs", "export")
		out, code := w.try("worldfs", edit...)
		d.Logf("%s: %d %s", name, code, out)
		after := w.run("worldfs", "export")
		if code != 0 {
			require.Equal(d, before, after, "%s: %s", name, out)
			require.Contains(d, out, "no space left on device", name)
			d.empty()
			w.run("worldfs", edit...)
			after = w.run("worldfs", "export")
		}
		d.empty()
		twin.run("worldfs", edit...)
		require.Equal(d, withoutNewIDs(twin.run("worldfs", "export")), withoutNewIDs(after), "%s: %s", name, out)
		require.NotEqual(d, before, after, name)
	}
	after := w.run("worldfs", "export")
	if w.mounted() {
		w.run("worldfs", "sync")
		w.run("worldfs", "unmount")
	}
	require.Equal(d, after, w.run("worldfs", "export"))
	require.Equal(d, after, d.run("worldfs", "export", "--from", "disk/w/world.pack"))
	w.run("worldfs", "check")
}
