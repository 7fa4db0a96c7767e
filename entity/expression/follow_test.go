package expression_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

func follower() *entity.Type {
	ref := entity.Shape{Kind: entity.KindRef}
	return &entity.Type{Name: "Follower", Revision: 1, Fields: []*entity.Field{
		{Name: "p", Shape: ref},
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "Transform.parent", Shape: entity.Shape{Kind: entity.KindRef, Optional: true}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindArray, Of: &ref}},
		{Name: "light", Shape: entity.Shape{Kind: entity.KindStruct, Optional: true, Fields: []*entity.Field{{Name: "owner", Shape: ref}}}},
		{Name: "odd name", Shape: entity.Shape{Kind: entity.KindU64}},
	}}
}

// threeFollowers are 1, whose refs are to 2, which refers to 1 and has as its
// parent what there is not; 3 refers to nothing, and has another type.
func threeFollowers() *entity.World {
	typ := follower()
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
	for id, p := range map[entity.ID]entity.ID{1: 2, 2: 1} {
		e := entity.New(id, typ.Current())
		e.Values[0] = entity.NewRef(p)
		e.Values[1] = entity.F32Of(float32(id) + 0.5)
		e.Values[2] = entity.NewRef(id * 7)
		e.Values[3] = entity.NewList(entity.KindArray, []entity.Value{entity.NewRef(p), entity.NewRef(3), entity.NewRef(99), entity.NewRef(0)})
		e.Values[5] = entity.NewUint(entity.KindU64, 1<<63)
		w.Put(e)
	}
	w.Put(entity.New(3, (&entity.Type{Name: "Rock", Revision: 4}).Current()))
	return w
}

func TestRefsAreFollowed(t *testing.T) {
	w := threeFollowers()
	e, _ := w.Get(1)
	for _, source := range []string{
		"p.radius == 2.5", "p.p.radius == radius", "p.p.p.p.p.p.radius == 1.5", "p.type == \"Follower\" && p.id == 2 && p.revision == 1",
		"Transform.parent.radius == nil", "Transform.parent.p.p.radius == nil", "p.Transform.parent == 14", "p.Transform.parent.radius == nil",
		"targets[0].radius == 2.5", "targets[1].radius == nil", "targets[1].radius.x == nil", "targets[2].id == nil", "targets[3].p.id == nil",
		"targets[1].type == \"Rock\" && targets[1].revision == 4", "light?.owner?.radius == nil", "p[\"odd name\"] > 5", "get(p, \"radius\") == 2.5",
		"count(targets, .radius != nil) == 1", "len(filter(targets, .id == 3)) == 1", "let q = p; q.radius == 2.5",
		"p == 2 && p > 1 && p in [2, 5] && p != nil && p in targets && p + 1 == 3 && targets[3] == 0", "2 in targets && string(p) == \"2\"", "max(targets) == 99",
		"sort(targets)[0] == 0", "keys(groupBy(targets, # > 2)) == [false, true]", "groupBy(targets, #)[2][0].radius == 2.5", "(p.radius ?? 0) > 2", "type(p) == \"int\"", "p in 1..3",
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err, source)
		got, err := x.In(w).Evaluate(e)
		require.NoError(t, err, source)
		require.Equal(t, true, got, source)
	}
	x, err := expression.Compile("p.p")
	require.NoError(t, err)
	v, err := x.In(w).Evaluate(e)
	require.NoError(t, err)
	for _, field := range []string{"p", "Transform.parent", "odd name"} {
		n, err := expression.Assign(e, field, v)
		require.NoError(t, err)
		require.Equal(t, uint64(1), n.Value(field).Uint())
	}
}

// Without entities a ref is a number, and following it is an error, never nil.
func TestRefsAreNotFollowedEverywhere(t *testing.T) {
	e, _ := threeFollowers().Get(1)
	holds(t, e, "p == 2 && targets == [2, 3, 99, 0] && p in targets")
	for _, source := range []string{"p.radius", "p?.radius", "get(p, \"radius\")", "targets[3].p", "map(targets, .radius)", "let q = p; q.p"} {
		_, err := evaluate(t, e, source)
		require.ErrorContains(t, err, "refs are not followed here", source)
	}
}

func TestConditionsReadTheEntityAlone(t *testing.T) {
	for source, reason := range map[string]string{
		"p.radius > 3": "p is a ref", "Transform.parent?.radius == nil": "Transform.parent is a ref", "targets[0].radius > 1": "targets[…] is a ref",
		"light?.owner.radius > 3": "light.owner is a ref", "now().Hour() > 5": "ask for the time", "nothing(radius) > 3": "unknown function nothing",
		"radius > 9223372036854775807 * 9": "integer overflow",
		"p == 6001":                        "", "p > 0 && p in [1, 2]": "", "light?.owner == 5": "", "targets[0] == 3": "", "radius.x > 3": "",
	} {
		typ := follower()
		typ.Fields[1].SaveWhen = source
		require.NoError(t, typ.Validate(), "what could be read can be read: %s", source)
		problems := expression.CheckConditions(typ)
		if reason == "" {
			require.Empty(t, problems, source)
			continue
		}
		require.Len(t, problems, 1, source)
		require.ErrorContains(t, problems[0], reason)
		require.ErrorContains(t, problems[0], "field radius")
		e := entity.New(1, typ.Current())
		require.True(t, e.SavesField(1) || source[0] == 'n', "in doubt it is saved: %s", source)
	}
}

// A path that one revision's field makes a ref's is none if another's does not.
func TestAConditionOfSeveralRevisions(t *testing.T) {
	typ := &entity.Type{Name: "T", Revision: 5, Fields: []*entity.Field{
		{Name: "p", Shape: entity.Shape{Kind: entity.KindRef}, Until: 5},
		{Name: "p", Shape: entity.Shape{Kind: entity.KindVec2}, Since: 5},
		{Name: "q", Shape: entity.Shape{Kind: entity.KindBool}, SaveWhen: "p.x > 3"},
	}}
	require.Empty(t, expression.CheckConditions(typ))
}

func TestPathsThatAreAssignedAtOnce(t *testing.T) {
	for _, paths := range [][]string{
		{"a", "a"}, {"position", "position.z"}, {"position.z", "position"}, {"position.z", "position[2]"}, {"a[0]", "a"}, {"a[0]", "a[0].b"},
		{"a[0]", "a[-1]"}, {"b", "a[2].pos.x", "a[2].pos"}, {"a.x", "a[-1]"},
	} {
		require.Error(t, expression.CheckPaths(paths), "%v", paths)
	}
	for _, paths := range [][]string{
		{"a", "b"}, {"position.x", "position.z"}, {"position.x", "position[2]"}, {"a[0]", "a[1]"}, {"a[-1]", "a[-2]"}, {"a[0].b", "a[0].c"}, {"x", "y", "[odd]", "ab", "a"},
	} {
		require.NoError(t, expression.CheckPaths(paths), "%v", paths)
	}
}

// What is assigned at once is there at once: a field that another has saved.
func TestAssignmentsAreMadeAtOnce(t *testing.T) {
	typ := &entity.Type{Name: "Light", Revision: 1, Fields: []*entity.Field{
		{Name: "kind", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "cone", Shape: entity.Shape{Kind: entity.KindF32}, SaveWhen: `kind == "spot"`},
	}}
	e := entity.New(1, typ.Current())
	e.Canonicalize()
	for _, order := range [][]expression.Assignment{{{"kind", "spot"}, {"cone", 30}}, {{"cone", 30}, {"kind", "spot"}}} {
		n, unsaved, err := expression.AssignAll(e, order)
		require.NoError(t, err)
		require.Empty(t, unsaved)
		require.Equal(t, entity.F32Of(30), n.Value("cone"))
	}
	_, unsaved, err := expression.AssignAll(e, []expression.Assignment{{"cone", 30}})
	require.NoError(t, err)
	require.Equal(t, []string{"cone"}, unsaved)
}
