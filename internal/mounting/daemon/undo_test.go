package daemon

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

const lampType = `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u16","attributes":{"unit":"W"}},{"name":"colour","kind":"string"}],"attributes":{"icon":"lamp"}}}` + "\n"

func lampLine(id, watts int, colour string) string {
	return fmt.Sprintf(`{"entity":{"id":%d,"type":"Lamp","revision":1,"fields":{"watts":%d,"colour":%q}}}`+"\n", id, watts, colour)
}

// lamps makes a world of one lamp, opened by this process.
func lamps(t *testing.T) (*worlddir.Dir, *World) {
	plain := false
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{Plain: &plain})
	require.NoError(t, err)
	w, err := Open(dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	take(t, w, lampType+lampLine(1, 10, "red"))
	return dir, w
}

func take(t *testing.T, w *World, lines string) {
	_, err := w.Import(strings.NewReader(lines), "test", ImportOptions{})
	require.NoError(t, err)
}

func requireLamp(t *testing.T, w *World, watts uint64, colour string) {
	t.Helper()
	r, err := w.Read()
	require.NoError(t, err)
	e, ok := r.Source.Get(1)
	require.True(t, ok)
	require.Equal(t, watts, e.Value("watts").Uint())
	require.Equal(t, colour, e.Value("colour").Text())
}

func TestUndoGoesBackToATime(t *testing.T) {
	_, w := lamps(t)
	for _, line := range []string{lampLine(1, 20, "red"), lampLine(1, 20, "blue"), lampLine(1, 30, "blue")} {
		take(t, w, line)
	}
	got, err := w.History(1)
	require.NoError(t, err)
	require.Len(t, got, 4)
	for i, want := range []string{events.Created, events.Changed, events.Changed, events.Changed} {
		require.Equal(t, want, got[i].Event)
		require.Equal(t, "import", got[i].By)
	}
	require.Equal(t, events.Fields{{Name: "colour", Old: json.RawMessage(`"red"`), New: json.RawMessage(`"blue"`)}}, got[2].Fields)

	u, err := w.Undo(1, got[1].Time)
	require.NoError(t, err)
	require.Len(t, u.Undone.Fields, 2)
	require.Empty(t, u.Report.Conflicts)
	requireLamp(t, w, 20, "red")
	_, err = w.Undo(1, time.Time{})
	require.NoError(t, err)
	requireLamp(t, w, 30, "blue")
	_, err = w.Undo(1, got[2].Time)
	require.NoError(t, err)
	requireLamp(t, w, 20, "blue")
	_, err = w.Undo(1, got[0].Time.Add(-time.Hour))
	require.NoError(t, err)
	r, err := w.Read()
	require.NoError(t, err)
	require.Zero(t, r.Source.Len(), "it was not there then")
	_, err = w.Undo(1, time.Now().Add(time.Hour))
	require.ErrorContains(t, err, "nothing happened to it since")
}

// What was changed since stays: another property silently, the same one with a
// word.
func TestUndoLeavesWhatWasChangedSince(t *testing.T) {
	_, w := lamps(t)
	take(t, w, lampLine(1, 20, "blue"))
	var many strings.Builder // so many that the history does not have them one by one
	many.WriteString(lampLine(1, 99, "blue"))
	for id := range 20_001 {
		many.WriteString(lampLine(id+2, 1, ""))
	}
	take(t, w, many.String())
	u, err := w.Undo(1, time.Time{})
	require.NoError(t, err)
	require.Len(t, u.Report.Conflicts, 1)
	require.Equal(t, "watts", u.Report.Conflicts[0].Field)
	requireLamp(t, w, 99, "red")
}

func TestAnEventComesBackFromJSON(t *testing.T) {
	_, w := lamps(t)
	take(t, w, lampLine(1, 20, "blue"))
	got, err := w.History(1)
	require.NoError(t, err)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.Contains(t, string(text), `"id":1,"type":"Lamp","by":"import","attributes":{"icon":"lamp"},"fields":{"watts":{"old":10,"new":20,"attributes":{"unit":"W"}},"colour":{"old":"red","new":"blue"}},"set":`)
	var back []events.Event
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, got, back)
	for _, bad := range []string{`{"fields":[]}`, `{"fields":{"a":1}}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &events.Event{}), bad)
	}
}

func TestHistoryIsThereAfterATypeHasChanged(t *testing.T) {
	_, w := lamps(t)
	take(t, w, lampLine(1, 20, "blue"))
	take(t, w, `{"type":{"name":"Lamp","revision":2,"fields":[{"name":"power","kind":"u16","since":2},{"name":"colour","kind":"string"},{"name":"watts","kind":"u16","until":2,"successor":"power"}]}}`+"\n")
	got, err := w.History(entity.ID(1))
	require.NoError(t, err)
	require.Equal(t, "watts", got[1].Fields[1].Name)
	_, err = w.Undo(1, time.Time{})
	require.NoError(t, err)
	requireLamp(t, w, 10, "red")
}
