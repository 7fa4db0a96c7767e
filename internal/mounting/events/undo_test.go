package events_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// world is a live world of lamps. The first ten are not touched, so that there is no great
// loss.
type world struct {
	require.TestingT
	*cache.World
}

const first = entity.ID(11)

func open(t *testing.T) world {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	w, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	in := cache.Intake{Types: []*entity.Type{lampType(entity.KindU16)}}
	for id := entity.ID(1); id < first; id++ {
		in.Entities = append(in.Entities, entity.New(id, in.Types[0].Current()))
	}
	_, err = w.Import(in)
	require.NoError(t, err)
	return world{t, w}
}

func lampOf(id entity.ID, watts int) string {
	return fmt.Sprintf("Lamp\n1\n%d\n; name\n    \"\"\n; watts\n    %d\n", id, watts)
}

// put has the file of an entity be a text, as a rename does; without one it is removed.
func (w world) put(id entity.ID, text string) {
	if text == "" {
		require.NoError(w, w.Remove(id))
	} else {
		ino, err := w.NewIno()
		require.NoError(w, err)
		_, err = w.Adopt(id, fileattr.Attr{Ino: ino, Mode: 0o644, Mtime: time.Now(), Ctime: time.Now()}, []byte(text), false)
		require.NoError(w, err)
	}
	_, err := w.Status()
	require.NoError(w, err)
}

// text returns the text of an entity's values, "" for none.
func (w world) text(id entity.ID) string {
	view, err := w.View()
	require.NoError(w, err)
	e, ok := view.Get(id)
	if !ok {
		return ""
	}
	return string(textcodec.Append(nil, e))
}

func (w world) undo(id entity.ID, at time.Time) events.Undone {
	undone, err := events.Undo(w.World, id, at)
	require.NoError(w, err)
	require.Empty(w, undone.Report.Conflicts)
	return undone
}

func (w world) past(id entity.ID) []events.Event {
	past, err := events.History(w.World, id)
	require.NoError(w, err)
	return past
}

// Undo goes back one step, or to a time; undone itself it is as if it had not been.
func TestUndoAndUndoneAgain(t *testing.T) {
	defer entitytest.Checks("30")()
	w := open(t)
	id := first
	rapid.Check(t, func(t *rapid.T) {
		w := world{t, w.World}
		id++
		states := []string{""} // after as many changes
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			text := ""
			for _, watts := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "watts") {
				if text = lampOf(id, watts); text != states[len(states)-1] {
					break
				}
			}
			if states[len(states)-1] != "" && rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
				text = ""
			}
			w.put(id, text)
			states = append(states, text)
			w.past(id) // a deletion has happened when it is asked for
		}
		past := w.past(id)
		require.Len(t, past, len(states)-1)
		n := len(past)
		if rapid.Bool().Draw(t, "one step") {
			require.Equal(t, past[n-1].Event, w.undo(id, time.Time{}).Undone.Event)
			require.Equal(t, states[n-1], w.text(id))
		} else {
			at := rapid.IntRange(0, n-1).Draw(t, "at")
			since := past[0].Time.Add(-time.Hour)
			if at > 0 {
				since = past[at-1].Time
			}
			w.undo(id, since)
			require.Equal(t, states[at], w.text(id))
			if states[at] == states[n] {
				return // there is nothing to undo again
			}
		}
		again := w.past(id)
		require.Len(t, again, n+1)
		require.Equal(t, cache.ByUndo, again[n].By)
		require.NotEmpty(t, again[n].Note)
		w.undo(id, time.Time{})
		require.Equal(t, states[n], w.text(id))
	})
}

func TestABrokenTextIsUndoneAndBroughtAgain(t *testing.T) {
	w := open(t)
	broken := strings.Replace(lampOf(1, 5), "5", "many", 1)
	w.put(1, lampOf(1, 5))
	w.put(1, broken)
	for i, want := range []string{events.Broken, events.Mended, events.Broken} {
		require.Equal(t, want, w.undo(1, time.Time{}).Undone.Event)
		file, err := w.Lookup(1)
		require.NoError(t, err)
		text, err := file.Text()
		require.NoError(t, err)
		require.Equal(t, []string{lampOf(1, 5), broken}[i%2], string(text))
		require.Equal(t, lampOf(1, 5), w.text(1), "the values stand")
	}
	w.put(1, lampOf(1, 6))
	w.undo(1, time.Time{})
	require.Equal(t, lampOf(1, 5), w.text(1), "what happened last counts")

	w.put(2, lampOf(2, 5))
	w.put(2, strings.Replace(lampOf(2, 5), "5", "many", 1))
	w.put(2, lampOf(2, 5))
	w.undo(2, time.Time{})
	require.Equal(t, lampOf(2, 0), w.text(2), "a person has mended it, which changed nothing")

	const never = first + 1 // it has no values to go back to
	w.put(never, "Lamp\n")
	w.undo(never, time.Time{})
	_, err := w.Lookup(never)
	require.Error(t, err)
}

func TestWhatCannotBeUndone(t *testing.T) {
	w := open(t)
	_, err := events.Undo(w.World, 500, time.Time{})
	require.ErrorIs(t, err, events.ErrNoHistory)
	require.ErrorContains(t, err, "entity 500")
	w.put(1, lampOf(1, 5))
	_, err = events.Undo(w.World, 1, time.Now().Add(time.Hour))
	require.ErrorContains(t, err, "nothing happened to it since")
	require.Equal(t, lampOf(1, 5), w.text(1))
}

// Where all is gone nothing is published, and what comes back has never been deleted.
func TestWhatWentWithAGreatLossComesBack(t *testing.T) {
	for what, at := range map[string]func(made time.Time) time.Time{
		"last":           func(time.Time) time.Time { return time.Time{} },
		"since a time":   func(made time.Time) time.Time { return made },
		"since it began": func(made time.Time) time.Time { return made.Add(-time.Hour) },
	} {
		t.Run(what, func(t *testing.T) {
			w := open(t)
			before, made := w.text(1), w.past(1)[0].Time
			for id := entity.ID(1); id < first; id++ {
				w.put(id, "")
			}
			require.Empty(t, w.text(1))
			undone := w.undo(1, at(made))
			if what == "since it began" {
				require.Empty(t, w.text(1), "it was not there then")
				return
			}
			require.Equal(t, events.Deleted, undone.Undone.Event)
			require.Equal(t, 1, undone.Report.Created)
			require.Equal(t, before, w.text(1))
		})
	}
}
