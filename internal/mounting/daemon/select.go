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
	if c.IDs == nil {
		return d.describe(d.selected.Get())
	}
	if len(c.IDs) > maxSelected || len(c.By) > maxSelectedBy {
		return Selected{}, &Failure{Exit: ExitUsage, Message: fmt.Sprintf("a selection has at most %d entities, and %d bytes of by", maxSelected, maxSelectedBy)}
	}
	view, err := d.world.View()
	if err != nil {
		return Selected{}, err
	}
	for _, id := range c.IDs {
		if _, ok := view.Get(id); !ok {
			return Selected{}, fmt.Errorf("there is no entity %d", id)
		}
	}
	return d.describe(d.selected.Set(c.IDs, c.By, time.Now().UTC()))
}

// describe says which entities a selection has.
func (d *daemon) describe(s selection.Selection) (Selected, error) {
	a := Selected{Number: s.Number, By: s.By, Entities: make([]SelectedEntity, 0, len(s.IDs))}
	if s.Number > 0 {
		a.Time = &s.Time
	}
	view, err := d.world.View()
	if err != nil {
		return a, err
	}
	for _, id := range s.IDs {
		if e, ok := view.Get(id); ok {
			a.Entities = append(a.Entities, SelectedEntity{id, e.Type(), e.Name()})
		}
	}
	return a, nil
}

// handleSelections sends what is selected, and each selection after that, a line each, until
// the world is unmounted. A client that reads slowly is told the latest.
func (d *daemon) handleSelections(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-d.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	t := eventStream{daemon: d, w: w, out: http.NewResponseController(w)}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	w.Header().Set("Content-Type", "application/jsonl")
	go t.limitLastWrite(ctx)
	for s := d.selected.Get(); ; {
		line, err := with(d, func() (Selected, error) { return d.describe(s) })
		if err != nil || lines.Encode(line) != nil || t.out.Flush() != nil {
			return // unmounted, or gone
		}
		if s, err = d.selected.Next(ctx, s.Number); err != nil {
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
