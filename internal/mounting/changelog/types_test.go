package changelog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
)

// declare has types/ declare the watts of lamps as of a kind.
func (w *world) declare(kind entity.Kind) {
	typ := lampType()
	watts := *typ.Fields[0]
	watts.Kind = kind
	typ.Fields[0] = &watts
	require.NoError(w, os.MkdirAll(w.dir.TypesPath(), 0o755))
	require.NoError(w, os.WriteFile(filepath.Join(w.dir.TypesPath(), typefile.FileName(typ.Name)), typefile.Format(typ), 0o644))
	w.settle()
}

// A text that a change of types has made unreadable was not edited: no undo puts anything in
// its place, for what the type has no room for would be gone from the text, too.
func TestWhatTypesHaveBrokenIsNoEdit(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{300, 3}.text(first))
	w.declare(entity.KindU8)
	require.Equal(t, []string{"git checkout", "types"}, w.sets())
	w.cannot(changelog.ErrNothing, changelog.Request{})
	w.cannot(changelog.ErrNothing, changelog.Request{Since: time.Now().Add(-time.Hour)})
	w.cannot(events.ErrByTypes, changelog.Request{IDs: []entity.ID{first}})
	require.Len(t, w.do(changelog.Request{IDs: []entity.ID{first}, Any: true}).Report.Conflicts, 1)
	_, err := events.Undo(w.World, first, time.Time{})
	require.ErrorIs(t, err, events.ErrByTypes)
	require.Equal(t, lamp{300, 3}.text(first), w.text(first))
	status, err := w.Status()
	require.NoError(t, err)
	i := slices.IndexFunc(status.Findings, func(f entity.Finding) bool { return f.ID == first && f.Code == entity.CodeBroken })
	require.GreaterOrEqual(t, i, 0)
	require.Contains(t, status.Findings[i].Message, "its type has changed")
	require.Equal(t, "$EDITOR +5 entities/11.entity_text", advice.Give(layout.None, status.Findings)[i].Mend)
	w.declare(entity.KindU16)
	require.Equal(t, lamp{300, 3}, w.lamps()[first])
}

// An edit of such a text is undone to what it was.
func TestAnEditOfWhatTypesHaveBrokenIsUndone(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{300, 3}.text(first))
	w.declare(entity.KindU8)
	w.edit(w.editor(), first, lamp{300, 4}.text(first))
	require.Equal(t, events.Broken, w.undo(first).Undone.Event)
	require.Equal(t, lamp{300, 3}.text(first), w.text(first))
}

// What is deleted while its text does not parse comes back with that text, be it an edit that
// had broken it or a change of types; one that was mended before comes back mended.
func TestADeletedTextThatDoesNotParseComesBack(t *testing.T) {
	for _, c := range []string{"edit", "types", "mended"} {
		t.Run(c, func(t *testing.T) {
			w := open(t)
			text := lamp{300, 3}.text(first)
			w.edit(w.git(), first, text)
			if c == "types" {
				w.declare(entity.KindU8)
			} else {
				text = strings.Replace(text, "300", "many", 1)
				w.edit(w.editor(), first, text)
			}
			if c == "mended" {
				text = lamp{300, 3}.text(first)
				w.edit(w.editor(), first, text)
			}
			w.edit(w.editor(), first, "")
			w.undo(first)
			require.Equal(t, text, w.text(first))
		})
	}
}

// What a command has taken the place of comes back with it: the text that types have made
// unreadable, and the last good values of its entity.
func TestAnUndoGivesBackTheTextThatCouldNotBeRead(t *testing.T) {
	w := open(t)
	text := lamp{300, 5}.text(first)
	w.edit(w.git(), first, text)
	w.declare(entity.KindU8)
	before := w.lamps()
	for _, beside := range []bool{false, true} {
		w.set(cache.Cause{By: cache.BySet}, map[entity.ID]*lamp{first: {7, 6}})
		if left := w.text(first); beside {
			i := strings.Index(left, "<<<<<<<")
			require.Positive(t, i)
			w.edit(w.git(), first, left[:i]) // a person has taken the markers out
		}
		w.undo(first)
		require.Equal(t, text, w.text(first))
		require.Equal(t, before, w.lamps())
		require.Equal(t, entity.AdviceUndone, w.brokenAdvice(first)) // another undo of it would be refused
		w.redo(first)
		require.Equal(t, lamp{7, 6}, w.lamps()[first])
		w.undo(first)
		require.Equal(t, text, w.text(first))
		require.Equal(t, before, w.lamps())
	}
}

// brokenAdvice returns what is advised about an entity's text, which does not parse.
func (w *world) brokenAdvice(id entity.ID) string {
	st, err := w.Status()
	require.NoError(w, err)
	for _, f := range st.Findings {
		if f.ID == id && f.Code == entity.CodeBroken {
			return f.Advice
		}
	}
	return ""
}

// What was edited since a command has taken the place of such a text stands.
func TestAnUndoBesideWhatWasEditedSince(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{1, 1}.text(first))
	w.edit(w.editor(), first, strings.Replace(lamp{1, 1}.text(first), "1\n; beside", "one\n; beside", 1))
	w.set(cache.Cause{By: cache.BySet}, map[entity.ID]*lamp{first: {7, 1}})
	w.edit(w.git(), first, lamp{7, 9}.text(first))
	w.undo(first)
	require.Equal(t, lamp{1, 9}, w.lamps()[first])
}
