package mergecost

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli/clitest"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
)

func changed(t *testing.T, where string) entity.ChangeSet {
	world := island.Generate(50, 1)
	assignments, err := cli.ParseAssignments([]string{"position.z = position.z + 0.5"})
	require.NoError(t, err)
	chosen, err := cli.CompileWhere(where)
	require.NoError(t, err)
	set, err := cli.NewAssigning(world, assignments).Changes(chosen)
	require.NoError(t, err)
	return set
}

func TestNothingLostIsNothingPrinted(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Print(&out, nil))
	require.Empty(t, out.String())
	entries, err := Entries(nil)
	require.NoError(t, err)
	require.Equal(t, []Entry{}, entries) // and not null in JSON
}

func TestPrintListsNoMoreThanPeopleRead(t *testing.T) {
	set := changed(t, "position != nil")
	require.Greater(t, len(set), mostLost)
	var out bytes.Buffer
	require.NoError(t, Print(&out, []*resolve.Lost{{Kind: "merge", Changes: set}}))
	require.Contains(t, out.String(), "and "+cli.Count(len(set)-mostLost)+" more\n")
	require.True(t, strings.HasSuffix(out.String(), "--dismiss-lost has it be\n"))
}

func TestEntriesHaveChangeSets(t *testing.T) {
	set := changed(t, "id == 6555")
	entries, err := Entries([]*resolve.Lost{{Kind: "rebase", Commit: "c0ffee", Policy: true, Changes: set}})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	var want bytes.Buffer
	require.NoError(t, changeset.Format(&want, set))
	require.Equal(t, Entry{Kind: "rebase", Commit: "c0ffee", Policy: true, Changes: want.String()}, entries[0])
}

// found returns what is found in a world of 50 entities while an operation that is not over
// costs that.
func found(t *testing.T, now *resolve.Lost) (lost []*resolve.Lost) {
	clitest.World(t, 50)
	find := func(a *cli.App) []*cobra.Command {
		return []*cobra.Command{{Use: "find", RunE: func(cmd *cobra.Command, _ []string) (err error) {
			lost, err = Find(a, cmd, now)
			return err
		}}}
	}
	clitest.Group(find).Succeeds(t, "find")
	return lost
}

func TestAWorldWithoutMergesHasLostNothing(t *testing.T) {
	require.Empty(t, found(t, nil))
}

func TestOnlyWhatTheWorldLacksIsFound(t *testing.T) {
	lacks := changed(t, "id == 6555")
	lost := found(t, &resolve.Lost{Kind: "merge", Changes: lacks})
	require.Len(t, lost, 1)
	require.Len(t, lost[0].Changes, len(lacks))
	require.Empty(t, found(t, &resolve.Lost{Kind: "merge", Changes: lacks.Invert()}))
}
