package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	unfiledType = `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u32","default":WATTS},{"name":"name","kind":"string"}]}}` + "\n"
	unfiledLamp = `{"entity":{"id":ID,"type":"Lamp","revision":1,"fields":{"watts":WATTS,"name":""}}}` + "\n"
)

// unfiledConflicts is a world whose entities have no files, into which a merge has come that
// left a conflict about two lamps and one about their declaration.
func unfiledConflicts(t *testing.T) *bench {
	b := newBench(t)
	b.env = append(b.env, "WORLDFS_PLAIN=false")
	for name, watts := range map[string]string{"base": "1", "ours": "2", "theirs": "3"} {
		var text strings.Builder
		text.WriteString(strings.Replace(unfiledType, "WATTS", watts, 1))
		for _, id := range []string{"6", "7"} {
			text.WriteString(strings.NewReplacer("ID", id, "WATTS", watts).Replace(unfiledLamp))
		}
		b.write(name+".jsonl", text.String())
	}
	out, code := b.try("worldfs", "merge", "base.jsonl", "ours.jsonl", "theirs.jsonl", "-o", "merged.jsonl")
	require.Equal(t, 1, code, out)
	b.run("worldfs", "init", "w")
	b = b.cd("w")
	b.run("worldfs", "import", "../merged.jsonl")
	out, code = b.try("worldfs", "apply", "../merged.jsonl.conflicts")
	require.Equal(t, 1, code, out)
	return b
}

// What a merge left is settled where entities have no files as where they have some.
func TestResolveWithoutFiles(t *testing.T) {
	b := unfiledConflicts(t)
	out := b.left()
	require.Contains(t, out, "Lamp 6 watts: yours 2 / shared 3")
	require.Contains(t, out, "3 left to settle")

	out = b.left("--take", "mine", "7")
	require.Contains(t, out, "1 file written")
	require.Contains(t, out, "2 left to settle")
	require.Equal(t, "Lamp\n1\n7\n; watts\n    2\n; name\n    \"\"\n", b.run("worldfs", "show", "7"))
	b.run("worldfs", "resolve", "--take", "shared")
	require.Contains(t, b.run("worldfs", "show", "6"), "; watts\n    3\n")
	require.Contains(t, b.read("types/Lamp.toml"), "default = 3\n")
	b.run("worldfs", "check")
	b.run("worldfs", "pack", "--ship", "-o", "../ship.pack")
	require.Contains(t, b.run("worldfs", "history", "6"), "changed by resolve")
}

// A person that has an editor keep the first side's lines changes no value, and settles it.
func TestEditSettlesWithoutFiles(t *testing.T) {
	b := unfiledConflicts(t)
	b.env = append(b.env, `VISUAL=sed -i -e '/^<<<<<<</d' -e '/^=======/,/^>>>>>>>/d'`)
	b.run("worldfs", "edit", "6")
	require.Equal(t, "Lamp\n1\n6\n; watts\n    2\n; name\n    \"\"\n", b.run("worldfs", "show", "6"))
	require.NotContains(t, b.left(), "Lamp 6")
	b.left("--set", "7", "watts=9") // the declaration is left
	require.Contains(t, b.run("worldfs", "show", "7"), "; watts\n    9\n")
}
