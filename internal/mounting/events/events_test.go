package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

// An event of a change says what differs and nothing besides, and comes back from JSON.
func TestAChangeSaysWhatDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		types := entity.NewTypes(typ)
		was, is := entitytest.Entity(7, typ).Draw(t, "was"), entitytest.Entity(7, typ).Draw(t, "is")
		if rapid.Bool().Draw(t, "alike") {
			was = is.Clone()
			i := rapid.IntRange(0, len(is.Values)).Draw(t, "field")
			if i < len(is.Values) {
				was.Values[i] = entitytest.Value(&is.Layout.Fields[i].Shape).Draw(t, "value")
				was.Canonicalize()
			}
		}
		text := func(e *entity.Entity) []byte {
			if rapid.IntRange(0, 5).Draw(t, "none") == 0 {
				return nil
			}
			return textcodec.Append(nil, e)
		}
		entry := history.Entry{Position: 3, Time: time.Unix(1, 5), ID: 7, Kind: history.Changed, By: "edit", Was: text(was), Is: text(is)}
		e := events.Of(entry, types)
		switch {
		case entry.Was == nil && entry.Is == nil:
			require.Equal(t, events.Changed, e.Event)
		case entry.Was == nil:
			require.Equal(t, events.Created, e.Event)
			require.JSONEq(t, string(interchange.AppendEntity(nil, is)), string(e.New))
		case entry.Is == nil:
			require.Equal(t, events.Deleted, e.Event)
			require.JSONEq(t, string(interchange.AppendEntity(nil, was)), string(e.Old))
		case was.Layout.Revision == is.Layout.Revision:
			require.Equal(t, events.Changed, e.Event)
			requireFields(t, e.Fields, was, is)
		default:
			require.NotNil(t, e.Old)
			require.NotNil(t, e.New)
		}
		data, err := json.Marshal(e)
		require.NoError(t, err)
		back := events.Event{Fields: events.Fields{{Name: "of another event"}}}
		require.NoError(t, json.Unmarshal(data, &back), "%s", data)
		if e.Fields == nil {
			back.Fields = nil
		}
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(data), string(again))
		require.Equal(t, len(e.Fields), len(back.Fields))
	})
}

// requireFields requires that the fields are those that differ, in order, with the values.
func requireFields(t *rapid.T, fields events.Fields, was, is *entity.Entity) {
	for i, f := range is.Layout.Fields {
		if was.Values[i].Equal(is.Values[i]) {
			continue
		}
		require.NotEmpty(t, fields, "%s differs", f.Name)
		require.Equal(t, f.Name, fields[0].Name)
		for raw, want := range map[*json.RawMessage]entity.Value{&fields[0].Old: was.Values[i], &fields[0].New: is.Values[i]} {
			if want.IsNull() {
				require.Equal(t, "null", string(*raw))
				continue
			}
			v, err := interchange.ParseValue(*raw, &f.Shape)
			require.NoError(t, err)
			require.True(t, want.Equal(v))
		}
		fields = fields[1:]
	}
	if len(was.Unknown) != len(is.Unknown) { // it is one field's lines, or none
		lines := func(e *entity.Entity) string {
			if len(e.Unknown) == 0 {
				return "null"
			}
			quoted, err := json.Marshal(e.Unknown[0].Lines)
			require.NoError(t, err)
			return string(quoted)
		}
		require.Len(t, fields, 1)
		require.Equal(t, "no such field", fields[0].Name)
		require.JSONEq(t, lines(was), string(fields[0].Old))
		require.JSONEq(t, lines(is), string(fields[0].New))
		return
	}
	require.Empty(t, fields)
}

const lampText = "Lamp\n1\n7\n; name\n    \"lamp\"\n; watts\n    5\n"

func lampType(kind entity.Kind) *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: 1, Attributes: map[string]json.RawMessage{"icon": json.RawMessage(`"lamp"`)}, Fields: []*entity.Field{
		{Name: "name", Shape: entity.Shape{Kind: entity.KindString}}, {Name: "watts", Shape: entity.Shape{Kind: kind}}}}
}

func TestWhatAnEventIs(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 30, 12, 5, time.FixedZone("", 3600))
	const start = `{"position":9,"time":"2026-03-04T13:30:12.000000005Z","event":`
	const lamp = `,"id":7,"type":"Lamp","name":"lamp","by":"edit","attributes":{"icon":"lamp"}`
	for what, x := range map[string]struct {
		entry history.Entry
		want  string
	}{
		"broken":            {history.Entry{Kind: history.Broken, Is: []byte("Lamp\n"), Note: "line 2"}, start + `"broken","id":7,"by":"edit","note":"line 2","text":"Lamp\n"}`},
		"mended":            {history.Entry{Kind: history.Mended}, start + `"mended","id":7,"by":"edit"}`},
		"lost":              {history.Entry{Kind: history.Lost, Is: []byte(lampText)}, start + `"lost"` + lamp + `,"text":` + quoted(lampText) + `}`},
		"lost and broken":   {history.Entry{Kind: history.Lost, Is: []byte("?")}, start + `"lost","id":7,"by":"edit","text":"?"}`},
		"more than is told": {history.Entry{Kind: history.Bulk, Note: "much"}, start + `"resync","id":7,"by":"edit","note":"much"}`},
		"too large":         {history.Entry{Kind: history.Changed, Cut: true}, start + `"changed","id":7,"by":"edit","incomplete":true}`},
		"the same":          {history.Entry{Kind: history.Changed, Was: []byte(lampText), Is: []byte(lampText)}, start + `"changed"` + lamp + `}`},
		"does not parse any more": {history.Entry{Kind: history.Changed, Was: []byte("?"), Is: []byte(lampText)},
			start + `"changed"` + lamp + `,"new":{"id":7,"type":"Lamp","revision":1,"fields":{"name":"lamp","watts":5}}}`},
		"deleted": {history.Entry{Kind: history.Changed, Was: []byte(lampText)},
			start + `"deleted"` + lamp + `,"old":{"id":7,"type":"Lamp","revision":1,"fields":{"name":"lamp","watts":5}}}`},
	} {
		t.Run(what, func(t *testing.T) {
			x.entry.Position, x.entry.Time, x.entry.ID, x.entry.By = 9, at, 7, "edit"
			data, err := json.Marshal(events.Of(x.entry, entity.NewTypes(lampType(entity.KindU16))))
			require.NoError(t, err)
			require.Equal(t, x.want, string(data))
		})
	}
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestFieldsAreAnObjectInOrder(t *testing.T) {
	null := json.RawMessage("null")
	fields := events.Fields{{Name: "b", Old: null, New: null}, {Name: "a\"\n<é", Old: null, New: json.RawMessage("[1]")}, {Name: "", Old: null, New: null}}
	data, err := json.Marshal(fields)
	require.NoError(t, err)
	var back events.Fields
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, fields, back)
	for _, bad := range []string{`[]`, `"a"`, `1`, `{"a":1}`, `{"a":[]}`, `{"a":{"old":1},"b":2}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &back), bad)
	}
}
