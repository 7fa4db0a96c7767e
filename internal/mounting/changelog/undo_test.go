package changelog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

var zero = lamp{}

// What was brought is not undone, as it was once: an entity that came in by a clone went.
func TestWhatWasBroughtStays(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{1, 1}.text(first))
	w.cannot(changelog.ErrNothing, changelog.Request{})
	w.cannot(changelog.ErrNoOwn, changelog.Request{IDs: []entity.ID{first}})
	w.cannot(changelog.ErrNoOwn, changelog.Request{IDs: []entity.ID{1}}) // an import
	w.do(changelog.Request{IDs: []entity.ID{first}, Any: true})
	require.Empty(t, w.lamps())
	w.redo(first)
	require.Len(t, w.lamps(), 1)
}

// Once more is the one before, redo goes forwards, and an edit ends that. It toggled once.
func TestUndoGoesBackAndRedoForwards(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{0, 0}.text(first))
	for watts := 1; watts <= 3; watts++ {
		w.edit(w.editor(), first, lamp{watts, 0}.text(first))
	}
	for _, want := range []int{2, 1, 0} {
		w.undo()
		require.Equal(t, want, w.lamps()[first].watts)
	}
	w.cannot(changelog.ErrNothing, changelog.Request{})
	for _, want := range []int{1, 2} {
		w.redo()
		require.Equal(t, want, w.lamps()[first].watts)
	}
	w.undo()
	require.Equal(t, 1, w.lamps()[first].watts)
	w.redo()
	require.Equal(t, 2, w.lamps()[first].watts)
	w.edit(w.git(), first+1, zero.text(first+1))
	w.redo()
	require.Equal(t, 3, w.lamps()[first].watts, "what others do does not end it")
	w.undo()
	w.edit(w.editor(), first+1, lamp{9, 9}.text(first+1))
	w.cannot(changelog.ErrNothingMore, changelog.Request{Redo: true})
	w.undo()
	require.Equal(t, lamp{2, 0}, w.lamps()[first])
	require.Equal(t, zero, w.lamps()[first+1])
	w.undo()
	require.Equal(t, 1, w.lamps()[first].watts, "what was redone is undone in its turn")
}

// Of what somebody has changed since, that stands; what they did not change goes back.
func TestWhatWasChangedSinceStands(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, zero.text(first))
	w.edit(w.editor(), first, lamp{5, 5}.text(first))
	w.edit(w.git(), first, lamp{7, 5}.text(first))
	a := w.undo()
	require.Equal(t, lamp{7, 0}, w.lamps()[first])
	require.Len(t, a.Report.Conflicts, 1)
	require.Equal(t, "watts", a.Report.Conflicts[0].Field)
}

// What a program writes before it pauses is one change set, a command is another.
func TestWhatIsOneChangeSet(t *testing.T) {
	w := open(t)
	vim, git := cache.Writer{Program: "vim", Session: 1}, cache.Writer{Program: "git pull", Session: 2, Brought: true}
	w.write(&vim, 1, lamp{1, 0}.text(1))
	w.write(&git, 3, lamp{1, 0}.text(3))
	w.write(&cache.Writer{Program: "vim", Session: 9}, 2, lamp{1, 0}.text(2))
	w.settle()
	w.set(cache.Cause{By: cache.BySet}, map[entity.ID]*lamp{5: {2, 2}, 6: {2, 2}})
	w.write(&vim, 2, lamp{2, 0}.text(2))
	w.write(&git, 4, lamp{1, 0}.text(4))
	w.settle()
	require.Equal(t, []string{"edit with vim", "git pull", "set", "edit with vim"}, w.sets())

	a := w.do(changelog.Request{DryRun: true})
	require.Len(t, a.Changes, 1)
	w.undo()
	require.Len(t, w.undo().Changes, 2)
	require.Len(t, w.undo().Changes, 2)
	w.cannot(changelog.ErrNothing, changelog.Request{})
}

func TestADryRunChangesNothing(t *testing.T) {
	w := open(t)
	w.set(cache.Cause{By: cache.BySet}, map[entity.ID]*lamp{1: {2, 2}, 2: {3, 3}})
	before := w.sets()
	a := w.do(changelog.Request{DryRun: true})
	require.Len(t, a.Changes, 2)
	require.Equal(t, before, w.sets())
	require.Equal(t, a.Changes[0].Fields, w.undo().Changes[0].Fields)
}

// A creation or a deletion is undone only where its entity is named; the rest of its set is.
func TestWhatCameOrWentMustBeNamed(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, zero.text(first))
	w.edit(w.git(), first+1, zero.text(first+1))
	w.set(cache.Cause{By: cache.BySet}, map[entity.ID]*lamp{first: {2, 2}, first + 1: nil, first + 2: {4, 4}})
	a := w.undo()
	require.Equal(t, map[entity.ID]lamp{first: zero, first + 2: {4, 4}}, w.lamps())
	require.Len(t, a.Unnamed, 2)
	require.Equal(t, events.Deleted, a.Unnamed[0].Event)
	require.Equal(t, events.Created, a.Unnamed[1].Event)
	require.Empty(t, w.undo().Changes, "they are still to be named")
	w.undo(first + 1)
	w.undo(first + 2)
	require.Equal(t, map[entity.ID]lamp{first: zero, first + 1: zero}, w.lamps())
	w.redo()
	require.Equal(t, map[entity.ID]lamp{first: zero, first + 1: zero, first + 2: {4, 4}}, w.lamps(), "nothing goes by it")
	require.Len(t, w.redo().Unnamed, 1)
	w.redo(first + 1)
	require.Equal(t, map[entity.ID]lamp{first: zero, first + 2: {4, 4}}, w.lamps())
	w.undo(first+1, first+2)
	require.Equal(t, map[entity.ID]lamp{first: zero, first + 1: zero}, w.lamps())
}

// An entity that got another ID gets its first one back, with what refers to it.
func TestAnotherIDIsTakenBackAsAWhole(t *testing.T) {
	for _, ids := range [][]entity.ID{nil, {first}, {first + 1}} {
		w := open(t)
		w.edit(w.git(), first, lamp{3, 4}.text(first))
		w.edit(w.git(), first+2, strings.Replace(zero.text(first+2), "    0\n; height", "    0\n; height", 1))
		w.set(cache.Cause{By: "mv"}, map[entity.ID]*lamp{first: nil, first + 1: {3, 4}, first + 2: {8, 8}})
		w.undo(ids...)
		require.Equal(t, map[entity.ID]lamp{first: {3, 4}, first + 2: zero}, w.lamps(), ids)
		w.redo(ids...)
		require.Equal(t, map[entity.ID]lamp{first + 1: {3, 4}, first + 2: {8, 8}}, w.lamps(), ids)
	}
}

// An entity that got another ID and was deleted under it does not come back unless it is named.
func TestWhatWasDeletedUnderItsOtherIDMustBeNamed(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{3, 4}.text(first))
	w.set(cache.Cause{By: "mv"}, map[entity.ID]*lamp{first: nil, first + 1: {3, 4}})
	w.edit(w.git(), first+1, "")
	a := w.undo()
	require.Contains(t, a.Report.Conflicts[0].Words, "became entity")
	require.Empty(t, w.lamps())
	w.undo(first)
	require.Equal(t, map[entity.ID]lamp{first: {3, 4}}, w.lamps())
	w.redo(first)
	require.Empty(t, w.lamps())
}

// An entity that others have put in the place of one's own is left alone.
func TestAnotherEntityUnderTheIDStands(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, lamp{1, 1}.text(first))
	w.edit(w.editor(), first, lamp{2, 1}.text(first))
	w.edit(w.git(), first, "")
	a := w.undo()
	require.NotEmpty(t, a.Report.Conflicts)
	require.Empty(t, w.lamps())
	w.edit(w.git(), first, lamp{2, 9}.text(first))
	a = w.undo()
	require.NotEmpty(t, a.Report.Conflicts)
	require.Equal(t, lamp{2, 9}, w.lamps()[first])
}

func TestSinceATime(t *testing.T) {
	w := open(t)
	w.edit(w.editor(), 1, lamp{1, 0}.text(1))
	time.Sleep(time.Millisecond)
	at := time.Now()
	time.Sleep(time.Millisecond)
	w.edit(w.editor(), 1, lamp{2, 0}.text(1))
	w.edit(w.git(), 2, lamp{2, 0}.text(2))
	w.edit(w.editor(), 1, lamp{2, 3}.text(1))
	a := w.do(changelog.Request{Since: at, DryRun: true})
	require.Len(t, a.Sets, 2)
	require.Len(t, a.Changes, 2)
	w.do(changelog.Request{Since: at})
	view, err := w.View()
	require.NoError(t, err)
	e, _ := view.Get(1)
	require.Equal(t, lamp{1, 0}.text(1), string(textcodec.Append(nil, e)))
	e, _ = view.Get(2)
	require.Equal(t, lamp{2, 0}.text(2), string(textcodec.Append(nil, e)))
	w.cannot(changelog.ErrNothing, changelog.Request{Since: time.Now().Add(time.Hour)})
}

func TestABrokenTextIsUndoneAndRedone(t *testing.T) {
	w := open(t)
	broken := strings.Replace(lamp{5, 0}.text(1), "5", "many", 1)
	w.edit(w.editor(), 1, broken)
	text := func() string {
		view, err := w.View()
		require.NoError(t, err)
		text, err := view.Text(1)
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, broken, text())
	require.Equal(t, events.Broken, w.undo().Undone.Event)
	require.Equal(t, zero.text(1), text())
	require.Equal(t, events.Broken, w.redo().Changes[0].Event)
	require.Equal(t, broken, text())
	w.undo(1)
	require.Equal(t, zero.text(1), text())
	w.redo(1)
	w.edit(w.editor(), 1, lamp{6, 0}.text(1))
	w.undo()
	require.Equal(t, zero.text(1), text(), "the values before, not the text that was none")
}

// A conflict that an apply has left is what undoing it takes out: an older change of one's
// own was undone once.
func TestAConflictThatWasLeftIsTakenOut(t *testing.T) {
	w := open(t)
	w.edit(w.editor(), 1, lamp{1, 0}.text(1))
	theirs := func(watts int) func(v *cache.View) (entity.Source, entity.Source, error) {
		return func(v *cache.View) (entity.Source, entity.Source, error) {
			at := func(watts int) entity.Source {
				res, err := textcodec.Decode([]byte(lamp{watts, 0}.text(1)), 1, v.Types())
				require.NoError(t, err)
				return entity.NewOverlay(v.Overlay, map[entity.ID]*entity.Entity{1: res.Entity})
			}
			return at(0), at(watts), nil
		}
	}
	report, err := w.Edit(cache.Cause{By: cache.ByApply, Note: "a.changes"}, theirs(7), mergeLeave)
	require.NoError(t, err)
	require.Equal(t, 1, report.Left())
	text := func() string {
		view, err := w.View()
		require.NoError(t, err)
		text, err := view.Text(1)
		require.NoError(t, err)
		return string(text)
	}
	marked := text()
	require.True(t, textcodec.HasMarkers([]byte(marked)))
	require.Equal(t, events.Marked, w.undo(1).Undone.Event)
	require.Equal(t, lamp{1, 0}.text(1), text())
	w.redo()
	require.Equal(t, marked, text())
	w.undo()
	w.undo()
	require.Equal(t, zero.text(1), text())
}

// A conflict that is marked again by what marked it before, or that others have settled since,
// is not marked once more: undo goes on to what one did before, and redo does.
func TestAConflictThatCameAgainIsPassedOver(t *testing.T) {
	const marked = "Lamp\n1\n1\n; watts\n<<<<<<< yours\n    1\n=======\n    7\n>>>>>>> shared\n; height\n    0\n; beside\n    0\n"
	for name, now := range map[string]string{"marked again": marked, "settled otherwise": lamp{3, 0}.text(1)} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			w.edit(w.editor(), 2, lamp{5, 5}.text(2))
			w.edit(w.git(), 1, lamp{1, 0}.text(1))
			w.edit(w.git(), 1, marked)
			w.edit(w.editor(), 1, lamp{1, 0}.text(1))
			w.edit(w.git(), 1, now)
			a := w.do(changelog.Request{DryRun: true})
			require.Len(t, a.Changes, 1)
			require.EqualValues(t, 2, a.Changes[0].ID)
			require.EqualValues(t, 2, w.undo().Undone.ID)
			w.cannot(changelog.ErrNothing, changelog.Request{})
			require.Equal(t, now, w.text(1))
			require.Equal(t, zero.text(2), w.text(2))
			require.Empty(t, w.undo(1).Changes)
			require.Equal(t, now, w.text(1))
		})
	}
}

// What is already as redo would make it is passed over, as undo does.
func TestRedoPassesOverWhatIsSoAlready(t *testing.T) {
	w := open(t)
	w.edit(w.git(), 1, zero.text(1))
	w.edit(w.editor(), 1, lamp{5, 0}.text(1))
	w.edit(w.editor(), 2, lamp{6, 0}.text(2))
	w.undo()
	w.undo()
	w.edit(w.git(), 1, lamp{5, 0}.text(1))
	require.EqualValues(t, 2, w.redo().Changes[0].ID)
	require.Equal(t, lamp{6, 0}.text(2), w.text(2))
	w.cannot(changelog.ErrNothingMore, changelog.Request{Redo: true})
}

// What is so already stands in the way of nothing where an entity is named, either: a text
// that was broken twice goes at once, and the undo after that is of the edit before it.
func TestUndoOfAnEntityPassesOverWhatIsSoAlready(t *testing.T) {
	w := open(t)
	w.edit(w.editor(), 1, lamp{5, 0}.text(1))
	broken := lamp{5, 0}.text(1) + "more\n"
	w.edit(w.editor(), 1, broken)
	w.edit(w.editor(), 1, broken+"and more\n")
	for _, want := range []string{lamp{5, 0}.text(1), zero.text(1)} {
		w.undo(1)
		require.Equal(t, want, w.text(1))
	}
	require.Empty(t, w.undo(1).Changes)
	for _, want := range []string{lamp{5, 0}.text(1), broken + "and more\n"} {
		w.redo(1)
		require.Equal(t, want, w.text(1))
	}
	w.cannot(changelog.ErrNothingMore, changelog.Request{IDs: []entity.ID{1}, Redo: true})
}

// The values of then are read under the types of now.
func TestTypesChangedMeanwhile(t *testing.T) {
	w := open(t)
	w.edit(w.editor(), 1, lamp{5, 6}.text(1))
	typ := lampType()
	typ.Fields[0].Shape.Kind = entity.KindU32
	typ.Fields = append(typ.Fields, &entity.Field{Name: "colour", Shape: entity.Shape{Kind: entity.KindString}})
	_, err := w.Import(cache.Intake{Types: []*entity.Type{typ}})
	require.NoError(t, err)
	w.undo()
	view, err := w.View()
	require.NoError(t, err)
	e, _ := view.Get(1)
	require.Zero(t, e.Value("watts").Uint())
	require.Zero(t, e.Value("height").Uint())
	w.redo()
	view, err = w.View()
	require.NoError(t, err)
	e, _ = view.Get(1)
	require.EqualValues(t, 5, e.Value("watts").Uint())
}

// Whose an edit is, is known when the process was killed before the history had it.
func TestWhoseItIsOutlivesTheProcess(t *testing.T) {
	w := open(t)
	w.write(&cache.Writer{Program: "vim", Session: 4, Who: "ann"}, 1, lamp{1, 0}.text(1))
	w.write(&cache.Writer{Program: "git pull", Session: 5, Brought: true}, 2, lamp{1, 0}.text(2))
	require.NoError(t, w.SyncAll())
	crashed := w.World
	copied := t.TempDir()
	copyDir(t, w.dir.Root, copied)
	require.NoError(t, crashed.Close())
	w.reopen(copied)
	require.Equal(t, []string{"edit with vim", "git pull"}, w.sets())
	all, err := changelog.List(w.World, changelog.Filter{Own: true})
	require.NoError(t, err)
	require.Equal(t, "ann", all[len(all)-1].Who)
	w.undo()
	w.cannot(changelog.ErrNothing, changelog.Request{})
}

// A file is put where git has just removed one, and looked at before it is said by what.
func TestWhatIsPutWhereGitRemovedAFile(t *testing.T) {
	w := open(t)
	put := func(id entity.ID, by *cache.Writer) {
		git := w.git()
		w.write(&git, id, "")
		if by != nil {
			w.NoteWriter(id, by)
		}
		w.adopt(id, lamp{5, 0}.text(id))
		w.settle()
	}
	put(1, &cache.Writer{Program: "vim", Session: 4})
	require.Equal(t, []string{"edit with vim"}, w.sets())
	put(2, nil)
	require.Equal(t, []string{"edit with vim", "edit"}, w.sets())
}

// What was made again since is not undone, however often.
func TestHistorySaysWhatIsUndone(t *testing.T) {
	w := open(t)
	w.edit(w.git(), first, zero.text(first))
	w.edit(w.editor(), first, lamp{1, 0}.text(first))
	undone := func() (is []bool) {
		all, err := changelog.List(w.World, changelog.Filter{Own: true})
		require.NoError(t, err)
		for _, s := range all {
			is = append(is, s.Undone)
		}
		return is
	}
	w.undo()
	require.Equal(t, []bool{true, false}, undone())
	w.redo()
	require.Equal(t, []bool{false, true, false}, undone())
	w.undo()
	require.Equal(t, []bool{true, false, true, false}, undone())
	w.redo()
	require.Equal(t, []bool{false, true, false, true, false}, undone())
}

// An entry that says it takes back its own set does not: no writer makes one, but a damaged
// history may have it.
func TestAnEntryThatTakesBackItsOwnSet(t *testing.T) {
	w := open(t)
	log, err := w.HistoryNow()
	require.NoError(t, err)
	source := history.Source{Set: 1 << 60, Origin: history.Here, Undoes: 1 << 60}
	_, err = log.Append([]history.Entry{{Time: time.Now(), ID: 1, Kind: history.Changed, By: cache.ByUndo, Source: source,
		Was: []byte(lamp{1, 0}.text(1)), Is: []byte(zero.text(1))}})
	require.NoError(t, err)
	all, err := changelog.List(w.World, changelog.Filter{Last: 1})
	require.NoError(t, err)
	require.EqualValues(t, 1<<60, all[0].Set)
	require.False(t, all[0].Undone)
}

func TestHistoryIsFiltered(t *testing.T) {
	w := open(t)
	w.edit(cache.Writer{Program: "vim", Session: 4, Who: "ann"}, 1, lamp{1, 0}.text(1))
	w.edit(w.git(), 2, lamp{1, 0}.text(2))
	w.set(cache.Cause{By: cache.BySet}, map[entity.ID]*lamp{3: {2, 2}})
	w.undo()
	for _, x := range []struct {
		f    changelog.Filter
		want []string
	}{
		{changelog.Filter{Own: true}, []string{"edit with vim", "set", "undo"}},
		{changelog.Filter{By: "git"}, []string{"git checkout"}},
		{changelog.Filter{By: "git checkout"}, []string{"git checkout"}},
		{changelog.Filter{By: "vim"}, []string{"edit with vim"}},
		{changelog.Filter{By: "edit"}, []string{"edit with vim", "git checkout"}},
		{changelog.Filter{Who: "ann"}, []string{"edit with vim"}},
		{changelog.Filter{Last: 2}, []string{"set", "undo"}},
		{changelog.Filter{Since: time.Now().Add(time.Hour)}, nil},
	} {
		all, err := changelog.List(w.World, x.f)
		require.NoError(t, err)
		require.NotNil(t, all)
		var how []string
		for _, s := range all {
			how = append(how, s.How())
		}
		require.Equal(t, x.want, how, "%+v", x.f)
	}
	all, err := changelog.List(w.World, changelog.Filter{Last: 2, Changes: true})
	require.NoError(t, err)
	require.True(t, all[0].Undone)
	require.Equal(t, all[0].Set, all[1].Undoes)
	require.Equal(t, []entity.ID{3}, all[1].Entities)
	require.Len(t, all[1].Changes[0].Fields, 2)
}
