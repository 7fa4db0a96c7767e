package editing

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
)

// maxListed is how many entities are listed of those that a text is in.
const maxListed = 20

// find returns the entity that a person means: by its ID, by its whole name, or by a text
// that only it has. Several are listed.
func (w *world) find(cmd *cobra.Command, what string) (entity.ID, error) {
	if id, err := entity.ParseID(what); err == nil && w.has(id) {
		return id, nil
	}
	var called, having []*entity.Entity
	lower := strings.ToLower(what)
	for e := range w.Source.All() {
		if strings.ToLower(e.Name()) == lower {
			called = append(called, e)
		}
		if contains(e, lower) {
			having = append(having, e)
		}
	}
	if len(called) > 0 {
		having = called
	}
	switch len(having) {
	case 0:
		return 0, cli.Usagef("no entity has %q in it", what)
	case 1:
		return having[0].ID, nil
	}
	for _, e := range having[:min(len(having), maxListed)] {
		fmt.Fprintln(cmd.ErrOrStderr(), e)
	}
	return 0, cli.Usagef("%s entities have %q in them: give the ID of one", cli.Count(len(having)), what)
}

// contains reports whether a lower-case text occurs in an entity's ID, type or strings.
func contains(e *entity.Entity, text string) bool {
	if strings.Contains(e.ID.String(), text) || strings.Contains(strings.ToLower(e.Type()), text) {
		return true
	}
	for i, f := range e.Layout.Fields {
		if hasText(&f.Shape, e.Values[i], text) {
			return true
		}
	}
	for _, raw := range e.Unknown {
		if strings.Contains(strings.ToLower(raw.Lines), text) {
			return true
		}
	}
	return false
}

func hasText(s *entity.Shape, v entity.Value, text string) bool {
	switch v.Kind() {
	case entity.KindString:
		return strings.Contains(strings.ToLower(v.Text()), text)
	case entity.KindEnum:
		name, _ := s.NameOf(v.Int())
		return strings.Contains(strings.ToLower(name), text)
	case entity.KindSet, entity.KindArray:
		for _, item := range v.Items() {
			if hasText(s.Of, item, text) {
				return true
			}
		}
	case entity.KindStruct:
		for i, f := range s.Fields {
			if hasText(&f.Shape, v.Items()[i], text) {
				return true
			}
		}
	}
	return false
}
