package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func TestADisputedDeclarationHasBothWays(t *testing.T) {
	a, b := field("a", scalar(entity.KindU32)), field("b", scalar(entity.KindU32))
	kind := func(f *entity.Field, k entity.Kind) *entity.Field { return field(f.Name, scalar(k)) }
	base := worldOf(lamp(1, a, b), 1)
	ours := worldOf(lamp(1, kind(a, entity.KindU64)), 1)
	theirs := worldOf(lamp(1, kind(a, entity.KindI64), kind(b, entity.KindU64)), 1)
	r := merged(t, base, ours, theirs, Options{})
	require.Len(t, r.DisputedTypes(), 1)
	d := r.DisputedTypes()[0]
	require.Len(t, d.Conflicts, 2)
	require.Equal(t, r.Types.Get("Lamp"), d.Stands)
	require.Len(t, d.Stands.Fields, 2, "what theirs changed stays")
	require.Equal(t, entity.KindU64, d.Stands.Fields[0].Kind)
	require.Len(t, d.Other.Fields, 1)
	require.Equal(t, entity.KindI64, d.Other.Fields[0].Kind)

	r = merged(t, base, ours, theirs, Options{Policy: Mine})
	require.Empty(t, r.DisputedTypes())
}

func TestADisputedDeclarationThatOneTookAway(t *testing.T) {
	base, ours := worldOf(lamp(1, field("a", scalar(entity.KindU32))), 1), worldOf(lamp(2, field("a", scalar(entity.KindU32))), 1)
	none := entity.NewWorld(entity.GUID{}, entity.NewTypes())
	for _, r := range []*Result{merged(t, base, ours, none, Options{}), merged(t, base, none, ours, Options{})} {
		d := r.DisputedTypes()[0]
		require.Equal(t, uint32(2), d.Stands.Revision)
		require.Nil(t, d.Other)
	}
}
