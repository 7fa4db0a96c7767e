package creators_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/creators"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/merge"
)

func TestFind(t *testing.T) {
	asked := 0
	authors := func(p merge.Party, files []string) map[string]string {
		asked += len(files)
		if p == merge.Ours {
			return map[string]string{layout.FileName(1): "ANN", layout.FileName(2): "Carol"}
		}
		return nil
	}
	require.Nil(t, creators.Find([]merge.Range{{From: 1, To: 9}}, layout.FileName, authors), "no range has an owner")

	var kept creators.Kept
	find := creators.Find([]merge.Range{{From: 1, To: 9, Owners: []string{"Ann"}}}, layout.FileName, kept.Of(authors))
	ann := map[entity.ID][]string{1: {"Ann"}}
	require.Equal(t, ann, find(merge.Ours, []entity.ID{1, 2}))
	require.Empty(t, find(merge.Theirs, []entity.ID{1}))
	require.Equal(t, 3, asked)

	require.Equal(t, ann, find(merge.Ours, []entity.ID{1, 2}), "what was found out is not asked again")
	require.Empty(t, find(merge.Theirs, []entity.ID{1}), "nor what was not")
	require.Equal(t, 3, asked)
}
