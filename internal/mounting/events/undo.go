package events

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// ErrNoHistory says that the history has nothing of an entity that could be
// undone.
var ErrNoHistory = errors.New("nothing that could be undone is known of it")

// Undone is what undo took back, as one event, and what that came to.
type Undone struct {
	Undone Event        `json:"undone"`
	Report cache.Report `json:"report"`
}

// History returns what the history has of an entity, the oldest first.
func History(w *cache.World, id entity.ID) ([]Event, error) {
	entries, err := w.History(id)
	if err != nil {
		return nil, err
	}
	view, err := w.View()
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(entries))
	for i, e := range entries {
		events[i] = Of(e, view.Types())
	}
	return events, nil
}

// Undo takes back what happened last to an entity; with a time, all that
// happened to it since. Only what was changed then is changed now: what was
// changed later stays, and where that is the same property it is a conflict. A
// text that does not parse is taken back to the last good values.
func Undo(w *cache.World, id entity.ID, at time.Time) (Undone, error) {
	back, err := w.Undelete(id)
	if err != nil {
		return Undone{}, err
	}
	if back != nil && at.IsZero() {
		return undeleted(w, back), nil
	}
	entries, err := w.History(id)
	if err != nil {
		return Undone{}, err
	}
	if broken, mended, ok := lastBroken(entries); ok && at.IsZero() {
		return undoText(w, id, broken, mended)
	}
	last, err := since(entries, at)
	if back != nil && (errors.Is(err, errNotSince) || errors.Is(err, ErrNoHistory)) {
		return undeleted(w, back), nil // that it was gone is all that happened
	}
	if err != nil {
		return Undone{}, fmt.Errorf("entity %d: %w", id, err)
	}
	note := last.Note // of all since a time
	if last.By != "" {
		note = "what " + last.By + " did at " + last.Time.Format(time.RFC3339)
	}
	var left []cache.Conflict
	report, err := w.Edit(cache.Cause{By: cache.ByUndo, Note: note}, func(v *cache.View) (base, theirs entity.Source, err error) {
		v.Means(id)
		v.Mends(id)
		is, err := read(v, id, last.Is)
		was, err2 := read(v, id, last.Was)
		if err := errors.Join(err, err2); err != nil {
			return nil, nil, err
		}
		text, err := v.Text(id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		was, left = KeepDisputed(text, is, was, v.Types())
		if textcodec.HasMarkers(last.Was) {
			v.Marks(id, last.Was)
		}
		return with(v, id, is), with(v, id, was), nil
	}, merge.Options{Policy: merge.Mine})
	report.Conflicts = append(report.Conflicts, left...)
	return Undone{Of(last, w.Types()), report}, err
}

// undeleted says that an entity is back that was gone, and whose deletion is in no history.
func undeleted(w *cache.World, back *entity.Entity) Undone {
	gone := history.Entry{ID: back.ID, Kind: history.Changed, Time: time.Now(), By: cache.ByEdit, Was: textcodec.Append(nil, back)}
	return Undone{Of(gone, w.Types()), cache.Report{Created: 1}}
}

// undoText takes back what broke a text, or brings it again where an undo had
// mended it.
func undoText(w *cache.World, id entity.ID, broken history.Entry, mended bool) (Undone, error) {
	event, cause := Of(broken, w.Types()), cache.Cause{By: cache.ByUndo}
	switch {
	case !mended && broken.By == cache.ByTypes:
		return Undone{}, fmt.Errorf("entity %d: %w", id, ErrByTypes)
	case !mended:
		report, err := w.DropText(id, cause)
		return Undone{event, report}, err
	case broken.Cut:
		return Undone{}, fmt.Errorf("entity %d: %w", id, errTooLarge)
	}
	event.Event = Mended
	report, err := w.PutText(id, broken.Is, cause)
	return Undone{event, report}, err
}

// lastBroken returns what an entity's text is broken by, or was until an undo
// mended it; ok is false if something else happened last.
func lastBroken(entries []history.Entry) (broken history.Entry, mended, ok bool) {
	for _, e := range slices.Backward(entries) {
		switch {
		case e.Kind == history.Broken:
			return e, mended, true
		case e.Kind != history.Mended || e.By != cache.ByUndo:
			return e, false, false
		}
		mended = true
	}
	return history.Entry{}, false, false
}

// ErrByTypes says that a text cannot be read any more, and that no edit of it is the cause.
var ErrByTypes = errors.New("its type has changed, and no edit of its text is to be taken back: mend the line that cannot be read, or have the types be as they were")

var (
	errTooLarge = errors.New("the text of then was too large to keep")
	errNotSince = errors.New("nothing happened to it since")
)

// since returns as one entry what happened last, or after a time.
func since(entries []history.Entry, at time.Time) (history.Entry, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e history.Entry) bool { return e.Kind != history.Changed })
	if len(entries) == 0 {
		return history.Entry{}, ErrNoHistory
	}
	last := entries[len(entries)-1]
	if !at.IsZero() {
		first := slices.IndexFunc(entries, func(e history.Entry) bool { return e.Time.After(at) })
		if first < 0 {
			return history.Entry{}, fmt.Errorf("%w %s", errNotSince, at.Format(time.RFC3339))
		}
		last.Was, last.Cut = entries[first].Was, last.Cut || entries[first].Cut
		last.By, last.Note = "", "all that happened since "+at.Format(time.RFC3339)
	}
	if last.Cut {
		return history.Entry{}, errTooLarge
	}
	return last, nil
}

// read returns an entity as a text of the history has it, nil where there was none.
func read(v *cache.View, id entity.ID, text []byte) (*entity.Entity, error) {
	if text == nil {
		return nil, nil
	}
	res, err := textcodec.Decode(text, id, v.Types())
	if err != nil {
		return nil, fmt.Errorf("its text of then does not parse any more: %w", err)
	}
	return res.Entity, nil
}

// with returns the world with an entity as another has it, without it where that is nil.
func with(v *cache.View, id entity.ID, e *entity.Entity) entity.Source {
	return entity.NewOverlay(v.Overlay, map[entity.ID]*entity.Entity{id: e})
}
