package cache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

func noteType() *entity.Type {
	return &entity.Type{Name: "Note", Revision: 1, Fields: []*entity.Field{{Name: "text", Shape: entity.Shape{Kind: entity.KindString}}}}
}

// note returns an entity that is one long text.
func note(t *entity.Type, id entity.ID, text string) *entity.Entity {
	e := entity.New(id, t.Layout(1))
	e.Values[0] = entity.NewString(text)
	return e
}

func TestAnEntityWhoseTextWouldBeTooLargeIsNotTakenIn(t *testing.T) {
	b := newBench(t, 3)
	n := noteType()
	_, err := b.w.Import(cache.Intake{Types: []*entity.Type{n}, Entities: []*entity.Entity{note(n, 90, strings.Repeat("a", cache.MaxFileSize))}})
	require.ErrorIs(t, err, cache.ErrTooLarge)
	require.ErrorContains(t, err, "entity 90")
	require.Equal(t, []entity.ID{1, 2, 3}, b.w.IDs(0, 10))
	_, err = b.w.Import(cache.Intake{Types: []*entity.Type{n}, Entities: []*entity.Entity{note(n, 90, strings.Repeat("a", 20<<20))}})
	require.NoError(t, err)
}

func TestNoTextIsLargerThanItIsSaidToBeAtMost(t *testing.T) {
	n := noteType()
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{'\n', 0, 0xff, '"'}))).Draw(t, "text")
		e := note(n, 7, string(bytes))
		require.LessOrEqual(t, len(textcodec.Append(nil, e)), e.TextAtMost())
	})
}
