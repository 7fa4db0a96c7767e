package daemon

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/mounting/events"
)

type historyCall struct{ ID entity.ID }

var historyCommand = define(command[historyCall, []events.Event]{
	name: "history", do: func(s service, c historyCall) ([]events.Event, error) { return events.History(s.world, c.ID) },
})

// History returns what the history has of an entity, the oldest first.
func (w *World) History(id entity.ID) ([]events.Event, error) {
	return historyCommand.on(w, historyCall{id})
}

type undoCall struct {
	ID entity.ID
	At time.Time // zero: only what happened last
}

var undoCommand = define(command[undoCall, events.Undone]{
	name: "undo", changes: true,
	do: func(s service, c undoCall) (events.Undone, error) { return events.Undo(s.world, c.ID, c.At) },
})

// Undo takes back what happened last to an entity; with a time, all that
// happened to it since. Only what was changed then is changed now: what was
// changed later stays, and where that is the same property it is a conflict. A
// text that does not parse is taken back to the last good values.
func (w *World) Undo(id entity.ID, at time.Time) (events.Undone, error) {
	return undoCommand.on(w, undoCall{id, at})
}

var takeBackCommand = define(command[changelog.Request, changelog.Answer]{
	name: "takeback", changes: true,
	do: func(s service, r changelog.Request) (changelog.Answer, error) { return changelog.Do(s.world, r) },
})

// TakeBack undoes one's own last change set, or what the request says, or makes it again.
func (w *World) TakeBack(r changelog.Request) (changelog.Answer, error) {
	return takeBackCommand.on(w, r)
}

var changesCommand = define(command[changelog.Filter, []changelog.Summary]{
	name: "changes",
	do:   func(s service, f changelog.Filter) ([]changelog.Summary, error) { return changelog.List(s.world, f) },
})

// Changes returns the world's change sets, the latest last.
func (w *World) Changes(f changelog.Filter) ([]changelog.Summary, error) {
	return changesCommand.on(w, f)
}
