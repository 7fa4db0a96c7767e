package cache_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/merge"
)

// marked is a lamp with a conflict about its watts.
func markedLamp(ours, theirs string) string {
	return strings.Replace(lampText(2, 2), "; watts\n    2\n", "<<<<<<< mine\n; watts\n    "+ours+"\n=======\n; watts\n    "+theirs+"\n>>>>>>> shared\n", 1)
}

// give has a lamp's watts, name or both change through the one door.
func (b *bench) give(watts, name string) {
	v, err := b.w.View()
	require.NoError(b, err)
	e, ok := v.Get(2)
	require.True(b, ok)
	e = e.Clone()
	if watts != "" {
		e.Values[1] = entity.NewUint(entity.KindU16, uint64(len(watts)))
	}
	if name != "" {
		e.Values[2] = entity.NewString(name)
	}
	_, err = b.w.TakeIn(v, entity.NewOverlay(v, map[entity.ID]*entity.Entity{2: e}), merge.Options{})
	require.NoError(b, err)
}

const named = "; name\n    \"hall\"\n"

func TestAConflictOutlivesAChangeOfAnotherProperty(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, markedLamp("2", "70"))
	b.give("", "hall")
	want := strings.Replace(markedLamp("2", "70"), "; targets", named+"; targets", 1)
	require.Equal(t, want, b.text(2))
	require.Equal(t, []string{"2 conflict"}, b.codes())
	b.crash()
	require.Equal(t, want, b.text(2))
	require.Equal(t, []string{"2 conflict"}, b.codes())
	b.give("watts", "") // decides it
	require.Equal(t, strings.Replace(lampText(2, 5), "; targets", named+"; targets", 1), b.text(2))
	require.Empty(t, b.codes())
}

// TestFormatRefusesInOrder has many texts refused: they are named by ID.
func TestFormatRefusesInOrder(t *testing.T) {
	b := newBench(t, 12)
	var want []string
	for id := entity.ID(1); id <= 12; id++ {
		b.write(id, strings.Replace(markedLamp("2", "70"), "\n2\n", fmt.Sprintf("\n%d\n", id), 1))
		want = append(want, fmt.Sprintf("Lamp %d:", id))
	}
	for _, ids := range [][]entity.ID{nil, {12, 5, 11, 1, 2, 3, 4, 6, 7, 8, 9, 10}} {
		_, err := b.w.Format(ids, false)
		require.Error(t, err)
		var got []string
		for _, line := range strings.Split(err.Error(), "\n") {
			got = append(got, line[:strings.Index(line, ":")+1])
		}
		require.Equal(t, want, got)
	}
}

func TestFormatTakesNoSide(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, markedLamp("2", "70"))
	b.write(3, lampText(3, 3)+"\n")
	for _, upgrade := range []bool{false, true} {
		r, err := b.w.Format(nil, upgrade)
		require.ErrorContains(t, err, "Lamp 2: it has conflict markers")
		require.Equal(t, !upgrade, r.Changed == 1)
		require.Equal(t, markedLamp("2", "70"), b.text(2))
		require.Equal(t, lampText(3, 3), b.text(3))
	}
}

// A conflict that cannot be marked about properties is told and kept in the history.
func TestAConflictThatCannotBeKeptIsTold(t *testing.T) {
	b := newBench(t, 3)
	text := "Lamp\n3\n2\n; position\n    0\n    0\n    0\n; watts\n<<<<<<< a\n    2\n=======\n>>>>>>> b\n"
	b.write(2, text)
	b.give("", "hall")
	require.Contains(t, b.text(2), "<<<<<<< yours: a conflict of before, which worldfs history 2 shows\n=======\n>>>>>>> shared\n")
	require.Equal(t, []string{"2 conflict"}, b.codes())
	require.NoError(t, b.w.SyncHistory())
	entries, err := b.w.History(2)
	require.NoError(t, err)
	lost := false
	for _, e := range entries {
		lost = lost || e.Kind == history.Lost && string(e.Is) == text
	}
	require.True(t, lost, "%v", entries)
}

// A plain file that a merge of version control left with markers, of an entity that was
// edited here meanwhile: both come in.
func TestAPlainFilesConflictIsMergedWithWhatChangedHere(t *testing.T) {
	b := plainBench(t, 3)
	b.takePlain()
	b.edit(2, "; targets", named+"; targets")
	require.NoError(t, os.WriteFile(b.plainPath(2), []byte(markedLamp("2", "70")), 0o644))
	b.takePlain()
	require.Equal(t, strings.Replace(markedLamp("2", "70"), "; targets", named+"; targets", 1), b.text(2))
	require.Equal(t, []string{"2 conflict"}, b.codes())
	b.requirePlainWritten()
	require.Equal(t, b.text(2), b.plain(2))
	// Markers that were taken out there are out here.
	b.editPlain(2, "<<<<<<< mine\n; watts\n    2\n=======\n", "")
	b.editPlain(2, ">>>>>>> shared\n", "")
	b.takePlain()
	require.Equal(t, strings.Replace(lampText(2, 70), "; targets", named+"; targets", 1), b.text(2))
	require.Empty(t, b.codes())
}
