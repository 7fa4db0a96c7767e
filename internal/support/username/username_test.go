package username_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/support/username"
)

func TestAUserWithoutANameIsCalledByTheNumber(t *testing.T) {
	require.Equal(t, "root", username.Of(0))
	require.Equal(t, "root", username.Of(0))
	require.Equal(t, "4123456789", username.Of(4123456789))
}

func TestTheNameOfAUserOfADomain(t *testing.T) {
	require.Equal(t, "ann", username.Short(`STUDIO\ann`))
	require.Equal(t, "ann", username.Short("ann"))
}
