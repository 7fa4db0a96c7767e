package daemon

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

type (
	textCall   struct{ ID entity.ID }
	textAnswer struct{ Text []byte }
)

var textCommand = define(command[textCall, textAnswer]{name: "text", do: service.text, fromPack: (*readOnly).text})

// Text returns an entity's text as it is served.
func (w *World) Text(id entity.ID) ([]byte, error) {
	a, err := textCommand.on(w, textCall{id})
	return a.Text, err
}

func (s service) text(c textCall) (a textAnswer, err error) {
	view, err := s.world.View()
	if err != nil {
		return a, err
	}
	a.Text, err = view.Text(c.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, fmt.Errorf("there is no entity %d", c.ID)
	case err != nil:
		return a, fmt.Errorf("entity %d: %w", c.ID, err)
	}
	return a, nil
}

func (r *readOnly) text(c textCall) (a textAnswer, err error) {
	if r.pack == nil {
		return a, r.newer
	}
	e, ok := r.pack.Get(c.ID)
	if !ok {
		return a, fmt.Errorf("entity %d: %w", c.ID, fs.ErrNotExist)
	}
	a.Text = textcodec.Append(nil, e)
	return a, nil
}
