package ship_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/packfile"
)

// nested has refs wherever they can be.
var nested = []string{
	`{"type":{"name":"Marker","revision":1,"editor_only":true,"fields":[{"name":"name","kind":"string"}]}}`,
	`{"type":{"name":"Node","revision":2,"fields":[
		{"name":"name","kind":"string"},
		{"name":"parent","kind":"ref","direct":true},
		{"name":"target","kind":"ref","default":900},
		{"name":"maybe","kind":"ref","optional":true},
		{"name":"targets","kind":"set","of":"ref"},
		{"name":"links","kind":"array","key":"slot","of":{"kind":"struct","fields":[{"name":"slot","kind":"u8"},{"name":"to","kind":"ref"},
			{"name":"more","kind":"array","of":{"kind":"array","of":{"kind":"set","of":"ref"}}},
			{"name":"note","kind":"string","editor_only":true}]}},
		{"name":"in","kind":"struct","fields":[{"name":"deep","kind":"struct","fields":[{"name":"to","kind":"ref"}]}]},
		{"name":"comment","kind":"string","editor_only":true},
		{"name":"position","kind":"vec3"},
		{"name":"late","kind":"u16","since":2}]}}`,
	`{"entity":{"id":900,"type":"Node","revision":2,"fields":{"name":"nine hundred","position":[1,2,3],"target":0,"comment":"for us"}}}`,
	`{"entity":{"id":20,"type":"Node","revision":1,"fields":{"name":"twenty","parent":900,"target":700,"maybe":20,"targets":[20,30,900],
		"links":[{"slot":1,"to":900,"more":[[[20,900],[]],[]],"note":"n"},{"slot":2,"to":0}],"in":{"deep":{"to":30}}}}}`,
	`{"entity":{"id":30,"type":"Marker","revision":1,"fields":{"name":"here"}}}`,
	`{"entity":{"id":700,"type":"Node","revision":2,"fields":{"name":"seven hundred","parent":20,"target":31,"targets":[30,31,20]},"unknown":[{"name":"odd","lines":"    1"}]}}`,
}

func flatLines(lines []string) []string {
	out := slices.Clone(lines)
	for i, line := range out {
		clean := []byte{}
		for _, c := range []byte(line) {
			if c != '\n' && c != '\t' {
				clean = append(clean, c)
			}
		}
		out[i] = string(clean)
	}
	return out
}

func TestADenseBuildRewritesEveryRef(t *testing.T) {
	w := read(t, flatLines(nested)...)
	b := build(t, w, dense())
	p := parse(t, b)
	requireShipped(t, w, b, p)
	require.Equal(t, 3, p.Len())
	twenty, _ := p.Get(1) // by the editor's IDs: 20, 700, 900
	require.Equal(t, entity.ID(3), twenty.Value("parent").Ref())
	require.Equal(t, entity.ID(2), twenty.Value("target").Ref())
	require.Equal(t, entity.ID(1), twenty.Value("maybe").Ref())
	require.Equal(t, []entity.Value{entity.NewRef(0), entity.NewRef(1), entity.NewRef(3)}, twenty.Value("targets").Items(), "in the order of the new IDs")
	link := twenty.Value("links").Items()[0]
	require.Equal(t, entity.ID(3), link.Items()[1].Ref())
	require.Equal(t, []entity.Value{entity.NewRef(1), entity.NewRef(3)}, link.Items()[2].Items()[0].Items()[0].Items())
	require.Len(t, link.Items(), 3, "a member of the editor's does not ship")
	require.Zero(t, twenty.Value("in").Items()[0].Items()[0].Ref())
	seven, _ := p.Get(2)
	require.Equal(t, []entity.Value{entity.NewRef(0), entity.NewRef(1)}, seven.Value("targets").Items(), "two that lead nowhere are one 0")
	node := p.Types().Get("Node")
	target := node.Fields[node.Current().Index("target")]
	require.Equal(t, entity.ID(3), target.Default.Ref(), "a default is a ref as any other")
	require.Equal(t, -1, node.Current().Index("comment"))
	require.Nil(t, p.Types().Get("Marker"))

	require.Equal(t, []ship.LeftType{{Type: "Marker", Entities: 1}}, b.Notes.Types)
	require.ElementsMatch(t, []ship.LeftField{
		{Type: "Node", Field: "comment", Why: ship.LeftEditorOnly, Entities: 3}, {Type: "Node", Field: "links.note", Why: ship.LeftEditorOnly, Entities: 3},
		{Type: "Node", Field: "odd", Why: ship.LeftUnknown, Entities: 1},
	}, b.Notes.Fields)
	var to []string
	for _, d := range b.Notes.Dangling {
		to = append(to, fmt.Sprintf("%d.%s to %d, left out: %t", d.ID, d.Field, d.To, d.LeftOut))
	}
	require.ElementsMatch(t, []string{"20.targets to 30, left out: true", "20.in.deep.to to 30, left out: true", "700.target to 31, left out: false",
		"700.targets to 30, left out: true", "700.targets to 31, left out: false"}, to)
}

func TestABuildOfTheEditorsIDsHasThem(t *testing.T) {
	w := read(t, flatLines(nested)...)
	b := build(t, w, ship.Options{Names: true})
	p := parse(t, b)
	requireShipped(t, w, b, p)
	e, _ := p.Get(700)
	require.Equal(t, entity.ID(31), e.Value("target").Ref(), "as the editor has it")
	require.Len(t, b.Notes.Dangling, 5)
	require.Equal(t, ship.KeepIDs, b.Map.IDs())
	require.EqualValues(t, 901, b.Map.Next)
}

func TestABuildSaysWhichItIs(t *testing.T) {
	b := build(t, read(t, flatLines(nested)...), dense())
	p := parse(t, b)
	require.Equal(t, p.Hash(), p.BasedOn())
	require.Equal(t, p.Hash(), b.Map.Build)
	require.True(t, b.Map.IsOf(b.Map.BuildID()[:8]))
	require.False(t, b.Map.IsOf(b.Map.BuildID()[:7]))
	require.False(t, b.Map.IsOf("00000000"))
}

func TestNamesStayAtHome(t *testing.T) {
	b := build(t, read(t, flatLines(nested)...), ship.Options{Dense: true})
	p := parse(t, b)
	require.NotContains(t, string(b.Pack), "seven hundred")
	require.Equal(t, -1, p.Types().Get("Node").Current().Index("name"))
	in, ok := b.Map.Entity(2)
	require.True(t, ok)
	require.Equal(t, "seven hundred", in.Name, "the map is for the team")
	require.Contains(t, b.Notes.Fields, ship.LeftField{Type: "Node", Field: "name", Why: ship.LeftName, Entities: 3})
}

func TestIDsCanBeGivenTypeByType(t *testing.T) {
	w := read(t,
		`{"type":{"name":"A","revision":1,"fields":[{"name":"x","kind":"u8"}]}}`, `{"type":{"name":"B","revision":1,"fields":[{"name":"x","kind":"u8"}]}}`,
		`{"entity":{"id":1,"type":"B","revision":1}}`, `{"entity":{"id":2,"type":"A","revision":1}}`,
		`{"entity":{"id":5,"type":"B","revision":1}}`, `{"entity":{"id":9,"type":"A","revision":1}}`)
	o := dense()
	o.ByType = true
	b := build(t, w, o)
	var ids []entity.ID
	for _, in := range b.Map.Entries {
		ids = append(ids, in.ID)
	}
	require.Equal(t, []entity.ID{2, 9, 1, 5}, ids)
}

// small is a world of entities of types by IDs.
func small(t *testing.T, entities map[entity.ID]string) ship.World {
	lines := []string{
		`{"type":{"name":"A","revision":1,"fields":[{"name":"to","kind":"ref"}]}}`, `{"type":{"name":"B","revision":1,"fields":[{"name":"to","kind":"ref"}]}}`,
	}
	for id, typ := range entities {
		lines = append(lines, fmt.Sprintf(`{"entity":{"id":%d,"type":%q,"revision":1}}`, id, typ))
	}
	return read(t, lines...)
}

func TestAnEarlierBuildsIDsAreForEver(t *testing.T) {
	shipIDs := func(m *ship.Map) map[entity.ID]entity.ID {
		ids := map[entity.ID]entity.ID{}
		for _, in := range m.Entries {
			if !in.Gone {
				ids[in.ID] = in.Ship
			}
		}
		return ids
	}
	o := dense()
	first := build(t, small(t, map[entity.ID]string{10: "A", 20: "A", 30: "B"}), o)
	require.Equal(t, map[entity.ID]entity.ID{10: 1, 20: 2, 30: 3}, shipIDs(first.Map))

	o.Earlier = first.Map
	second := build(t, small(t, map[entity.ID]string{5: "A", 10: "A", 30: "A"}), o)
	require.Equal(t, map[entity.ID]entity.ID{10: 1, 5: 4, 30: 5}, shipIDs(second.Map), "30 is another thing now")
	require.Equal(t, []ship.Named{{ID: 30, Type: "A"}}, second.Notes.Retyped)
	gone, _ := second.Map.Entity(2)
	require.True(t, gone.Gone)
	require.Equal(t, entity.ID(20), gone.ID)

	o.Earlier = second.Map
	third := build(t, small(t, map[entity.ID]string{10: "A", 20: "A", 30: "B", 40: "A"}), o)
	require.Equal(t, map[entity.ID]entity.ID{10: 1, 20: 2, 30: 3, 40: 6}, shipIDs(third.Map), "what comes back is what it was")
	require.Equal(t, 4, third.Map.Live())
	text := ship.AppendMap(nil, third.Map)
	again, err := ship.ParseMap(text)
	require.NoError(t, err)
	require.Equal(t, third.Map, again)

	o.Earlier = third.Map
	empty := build(t, small(t, nil), o)
	require.Zero(t, empty.Map.Live())
	o.Earlier = empty.Map
	require.Equal(t, map[entity.ID]entity.ID{50: 7}, shipIDs(build(t, small(t, map[entity.ID]string{50: "A"}), o).Map))
}

func TestAMapWhoseIDsAreGoneGivesNoMore(t *testing.T) {
	o := dense()
	o.Earlier = &ship.Map{World: worldID, Next: 1 << 32}
	_, err := ship.Make(small(t, map[entity.ID]string{1: "A"}), o)
	require.ErrorContains(t, err, "no ship ID left")
}

func TestTheMapOfAnotherWorldIsRefused(t *testing.T) {
	o := dense()
	o.Earlier = &ship.Map{World: entity.GUID{9}, Next: 1}
	_, err := ship.Make(small(t, map[entity.ID]string{1: "A"}), o)
	require.ErrorContains(t, err, "another world")
}

func TestWhatStopsABuildIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"a direct ref to what does not ship": {[]string{
			`{"type":{"name":"M","revision":1,"editor_only":true,"fields":[{"name":"x","kind":"u8"}]}}`,
			`{"type":{"name":"A","revision":1,"fields":[{"name":"at","kind":"array","of":{"kind":"ref","direct":true}}]}}`,
			`{"entity":{"id":1,"type":"A","revision":1,"fields":{"at":[2]}}}`, `{"entity":{"id":2,"type":"M","revision":1}}`,
		}, []string{"A 1, field at: it follows entity 2, whose type is editor_only and does not ship"}},
		"a direct ref to nothing": {[]string{
			`{"type":{"name":"A","revision":1,"fields":[{"name":"at","kind":"ref","direct":true}]}}`,
			`{"entity":{"id":7,"type":"A","revision":1,"fields":{"at":9}}}`,
		}, []string{"A 7, field at: it follows entity 9, which there is not"}},
		"keys that have become equal": {[]string{
			`{"type":{"name":"A","revision":1,"fields":[{"name":"l","kind":"array","key":"k","of":{"kind":"struct","fields":[{"name":"k","kind":"ref"}]}}]}}`,
			`{"entity":{"id":70,"type":"A","revision":1,"fields":{"l":[{"k":8},{"k":9}]}}}`,
		}, []string{"A 70, field l: as it ships: two of its elements have the same key; give one another"}},
		"unique values that have become equal": {[]string{
			`{"type":{"name":"A","revision":1,"fields":[{"name":"r","kind":"ref","unique":true}]}}`,
			`{"entity":{"id":70,"type":"A","revision":1,"fields":{"r":8}}}`, `{"entity":{"id":80,"type":"A","revision":1,"fields":{"r":9}}}`,
		}, []string{"A 80, field r: as it ships: entity 70 has the same value, and no two may"}},
	} {
		_, err := ship.Make(read(t, c.lines...), dense())
		var got []string
		for _, f := range ship.Findings(err) {
			require.True(t, f.Blocks)
			got = append(got, f.String())
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestAnUpgradeThatWouldLoseAValueIsRefusedByName(t *testing.T) {
	_, err := ship.Make(read(t,
		`{"type":{"name":"A","revision":2,"fields":[{"name":"old","kind":"u8","until":2},{"name":"x","kind":"u8"}]}}`,
		`{"entity":{"id":1,"type":"A","revision":1,"fields":{"old":3}}}`), dense())
	require.ErrorContains(t, err, "A 1, field old")
	_, err = ship.Make(read(t,
		`{"type":{"name":"A","revision":2,"fields":[{"name":"x","kind":"u8"}]}}`,
		`{"entity":{"id":1,"type":"A","revision":3,"fields":{"x":3}}}`), dense())
	require.ErrorContains(t, err, "A 1: it is at revision 3, its type only at 2")
}

func TestConditionsDoNotShip(t *testing.T) {
	w := read(t,
		`{"type":{"name":"A","revision":1,"fields":[{"name":"secret","kind":"u32","editor_only":true},{"name":"x","kind":"u8","save_when":"secret == 1"},{"name":"y","kind":"u8","insignificant_when":"secret == 1"}]}}`,
		`{"entity":{"id":1,"type":"A","revision":1,"fields":{"secret":1,"x":3}}}`, `{"entity":{"id":2,"type":"A","revision":1,"fields":{"secret":2}}}`)
	p := parse(t, build(t, w, dense()))
	require.Equal(t, "", p.Types().Get("A").Fields[0].SaveWhen)
	one, _ := p.Get(1)
	require.Equal(t, uint64(3), one.Value("x").Uint())
	two, _ := p.Get(2)
	require.True(t, two.Value("x").IsNull())
}

func TestIntegersThatAreIDsAreNamed(t *testing.T) {
	lines := []string{`{"type":{"name":"A","revision":1,"fields":[{"name":"link","kind":"u32"},{"name":"list","kind":"array","of":{"kind":"struct","fields":[{"name":"id","kind":"i64"}]}},{"name":"count","kind":"u32"},{"name":"small","kind":"u8"}]}}`}
	for id := 1000; id < 1100; id += 10 {
		lines = append(lines, fmt.Sprintf(`{"entity":{"id":%d,"type":"A","revision":1,"fields":{"link":%d,"list":[{"id":%d},{"id":0}],"count":%d,"small":%d}}}`, id, 2090-id, 2090-id, id%7, id%250))
	}
	b := build(t, read(t, lines...), dense())
	require.Equal(t, []ship.Suspect{
		{Type: "A", Field: "link", Kind: "u32", Values: 10, IDs: 10}, {Type: "A", Field: "list.id", Kind: "i64", Values: 10, IDs: 10},
	}, b.Notes.Suspects)
}

func TestTheSameWorldGivesTheSameBytes(t *testing.T) {
	w := read(t, flatLines(nested)...)
	b := build(t, w, dense())
	for range 5 {
		again := build(t, read(t, flatLines(nested)...), dense())
		require.Equal(t, b.Pack, again.Pack)
		require.Equal(t, ship.AppendMap(nil, b.Map), ship.AppendMap(nil, again.Map))
		require.Equal(t, b.Notes, again.Notes)
	}
}

func TestRealWorlds(t *testing.T) {
	for _, path := range realworld.Worlds(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := readReal(t, path)
			o := dense()
			o.ByType = true
			first := build(t, w, o)
			requireShipped(t, w, first, parse(t, first))
			requireShipped(t, w, build(t, w, ship.Options{}), parse(t, build(t, w, ship.Options{})))

			// The next build lacks some that no ref is followed to, and has new ones.
			next := entity.NewWorld(worldID, w.Types)
			needed := map[entity.ID]bool{}
			for e := range w.Entities.All() {
				e.Refs(func(_ string, direct bool, to entity.ID) bool { needed[to] = needed[to] || direct; return true })
			}
			for e := range w.Entities.All() {
				if e.ID%3 != 0 || needed[e.ID] {
					next.Put(e)
				} else {
					c := e.Clone()
					c.ID += 1 << 20
					next.Put(c)
				}
			}
			o.Earlier = first.Map
			then := ship.World{ID: worldID, Types: w.Types, Entities: next}
			second := build(t, then, o)
			requireShipped(t, then, second, parse(t, second))
			for _, was := range first.Map.Entries {
				is, ok := second.Map.Entity(was.Ship)
				require.True(t, ok)
				require.Equal(t, was.Named, is.Named, "an ID never means another entity")
				_, lives := next.Get(was.ID)
				require.Equal(t, lives, !is.Gone)
			}
		})
	}
}

func TestWhatIsOtherwiseInThePackIsFound(t *testing.T) {
	w := read(t, flatLines(nested)...)
	b := build(t, w, dense())
	p := parse(t, b)
	for id := range p.IDs() {
		e, _ := p.Get(id)
		for i, f := range e.Layout.Fields {
			wrong := e.Clone()
			wrong.Values[i] = other(&f.Shape, e.Values[i])
			changed := entity.NewWorld(p.World(), p.Types())
			for o := range p.All() {
				changed.Put(o)
			}
			changed.Put(wrong)
			data, err := packfile.Encode(p.World(), p.Types(), changed)
			require.NoError(t, err)
			packfile.SetBasedOn(data, packfile.Hash(data))
			require.Error(t, ship.Verify(w, dense(), data), "%s, field %s", e, f.Name)
		}
	}
	require.NoError(t, ship.Verify(w, dense(), b.Pack))
}

// other returns another value of a shape.
func other(s *entity.Shape, v entity.Value) entity.Value {
	switch v.Kind() {
	case entity.KindNull:
		required := *s
		required.Optional = false
		return required.Zero()
	case entity.KindString:
		return entity.NewString(v.Text() + "x")
	case entity.KindRef:
		return entity.NewRef(v.Ref()%3 + 1)
	case entity.KindSet, entity.KindArray:
		return entity.NewList(v.Kind(), append(slices.Clone(v.Items()), lastOf(s.Of)))
	case entity.KindStruct:
		members := slices.Clone(v.Items())
		members[0] = other(&s.Fields[0].Shape, members[0])
		return entity.NewStruct(members)
	case entity.KindVec3:
		return entity.VecOf(entity.KindVec3, 7, 8, 9)
	}
	return entity.NewUint(v.Kind(), v.Uint()+1)
}

// lastOf returns an element that comes after all others.
func lastOf(s *entity.Shape) entity.Value {
	if s.Kind == entity.KindRef {
		return entity.NewRef(77)
	}
	members := slices.Clone(s.Zero().Items())
	members[0] = entity.NewUint(entity.KindU8, 200)
	return entity.NewStruct(members)
}
