package cache_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// author is a world that is edited in every way there is, and its types, which change
// meanwhile.
type author struct {
	*bench
	r      *rapid.T
	shapes map[string]entity.Shape // that a field of the name has, unless its type changes it
	types  map[string]*entity.Type
	game   *engine // loaded the pack once, nil before
}

var (
	fieldNames = []string{"a", "b", "c.d", "e", "f"}
	typeNames  = []string{"Thing", "Other"}
)

// drawType draws a declaration in which fields come and go.
func (a *author) drawType(name string) *entity.Type {
	t := &entity.Type{Name: name, Revision: rapid.Uint32Range(1, 4).Draw(a.r, "revision")}
	for _, name := range fieldNames {
		if rapid.IntRange(0, 3).Draw(a.r, "lacks "+name) == 0 {
			continue
		}
		f := &entity.Field{Name: name, Shape: a.shapes[name], Since: rapid.Uint32Range(0, 4).Draw(a.r, "since")}
		if rapid.IntRange(0, 4).Draw(a.r, "another kind") == 0 {
			f.Shape = entitytest.Shape(1).Draw(a.r, "shape")
		}
		if rapid.IntRange(0, 2).Draw(a.r, "ends") == 0 {
			f.Until = f.Since + rapid.Uint32Range(1, 3).Draw(a.r, "until")
			f.Successor = rapid.SampledFrom([]string{"", "", "a", "b", "e"}).Draw(a.r, "successor")
		}
		if rapid.IntRange(0, 4).Draw(a.r, "conditional") == 0 {
			f.SaveWhen = rapid.SampledFrom([]string{"false", `has("a")`, `has("e")`, "id > 1"}).Draw(a.r, "save when")
		}
		t.Fields = append(t.Fields, f)
	}
	return t
}

// changeTypes writes a declaration, if it is a valid one, or takes one away.
func (a *author) changeTypes() {
	name := rapid.SampledFrom(typeNames).Draw(a.r, "type")
	path := filepath.Join(a.dir.TypesPath(), typefile.FileName(name))
	if len(a.types) > 1 && rapid.IntRange(0, 2).Draw(a.r, "gone") == 0 {
		if err := os.Remove(path); err == nil {
			delete(a.types, name)
		}
		return
	}
	t := a.drawType(name)
	if t.Validate() != nil {
		return
	}
	a.types[name] = t
	require.NoError(a.r, os.WriteFile(path, typefile.Format(t), 0o644))
}

// drawText draws a text under the declarations of this moment, and spoils some.
func (a *author) drawText(id entity.ID) string {
	name := rapid.SampledFrom(typeNames).Draw(a.r, "type")
	t := a.types[name]
	if t == nil {
		t = &entity.Type{Name: name, Revision: 1}
	}
	e := entitytest.Entity(id, t).Draw(a.r, "entity")
	text := string(textcodec.Append(nil, e))
	for range rapid.IntRange(0, 2).Draw(a.r, "more lines") {
		name := rapid.SampledFrom(fieldNames).Draw(a.r, "line")
		shape := a.shapes[name]
		text += alone(name, shape, entitytest.Value(&shape).Draw(a.r, "value"))
	}
	switch rapid.IntRange(0, 6).Draw(a.r, "spoil") {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = strings.TrimSuffix(text, "\n")
	case 2: // another revision has other fields
		lines := strings.SplitN(text, "\n", 3)
		lines[1] = fmt.Sprint(rapid.IntRange(0, 6).Draw(a.r, "revision"))
		text = strings.Join(lines, "\n")
	case 3:
		text = strings.Replace(text, "    ", "        ", 3)
	}
	return text
}

// alone returns the lines of one field.
func alone(name string, shape entity.Shape, v entity.Value) string {
	t := &entity.Type{Name: "T", Fields: []*entity.Field{{Name: name, Shape: shape}}}
	e := entity.New(1, t.Layout(0))
	e.Values[0] = v
	return strings.TrimPrefix(string(textcodec.Append(nil, e)), "T\n0\n1\n")
}

func (a *author) step() {
	id := entity.ID(rapid.IntRange(1, 3).Draw(a.r, "id"))
	switch rapid.SampledFrom([]string{"types", "types", "text", "text", "format", "upgrade", "import", "publish", "reopen", "crash", "ask", "apply", "restore", "load", "save"}).Draw(a.r, "do") {
	case "types":
		a.changeTypes()
	case "text":
		a.write(id, a.drawText(id))
	case "format":
		marked := textcodec.HasMarkers([]byte(a.text(id))) // by an import, where a text did not parse: it stays
		_, err := a.w.Format([]entity.ID{id}, false)
		require.True(a.r, err == nil || marked && errors.Is(err, entity.ErrInvalid), err) // of one that does not parse besides there is no error
	case "upgrade":
		_, err := a.w.Format(nil, true)
		if err != nil {
			require.ErrorIs(a.r, err, entity.ErrInvalid)
		}
	case "import":
		if t := a.types["Thing"]; t != nil {
			_, err := a.w.Import(cache.Intake{Entities: []*entity.Entity{entitytest.Entity(id, t).Draw(a.r, "imported")}})
			require.NoError(a.r, err)
		}
	case "apply":
		a.apply(id)
	case "restore":
		require.NoError(a.r, a.w.Sync()) // which can tidy one away
		kept, err := a.w.Kept()
		require.NoError(a.r, err)
		if n := len(kept); n > 0 {
			hash := kept[rapid.IntRange(0, 5).Draw(a.r, "kept")%n].Hash
			_, err = a.w.Restore(cache.Target{Target: packstore.Target{Hash: hash}})
			require.NoError(a.r, err)
		}
	case "load":
		require.NoError(a.r, a.w.Sync())
		a.game = a.engine(true)
	case "save":
		a.save(id)
	case "publish":
		require.NoError(a.r, a.w.Sync())
	case "reopen":
		a.reopen()
	case "crash":
		require.NoError(a.r, a.w.SyncAll())
		a.crash()
	case "ask":
		_, err := a.w.Status()
		require.NoError(a.r, err)
	}
}

// apply changes one field of an entity, as a change set does: by no condition.
func (a *author) apply(id entity.ID) {
	change := func(v *cache.View) (base, theirs entity.Source, err error) {
		e, ok := v.Get(id)
		if !ok || len(e.Values) == 0 {
			return v, v, nil
		}
		n := e.Clone()
		i := rapid.IntRange(0, len(n.Values)-1).Draw(a.r, "field")
		n.Values[i] = entitytest.Value(&n.Layout.Fields[i].Shape).Draw(a.r, "applied")
		return v, entity.NewOverlay(v, map[entity.ID]*entity.Entity{id: n}), nil
	}
	_, err := a.w.Edit(cache.Cause{By: cache.ByApply}, change, merge.Options{})
	require.NoError(a.r, err)
}

// save has the game, which goes by the types that it loaded, change an entity.
func (a *author) save(id entity.ID) {
	if a.game == nil || a.game.world.Types.Len() == 0 {
		return
	}
	t := rapid.SampledFrom(a.game.world.Types.All()).Draw(a.r, "type of the game")
	a.game.world.Put(entitytest.Entity(id, t).Draw(a.r, "saved"))
	a.game.save()
	a.reopen()
}

// pack returns the pack that is published once every text is a good one: the last good
// values of a broken one are nowhere but here.
func (a *author) pack() []byte {
	_, err := a.w.Status() // types/ is read
	require.NoError(a.r, err)
	for id := entity.ID(1); id <= 3; id++ {
		if _, err := textcodec.Decode([]byte(a.text(id)), id, a.w.Types()); err != nil {
			a.write(id, fmt.Sprintf("Nowhere\n1\n%d\n", id))
		}
	}
	require.NoError(a.r, a.w.Sync())
	data, err := os.ReadFile(a.dir.PackPath())
	require.NoError(a.r, err)
	return data
}

// clone returns the pack that another machine makes of the author's texts and types.
func (a *author) clone() []byte {
	dir := filepath.Join(a.TempDir(), "clone")
	require.NoError(a.r, os.CopyFS(filepath.Join(dir, "types"), os.DirFS(a.dir.TypesPath())))
	config, err := os.ReadFile(a.dir.ConfigPath())
	require.NoError(a.r, err)
	require.NoError(a.r, os.WriteFile(filepath.Join(dir, "world.toml"), config, 0o644))
	require.NoError(a.r, os.Mkdir(filepath.Join(dir, "entities"), 0o755))
	c := &bench{T: a.T}
	c.dir, err = worlddir.Open(dir)
	require.NoError(a.r, err)
	for id := entity.ID(1); id <= 3; id++ {
		require.NoError(a.r, os.WriteFile(c.plainPath(id), []byte(a.text(id)), 0o644))
	}
	require.NoError(a.r, c.dir.EnsureState())
	c.open()
	defer func() { require.NoError(a.r, c.w.Close()) }()
	c.takePlain()
	require.NoError(a.r, c.w.Sync())
	data, err := os.ReadFile(c.dir.PackPath())
	require.NoError(a.r, err)
	return data
}

// One text gives one pack: nothing in the author's depends on how its texts and types
// came to be what they are.
func TestACloneMakesTheAuthorsPack(t *testing.T) {
	defer entitytest.Checks("50")() // each makes two worlds
	rapid.Check(t, func(r *rapid.T) {
		a := &author{bench: newBench(t, 3), r: r, types: make(map[string]*entity.Type), shapes: make(map[string]entity.Shape)}
		defer func() { a.w.Crash(); a.w = nil }()
		for _, name := range fieldNames {
			a.shapes[name] = entitytest.Shape(1).Draw(r, "shape of "+name)
		}
		for range rapid.IntRange(3, 20).Draw(r, "steps") {
			a.step()
		}
		here, there := a.pack(), a.clone()
		if string(here) == string(there) {
			return
		}
		ours, err := packfile.Parse(here)
		require.NoError(t, err)
		theirs, err := packfile.Parse(there)
		require.NoError(t, err)
		for id := entity.ID(1); id <= 3; id++ {
			o, _ := ours.Get(id)
			c, _ := theirs.Get(id)
			if !o.Equal(c) {
				r.Fatalf("the text\n%s\nis here\n%s\nand of a clone\n%s", a.text(id), textcodec.Append(nil, o), textcodec.Append(nil, c))
			}
		}
		r.Fatalf("the packs have the same entities and other bytes")
	})
}
