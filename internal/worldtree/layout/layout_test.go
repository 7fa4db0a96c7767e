package layout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

func TestPathsOfTheLayouts(t *testing.T) {
	for l, want := range map[layout.Layout][2]string{
		layout.None:      {"6555.entity_text", "7.entity_text"},
		layout.LastDigit: {"5/6555.entity_text", "7/7.entity_text"},
		layout.Tens:      {"55/6555.entity_text", "07/7.entity_text"},
		layout.Hundreds:  {"555/6555.entity_text", "007/7.entity_text"},
	} {
		require.Equal(t, want, [2]string{l.Path(6555), l.Path(7)}, l.String())
	}
}

func TestAPathBelongsToOneEntityOfOneLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := entity.ID(rapid.Uint32Min(1).Draw(t, "id"))
		l := layout.Layout(rapid.IntRange(0, 3).Draw(t, "layout"))
		path := l.Path(id)
		back, ok := l.Entity(path)
		require.True(t, ok)
		require.Equal(t, id, back)
		of, back, ok := layout.Of(path)
		require.True(t, ok)
		require.Equal(t, l, of)
		require.Equal(t, id, back)
		if l.Sharded() {
			shard, ok := l.ParseShard(l.ShardName(l.Shard(id)))
			require.True(t, ok)
			require.Equal(t, l.Shard(id), shard)
		}
		named, err := layout.Parse(l.String())
		require.NoError(t, err)
		require.Equal(t, l, named)
	})
}

func TestOtherPathsAreNoEntitys(t *testing.T) {
	for _, path := range []string{
		"", "/", "5", "5/", "/6555.entity_text", "6/6555.entity_text", "6555/6555.entity_text", "5/5/6555.entity_text",
		"5//6555.entity_text", "05/5.entity_tex", "+5/6555.entity_text", "5/06555.entity_text", "0.entity_text",
		"5555/5555.entity_text", "55/5.entity_text", "a/6555.entity_text", "5/4294967296.entity_text",
	} {
		_, _, ok := layout.Of(path)
		require.False(t, ok, path)
	}
	for l := layout.None; l <= layout.Hundreds; l++ {
		for _, name := range []string{"", "-", "a", "5a", "+55", "5555", "٥"} {
			_, ok := l.ParseShard(name)
			require.False(t, ok, "%s %q", l, name)
		}
	}
	_, err := layout.Parse("thousands")
	require.ErrorContains(t, err, `"thousands" is not one of none, last-digit, tens, hundreds`)
}

func TestStrayOf(t *testing.T) {
	for name, want := range map[string]entity.ID{
		"entities/5/12/6555.entity_text": 6555, "entities/deep/er/6555.entity_text": 6555,
		"entities/6555.entity_text": 0, "entities/5/6555.entity_text": 0, "entities/deep/06555.entity_text": 0, "scratch/deep/6555.entity_text": 0,
	} {
		id, stray := layout.StrayOf(name)
		require.Equal(t, want != 0, stray, name)
		require.Equal(t, want, id, name)
	}
}
