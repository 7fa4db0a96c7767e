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
