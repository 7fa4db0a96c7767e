package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/selection"
)

// maxSelected is how many entities can be selected at once.
const maxSelected = 100_000

// maxSelectedBy is how long the words can be, in bytes, that say what selects.
const maxSelectedBy = 200

// SelectCall says which entities are to be selected; IDs nil: what is selected stays.
type SelectCall struct {
	IDs []entity.ID `json:"ids"`
	By  string      `json:"by,omitempty"`
}

// Selected is a selection as it is answered.
type Selected struct {
	Number   uint64           `json:"number"` // grows with each; 0: nothing was selected yet
	Time     *time.Time       `json:"time,omitempty"`
	By       string           `json:"by,omitempty"`
	Entities []SelectedEntity `json:"entities"` // those that are there
}

// SelectedEntity is one of them.
type SelectedEntity struct {
	ID   entity.ID `json:"id"`
	Type string    `json:"type"`
	Name string    `json:"name,omitempty"`
}

// selectEntities answers what is selected, after it has selected what the call names.
func (d *daemon) selectEntities(c SelectCall) (Selected, error) {
	view, err := d.world.View()
	if err != nil {
		return Selected{}, err
	}
	return selectOn(&d.selected, view, c)
}

// selectOn is selectEntities of a board, in a world.
func selectOn(board *selection.Board, world entity.Source, c SelectCall) (Selected, error) {
	if c.IDs == nil {
		return describe(board.Get(), world), nil
	}
	if len(c.IDs) > maxSelected || len(c.By) > maxSelectedBy {
		return Selected{}, &Failure{Exit: ExitUsage, Message: fmt.Sprintf("a selection has at most %d entities, and %d bytes of by", maxSelected, maxSelectedBy)}
	}
	for _, id := range c.IDs {
		if _, ok := world.Get(id); !ok {
			return Selected{}, fmt.Errorf("there is no entity %d", id)
		}
	}
	return describe(board.Set(c.IDs, c.By, time.Now().UTC()), world), nil
}

// describe says which entities a selection has.
func describe(s selection.Selection, world entity.Source) Selected {
	a := Selected{Number: s.Number, By: s.By, Entities: make([]SelectedEntity, 0, len(s.IDs))}
	if s.Number > 0 {
		a.Time = &s.Time
	}
	for _, id := range s.IDs {
		if e, ok := world.Get(id); ok {
			a.Entities = append(a.Entities, SelectedEntity{id, e.Type(), e.Name()})
		}
	}
	return a
}

// handleSelections sends what is selected, and each selection after that, a line each, until
// the world is unmounted. A client that reads slowly is told the latest.
func (d *daemon) handleSelections(w http.ResponseWriter, r *http.Request) {
	t := eventStream{w: w, out: http.NewResponseController(w), done: d.ended}
	t.sendSelections(r.Context(), &d.selected, func(s selection.Selection) (Selected, error) {
		return with(d, func() (Selected, error) {
			view, err := d.world.View()
			if err != nil {
				return Selected{}, err
			}
			return describe(s, view), nil
		})
	})
}

// sendSelections sends those of a board as they are described, until the stream is done.
func (t *eventStream) sendSelections(ctx context.Context, board *selection.Board, describe func(selection.Selection) (Selected, error)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-t.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	lines := json.NewEncoder(t.w)
	lines.SetEscapeHTML(false)
	t.w.Header().Set("Content-Type", "application/jsonl")
	go t.limitLastWrite(ctx)
	for s := board.Get(); ; {
		line, err := describe(s)
		if err != nil || lines.Encode(line) != nil || t.out.Flush() != nil {
			return // there will be no more, or the client is gone
		}
		if s, err = board.Next(ctx, s.Number); err != nil {
			return
		}
	}
}

// Select selects entities, and returns what is selected then.
func (c *Client) Select(call SelectCall) (Selected, error) { return ask[Selected](c, "select", call) }

// Selections calls line with what is selected, and with each selection after that. It returns
// nil when the world is unmounted, and the context's error when that ends first.
func (c *Client) Selections(ctx context.Context, line func([]byte) error) error {
	return c.stream(ctx, "selections", line)
}
