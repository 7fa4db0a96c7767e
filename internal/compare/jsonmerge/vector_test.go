package jsonmerge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfVectors(t *testing.T) {
	for _, name := range []string{
		"pos", "position", "Position", "POSITION", "m_LocalPosition", "spawn_pos", "SPAWN_POS", "lightColor", "lightRGB", "RGBColor",
		"colour", "color2", "scale", "rotation", "local-rotation", "quaternion", "rgba", "worldTransform", "vec3", "mat4", "éPos",
	} {
		require.True(t, saysVector([]byte(`"`+name+`"`)), name)
		require.True(t, saysVector([]byte(name)), "%s, without quotes", name)
	}
	for _, name := range []string{"", "compos", "posts", "positions", "colors", "targets", "scaled", "2", "_", "pos_x", "colorName", "a.b"} {
		require.False(t, saysVector([]byte(`"`+name+`"`)), name)
	}
}
