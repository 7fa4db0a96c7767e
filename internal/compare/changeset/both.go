package changeset

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
)

// Both returns the changes that two sets have in common.
func Both(a, b entity.ChangeSet) (both entity.ChangeSet, err error) {
	text := func(c entity.Change) (string, error) {
		var out bytes.Buffer
		err := Format(&out, entity.ChangeSet{c})
		return out.String(), err
	}
	known := make(map[string]bool)
	for _, c := range b {
		s, err := text(c)
		if err != nil {
			return nil, err
		}
		known[s] = true
	}
	for _, c := range a {
		s, err := text(c)
		if err != nil {
			return nil, err
		}
		if known[s] {
			both = append(both, c)
		}
	}
	return both, nil
}
