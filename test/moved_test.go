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
