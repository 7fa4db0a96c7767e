package notable_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/notable"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func lampType() *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "name", Shape: entity.Shape{Kind: entity.KindString}}, {Name: "target", Shape: entity.Shape{Kind: entity.KindRef}},
	}}
}

func lamp(id entity.ID, name string, to entity.ID) *entity.Entity {
	return &entity.Entity{ID: id, Layout: lampType().Layout(1), Values: []entity.Value{entity.NewString(name), entity.NewRef(to)}}
}

func open(t *testing.T, entities ...*entity.Entity) *cache.World {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	w, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	_, err = w.Import(cache.Intake{Types: []*entity.Type{lampType()}, Entities: entities})
	require.NoError(t, err)
	return w
}

func complete(t *testing.T, w *cache.World, record vcssync.Record) []entity.Finding {
	st, err := w.Status()
	require.NoError(t, err)
	return notable.Complete(w, st, record)
}

func TestARefThatLeadsNowhereSaysWhatWasThere(t *testing.T) {
	w := open(t, lamp(1, "desk", 2), lamp(2, "floor", 1), lamp(3, "hall", 99))
	_, err := w.Import(cache.Intake{Types: []*entity.Type{lampType()}, Entities: []*entity.Entity{lamp(1, "desk", 2), lamp(3, "hall", 99)}, Whole: true, AllowLoss: true})
	require.NoError(t, err)
	found := complete(t, w, vcssync.Record{})
	require.Len(t, found, 2)
	require.Equal(t, entity.ID(2), found[0].Other)
	require.Contains(t, found[0].Message, `it refers to entity 2, which there is not; Lamp 2 "floor" was deleted at `)
	require.Contains(t, found[0].Message, " by an import")
	require.Equal(t, "worldfs undo 2 --any", found[0].Mend, "an import is no edit of one's own, and undo 2 alone refuses")
	require.Equal(t, entity.SeverityWarning, found[0].Severity)
	require.Equal(t, "it refers to entity 99, which there is not", found[1].Message, "of that there is nothing in the history")
	require.Equal(t, "$EDITOR entities/3.entity_text", found[1].Mend)
}

func TestWhatIsSoOfTheWorldAsAWhole(t *testing.T) {
	w := open(t, lamp(1, "desk", 0))
	require.Empty(t, complete(t, w, vcssync.Record{}))

	found := complete(t, w, vcssync.Record{Deleted: []vcssync.Deletion{{Name: "entities/7.entity_text"}}, Failure: "index.lock is there", Since: time.Now()})
	require.Len(t, found, 2)
	require.Contains(t, found[0].Message, "svn has 1 deletion that it does not know of yet")
	require.Contains(t, found[1].Message, "index.lock is there")
	for _, f := range found {
		require.Equal(t, []string{entity.CodeVCSUntold, "worldfs vcs sync"}, []string{f.Code, f.Mend})
	}

	found = notable.Complete(w, cache.Status{Failure: "no space left on device"}, vcssync.Record{})
	require.Len(t, found, 1)
	require.Equal(t, []string{entity.CodeDisk, "no space left on device"}, []string{found[0].Code, found[0].Message})

	lost := cache.Status{Failure: "a loss", Loss: &cache.Loss{Had: 3, Gone: 3}, Findings: []entity.Finding{{Code: entity.CodeGreatLoss, Blocks: true, Mend: "worldfs unpack"}}}
	found = notable.Complete(w, lost, vcssync.Record{})
	require.Len(t, found, 2)
	require.Equal(t, []string{entity.CodeNoEntities, "worldfs unpack"}, []string{found[1].Code, found[1].Mend})
	lost.Loss.Gone = 2
	require.Len(t, notable.Complete(w, lost, vcssync.Record{}), 1, "some are left")
	require.NotNil(t, notable.Explain(w, nil), "an empty array in JSON")
	require.Equal(t, layout.None, w.Layout())
}
