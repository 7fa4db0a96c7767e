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

func TestUndeclaredNamesAreNoted(t *testing.T) {
	world := island.Generate(10, 1)
	var said []string
	note := func(text string) { said = append(said, text) }
	all, err := CompileWhere("")
	require.NoError(t, err)
	all.NoteUndeclared(note, world.Types)
	require.Empty(t, said)
	where, err := CompileWhere("position.x > nosuch")
	require.NoError(t, err)
	where.NoteUndeclared(note, world.Types)
	require.Equal(t, []string{"position.x > nosuch: no type has a field nosuch"}, said)
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
