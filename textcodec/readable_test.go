package textcodec_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/textcodec"
)

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"Door\n72\n6555\n; position\n    46.103531 : 42386a04\n    0.000000 : 0\n    -0.000000 : 80000000\n    inf : 7f800000\n; entity_name\n    \"bunker \\\"door\"\n": "Door 6555 \"bunker \\\"door\"\n72\n6555\n; position\n    46.10353\n    0\n    -0\n    +Inf\n; entity_name\n    \"bunker \\\"door\"\n",
		"Lamp\n1\n7\n; a\n    47.5 : 42386a04\n    nan : 7fc00000\n    nan : 7fc00001\n; name\n    \"\"":                                                                 "Lamp 7\n1\n7\n; a\n    47.5 : 42386a04\n    nan : 7fc00000\n    nan : 7fc00001\n; name\n    \"\"",
		"Sun\n1\n9\n; f64\n    0.100000 : 3fb999999999999a\n    0.000000 : 1\n    12345678901234567168.000000 : 43e56a95319d63e1\n":                                      "Sun 9\n1\n9\n; f64\n    0.1\n    1e-45\n    1.2345678901234567e+19\n",
		"<<<<<<< ours\nDoor\n=======\n": "<<<<<<< ours\nDoor\n=======\n",
		"":                              "",
		"Door\n":                        "Door\n",
		"\n\nDoor\r\n1\r\n2\r\n; x\r\n    1.000000 : 3f800000\r\n": "\n\nDoor\r\n1\r\n2\r\n; x\r\n    1.000000 : 3f800000\r\n",
	} {
		require.Equal(t, want, string(textcodec.Readable([]byte(text))))
	}
}

// Whatever differs, differs for people, too, and no line is lost.
func TestReadableTellsTextsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := entitytest.World().Draw(t, "world")
		all := slices.Collect(w.All())
		if len(all) == 0 {
			return
		}
		e := rapid.SampledFrom(all).Draw(t, "entity")
		text := textcodec.Append(nil, e)
		shown := textcodec.Readable(text)
		require.Equal(t, strings.Count(string(text), "\n"), strings.Count(string(shown), "\n"))
		for i, f := range e.Layout.Fields {
			if f.Kind != entity.KindF32 || e.Values[i].IsNull() {
				continue
			}
			c := e.Clone()
			c.Values[i] = entity.NewF32(math.Float32bits(math.Nextafter32(math.Float32frombits(e.Values[i].Component(0)), 0)))
			if other := textcodec.Append(nil, c); string(other) != string(text) {
				require.NotEqual(t, string(shown), string(textcodec.Readable(other)))
			}
		}
	})
}
