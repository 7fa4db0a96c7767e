package teamwork

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// markOpen marks in a merged world the conflicts that its sides had and that are not
// decided by it, and returns the entities that have one.
func markOpen(open worldform.OpenConflicts, w *worldform.World) (ids []entity.ID) {
	for _, id := range slices.Sorted(maps.Keys(open)) {
		e, ok := w.Source.Get(id)
		if !ok {
			continue
		}
		text := w.Texts[id]
		if text == nil {
			text = textcodec.Append(nil, e)
		}
		if marked := open.Mark(text, e, w.Types); textcodec.HasMarkers(marked) {
			w.Texts[id] = marked
			ids = append(ids, id)
		}
	}
	return ids
}

// reportOpen says which entities go on with a conflict that they had before the merge.
func reportOpen(cmd *cobra.Command, w *worldform.World, ids []entity.ID, out string) {
	for _, id := range ids {
		e, _ := w.Source.Get(id)
		where := "it is marked in its file again"
		if !worldform.HasTexts(out) {
			where = "ours stands in the result, which has no place for the other side: decide it first"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s: a side had a conflict here already; %s\n", e, where)
	}
}
