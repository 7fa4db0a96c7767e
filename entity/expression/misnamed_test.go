package expression_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

func misspellable() *entity.Types {
	u32, ref := entity.Shape{Kind: entity.KindU32}, entity.Shape{Kind: entity.KindRef}
	pose := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindVec3}}, {Name: "base", Shape: ref}}}
	return entity.NewTypes(
		&entity.Type{Name: "Lamp", Revision: 2, Fields: []*entity.Field{
			{Name: "radius", Shape: u32}, {Name: "light.watts", Shape: u32}, {Name: "old", Shape: u32, Until: 2},
			{Name: "parent", Shape: ref}, {Name: "pose", Shape: pose}, {Name: "odd name", Shape: u32}}},
		&entity.Type{Name: "Door", Revision: 1, Fields: []*entity.Field{{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}}}},
	)
}

func TestMisnamed(t *testing.T) {
	types := misspellable()
	for source, want := range map[string][]string{
		"radius > 3 && position.x > 1 && light.watts > 2 && old == 1":          nil,
		"pose.at.x > 1 and pose.base.position.z > 1 and parent.type == 'Lamp'": nil,
		"field('odd name') == 1 and has('anything') and light != nil":          nil,
		"let p = parent; p.whatever == 1":                                      nil,
		"parent.parent.light.watts == 1 and type in ['Lamp', 'Door']":          nil,
		"positoin.x > 3":             {"no type has a field positoin; did you mean position?"},
		"Radius == 1":                {"no type has a field Radius; did you mean radius?"},
		"chandelier == 1":            {"no type has a field chandelier"},
		"light.wats > 1":             {"no type has a field light.wats; did you mean light.watts?"},
		"pose.att.x > 1":             {"no type has a member pose.att; did you mean at?"},
		"parent.raduis > 1":          {"no type has a field parent.raduis; did you mean radius?"},
		"parent.pose.base.olt > 1":   {"no type has a field parent.pose.base.olt; did you mean old?"},
		"field('odd naeme') == 1":    {"no type has a field odd naeme; did you mean odd name?"},
		"type == 'Dor'":              {"there is no type Dor; did you mean Door?"},
		"type in ['Lamp', 'Doors']":  {"there is no type Doors; did you mean Door?"},
		"'Lmap' != type and rdius>1": {"no type has a field rdius; did you mean radius?", "there is no type Lmap; did you mean Lamp?"},
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err, source)
		var said []string
		for _, m := range x.Misnamed(types, types) {
			said = append(said, m.String())
		}
		require.Equal(t, want, said, source)
	}
}

func TestMisnamedOfSomeTypes(t *testing.T) {
	types := misspellable()
	doors := entity.NewTypes(types.Get("Door"))
	x, err := expression.Compile("radius > 1")
	require.NoError(t, err)
	require.Equal(t, "Door has no field radius", x.Misnamed(doors, types)[0].String())
	require.Empty(t, x.Misnamed(types, types))
	for _, right := range []string{"radius", "pose.at.x", "light.watts", "light", "odd name", "position[2]"} {
		require.Nil(t, expression.MisnamedField(right, types, types), right)
	}
	for wrong, want := range map[string]string{
		"positoin.x": "no type has a field positoin; did you mean position?",
		"light.wats": "no type has a field light.wats; did you mean light.watts?",
		"rdius[0]":   "no type has a field rdius; did you mean radius?",
	} {
		require.Equal(t, want, expression.MisnamedField(wrong, types, types).String())
	}
}

func TestFunctionsThatThereAreNotAreNamed(t *testing.T) {
	_, err := expression.Compile("lengtt(position) > 1")
	require.ErrorContains(t, err, "unknown function lengtt; did you mean length?")
}
