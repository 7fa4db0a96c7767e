package test

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that was moved into a directory which is no shard counts as deleted, and is named with
// the command that brings it back, as long as its entity is gone.
func TestAFileMovedToNoPlaceOfAnEntitysIsNamed(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"", "entities", "cover"} {
		for _, shard := range []string{"none", "last-digit"} {
			for _, to := range []string{"old", "old/of/ann"} {
				t.Run(path.Join("shape="+shape, shard, to), func(t *testing.T) {
					t.Parallel()
					b := small(t)
					b.run("worldfs", "shard", shard)
					if shape != "" {
						b.run("worldfs", "mount", "--shape", shape)
						defer b.run("worldfs", "unmount")
					}
					movesAway(b, "entities/"+map[string]string{"none": "", "last-digit": "0/"}[shard]+"1000.entity_text", "entities/"+to)
				})
			}
		}
	}
}

func movesAway(b *bench, file, to string) {
	b.run("mkdir", "-p", b.path(to))
	b.run("cp", b.path(file), b.path(to))
	require.NotContains(b, b.run("worldfs", "status"), "is not read", "a copy that was put aside")
	text := b.read(file)
	b.run("mv", b.path(file), b.path(to))
	moved := path.Join(to, path.Base(file))
	mend := "mv -n " + moved + " " + file
	require.Regexp(b, "1000: "+moved+` is not read: .* move it there, or delete it  \[`+mend+`\]`, b.run("worldfs", "status"))
	b.run("bash", "-c", mend)
	require.NotContains(b, b.run("worldfs", "status"), "is not read")
	require.Equal(b, text, b.read(file))
}

// The file of an entity that a person has moved to where none is read stays the only one, so that
// the command that status names moves it back with all that stands in it. What is done to the
// entity meanwhile is merged with that.
func TestAFileInAWrongPlaceIsMovedBack(t *testing.T) {
	t.Parallel()
	b := small(t)
	const door, moved = "entities/1000.entity_text", "entities/0/1000.entity_text"
	b.run("mkdir", b.path("entities/0"))
	b.run("mv", b.path(door), b.path(moved))
	b.edit(moved, "\n; a comment\n")
	for range 2 {
		require.Contains(t, b.run("worldfs", "status"), "[mv -n "+moved+" "+door+"]")
		require.NoFileExists(t, b.path(door))
	}
	b.run("worldfs", "set", "--where", "id == 1001", `entity_name = "another"`)
	require.Contains(t, b.read("entities/1001.entity_text"), "another")
	require.NoFileExists(t, b.path(door))
	b.run("bash", "-c", "mv -n "+moved+" "+door)
	require.NotContains(t, b.run("worldfs", "status"), "is not read")
	require.Contains(t, b.read(door), "a comment")
	b.run("cp", b.path(door), b.path(moved))
	require.Contains(t, b.run("worldfs", "status"), door+", which is there as well; put there what only this one has, and delete it  [rm -i "+moved+"]")
}

// A conflict in a file that was moved to where none is read is left, whatever looks at the world.
func TestAConflictInAWrongPlaceIsNotSettled(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.differ()
	b.try("git", "merge", "bob")
	require.Contains(t, b.left(), "2 left to settle")
	b.run("sh", "-c", "mkdir entities/55 && mv entities/6555.entity_text entities/55")
	for range 2 {
		require.Contains(t, b.run("worldfs", "status"), "[mv -n entities/55/6555.entity_text entities/6555.entity_text]")
		require.NoFileExists(t, b.path("entities/6555.entity_text"))
	}
	b.run("sh", "-c", "mv -n entities/55/6555.entity_text entities/6555.entity_text")
	require.Contains(t, b.left("--take", "shared", "6555"), "1 left to settle")
	require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")
}
