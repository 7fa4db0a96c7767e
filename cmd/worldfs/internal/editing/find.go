package editing

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/search"
)

// maxListed is how many entities are listed of those that a text is in.
const maxListed = 20

// find returns the entity that a person means: by its ID, by its whole name, or by texts
// that only it has all of. Several are listed.
func (w *world) find(cmd *cobra.Command, texts []string) (entity.ID, error) {
	what := strings.Join(texts, " ")
	if id, err := entity.ParseID(what); err == nil && w.has(id) {
		return id, nil
	}
	var called, having []*entity.Entity
	query := search.New(texts...)
	for e := range w.Source.All() {
		if strings.EqualFold(e.Name(), what) {
			called = append(called, e)
		}
		if query.Has(e) {
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
