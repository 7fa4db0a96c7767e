package daemon

import (
	"cmp"

	"github.com/worldfs/worldfs/cache"
)

// Replacement is a text that takes the place of an entity's.
type Replacement = cache.Replacement

type replaceCall struct {
	Texts []Replacement `json:"texts"`
	By    string        `json:"by"` // the command, for the history; "": edit
}

var replaceCommand = define(command[replaceCall, nothing]{name: "replace", changes: true, waits: true, do: service.replace})

// Replace has entities have texts, where these are still what the caller read. by is the
// command that does it, for the history.
func (w *World) Replace(texts []Replacement, by string) error {
	_, err := replaceCommand.on(w, replaceCall{texts, by})
	return err
}

func (s service) replace(c replaceCall) (nothing, error) {
	return nothing{}, s.world.Replace(cache.Cause{By: cmp.Or(c.By, cache.ByEdit)}, c.Texts)
}
