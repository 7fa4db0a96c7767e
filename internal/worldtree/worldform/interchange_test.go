package worldform_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/packfile"
)

// Of files of JSON lines that are alike the first is held as a pack, whatever the
// order of its lines, and each other as what differs from it.
func TestLinesThatAreAlikeAreHeldOnce(t *testing.T) {
	const n = 20_000 // more than are packed at once
	lines := make([]string, 0, n+1)
	for i, id := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		lines = append(lines, fmt.Sprintf(`{"entity":{"id":%d,"type":"Lamp","revision":1,"fields":{"radius":%d}}}`, id+1, i))
	}
	head := `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"radius","kind":"u32"}]}}` + "\n"
	dir := t.TempDir()
	open := func(name string, o worldform.Options) *worldform.World {
		path := filepath.Join(dir, name+".jsonl")
		require.NoError(t, os.WriteFile(path, []byte(head+strings.Join(lines, "\n")+"\n"), 0o666))
		w, err := worldform.Open(path, o)
		require.NoError(t, err)
		return w
	}
	first := open("first", worldform.Options{First: true})
	require.IsType(t, (*packfile.Pack)(nil), first.Source)
	plain := open("plain", worldform.Options{})
	require.Empty(t, entity.Diff(plain.Source, first.Source))
	require.Equal(t, n, first.Source.Len())

	lines[7] = `{"entity":{"id":20001,"type":"Ghost","revision":1,"unknown":[{"name":"a","lines":"    1"}]}}`
	lines = lines[:n-1]
	second := open("second", worldform.Options{Like: []*worldform.World{first}})
	under, changes := second.Source.(*entity.Overlay).Under()
	require.Same(t, first.Source, under)
	require.Len(t, changes, 3)
	require.Same(t, first.Types.Get("Lamp"), second.Types.Get("Lamp"))
	require.Empty(t, entity.Diff(open("plain", worldform.Options{}).Source, second.Source))
}

// A file of which too much differs to be held as changes is held as a pack, too, with
// what it has in common with the first.
func TestLinesThatDifferMuchAreHeldAsAPack(t *testing.T) {
	const n = 20_000
	dir := t.TempDir()
	open := func(name, kind string, radius int, o worldform.Options) *worldform.World {
		var text strings.Builder
		fmt.Fprintf(&text, `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"radius","kind":%q}]}}`+"\n", kind)
		text.WriteString(`{"type":{"name":"Post","revision":1,"fields":[{"name":"radius","kind":"u32"}]}}` + "\n")
		for id := 1; id <= n; id += 4 {
			fmt.Fprintf(&text, `{"entity":{"id":%d,"type":"Lamp","revision":1,"fields":{"radius":%d}}}`+"\n", id, radius)
			fmt.Fprintf(&text, `{"entity":{"id":%d,"type":"Post","revision":1,"fields":{"radius":%d}}}`+"\n", id+1, radius)
			fmt.Fprintf(&text, `{"entity":{"id":%d,"type":"Post","revision":1,"fields":{"radius":3}}}`+"\n", id+2)
			fmt.Fprintf(&text, `{"entity":{"id":%d,"type":"Ghost","revision":1,"unknown":[{"name":"a","lines":"    %d"}]}}`+"\n", id+3, radius)
		}
		path := filepath.Join(dir, name+".jsonl")
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o666))
		w, err := worldform.Open(path, o)
		require.NoError(t, err)
		return w
	}
	first := open("first", "u32", 3, worldform.Options{First: true})
	for _, kind := range []string{"u32", "u64"} {
		like := open("like", kind, 4, worldform.Options{Like: []*worldform.World{first}})
		plain := open("plain", kind, 4, worldform.Options{})
		require.IsType(t, (*packfile.Pack)(nil), like.Source)
		require.Equal(t, n, like.Source.Len())
		require.Empty(t, entity.Diff(plain.Source, like.Source))
		require.Same(t, first.Types.Get("Post"), like.Types.Get("Post"))
		require.Equal(t, kind == "u32", first.Types.Get("Lamp") == like.Types.Get("Lamp"))
		again := open("again", kind, 4, worldform.Options{Like: []*worldform.World{first, like}})
		require.Empty(t, entity.Diff(plain.Source, again.Source))
	}
}
