package entity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsTheEditorsDoesNotShipAtAnyDepth(t *testing.T) {
	u8 := Shape{Kind: KindU8}
	inner := Shape{Kind: KindStruct, Fields: []*Field{{Name: "k", Shape: u8, EditorOnly: true}, {Name: "x", Shape: u8}}}
	bare := Shape{Kind: KindStruct, Fields: []*Field{{Name: "note", Shape: u8, EditorOnly: true}}}
	defaults := NewList(KindArray, []Value{NewStruct([]Value{NewUint(KindU8, 1), NewUint(KindU8, 2)})})
	typ := &Type{Name: "T", Revision: 1, Label: "name", Fields: []*Field{
		{Name: "name", Shape: Shape{Kind: KindString}, EditorOnly: true},
		{Name: "list", Shape: Shape{Kind: KindArray, Of: &inner, Key: "k"}, Default: &defaults, Successor: "secret"},
		{Name: "secret", Shape: u8, EditorOnly: true},
		{Name: "none", Shape: Shape{Kind: KindArray, Of: &bare}},
	}}
	require.NoError(t, typ.Validate())
	ship := typ.ForShip()
	require.NoError(t, ship.Validate())
	require.Len(t, ship.Fields, 1)
	require.Empty(t, ship.Label)
	require.Empty(t, ship.Fields[0].Key, "the key does not ship")
	want := NewList(KindArray, []Value{NewStruct([]Value{NewUint(KindU8, 2)})})
	require.True(t, want.Equal(*ship.Fields[0].Default))
	e, err := New(1, typ.Current()).ForShip(ship)
	require.NoError(t, err)
	require.NoError(t, e.Validate())
	require.True(t, want.Equal(e.Values[0]))
	require.Len(t, typ.Fields[1].Of.Fields, 2, "the declaration is as it was")
}
