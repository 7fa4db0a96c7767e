package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func TestTakesSaysHowACommandIsCalled(t *testing.T) {
	cmd := &cobra.Command{Use: "show ID"}
	require.NoError(t, Takes(1, 1)(cmd, []string{"6555"}))
	require.NoError(t, Takes(0, AnyNumber)(cmd, []string{"1", "2", "3"}))
	require.EqualError(t, Takes(1, 1)(cmd, nil), "show needs to be told more: it is called show ID")
	require.EqualError(t, Takes(2, 2)(cmd, []string{"a"}), `show needs more than "a": it is called show ID`)
	require.EqualError(t, Takes(1, 1)(cmd, []string{"a", "b"}), `show does not take "b": it is called show ID`)
}

func TestIDsAreRead(t *testing.T) {
	ids, err := ParseIDs([]string{"6555", "7"})
	require.NoError(t, err)
	require.Equal(t, []entity.ID{6555, 7}, ids)
	_, err = ParseIDs([]string{"6555", "door"})
	require.ErrorContains(t, err, "door")
	var got entity.ID
	require.NoError(t, OfEntity(func(_ *cobra.Command, id entity.ID) error {
		got = id
		return nil
	})(nil, []string{"42"}))
	require.Equal(t, entity.ID(42), got)
}

func TestALossIsAllowedByItsFlagOnly(t *testing.T) {
	cmd := new(cobra.Command)
	require.False(t, AllowsLoss(cmd)) // has no such flag
	AddAllowLoss(cmd)
	require.False(t, AllowsLoss(cmd))
	require.NoError(t, cmd.ParseFlags([]string{"--" + AllowLossFlag}))
	require.True(t, AllowsLoss(cmd))
}

func TestNumbersAreAsPeopleReadThem(t *testing.T) {
	require.Equal(t, "10,422", Count(10422))
	require.Equal(t, "1 entity", Counted(1, "entity", "entities"))
	require.Equal(t, "0 entities", Counted(0, "entity", "entities"))
}
