package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

func chosen(t *testing.T, world entity.Source, source string) (n int, said []string) {
	where, err := CompileWhere(source)
	require.NoError(t, err)
	where.In(world)
	for e := range world.All() {
		has, err := where.Has(e)
		require.NoError(t, err)
		if has {
			n++
		}
	}
	where.Report(func(text string) { said = append(said, text) })
	return n, said
}

func TestWhereChooses(t *testing.T) {
	world := island.Generate(200, 1)
	all, said := chosen(t, world, "")
	require.Equal(t, 200, all)
	require.Empty(t, said)
	one, _ := chosen(t, world, "id == 6555")
	require.Equal(t, 1, one)
	none, said := chosen(t, world, "nosuch == 1") // no entity has it, which is no failure
	require.Zero(t, none)
	require.Empty(t, said)
	none, said = chosen(t, world, "1 / (revision - revision) > 0")
	require.Zero(t, none)
	require.Len(t, said, 1)
	require.Contains(t, said[0], "left out 200 entities")
}

func TestWhereIsTrueOrFalse(t *testing.T) {
	_, err := CompileWhere("radius >")
	require.Equal(t, daemon.ExitUsage, daemon.Exit(err))
	world := island.Generate(10, 1)
	where, err := CompileWhere("id + 1")
	require.NoError(t, err)
	for e := range world.All() {
		_, err := where.Has(e)
		require.Equal(t, daemon.ExitUsage, daemon.Exit(err))
		require.ErrorContains(t, err, "not true or false")
	}
}

func TestNamesAreChecked(t *testing.T) {
	world := island.Generate(10, 1)
	var said []string
	note := func(text string) { said = append(said, text) }
	check := func(v *Vocabulary, source string) error {
		where, err := CompileWhere(source)
		require.NoError(t, err)
		return v.CheckWhere(note, where)
	}
	names := NewVocabulary(world.Types)
	require.NoError(t, check(names, ""))
	require.NoError(t, check(names, "position.x > 1 and type == 'Door'"))
	err := check(names, "positoin.x > 3")
	require.Equal(t, daemon.ExitUsage, daemon.Exit(err))
	require.EqualError(t, err, "--where: positoin.x > 3: no type has a field positoin; did you mean position?")
	require.Empty(t, said)
	none := NewVocabulary(entity.NewTypes(entity.UnknownType("Door")))
	require.NoError(t, check(none, "positoin.x > 3"))
	require.NoError(t, none.Select("--type", "Dor"))
	require.Equal(t, []string{"positoin.x > 3: no type has a field positoin: no type is declared here"}, said)
}

func TestNamesOfTwoWorldsAreKnown(t *testing.T) {
	u32 := entity.Shape{Kind: entity.KindU32}
	typ := func(name string, fields ...string) *entity.Types {
		d := &entity.Type{Name: name, Revision: 1}
		for _, f := range fields {
			d.Fields = append(d.Fields, &entity.Field{Name: f, Shape: u32})
		}
		return entity.NewTypes(d)
	}
	names := NewVocabulary(typ("Lamp", "old"), typ("Lamp", "new"), typ("Door", "wide"))
	require.NoError(t, names.Select("--type", "Lamp"))
	require.NoError(t, names.CheckFieldNames("--field", "old", "new"))
	require.EqualError(t, names.CheckFieldNames("--field", "wide"), "--field: no type has a field wide")
	require.EqualError(t, names.CheckFields("set", "wide"), "set: Lamp has no field wide")
	require.EqualError(t, names.CheckTypes("--type", "lamp"), "--type: there is no type lamp; did you mean Lamp?")
}

func TestAssignmentsAreOfTheWorldAsItWas(t *testing.T) {
	world := island.Generate(200, 1)
	e, ok := world.Get(6555)
	require.True(t, ok)
	assignments, err := ParseAssignments([]string{"position.x = position.y", "position.y=position.x"})
	require.NoError(t, err)
	where, err := CompileWhere("id == 6555")
	require.NoError(t, err)
	set, err := NewAssigning(world, assignments).Changes(where)
	require.NoError(t, err)
	require.NotEmpty(t, set)
	n, err := NewAssigning(world, assignments).Assigned(e)
	require.NoError(t, err)
	back, err := NewAssigning(world, assignments).Assigned(n)
	require.NoError(t, err)
	require.Empty(t, entity.DiffEntity(e, back))
}

func TestAssignmentsThatAreNone(t *testing.T) {
	for _, args := range [][]string{{"radius"}, {"=1"}, {"radius==1"}, {"radius=("}, {"radius=1", "radius=2"}} {
		_, err := ParseAssignments(args)
		require.Equal(t, daemon.ExitUsage, daemon.Exit(err), args)
	}
}
