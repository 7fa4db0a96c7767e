package spelling

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := slices.Values([]string{"id", "name", "orientation", "position", "radius", "watts"})
	for given, want := range map[string]string{
		"positoin": "position", "Position": "position", "positin": "position", "raduis": "radius", "radus": "radius",
		"ID": "id", "ix": "", "naeme": "name", "nam": "name", "orientations": "orientation", "chandelier": "", "": "",
		strings.Repeat("x", 1000): "", "wats": "watts", "radius": "",
	} {
		require.Equal(t, want, Nearest(given, names), given)
	}
	require.Equal(t, "; did you mean radius?", DidYouMean("radus", names))
	require.Empty(t, DidYouMean("chandelier", names))
}

func TestOfTwoThatAreAsNearItIsTheFirst(t *testing.T) {
	require.Equal(t, "light_a", Nearest("light_x", slices.Values([]string{"light_b", "light_a"})))
}
