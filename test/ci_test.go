package test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ciBlocks returns the parts of docs/ci.md that stand in a language.
func ciBlocks(t *testing.T, language string) (blocks []string) {
	t.Helper()
	data, err := os.ReadFile("../docs/ci.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		blocks = append(blocks, m[1])
	}
	require.NotEmpty(t, blocks)
	return blocks
}

// The commands of docs/ci.md work in a fresh clone, read-only or not, and refuse a world
// with a broken text; those for GitHub are the same.
func TestTheCommandsForBuildMachines(t *testing.T) {
	t.Parallel()
	b := newBench(t, "git", "find")
	b.env = append(b.env, "WORLDFS_PLAIN=true", "PATH="+b.withProgram())
	b.run("worldfs", "demo", "--entities", "40", "w")
	w := b.cd("w")
	w.run("sh", "-ec", "worldfs unpack; git init -q; git add -A; git commit -qm World")
	b.run("git", "clone", "-q", "w", "clone")
	ro := b.readOnly("clone")
	before := b.snapshot("clone")

	shell := ciBlocks(t, "sh")
	out := b.path("out")
	for _, commands := range shell {
		ro.run("env", "OUT="+out, "sh", "-euc", commands)
	}
	require.Equal(t, before, b.snapshot("clone"))
	require.Equal(t, "[]\n", b.read("out/findings.json"))
	require.True(t, b.read("out/world.pack") == w.read("world.pack"), "the packs differ")
	require.True(t, b.read("out/ship.pack") == b.read("out/head.pack"), "the packs differ")

	b.cd("clone").write(config.entityPath("6555"), "broken\n")
	require.NoError(t, os.RemoveAll(out))
	said, status := ro.try("env", "OUT="+out, "sh", "-euc", shell[0])
	require.Equal(t, 1, status, said)
	require.Contains(t, b.read("out/findings.json"), `"code":"broken"`)
	require.FileExists(t, b.path("out/world.pack"))
	require.NoFileExists(t, b.path("out/ship.pack"))

	yaml := ciBlocks(t, "yaml")[0]
	for line := range strings.Lines(shell[0]) {
		require.Contains(t, yaml, "          "+line)
	}
}
