package changelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// world is a live world of lamps. The first ten are not touched, so that there is no great
// loss.
type world struct {
	require.TestingT
	*cache.World
	dir  *worlddir.Dir
	runs *int // of programs so far
}

const first = entity.ID(11)

func lampType() *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "watts", Shape: entity.Shape{Kind: entity.KindU16}}, {Name: "height", Shape: entity.Shape{Kind: entity.KindU16}},
		{Name: "beside", Shape: entity.Shape{Kind: entity.KindRef}},
	}}
}

func open(t *testing.T) *world {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	w, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	is := &world{t, w, dir, new(int)}
	t.Cleanup(func() { require.NoError(t, is.World.Close()) })
	in := cache.Intake{Types: []*entity.Type{lampType()}}
	for id := entity.ID(1); id < first; id++ {
		in.Entities = append(in.Entities, entity.New(id, in.Types[0].Current()))
	}
	_, err = w.Import(in)
	require.NoError(t, err)
	return is
}

// lamp is what a test knows of an entity.
type lamp struct{ watts, height int }

func (l lamp) text(id entity.ID) string {
	return fmt.Sprintf("Lamp\n1\n%d\n; watts\n    %d\n; height\n    %d\n; beside\n    0\n", id, l.watts, l.height)
}

// edit is an edit by a run of a program: a text, or none, as the file of an entity.
func (w *world) edit(by cache.Writer, id entity.ID, text string) {
	w.write(&by, id, text)
	w.settle()
}

// write is an edit that is not looked at yet.
func (w *world) write(by *cache.Writer, id entity.ID, text string) {
	if text == "" {
		w.NoteWriter(id, by)
		require.NoError(w, w.Remove(id))
		return
	}
	w.adopt(id, text)
	w.NoteWriter(id, by)
}

// adopt puts a file in an entity's place, of which nothing says by what.
func (w *world) adopt(id entity.ID, text string) {
	ino, err := w.NewIno()
	require.NoError(w, err)
	_, err = w.Adopt(id, fileattr.Attr{Ino: ino, Mode: 0o644, Mtime: time.Now(), Ctime: time.Now()}, []byte(text), false)
	require.NoError(w, err)
}

func (w *world) settle() {
	_, err := w.HistoryNow()
	require.NoError(w, err)
}

// editor is a run of an editor that no other run is of one change set with.
func (w *world) editor() cache.Writer {
	*w.runs++
	return cache.Writer{Program: fmt.Sprintf("editor %d", *w.runs), Session: uint64(*w.runs)}
}

// git is a run of git.
func (w *world) git() cache.Writer {
	*w.runs++
	return cache.Writer{Program: "git checkout", Session: uint64(*w.runs), Brought: true}
}

// set is a command that changes entities, or makes or deletes them, at once.
func (w *world) set(cause cache.Cause, lamps map[entity.ID]*lamp) {
	_, err := w.Edit(cause, func(v *cache.View) (base, theirs entity.Source, err error) {
		over := make(map[entity.ID]*entity.Entity)
		for id, l := range lamps {
			if over[id] = nil; l != nil {
				res, err := textcodec.Decode([]byte(l.text(id)), id, v.Types())
				if err != nil {
					return nil, nil, err
				}
				over[id] = res.Entity
			}
		}
		return v.Overlay, entity.NewOverlay(v.Overlay, over), nil
	}, merge.Options{})
	require.NoError(w, err)
}

// lamps returns the entities from first on.
func (w *world) lamps() map[entity.ID]lamp {
	view, err := w.View()
	require.NoError(w, err)
	all := make(map[entity.ID]lamp)
	for e := range view.All() {
		if e.ID >= first {
			all[e.ID] = lamp{int(e.Value("watts").Uint()), int(e.Value("height").Uint())}
		}
	}
	return all
}

// text returns the text of an entity's file.
func (w *world) text(id entity.ID) string {
	view, err := w.View()
	require.NoError(w, err)
	text, err := view.Text(id)
	require.NoError(w, err)
	return string(text)
}

// do makes a request that succeeds.
func (w *world) do(r changelog.Request) changelog.Answer {
	a, err := changelog.Do(w.World, r)
	require.NoError(w, err)
	return a
}

func (w *world) undo(ids ...entity.ID) changelog.Answer { return w.do(changelog.Request{IDs: ids}) }
func (w *world) redo(ids ...entity.ID) changelog.Answer {
	return w.do(changelog.Request{IDs: ids, Redo: true})
}

// cannot requires that a request fails, and changes nothing.
func (w *world) cannot(want error, r changelog.Request) {
	before := w.lamps()
	_, err := changelog.Do(w.World, r)
	require.ErrorIs(w, err, want)
	require.Equal(w, before, w.lamps())
}

// sets returns how the change sets came, the latest last, without the making of the world.
func (w *world) sets() (how []string) {
	all, err := changelog.List(w.World, changelog.Filter{})
	require.NoError(w, err)
	for _, s := range all[1:] {
		how = append(how, s.How())
	}
	return how
}

var mergeLeave = merge.Options{Policy: merge.Leave}

// reopen goes on with the world in another directory.
func (w *world) reopen(root string) {
	dir, err := worlddir.Open(root)
	require.NoError(w, err)
	w.dir = dir
	w.World, err = cache.Open(dir, cache.Options{})
	require.NoError(w, err)
}

// copyDir copies a directory as a power cut would leave it.
func copyDir(t *testing.T, from, to string) {
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	require.NoError(t, os.Chmod(filepath.Join(to, ".worldfs"), 0o700))
}
