package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/packfile"
)

// edit has the C writer make a pack of another one and returns it as Go reads it.
func edit(t require.TestingT, program, dir string, data []byte, edits ...string) *packfile.Pack {
	out := filepath.Join(dir, "saved.pack")
	_, failed, status := run(t, program, append([]string{"edit", writePack(t, dir, data), out}, edits...)...)
	require.Zero(t, status, failed)
	written, err := os.ReadFile(out)
	require.NoError(t, err)
	p, err := packfile.Parse(written)
	require.NoError(t, err)
	require.NoError(t, p.Check())
	require.Equal(t, packfile.Hash(data), p.BasedOn(), "it names what it had loaded")
	return p
}

// requireSameWorld compares two packs by what is in them.
func requireSameWorld(t require.TestingT, data []byte, p *packfile.Pack) {
	want, err := packfile.Parse(data)
	require.NoError(t, err)
	require.Equal(t, want.World(), p.World())
	require.Equal(t, want.Len(), p.Len())
	for e := range want.All() {
		o, ok := p.Get(e.ID)
		require.True(t, ok && e.Equal(o), "entity %d", e.ID)
	}
	require.NoError(t, p.Err())
	canonical, err := packfile.Encode(p.World(), p.Types(), p)
	require.NoError(t, err)
	require.Equal(t, data, canonical, "the canonical form of what C wrote")
}

func TestWorldsAreWrittenAsTheyWere(t *testing.T) {
	program := tool(t)
	for name, data := range manyWorlds(t) {
		t.Run(name, func(t *testing.T) { requireSameWorld(t, data, edit(t, program, t.TempDir(), data)) })
	}
}

func TestAnyWorldIsWrittenAsItWas(t *testing.T) {
	program, dir := tool(t), t.TempDir()
	defer entitytest.Checks("60")()
	rapid.Check(t, func(t *rapid.T) {
		data := encode(t, worlds().Draw(t, "world"))
		requireSameWorld(t, data, edit(t, program, dir, data))
	})
}

func TestEditsAreWritten(t *testing.T) {
	w := island.Generate(200, 1)
	data := encode(t, w)
	before, err := packfile.Parse(data)
	require.NoError(t, err)
	door, gone := doorIn(t, before), before.IDAt(0)
	if gone == door.ID {
		gone = before.IDAt(1)
	}
	p := edit(t, tool(t), t.TempDir(), data,
		"set", door.ID.String(), "position", "1.5,-2,3", "delete", gone.String(),
		"new", "4000000000", "Door", "72", "set", "4000000000", "entity_name", "new door")
	require.Equal(t, before.Len(), p.Len())
	require.False(t, p.Has(gone))
	moved, _ := p.Get(door.ID)
	require.Equal(t, entity.VecOf(entity.KindVec3, 1.5, -2, 3), moved.Value("position"))
	made, ok := p.Get(4000000000)
	require.True(t, ok)
	require.Equal(t, "new door", made.Name())
	rest := door.Clone()
	for i, f := range rest.Layout.Fields {
		if f.Name == "position" {
			rest.Values[i] = moved.Value("position")
		}
	}
	require.True(t, rest.Equal(moved), "nothing else of the door has changed")
}

// doorIn returns a door of its type's current revision.
func doorIn(t testing.TB, p *packfile.Pack) *entity.Entity {
	for e := range p.All() {
		if e.Type() == "Door" && e.Revision() == e.Layout.Type.Revision {
			return e
		}
	}
	t.Fatal("there is no door")
	return nil
}

// TestUnits runs the tests that are written in C, in C and as C++.
func TestUnits(t *testing.T) {
	programs := map[string]string{
		"C":   tool(t),
		"C++": build(t, "clang++", "tools/tool.c", append([]string{"-x", "c++"}, sanitizers...)...),
	}
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "all.pack")
			said, failed, status := run(t, program, "unit", out)
			require.Zero(t, status, "%s%s", said, failed)
			requireEverything(t, out)
		})
	}
}

// requireEverything looks at the pack that tools/unit.c writes.
func requireEverything(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	require.NoError(t, p.Check())
	e, ok := p.Get(7)
	require.True(t, ok)
	var d dumper
	d.entity(e)
	requireSameDump(t, strings.Join([]string{
		`entity 7 "All" 2`, `  "b" 1`, `  "i8" -128`, `  "i16" -32768`, `  "i32" -2147483648`, `  "i64" -9223372036854775808`,
		`  "u8" 255`, `  "u16" 65535`, `  "u32" 4294967295`, `  "u64" 18446744073709551615`, `  "f32" 3fc00000`, `  "f64" c004000000000000`,
		`  "v3" 3f800000,80000000,40600000`, `  "q" 00000000,00000000,00000000,3f800000`,
		`  "m" 3f800000,00000000,00000000,00000000,00000000,3f800000,00000000,00000000,00000000,00000000,3f800000,00000000`,
		`  "s" "bunker door \xc3\xa9"`, `  "blob" "\xff\x00z"`, `  "g" a00102030405060708090a0b0c0d0e0f`, `  "e" 1|"on"`,
		`  "flags" 10000000001|"a"|"z"`, `  "ref" 70`, `  "refs" [7 8 9]`, `  "names" ["a" "aa" "b"]`,
		`  "doubles" [c008000000000000 8000000000000000 3ff0000000000000]`,
		`  "st" {"n"=12 "turn"=00000000,00000000,00000000,3f800000}`, `  "list" [{"k"=-1 "t"="one"} {"k"=2 "t"=-}]`, `  "late" 0`,
		`  raw "glow" "    0.500000 : 3f000000"`, ""}, "\n"), d.String())
}
