package resolve_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

var thing = &entity.Type{Name: "Thing", Revision: 1, Fields: []*entity.Field{
	{Name: "name", Shape: entity.Shape{Kind: entity.KindString}},
	{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
	{Name: "size", Shape: entity.Shape{Kind: entity.KindU32}},
}}

// sides are the worlds of a generated case: each side creates, deletes and edits
// entities of the base, which has the IDs up to 20.
func sides(seed uint64) (base, ours, theirs *entity.World) {
	random := rand.New(rand.NewPCG(seed, 1))
	base = entity.NewWorld(entity.GUID{1}, entity.NewTypes(thing))
	for id := entity.ID(1); id <= 20; id++ {
		put(base, id, fmt.Sprint("base", id), random)
	}
	edited := func(who string) *entity.World {
		w := entity.NewWorld(base.ID, base.Types)
		for e := range base.All() {
			w.Put(e)
		}
		for range 12 {
			id := entity.ID(1 + random.IntN(24))
			switch _, there := w.Get(id); {
			case there && random.IntN(3) == 0:
				w.Delete(id)
			case there:
				w.Put(edit(w, id, who, random))
			case id > 20:
				put(w, id, fmt.Sprint(who, id), random)
			}
		}
		return w
	}
	return base, edited("ours"), edited("theirs")
}

func put(w *entity.World, id entity.ID, name string, random *rand.Rand) {
	e := entity.New(id, w.Types.Get("Thing").Current())
	e.Values[0] = entity.NewString(name)
	e.Values[1] = position(random)
	w.Put(e)
}

// position returns one of which no component is another's, so that svn cannot make a third
// of two.
func position(random *rand.Rand) entity.Value {
	at := func() uint32 { return math.Float32bits(random.Float32() * 1000) }
	return entity.NewComponents(entity.KindVec3, [entity.MaxComponents]uint32{at(), at(), at()})
}

func edit(w *entity.World, id entity.ID, who string, random *rand.Rand) *entity.Entity {
	e, _ := w.Get(id)
	e = e.Clone()
	switch random.IntN(3) {
	case 0:
		e.Values[0] = entity.NewString(fmt.Sprint(who, random.IntN(100)))
	case 1:
		e.Values[1] = position(random)
	case 2:
		e.Values[2] = entity.NewUint(entity.KindU32, uint64(random.IntN(100)))
	}
	return e
}

// copyOf is a working copy of svn.
type copyOf struct {
	*testing.T
	dir string
}

func (c copyOf) svn(args ...string) string {
	cmd := exec.Command("svn", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(c.dir), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	require.NoError(c, err, "svn %v: %s", args, out)
	return string(out)
}

// write has the files be a world's. svn is told of what is created where tell says so.
func (c copyOf) write(from, to *entity.World, tell func() bool) {
	for b, e := range entity.Differing(from, to) {
		if e == nil {
			c.svn("delete", "-q", filepath.Join("entities", layout.FileName(b.ID)))
			continue
		}
		name := filepath.Join("entities", layout.FileName(e.ID))
		require.NoError(c, os.WriteFile(filepath.Join(c.dir, name), textcodec.Append(nil, e), 0o644))
		if b == nil && tell() {
			c.svn("add", "-q", name)
		}
	}
}

// TestResolveAgreesWithMerge has svn update over generated edits: with mine taken, a clean
// checkout of what is committed then is the merge of the three worlds.
func TestResolveAgreesWithMerge(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			testAgreement(t, seed)
		})
	}
}

func testAgreement(t *testing.T, seed uint64) {
	base, ours, theirs := sides(seed)
	random := rand.New(rand.NewPCG(seed, 2))
	top := t.TempDir()
	c := copyOf{t, filepath.Join(top, "w")}
	out, err := exec.Command("svnadmin", "create", filepath.Join(top, "repo")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	url := "file://" + filepath.Join(top, "repo")
	require.NoError(t, os.Mkdir(c.dir, 0o755))
	c.svn("checkout", "-q", url, ".")
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "world.toml"), []byte("id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n"), 0o644))
	_, err = typefile.WriteDir(filepath.Join(c.dir, "types"), base.Types.All())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "entities"), 0o755))
	c.svn("add", "-q", "world.toml", "types", "entities")
	always := func() bool { return true }
	c.write(entity.NewWorld(base.ID, base.Types), base, always)
	c.svn("commit", "-q", "-m", "base")
	c.write(base, theirs, always)
	c.svn("commit", "-q", "-m", "theirs")
	c.svn("update", "-q", "-r", "1")
	c.write(base, ours, func() bool { return random.IntN(2) == 0 })
	updated := c.svn("update", "--accept", "postpone")

	want, err := merge.Worlds(side(base), side(ours), side(theirs), merge.Options{
		Choose: func(entity.ID, string, string) merge.Party { return merge.Ours },
	})
	require.NoError(t, err)
	res, err := resolve.Open(c.dir, resolve.Options{})
	if errors.Is(err, resolve.ErrNothing) {
		require.NotContains(t, updated, "conflicts")
		c.requireSame(want, c.dir)
		return
	}
	require.NoError(t, err)
	choices, err := res.Choices(resolve.Mine, resolve.Selection{})
	require.NoError(t, err)
	require.NoError(t, res.Choose(choices))
	_, err = res.Apply()
	require.NoError(t, err)
	require.Empty(t, res.Left)
	c.requireSame(want, c.dir)
	status := c.svn("status")
	again, err := resolve.Open(c.dir, resolve.Options{})
	require.NoError(t, err)
	done, err := again.Apply()
	require.NoError(t, err)
	require.Equal(t, resolve.Done{}, done)
	require.Equal(t, status, c.svn("status"))

	c.svn("add", "-q", "--force", "entities") // what nobody told svn of is none of resolve's
	c.svn("commit", "-q", "-m", "merged")
	c.svn("checkout", "-q", url, "../fresh")
	c.requireSame(want, filepath.Join(top, "fresh"))
}

func side(w *entity.World) merge.Side { return merge.Side{Types: w.Types, Entities: w} }

func (c copyOf) requireSame(want *merge.Result, dir string) {
	c.Helper()
	got, err := worldform.Open(filepath.Join(dir, "entities"), worldform.Options{Types: want.Types})
	require.NoError(c, err)
	for e, f := range entity.Differing(got.Source, want) {
		c.Fatalf("%s: %v is %s, want %s", dir, want.Conflicts, e, f)
	}
}
