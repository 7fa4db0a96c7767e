package engine_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/packfile"
)

// realWorld reads a world in the interchange form.
func realWorld(t testing.TB, path string) *entity.World {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	doc, err := interchange.Read(z, path, nil, nil)
	require.NoError(t, err)
	w := entity.NewWorld(entity.GUID{1, 2, 3}, entity.NewTypes(doc.Types...))
	for _, e := range doc.Entities {
		w.Put(e)
	}
	return w
}

// manyWorlds returns the packs of the real worlds and of the island.
func manyWorlds(t testing.TB) map[string][]byte {
	t.Helper()
	packs := map[string][]byte{"island": encode(t, island.Generate(3000, 1))}
	for _, path := range realworld.Worlds(t) {
		packs[filepath.Base(path)] = encode(t, realWorld(t, path))
	}
	return packs
}

func encode(t require.TestingT, w *entity.World) []byte {
	data, err := packfile.Encode(w.ID, w.Types, w)
	require.NoError(t, err)
	return data
}

// run runs a program and returns what it printed and its exit status. It fails where a
// sanitizer has stopped the program.
func run(t require.TestingT, program string, args ...string) (stdout, stderr string, status int) {
	var out, failed bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &failed
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=exitcode=99:detect_leaks=1", "UBSAN_OPTIONS=halt_on_error=1:exitcode=99:print_stacktrace=1")
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		require.NoError(t, err)
	}
	status = cmd.ProcessState.ExitCode()
	require.True(t, status >= 0 && status < 99, "%v %v: %v\n%s", program, args, err, failed.String())
	return out.String(), failed.String(), status
}

// requireSameDump compares two dumps, and shows the first line in which they differ.
func requireSameDump(t require.TestingT, want, got string) {
	if want == got {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		require.Equal(t, a[i], b[i], "line %d", i+1)
	}
	require.Equal(t, len(a), len(b), "lines")
}

func writePack(t require.TestingT, dir string, data []byte) string {
	path := filepath.Join(dir, "world.pack")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// requireReadAlike has a program print a pack and compares it with what Go has.
func requireReadAlike(t require.TestingT, reader []string, dir string, data []byte) {
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	out, failed, status := run(t, reader[0], append(reader[1:len(reader):len(reader)], writePack(t, dir, data))...)
	require.Zero(t, status, failed)
	requireSameDump(t, dump(p), out)
	require.NoError(t, p.Err())
}

// readers returns the programs that print a pack, and how they are called: one in C,
// one in C++.
func readers(t testing.TB) map[string][]string {
	return map[string][]string{
		"C":   {tool(t), "dump"},
		"C++": {build(t, "g++", "tools/dump.cpp", sanitizers...)},
	}
}

// TestWorldsAreReadAsGoReadsThem reads every field of every entity of the real worlds.
func TestWorldsAreReadAsGoReadsThem(t *testing.T) {
	packs := manyWorlds(t)
	for language, reader := range readers(t) {
		for name, data := range packs {
			t.Run(language+"/"+name, func(t *testing.T) { requireReadAlike(t, reader, t.TempDir(), data) })
		}
	}
}

// TestAnyWorldIsReadAsGoReadsIt reads worlds with every kind, nested in every way.
func TestAnyWorldIsReadAsGoReadsIt(t *testing.T) {
	for language, reader := range readers(t) {
		t.Run(language, func(t *testing.T) {
			dir := t.TempDir()
			defer entitytest.Checks("60")()
			rapid.Check(t, func(t *rapid.T) {
				requireReadAlike(t, reader, dir, encode(t, worlds().Draw(t, "world")))
			})
		})
	}
}

// worlds generates worlds, some of whose entities have fields that their type does not
// know, or are of unknown types.
func worlds() *rapid.Generator[*entity.World] {
	return rapid.Custom(func(t *rapid.T) *entity.World {
		w := entitytest.World().Draw(t, "world")
		for _, id := range rapid.SliceOfN(rapid.Uint32Min(1), 0, 3).Draw(t, "unknown ids") {
			name := rapid.SampledFrom([]string{"Gone", "Older", w.Types.All()[0].Name}).Draw(t, "unknown type")
			e := entity.New(entity.ID(id), entity.UnknownType(name).Layout(rapid.Uint32().Draw(t, "revision")))
			e.Unknown = []entity.Raw{{Name: "", Lines: "stray"}, {Name: "a", Lines: ""}, {Name: "a", Lines: "    \xff\x00"}}
			w.Put(e)
		}
		return w
	})
}
