package expression_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

func TestNamesThatNoTypeDeclares(t *testing.T) {
	u32 := entity.Shape{Kind: entity.KindU32}
	types := entity.NewTypes(
		&entity.Type{Name: "Lamp", Revision: 2, Fields: []*entity.Field{
			{Name: "radius", Shape: u32}, {Name: "light.watts", Shape: u32}, {Name: "old", Shape: u32, Until: 2}}},
	)
	for source, want := range map[string][]string{
		"radius > 3 && type == 'Lamp' && id in [1, revision]": nil,
		"radus > 3 and rdius < raduis and radus != 1":         {"raduis", "radus", "rdius"},
		"light?.watts == old":                                 nil,
		"lihgt.watts == 1":                                    {"lihgt"},
		"sin(pi) + field('none') == 0":                        nil,
		"let r = radius; r > 1":                               nil,
		"any([1, 2], # == radius)":                            nil,
		"count > 1":                                           {"count"},
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err, source)
		require.Equal(t, want, x.Undeclared(types), source)
	}
}
