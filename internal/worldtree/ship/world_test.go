package ship_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

var worldID = entity.GUID{1, 2, 3}

// read reads a world in the interchange form, a line each.
func read(t testing.TB, lines ...string) ship.World {
	t.Helper()
	path := t.TempDir() + "/world.jsonl"
	var text []byte
	for _, line := range lines {
		text = append(append(text, line...), '\n')
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	doc, err := interchange.Read(f, path, nil, nil)
	require.NoError(t, err)
	return worldOf(doc.Types, doc.Entities)
}

func readReal(t testing.TB, path string) ship.World {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	doc, err := interchange.Read(z, path, nil, nil)
	require.NoError(t, err)
	return worldOf(doc.Types, doc.Entities)
}

func worldOf(types []*entity.Type, entities []*entity.Entity) ship.World {
	w := entity.NewWorld(worldID, entity.NewTypes(types...))
	for _, e := range entities {
		w.Put(e)
	}
	return ship.World{ID: worldID, Types: w.Types, Entities: w}
}

func build(t testing.TB, w ship.World, o ship.Options) *ship.Build {
	t.Helper()
	b, err := ship.Make(w, o)
	require.NoError(t, err)
	return b
}

func parse(t testing.TB, b *ship.Build) *packfile.Pack {
	t.Helper()
	p, err := packfile.Parse(b.Pack)
	require.NoError(t, err)
	return p
}

func dense() ship.Options { return ship.Options{Names: true, Dense: true} }

// flat lists the values of a field, or of what of it ships, with refs as follow has them.
func flat(path string, s *entity.Shape, v entity.Value, ships *entity.Shape, follow func(entity.ID) entity.ID) (out []string) {
	switch {
	case v.Kind() == entity.KindRef:
		return []string{fmt.Sprint(path, " -> ", follow(v.Ref()))}
	case v.Kind() == entity.KindSet:
		for _, item := range v.Items() {
			out = append(out, flat(path+"{}", s.Of, item, ships.Of, follow)...)
		}
		slices.Sort(out)
		return slices.Compact(out)
	case v.Kind() == entity.KindArray:
		out = append(out, fmt.Sprint(path, " has ", len(v.Items())))
		for i, item := range v.Items() {
			out = append(out, flat(fmt.Sprintf("%s[%d]", path, i), s.Of, item, ships.Of, follow)...)
		}
		return out
	case v.Kind() == entity.KindStruct:
		for i, f := range s.Fields {
			at := slices.IndexFunc(ships.Fields, func(o *entity.Field) bool { return o.Name == f.Name })
			if at >= 0 {
				out = append(out, flat(path+"."+f.Name, &f.Shape, v.Items()[i], &ships.Fields[at].Shape, follow)...)
			}
		}
		return out
	}
	return []string{path + " = " + string(interchange.AppendValue(nil, s, v))}
}

// requireShipped compares what has shipped with the editor's world through the map. It
// knows nothing of how the pack was made.
func requireShipped(t require.TestingT, w ship.World, b *ship.Build, p *packfile.Pack) {
	back := map[entity.ID]entity.ID{}
	for _, in := range b.Map.Entries {
		if !in.Gone {
			back[in.Ship] = in.ID
		}
	}
	require.Len(t, back, p.Len())
	ships := map[entity.ID]bool{}
	for _, id := range back {
		ships[id] = true
	}
	for e := range w.Entities.All() {
		require.Equal(t, !e.Layout.Type.EditorOnly, ships[e.ID], e)
	}
	for shipped := range p.All() {
		e, ok := w.Entities.Get(back[shipped.ID])
		require.True(t, ok)
		up, err := textcodec.Upgrade(e)
		require.NoError(t, err)
		require.Equal(t, e.Type(), shipped.Type())
		require.Equal(t, e.Layout.Type.Revision, shipped.Revision())
		for i, f := range shipped.Layout.Fields {
			at := up.Layout.Index(f.Name)
			want := flat(f.Name, &up.Layout.Fields[at].Shape, up.Values[at], &f.Shape, func(to entity.ID) entity.ID {
				if !b.Map.Dense || ships[to] {
					return to
				}
				return 0
			})
			got := flat(f.Name, &f.Shape, shipped.Values[i], &f.Shape, func(to entity.ID) entity.ID {
				if id, ok := back[to]; ok {
					return id
				}
				return to
			})
			require.Equal(t, want, got, "%s", e)
		}
	}
	require.NoError(t, p.Err())
}
