package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// editingWorld is a small world in git whose commands have IDs of their own.
func editingWorld(t *testing.T, place string) *bench {
	b := resolveWorldOf(t, place, 60).role("Lighting")
	b.env = append(b.env, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	return b
}

func TestNewMakesEntities(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			paths := strings.Fields(b.run("worldfs", "new", "Lamp", "--from", "6005", "-n", "2", "--offset", "5,0,0"))
			require.Len(t, paths, 2)
			for _, path := range paths {
				require.Contains(t, b.read(path), "bunker lamp")
				require.Contains(t, b.run("git", "status", "--porcelain", "-uall"), "?? "+path)
			}
			require.Len(t, strings.Fields(b.run("git", "status", "--porcelain", "-uall")), 4, "and nothing else")
			require.Contains(t, b.textOf("6005"), "; position\n    45.403")
			require.Contains(t, b.read(paths[1]), "; position\n    55.403", "two steps on")

			at := strings.TrimSpace(b.run("worldfs", "new", "Lamp", "--at", "1,2,3"))
			require.Contains(t, b.read(at), "; position\n    1.000000 : 3f800000\n    2.000000 : 40000000\n")
			b.run("worldfs", "check")

			for call, want := range map[string]string{
				"new Lmp": "did you mean Lamp?", "new Lamp --at 1,2": "X,Y,Z", "new Lamp --from 6555": "is no Lamp", "new Lamp -n 0": "not from 1",
			} {
				out, code := b.try("worldfs", strings.Fields(call)...)
				require.Equal(t, 2, code, out)
				require.Contains(t, out, want)
			}
		})
	}
}

func TestMvRewritesRefs(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			out, code := b.try("worldfs", "mv", "6555", "6005")
			require.Equal(t, 3, code)
			require.Contains(t, out, `Lamp 6005 "bunker lamp"`)
			for _, id := range []string{"0", "4294967296", "6555"} {
				out, code = b.try("worldfs", "mv", "6555", id)
				require.Equal(t, 2, code, out)
			}

			b.run("worldfs", "mv", "6555", "7000")
			require.Contains(t, b.textOf("6006"), "; mount_parent_id\n    7000\n")
			require.NotContains(t, b.textOf("1004"), "6555")
			require.Contains(t, b.run("worldfs", "history", "7000"), "worldfs mv 6555 7000")
			require.Contains(t, b.run("worldfs", "history", "6555"), "worldfs mv 6555 7000")
			status := b.run("git", "status", "--porcelain", "-uall")
			require.ElementsMatch(t, []string{
				" D " + config.entityPath("6555"), "?? " + config.entityPath("7000"),
				" M " + config.entityPath("6006"), " M " + config.entityPath("1004"),
			}, strings.Split(strings.TrimRight(status, "\n"), "\n"))
			b.run("worldfs", "check")

			b.write(config.entityPath("6006"), "broken\n")
			out, code = b.try("worldfs", "mv", "7000", "7001")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "does not parse")
			require.Equal(t, "broken\n", b.read(config.entityPath("6006")))
		})
	}
}

func TestRmNamesReferrers(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			was := b.textOf("6555")
			out, code := b.try("sh", "-c", binary+" rm 6555 2>&1")
			require.Zero(t, code, out)
			require.Contains(t, out, `Puzzle_Panel 6006 "bunker panel 2" is mounted on 6555 (field mount_parent_id)`)
			require.Contains(t, out, `Camera 1004 "bunker camera 1" refers to 6555`)
			require.Contains(t, out, "worldfs undo 6555")
			require.Equal(t, " D "+config.entityPath("6555"), strings.TrimRight(b.run("git", "status", "--porcelain"), "\n"))
			b.run("worldfs", "undo", "6555")
			require.Equal(t, was, b.textOf("6555"))
			require.Empty(t, b.run("git", "status", "--porcelain"))

			out, code = b.try("worldfs", "rm", "6001", "6005")
			require.Equal(t, 2, code, out)
			require.Contains(t, b.run("worldfs", "rm", "6001", "6005", "--yes", "--json"), `"deleted":[{"id":6001`)
			out, code = b.try("worldfs", "rm", "6001")
			require.Equal(t, 3, code, out)
		})
	}
}

func TestEditOpensTheEditor(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			b.env = append(b.env, "VISUAL=sed -i s/bunker.door/gate/")
			b.run("worldfs", "edit", "bunker", "door")
			require.Contains(t, b.textOf("6555"), `"gate"`)
			out, code := b.try("worldfs", "edit", "lamp")
			require.Equal(t, 2, code)
			require.Contains(t, out, "give the ID of one")
			b.env = append(b.env, "VISUAL=sed -i 2d")
			out, code = b.try("worldfs", "edit", "gate")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "does not parse")
		})
	}
}

// What moves to another ID of a sharded world moves to its shard.
func TestEditingInShards(t *testing.T) {
	t.Parallel()
	b := newBench(t, "git").role("Lighting")
	b.env = append(b.env, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "WORLDFS_PLAIN=true")
	b.run("worldfs", "demo", "--entities", "60", "w")
	b = b.cd("w")
	b.run("worldfs", "unpack")
	b.run("worldfs", "shard", "last-digit")
	b.run("worldfs", "mv", "6555", "7000")
	require.NoFileExists(t, b.path("entities/5/6555.entity_text"))
	require.Contains(t, b.read("entities/0/7000.entity_text"), "bunker door")
	path := strings.TrimSpace(b.run("worldfs", "new", "Lamp"))
	require.Contains(t, b.read(path), "Lamp\n57\n")
	b.run("worldfs", "rm", "7000")
	require.NoFileExists(t, b.path("entities/0/7000.entity_text"))
}

// A world without files while it is not mounted gives a copy, and keeps it where it cannot
// be taken in.
func TestEditingWithoutFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t).role("Lighting")
	b.env = append(b.env, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "WORLDFS_PLAIN=false")
	b.run("worldfs", "demo", "--entities", "60", "w")
	b = b.cd("w")
	id := strings.TrimSpace(b.run("worldfs", "new", "Lamp", "--at", "1,2,3"))
	require.Contains(t, b.run("worldfs", "show", id), "3.000000")
	b.run("worldfs", "mv", "6555", "7000")
	b.env = append(b.env, "VISUAL=sed -i s/bunker.door/gate/")
	b.run("worldfs", "edit", "7000")
	require.Contains(t, b.run("worldfs", "show", "7000"), `"gate"`)

	b.env = append(b.env, "VISUAL=sed -i 2d")
	out, code := b.try("sh", "-c", binary+" edit 7000 2>&1")
	require.Equal(t, 1, code, out)
	_, kept, ok := strings.Cut(out, "your text is kept in ")
	require.True(t, ok, out)
	kept, _, _ = strings.Cut(kept, "\n")
	require.Contains(t, b.run("cat", kept), `"gate"`)
	require.Contains(t, b.run("worldfs", "show", "7000"), "\n72\n")
	b.run("rm", "-r", strings.TrimSuffix(kept, "/7000.entity_text"))

	// Somebody changes the same field while the editor is open.
	b.env = append(b.env, "VISUAL="+binary+` set --where 'id == 7000' 'entity_name = "hatch"' >&2; sed -i s/gate/portal/`)
	out, code = b.try("sh", "-c", binary+" edit 7000 2>&1")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "your text is kept in ")
	show := b.run("worldfs", "show", "7000")
	require.Contains(t, show, "hatch")
	require.Contains(t, show, "portal")
}
