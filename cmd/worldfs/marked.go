package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// openConflicts are the texts of a merge's sides that had conflict markers before.
type openConflicts map[entity.ID][][]byte

func openConflictsOf(sides ...*worldform.World) openConflicts {
	open := make(openConflicts)
	for _, w := range sides {
		for id, text := range w.Texts {
			if textcodec.HasMarkers(text) {
				open[id] = append(open[id], text)
			}
		}
	}
	return open
}

// mark marks in a merged world the conflicts that are not decided by it, and returns the
// entities that have one. Where one cannot be marked, the entity's text says that there
// was one.
func (o openConflicts) mark(w *worldform.World) (ids []entity.ID) {
	for _, id := range slices.Sorted(maps.Keys(o)) {
		e, ok := w.Source.Get(id)
		if !ok {
			continue
		}
		text := w.Texts[id]
		if text == nil {
			text = textcodec.Append(nil, e)
		}
		marked, err := textcodec.Remark(text, id, w.Types, o[id]...)
		if err != nil {
			whole := textcodec.Marks{Ours: merge.Ours.String(), Theirs: merge.Theirs.String(), Whole: "a side had a conflict here already"}
			marked = textcodec.AppendMarked(nil, e, whole)
		}
		if textcodec.HasMarkers(marked) {
			w.Texts[id] = marked
			ids = append(ids, id)
		}
	}
	return ids
}

// tellOpen says which entities go on with a conflict that they had before the merge.
func tellOpen(cmd *cobra.Command, w *worldform.World, ids []entity.ID, out string) {
	for _, id := range ids {
		e, _ := w.Source.Get(id)
		where := "it is marked in its file again"
		if !worldform.HasTexts(out) {
			where = "ours stands in the result, which has no place for the other side: decide it first"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s: a side had a conflict here already; %s\n", e, where)
	}
}
