package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/cheader"
	"github.com/worldfs/worldfs/packfile"
)

// headerOf returns what worldfs types --c writes for a pack's types.
func headerOf(p *packfile.Pack) string {
	revisions := make(map[string][]uint32)
	for _, t := range p.Tables() {
		if name := t.Layout().Type.Name; !t.Layout().Type.Unknown {
			revisions[name] = append(revisions[name], t.Layout().Revision)
		}
	}
	return string(cheader.Write(p.Types(), revisions, "world_"))
}

// tableFunctions are those of a header that find the tables of types.
var tableFunctions = regexp.MustCompile(`static inline const wfs_table \*(\w+)\(const wfs_pack \*pack\)`)

// opening is a program's beginning: it opens the pack that its argument names.
const opening = `
#include <stdio.h>
#include <stdlib.h>
#define WORLDFS_IMPLEMENTATION
#include "world_types.h"
static void look(const wfs_pack *pack);
int main(int argc, char **argv)
{
	wfs_file file;
	wfs_pack pack;
	void *memory;
	if (argc != 2 || wfs_map(&file, argv[1]) != WFS_OK || wfs_check(&pack, file.data, file.size) != WFS_OK) return 1;
	memory = malloc(pack.memory);
	if (wfs_open(&pack, memory, pack.memory) != WFS_OK) return 1;
	look(&pack);
	free(memory);
	wfs_unmap(&file);
	return 0;
}
`

// runWithTypes compiles a program with the header of a pack's types and runs it on the
// pack.
func runWithTypes(t *testing.T, data []byte, program string, flags ...string) string {
	t.Helper()
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	dir, here := t.TempDir(), workingDirectory(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "world_types.h"), []byte(headerOf(p)), 0o644))
	source := filepath.Join(dir, "main.c")
	require.NoError(t, os.WriteFile(source, []byte(opening+program), 0o644))
	out, failed, status := run(t, build(t, "gcc", source, append(flags, "-I"+here, "-I"+dir)...), writePack(t, dir, data))
	require.Zero(t, status, failed)
	return out
}

func workingDirectory(t *testing.T) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	return dir
}

// TestStructsLieAsRowsDo finds each table of the real worlds by the function that was
// written for it, which holds the struct against the pack's own declaration, and compares
// the IDs.
func TestStructsLieAsRowsDo(t *testing.T) {
	for name, data := range manyWorlds(t) {
		t.Run(name, func(t *testing.T) {
			p, err := packfile.Parse(data)
			require.NoError(t, err)
			var program strings.Builder
			program.WriteString("static void look(const wfs_pack *pack)\n{\n\tconst wfs_table *t;\n\tuint32_t i;\n")
			for _, found := range tableFunctions.FindAllStringSubmatch(headerOf(p), -1) {
				row := strings.TrimSuffix(found[1], "_table") + "_row"
				program.WriteString("\tfor (t = " + found[1] + "(pack), i = 0; t != NULL && i < t->count; i++) printf(\"%lu\\n\", (unsigned long)" + row + "(t, i)->id);\n")
			}
			program.WriteString("}\n")
			var want, got []string
			for _, id := range slices.Collect(p.IDs()) {
				want = append(want, id.String())
			}
			got = strings.Fields(runWithTypes(t, data, program.String()))
			require.ElementsMatch(t, want, got)
		})
	}
}

// oddWorld has types and fields whose names are no identifiers, are words of C or C++,
// or become the same ones.
func oddWorld() *entity.World {
	u8 := func(name string) *entity.Field {
		return &entity.Field{Name: name, Shape: entity.Shape{Kind: entity.KindU8}}
	}
	shape := func(name string, s entity.Shape) *entity.Field { return &entity.Field{Name: name, Shape: s} }
	list := func(of entity.Shape) entity.Shape { return entity.Shape{Kind: entity.KindArray, Of: &of} }
	names := []entity.Name{{Name: "default", Number: 0}, {Name: "a b", Number: 1}, {Name: "a_b", Number: -1 << 31}}
	var types []*entity.Type
	for _, name := range []string{"int", "class", "Door", "Door_targets", "Door_table", "field", "fits", "a.b", "a_b", "1st", "_x", "tür", "門", "*/ #error", "??/", "NULL"} {
		types = append(types, &entity.Type{Name: name, Revision: 2, Fields: []*entity.Field{
			u8("id"), u8("present"), u8("none"), u8("int"), u8("class"), u8("a.b"), u8("a_b"), u8("é"), u8("1"), u8("*/"), u8("_Bool"),
			u8("world_Door_state_default"), u8("NULL"), u8("at"), u8("pack"), u8("errno"), u8("table"), u8("row"), u8("has_targets"),
			shape("targets", entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}, Optional: true}),
			shape("texts", list(entity.Shape{Kind: entity.KindString, Optional: true})), shape("texts_ref", entity.Shape{Kind: entity.KindString}),
			shape("lists", list(list(entity.Shape{Kind: entity.KindF64, Optional: true}))),
			shape("state", entity.Shape{Kind: entity.KindEnum, Names: names}),
			shape("bits", entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "lo", Number: 0}, {Name: "hi", Number: 63}}}),
			shape("inner", entity.Shape{Kind: entity.KindStruct, Optional: true, Fields: []*entity.Field{
				u8("int"), shape("m", entity.Shape{Kind: entity.KindMat3x4}), shape("g", entity.Shape{Kind: entity.KindGUID}),
				{Name: "late", Shape: entity.Shape{Kind: entity.KindI64}, Since: 2}}}),
			shape("hollow", entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{{Name: "late", Shape: entity.Shape{Kind: entity.KindI64}, Since: 2}}}),
		}})
	}
	types = append(types, &entity.Type{Name: "Empty", Revision: 1})
	w := entity.NewWorld(entity.GUID{9}, entity.NewTypes(types...))
	for i, t := range types {
		w.Put(entity.New(entity.ID(2*i+1), t.Current()))
		w.Put(entity.New(entity.ID(2*i+2), t.Layout(1)))
	}
	return w
}

func TestOddNamesBecomeIdentifiers(t *testing.T) {
	data := encode(t, oddWorld())
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	header := filepath.Join(t.TempDir(), "world_types.h")
	require.NoError(t, os.WriteFile(header, []byte(headerOf(p)), 0o644))
	for name := range compilers {
		syntax(t, name, "#include \""+header+"\"\n#include \""+header+"\"\nint main(void) { return 0; }\n")
	}
	program := "static void look(const wfs_pack *pack)\n{\n"
	functions := tableFunctions.FindAllStringSubmatch(string(headerOf(p)), -1)
	for _, found := range functions {
		program += "\tif (" + found[1] + "(pack) == NULL) printf(\"" + found[1] + "\\n\");\n"
	}
	require.Len(t, functions, len(p.Tables()))
	require.Empty(t, runWithTypes(t, data, program+"}\n"), "tables that were not found")
}

// TestValuesAreReadByTheirStructs uses the header as an engine would.
func TestValuesAreReadByTheirStructs(t *testing.T) {
	typ := &entity.Type{Name: "Door", Revision: 72, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "energy", Shape: entity.Shape{Kind: entity.KindF64, Optional: true}},
		{Name: "state", Shape: entity.Shape{Kind: entity.KindEnum, Names: []entity.Name{{Name: "closed", Number: 0}, {Name: "open", Number: 5}}}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}}},
	}}
	w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ))
	e := entity.New(6555, typ.Current())
	e.Values[0] = entity.VecOf(entity.KindVec3, 1, 2.5, -3)
	e.Values[1] = entity.NewString("bunker door")
	e.Values[3] = entity.NewInt(entity.KindEnum, 5)
	e.Values[4] = entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(6001), entity.NewRef(6005)})
	w.Put(e)
	require.Equal(t, "6555 bunker door 2.5 open 0: 6001 6005\n", runWithTypes(t, encode(t, w), `
static void look(const wfs_pack *pack)
{
	const world_Door *door = world_Door_row(world_Door_table(pack), 0);
	wfs_text name = world_Door_entity_name(pack, door);
	uint32_t count, i;
	const world_Door_targets_item *targets = world_Door_targets(pack, door, &count);
	printf("%lu %.*s %g %s %d:", (unsigned long)door->id, (int)name.length, name.bytes, (double)door->position[1],
		door->state == world_Door_state_open ? "open" : "?", world_Door_has_energy(door));
	for (i = 0; i < count; i++) printf(" %lu", (unsigned long)targets[i].value);
	printf("\n");
}
`, sanitizers...))
}

// TestStructsOfOtherTypesAreRefused finds no table whose rows lie otherwise.
func TestStructsOfOtherTypesAreRefused(t *testing.T) {
	world := func(kind entity.Kind) []byte {
		typ := &entity.Type{Name: "Door", Revision: 72, Fields: []*entity.Field{{Name: "a", Shape: entity.Shape{Kind: kind}}}}
		w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ))
		w.Put(entity.New(1, typ.Current()))
		return encode(t, w)
	}
	p, err := packfile.Parse(world(entity.KindU32))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "world_types.h"), []byte(headerOf(p)), 0o644))
	source := filepath.Join(dir, "main.c")
	require.NoError(t, os.WriteFile(source, []byte(opening+"static void look(const wfs_pack *pack) { printf(\"%d\", world_Door_table(pack) != NULL); }\n"), 0o644))
	program := build(t, "gcc", source, "-I"+workingDirectory(t), "-I"+dir)
	for kind, want := range map[entity.Kind]string{entity.KindU32: "1", entity.KindF32: "0", entity.KindU64: "0"} {
		out, err := exec.Command(program, writePack(t, dir, world(kind))).Output()
		require.NoError(t, err)
		require.Equal(t, want, string(out))
	}
}
