package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// upgraded returns an entity of revision 1 at revision 2 of a type of these fields, whose
// values at revision 1 are those given and else the defaults.
func upgraded(t *testing.T, fields []*entity.Field, values map[string]entity.Value) (*entity.Entity, error) {
	t.Helper()
	typ := &entity.Type{Name: "Door", Revision: 2, Fields: fields}
	require.NoError(t, typ.Validate())
	e := entity.New(1, typ.Layout(1))
	for name, v := range values {
		e.Values[e.Layout.Index(name)] = v
	}
	return entity.Upgrade(e)
}

func number(name string, since, until uint32, successor string) *entity.Field {
	return &entity.Field{Name: name, Shape: entity.Shape{Kind: entity.KindI32}, Since: since, Until: until, Successor: successor}
}

func i32(n int64) entity.Value { return entity.NewInt(entity.KindI32, n) }

func TestTwoValuesForOneSuccessorAreRefused(t *testing.T) {
	for _, fields := range [][]*entity.Field{
		{number("a", 0, 2, "c"), number("b", 0, 2, "c"), number("c", 2, 0, "")},
		{number("a", 0, 2, "b"), number("b", 0, 0, "")},
		{number("b", 0, 0, ""), number("a", 0, 2, "b")},
	} {
		_, err := upgraded(t, fields, map[string]entity.Value{"a": i32(1), "b": i32(2)})
		require.ErrorContains(t, err, "another value")
		into := fields[len(fields)-1].Name
		if into == "a" {
			into = "b"
		}
		for _, values := range []map[string]entity.Value{{"a": i32(1)}, {"b": i32(1)}, {"a": i32(1), "b": i32(1)}} {
			up, err := upgraded(t, fields, values)
			require.NoError(t, err)
			require.Equal(t, int64(1), up.Value(into).Int())
		}
	}
}

func TestAnAbsentValueBecomesTheDefault(t *testing.T) {
	nine := i32(9)
	optional := number("a", 0, 2, "b")
	optional.Optional = true
	b := number("b", 2, 0, "")
	b.Default = &nine
	up, err := upgraded(t, []*entity.Field{optional, b}, nil)
	require.NoError(t, err)
	require.Equal(t, int64(9), up.Value("b").Int())
}

func TestAnUpgradeDropsNoValueByACondition(t *testing.T) {
	a, b := number("a", 0, 2, "b"), number("b", 2, 0, "")
	b.SaveWhen = "false"
	_, err := upgraded(t, []*entity.Field{a, b}, map[string]entity.Value{"a": i32(5)})
	require.ErrorContains(t, err, "saved only when false")
	up, err := upgraded(t, []*entity.Field{a, b}, nil)
	require.NoError(t, err)
	require.True(t, up.Value("b").IsNull())
}
