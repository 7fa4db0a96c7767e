package textcodec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/textcodec"
)

// published is the listing that the format is known by, byte for byte.
const published = `Door
72
6555
; position
    46.103531 : 42386a04
    108.079681 : 42d828cc
    8.694907 : 410b1e57
; orientation
    0.000000 : 0
    0.000000 : 0
    -0.069125 : bd8d9184
    0.997608 : 3f7f633d
; entity_name
    "bunker door"
; targets
    [
    6001
    6005
    ]
`

func door() *entity.Type {
	return &entity.Type{Name: "Door", Revision: 72, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "orientation", Shape: entity.Shape{Kind: entity.KindQuat}},
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString, Optional: true}},
		{Name: "map_size", Shape: entity.Shape{Kind: entity.KindU32}, Since: 75},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Optional: true, Of: &entity.Shape{Kind: entity.KindRef}}},
	}}
}

func publishedDoor() *entity.Entity {
	e := entity.New(6555, door().Layout(72))
	e.Values[0] = entity.NewVec(entity.KindVec3, [4]uint32{0x42386a04, 0x42d828cc, 0x410b1e57})
	e.Values[1] = entity.NewVec(entity.KindQuat, [4]uint32{0, 0, 0xbd8d9184, 0x3f7f633d})
	e.Values[2] = entity.NewString("bunker door")
	e.Values[3] = entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(6001), entity.NewRef(6005)})
	return e
}

func TestThePublishedDoor(t *testing.T) {
	require.Equal(t, published, string(textcodec.Append(nil, publishedDoor())))
	r, err := textcodec.Decode([]byte(published), 6555, entity.NewTypes(door()))
	require.NoError(t, err)
	require.True(t, r.Canonical)
	require.Empty(t, r.Findings)
	require.True(t, publishedDoor().Equal(r.Entity))
}

func TestHeader(t *testing.T) {
	for _, text := range []string{
		"Door\n72\n6555\n", published, "\ufeff\r\n Door \r\n\n\t72\n6555\n; position\n cut off",
		"<<<<<<< HEAD\nDoor\n=======\nGate\n>>>>>>> x\n72\n6555\n", "\"Door\"\n72\n6555\n\xff\x00",
	} {
		name, revision, id, err := textcodec.Header([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, "Door", name)
		require.EqualValues(t, 72, revision)
		require.EqualValues(t, 6555, id)
	}
	for _, text := range []string{"Door", "Door\n", "Door\n72\n", "Door\n72\n6555"} {
		_, _, _, err := textcodec.Header([]byte(text))
		require.ErrorIs(t, err, textcodec.ErrTruncated, text)
	}
	_, _, _, err := textcodec.Header(nil)
	require.ErrorIs(t, err, textcodec.ErrEmpty)
}

// generated draws an entity of a type of its own.
func generated(t *rapid.T) (*entity.Entity, *entity.Types) {
	typ := entitytest.Type().Draw(t, "type")
	id := entity.ID(rapid.Uint32Min(1).Draw(t, "id"))
	return entitytest.Entity(id, typ).Draw(t, "entity"), entity.NewTypes(typ)
}

func TestDecodingWhatWasAppendedGivesTheEntity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, types := generated(t)
		text := textcodec.Append(nil, e)
		r, err := textcodec.Decode(text, e.ID, types)
		require.NoError(t, err, "%s", text)
		require.True(t, e.Equal(r.Entity), "%s", text)
		require.True(t, r.Canonical, "%s", text)
		for _, f := range r.Findings {
			require.Contains(t, []string{entity.CodeFieldUnknown, entity.CodeRevisionNewer}, f.Code, f.String())
		}
	})
}

func TestATypeUnknownHereLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, types := generated(t)
		text := textcodec.Append(nil, e)
		r, err := textcodec.Decode(text, e.ID, nil)
		require.NoError(t, err, "%s", text)
		require.True(t, r.Canonical)
		require.Len(t, r.Findings, 1)
		require.Equal(t, entity.CodeTypeUnknown, r.Findings[0].Code)
		require.Equal(t, string(text), string(textcodec.Append(nil, r.Entity)))
		r, err = textcodec.Decode(textcodec.Append(nil, r.Entity), e.ID, types)
		require.NoError(t, err)
		require.True(t, e.Equal(r.Entity))
	})
}
