package worlddir

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func TestAWorldOfALaterFormatIsKnownAsOne(t *testing.T) {
	d := initWorld(t)
	require.Equal(t, 1, d.Settings.Format)
	require.NoError(t, d.CheckFormat())
	// What else a later build writes there cannot be judged by this one.
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"format = 99\nshard = \"by-moonlight\"\n"), 0o666))
	err := d.Configure(nil)
	require.ErrorIs(t, err, ErrNewer)
	require.ErrorContains(t, err, "needs format 99")

	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"format = 99\n"), 0o666))
	opened, err := Open(d.Root)
	require.NoError(t, err)
	require.ErrorIs(t, opened.CheckFormat(), ErrNewer)

	for _, bad := range []string{"0", "-1", `"two"`, "1.5"} {
		require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"format = "+bad+"\n"), 0o666))
		require.ErrorContains(t, d.Configure(nil), "the number of a format", bad)
	}
}

func TestTheFormatThatAWorldNeedsIsRecordedOnce(t *testing.T) {
	d := initWorld(t)
	before, err := os.ReadFile(d.ConfigPath())
	require.NoError(t, err)
	require.NoError(t, d.Need(1))
	after, err := os.ReadFile(d.ConfigPath())
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))

	require.NoError(t, os.WriteFile(d.ConfigPath(), append(before, "[merge]\npolicy = \"mine\"\n"...), 0o666))
	require.NoError(t, d.Need(2))
	after, err = os.ReadFile(d.ConfigPath())
	require.NoError(t, err)
	require.Equal(t, string(before)+"format = 2\n\n[merge]\npolicy = \"mine\"\n", string(after))
	require.NoError(t, d.Configure(nil))
	require.Equal(t, 2, d.Settings.Format)
	require.Equal(t, "mine", d.Settings.Merge.Policy)
	require.NoError(t, d.Need(1))
	require.Equal(t, 2, d.Settings.Format)
}

func TestMatricesNeedTheSecondFormat(t *testing.T) {
	matrix := entity.Shape{Kind: entity.KindMat4}
	require.Equal(t, 1, FormatFor())
	require.Equal(t, 1, FormatFor(&entity.Type{Fields: []*entity.Field{{Name: "x", Shape: entity.Shape{Kind: entity.KindVec4}}}}))
	require.Equal(t, 2, FormatFor(&entity.Type{}, &entity.Type{Fields: []*entity.Field{{Name: "x", Shape: matrix}}}))
	nested := entity.Shape{Kind: entity.KindArray, Of: &matrix}
	require.Equal(t, 2, FormatFor(&entity.Type{Fields: []*entity.Field{{Name: "x", Shape: nested}}}))
}

func TestWhatYieldsNeedsTheThirdFormat(t *testing.T) {
	no := false
	matrix := entity.Field{Name: "x", Shape: entity.Shape{Kind: entity.KindMat4}}
	require.Equal(t, 3, FormatFor(&entity.Type{Fields: []*entity.Field{&matrix}}, &entity.Type{Yields: true}))
	require.Equal(t, 3, FormatFor(&entity.Type{Fields: []*entity.Field{{Name: "x", Yields: &no}, &matrix}}))
}

func TestATypeOfTheEditorsNeedsTheFourthFormat(t *testing.T) {
	require.Equal(t, 4, FormatFor(&entity.Type{Yields: true}, &entity.Type{EditorOnly: true}, &entity.Type{}))
	require.Equal(t, 1, FormatFor(&entity.Type{Fields: []*entity.Field{{Name: "x", EditorOnly: true}}}))
}

func TestTheSettingsOfShipBuilds(t *testing.T) {
	d := initWorld(t)
	require.Equal(t, Ship{}, d.Settings.Ship)
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"[ship]\nids = \"dense\"\nby_type = true\nnames = false\n"), 0o666))
	require.NoError(t, d.Configure(nil))
	require.Equal(t, Ship{IDs: "dense", ByType: true, WithoutNames: true}, d.Settings.Ship)
	for text, want := range map[string]string{
		"ids = 'sparse'": `ship.ids = "sparse" is not keep or dense`,
		"names = 'some'": `ship.names = "some" is not true or false`,
		"by_type = 7.5":  `ship.by_type = "7.5" is not true or false`,
	} {
		require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"[ship]\n"+text+"\n"), 0o666))
		require.ErrorContains(t, d.Configure(nil), want)
	}
}
