package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/search"
)

// world has a bunker door, a lamp that refers to it, and a gate that refers to the lamp.
func world() *entity.World {
	ref := entity.Shape{Kind: entity.KindRef}
	thing := &entity.Type{Name: "Thing", Revision: 1, Fields: []*entity.Field{
		{Name: "name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &ref}},
		{Name: "mode", Shape: entity.Shape{Kind: entity.KindEnum, Names: []entity.Name{{Name: "Closed", Number: 4}}}},
		{Name: "state", Shape: entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "locked", Number: 0}, {Name: "Burning", Number: 33}}}},
		{Name: "info", Shape: entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
			{Name: "tags", Shape: entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindString}}}}}},
	}}
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(thing))
	put := func(id entity.ID, name string, mode int64, state uint64, tag string, targets ...entity.ID) {
		e := entity.New(id, thing.Current())
		e.Values[0] = entity.NewString(name)
		var refs []entity.Value
		for _, to := range targets {
			refs = append(refs, entity.NewRef(to))
		}
		e.Values[1] = entity.NewList(entity.KindSet, refs)
		e.Values[2], e.Values[3] = entity.NewInt(entity.KindEnum, mode), entity.NewUint(entity.KindFlags, state)
		e.Values[4] = entity.NewStruct([]entity.Value{entity.NewList(entity.KindArray, []entity.Value{entity.NewString(tag)})})
		w.Put(e)
	}
	put(6555, "Bunker door", 4, 1, "north side")
	put(7000, "lamp", 0, 1<<33, "", 6555, 9)
	put(7001, "gate", 0, 1<<33|1, "", 7000)
	gate, _ := w.Get(7001)
	gate.Unknown = []entity.Raw{{Name: "kept", Lines: "    rusty \"hinge\""}}
	return w
}

func TestFind(t *testing.T) {
	for texts, want := range map[string]string{
		"bunker":        `6555 name "Bunker door"; 7000 targets[0] 6555`,
		"DOOR bunker":   `6555 name "Bunker door"; 7000 targets[0] 6555`,
		"north bunker":  `6555 name "Bunker door"; 6555 info.tags "north side"`,
		"6555":          `6555 id "6555"; 7000 targets[0] 6555`,
		"655":           `6555 id "655"`,
		"closed":        `6555 mode "Closed"`,
		"locked":        `6555 state "locked"; 7001 state "locked"`,
		"burning gate":  `7001 name "gate"; 7001 state "Burning"; `,
		"lamp bunker":   `7000 name "lamp"; 7000 targets[0] 6555`,
		"hinge":         `7001 kept "rusty \"hinge\""`,
		"9":             ``,
		"gate bunker":   ``,
		"locked lamp":   `7001 state "locked"; 7001 targets[0] 7000`,
		"burning 7000":  `7000 id "7000"; 7000 state "Burning"; 7001 state "Burning"; 7001 targets[0] 7000`,
		"thing burning": `7000 type "Thing"; 7000 state "Burning"; 7001 type "Thing"; 7001 state "Burning"`,
	} {
		var got []string
		for f := range search.New(strings.Fields(texts)...).In(world()) {
			for _, p := range f.Places {
				text := fmt.Sprintf("%q", p.Text)
				if p.To != nil {
					text = p.To.ID.String()
				}
				got = append(got, fmt.Sprintf("%d %s %s", f.Entity.ID, p.Field, text))
			}
		}
		slices.Sort(got)
		wanted := strings.Split(strings.TrimSuffix(strings.ReplaceAll(want, `"655"`, `"6555"`), "; "), "; ")
		slices.Sort(wanted)
		require.Equal(t, strings.Join(wanted, "; "), strings.Join(got, "; "), texts)
	}
}

func TestATextMayHaveBlanks(t *testing.T) {
	e, _ := world().Get(6555)
	require.True(t, search.New("bunker door").Has(e))
	require.False(t, search.New("door bunker").Has(e))
	require.False(t, search.New().Has(e))
	require.True(t, search.New(" ").IsEmpty())
}

// What has all texts is found, whatever their order; each entity once, and first what has
// them itself.
func TestOrderOfTextsCountsForNothing(t *testing.T) {
	words := []string{"bunker", "door", "lamp", "gate", "6555", "7000", "locked", "burning", "thing", "closed", "hinge", "e"}
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(t, "texts")
		found := func(texts []string) (ids []entity.ID) {
			referring := false
			q := search.New(texts...)
			for f := range q.In(world()) {
				own := q.Has(f.Entity)
				if own && referring {
					t.Fatalf("%v comes after what refers to something", f.Entity)
				}
				referring = referring || !own
				ids = append(ids, f.Entity.ID)
			}
			return ids
		}
		ids := found(texts)
		sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
		require.Len(t, ids, len(sorted))
		require.Equal(t, ids, found(rapid.Permutation(texts).Draw(t, "other order")))
	})
}

func TestManyTexts(t *testing.T) {
	e, _ := world().Get(6555)
	require.True(t, search.New(slices.Repeat([]string{"door"}, search.MaxTexts)...).Has(e))
}
