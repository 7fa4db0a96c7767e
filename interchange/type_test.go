package interchange

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity/entitytest"
)

func TestTypeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		line := AppendType(nil, typ)
		back, err := ParseType(line)
		require.NoError(t, err)
		require.Equal(t, string(line), string(AppendType(nil, back)))
	})
}

func TestYieldsIsSaidOfATypeAndOfItsFields(t *testing.T) {
	line := `{"name":"T","revision":1,"yields":true,"fields":[{"name":"a","kind":"u8","yields":false},{"name":"b","kind":"u8","yields":true},{"name":"c","kind":"u8"}]}`
	typ, err := ParseType([]byte(line))
	require.NoError(t, err)
	require.True(t, typ.Yields)
	require.False(t, *typ.Fields[0].Yields)
	require.True(t, *typ.Fields[1].Yields)
	require.Nil(t, typ.Fields[2].Yields)
	require.Equal(t, line, string(AppendType(nil, typ)))
	ship := typ.ForShip()
	require.False(t, ship.Yields)
	require.Nil(t, ship.Fields[0].Yields, "what a game gets says nothing of merges")
	require.NotNil(t, typ.Fields[0].Yields)

	for text, want := range map[string]string{
		`{"name":"T","yields":1}`: "yields: ",
		`{"name":"T","fields":[{"name":"a","kind":"struct","fields":[{"name":"b","kind":"u8","yields":true}]}]}`: "no member of a struct",
		`{"name":"T","fields":[{"name":"a","kind":"array","of":{"kind":"u8","yields":true}}]}`:                   "unknown key",
	} {
		_, err := ParseType([]byte(text))
		require.ErrorContains(t, err, want)
	}
}
