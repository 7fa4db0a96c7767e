package textcodec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// gate returns an entity such as games have thousands of, of about 770 bytes
// of text, and its line of the interchange form.
func gate() (e *entity.Entity, types *entity.Types, line []byte) {
	optionalRef := entity.Shape{Kind: entity.KindRef, Optional: true}
	typ := &entity.Type{Name: "Gate", Revision: 72, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "orientation", Shape: entity.Shape{Kind: entity.KindQuat}},
		{Name: "scale", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString, Optional: true}},
		{Name: "group_id", Shape: optionalRef},
		{Name: "mount_parent_id", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "mount_position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "mount_orientation", Shape: entity.Shape{Kind: entity.KindQuat}},
		{Name: "portal_id", Shape: optionalRef},
		{Name: "open_speed", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "locked", Shape: entity.Shape{Kind: entity.KindBool}},
		{Name: "power_count", Shape: entity.Shape{Kind: entity.KindI32}},
		{Name: "colour", Shape: entity.Shape{Kind: entity.KindVec4}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}}},
	}}
	e = entity.New(6555, typ.Current())
	fields := map[string]any{
		"position": []any{46.10353, 108.07968, 8.694907}, "orientation": []any{0, 0, -0.069124535, 0.99760795},
		"scale": 1.25, "entity_name": "bunker door, lower level", "mount_parent_id": 6001,
		"mount_position": []any{1.3408203, -0.27441406, 2.5}, "mount_orientation": []any{0, 0, 0.70710677, 0.70710677},
		"open_speed": 0.333333, "locked": true, "power_count": 3,
		"colour":  []any{0.59, 0.345, 0.278, 1},
		"targets": []any{6001, 6005, 6120, 7344},
	}
	for i, v := range []entity.Value{
		entity.VecOf(entity.KindVec3, 46.10353, 108.07968, 8.694907), entity.VecOf(entity.KindQuat, 0, 0, -0.069124535, 0.99760795),
		entity.F32Of(1.25), entity.NewString("bunker door, lower level"), {}, entity.NewRef(6001),
		entity.VecOf(entity.KindVec3, 1.3408203, -0.27441406, 2.5), entity.VecOf(entity.KindQuat, 0, 0, 0.70710677, 0.70710677), {},
		entity.F32Of(0.333333), entity.NewBool(true),
		entity.NewInt(entity.KindI32, 3), entity.VecOf(entity.KindVec4, 0.59, 0.345, 0.278, 1),
		entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(6001), entity.NewRef(6005), entity.NewRef(6120), entity.NewRef(7344)}),
	} {
		e.Values[i] = v
	}
	line, err := json.Marshal(map[string]any{"entity": map[string]any{"id": 6555, "type": "Gate", "revision": 72, "fields": fields}})
	if err != nil {
		panic(err)
	}
	return e, entity.NewTypes(typ), line
}

func BenchmarkDecode(b *testing.B) {
	e, types, line := gate()
	text := textcodec.Append(nil, e)
	b.Run("entity_text", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if r, err := textcodec.Decode(text, 6555, types); err != nil || !r.Canonical {
				b.Fatal(err)
			}
		}
	})
	b.Run("entity_text_not_canonical", func(b *testing.B) {
		loose := append([]byte("\n"), text...)
		b.SetBytes(int64(len(loose)))
		b.ReportAllocs()
		for b.Loop() {
			if r, err := textcodec.Decode(loose, 6555, types); err != nil || r.Canonical {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	e, _, line := gate()
	b.Run("entity_text", func(b *testing.B) {
		b.ReportAllocs()
		var text []byte
		for b.Loop() {
			text = textcodec.Append(text[:0], e)
		}
		b.SetBytes(int64(len(text)))
	})
	b.Run("encoding_json", func(b *testing.B) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestNoKindTakesMoreAllocations(t *testing.T) {
	if underRace {
		t.Skip("allocations cannot be counted under the race detector")
	}
	for _, s := range samples() {
		e, types := sampleEntity(s)
		text := textcodec.Append(nil, e)
		allocations := testing.AllocsPerRun(100, func() {
			if r, err := textcodec.Decode(text, e.ID, types); err != nil || !r.Canonical {
				t.Fatal(err)
			}
		})
		most := 4.0
		if s.name == "enum" || s.name == "struct" {
			most = 9 // names in quotes take one or two each
		}
		require.LessOrEqual(t, allocations, most, s.name)
	}
}

func TestDecodingTakesFewAllocations(t *testing.T) {
	if underRace {
		t.Skip("allocations cannot be counted under the race detector")
	}
	e, types, _ := gate()
	text := textcodec.Append(nil, e)
	require.InDelta(t, 770, len(text), 100, "the benchmark's entity is of a usual size")
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := textcodec.Decode(text, 6555, types); err != nil {
			t.Fatal(err)
		}
	})
	require.LessOrEqual(t, allocations, 4.0)
}
