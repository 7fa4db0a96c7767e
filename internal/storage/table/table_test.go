package table_test

import (
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// lampType declares lamps, whose watts are of a kind.
func lampType(kind entity.Kind) *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{{Name: "watts", Shape: entity.Shape{Kind: kind}}}}
}

func lamp(id entity.ID, watts uint64) *entity.Entity {
	e := entity.New(id, lampType(entity.KindU16).Current())
	e.Values[0] = entity.NewUint(entity.KindU16, watts)
	return e
}

func lampText(id entity.ID, watts uint64) string {
	return string(textcodec.Append(nil, lamp(id, watts)))
}

// bench is a table on a state, and the pack that is published.
type bench struct {
	*testing.T
	dir   *worlddir.Dir
	store *state.Store
	pack  *packfile.Pack
	*table.Table
	control *table.Control
}

// newBench makes a table of lamps 1 to n of as many watts.
func newBench(t *testing.T, n int) *bench {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	world := entity.NewWorld(dir.ID, entity.NewTypes(lampType(entity.KindU16)))
	for id := entity.ID(1); id <= entity.ID(n); id++ {
		world.Put(lamp(id, uint64(id)))
	}
	data, err := packfile.Encode(dir.ID, world.Types, world)
	require.NoError(t, err)
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	b := &bench{T: t, dir: dir, pack: p}
	b.open()
	t.Cleanup(func() { require.NoError(t, b.store.Close()) })
	return b
}

func (b *bench) open() {
	store, m, err := state.Open(b.dir, &disk.Disk{}, nil, false)
	require.NoError(b, err)
	t, control, opening := table.New(b.dir, store, slog.New(slog.DiscardHandler))
	b.store, b.Table, b.control = store, t, control
	require.NoError(b, opening.Begin(m))
	times, err := store.PlainTimes()
	require.NoError(b, err)
	control.SetPlainTimes(times)
	opening.SetPack(b.pack)
	require.NoError(b, opening.LoadRecords(m))
	require.NoError(b, opening.RetypeLines())
}

// crash has another process go on from what is durable.
func (b *bench) crash() {
	require.NoError(b, b.store.Close())
	b.open()
}

func (b *bench) file(id entity.ID) *table.File {
	f, err := b.Lookup(id)
	require.NoError(b, err)
	return f
}

func (b *bench) text(id entity.ID) string {
	text, err := b.file(id).Text()
	require.NoError(b, err)
	return string(text)
}

// write gives an entity's file a text, making it if need be.
func (b *bench) write(id entity.ID, text string) {
	f, err := b.Lookup(id)
	if err != nil {
		f, err = b.Create(id, 0o644, 0, 0)
	}
	require.NoError(b, err)
	none := int64(0)
	require.NoError(b, f.SetAttr(table.AttrChange{Size: &none}))
	_, err = f.WriteAt([]byte(text), 0)
	require.NoError(b, err)
}

// view reads all texts and returns the entities as they are now.
func (b *bench) view() *table.View {
	require.NoError(b, b.control.JudgeTexts(true))
	require.NoError(b, b.control.Commit())
	return b.control.Snapshot(true)
}

// publish makes the pack of a view, with an intake's changes.
func (b *bench) publish(v *table.View, changes map[entity.ID]table.Change) {
	p := table.Publication{Copy: func() {}}
	if changes != nil {
		in, err := b.control.PrepareIntake(v, changes, table.Cause{By: "import"})
		require.NoError(b, err)
		values := make(map[entity.ID]*entity.Entity)
		for id, c := range changes {
			values[id] = c.Entity
		}
		p.Intake, v = in, v.With(values)
	}
	b.publishAs(v, p)
}

func (b *bench) publishAs(v *table.View, p table.Publication) {
	next, err := packfile.EncodeChanges(b.dir.ID, v.Types(), v.Pack(), v.Changes())
	require.NoError(b, err)
	p.Pack, p.View = next, v
	b.control.Publish(p)
	b.pack = next
}

// unpublished returns the entities of which the state has edits that the pack has not.
func (b *bench) unpublished() (ids []entity.ID) {
	require.NoError(b, b.store.EachRecord(func(id entity.ID, r *state.Record) error {
		if r.Unpublished {
			ids = append(ids, id)
		}
		return nil
	}))
	return ids
}

func TestWhatIsSyncedIsThereAfterACrash(t *testing.T) {
	b := newBench(t, 3)
	odd := strings.Replace(lampText(1, 100), "\n", "\r\n", 1)
	b.write(1, odd)
	b.write(7, "broken")
	require.NoError(t, b.Remove(2))
	require.NoError(t, b.Rename(3, 4, false))
	require.NoError(t, b.SyncAll())
	b.crash()
	require.Equal(t, []entity.ID{1, 4, 7}, b.IDs(0, 10))
	require.Equal(t, odd, b.text(1))
	require.Equal(t, "broken", b.text(7))
	require.Equal(t, lampText(3, 3), b.text(4), "a text goes with its file")
	_, err := b.Lookup(2)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestATextThatDoesNotParseKeepsTheValues(t *testing.T) {
	b := newBench(t, 2)
	b.write(1, lampText(1, 100))
	b.view()
	b.write(1, "broken")
	e, ok := b.view().Get(1)
	require.True(t, ok)
	require.True(t, e.Equal(lamp(1, 100)))
	require.Equal(t, "broken", b.text(1))
	require.True(t, b.control.IsInDoubt(1))
	require.False(t, b.control.IsInDoubt(2))
	s := b.control.Survey()
	require.Len(t, s.Findings, 1)
	require.Equal(t, entity.CodeBroken, s.Findings[0].Code)
	require.Equal(t, 2, s.Files)
	require.Equal(t, 1, s.Edits)
}

func TestAPublicationDropsTheEditsThatThePackHas(t *testing.T) {
	b := newBench(t, 3)
	b.write(1, lampText(1, 100))
	b.write(2, lampText(2, 200))
	v := b.view()
	b.write(2, lampText(2, 201)) // since
	require.NoError(t, b.SyncAll())
	require.Equal(t, []entity.ID{1, 2}, b.unpublished())
	copied := false
	b.publishAs(v, table.Publication{Copy: func() {
		copied = true
		require.Equal(t, []entity.ID{1, 2}, b.unpublished(), "no edit is dropped before the copy is durable")
	}})
	require.True(t, copied)
	require.Equal(t, []entity.ID{2}, b.unpublished())
	require.True(t, b.control.IsUnpublished())
	b.crash()
	require.Equal(t, lampText(1, 100), b.text(1))
	require.Equal(t, lampText(2, 201), b.text(2))
	v = b.view()
	require.False(t, b.control.IsPublished(v))
	b.publish(v, nil)
	require.Empty(t, b.unpublished())
	require.True(t, b.control.IsPublished(b.view()))
}

// told is what an Invalidator is told.
type told struct{ changed, created, removed []entity.ID }

func (t *told) Changed(id entity.ID) { t.changed = append(t.changed, id) }
func (t *told) Created(id entity.ID) { t.created = append(t.created, id) }
func (t *told) Removed(id entity.ID) { t.removed = append(t.removed, id) }

func TestAnIntakeBringsTheFilesInStep(t *testing.T) {
	b := newBench(t, 3)
	var heard told
	b.Watch(&heard)
	open := b.file(2)
	ino := b.file(1).Ino()
	b.publish(b.view(), map[entity.ID]table.Change{
		1: {Entity: lamp(1, 100)},
		2: {Gone: true},
		9: {Entity: lamp(9, 9), Text: []byte("\n" + lampText(9, 9))},
	})
	require.Equal(t, told{changed: []entity.ID{1}, created: []entity.ID{9}, removed: []entity.ID{2}}, heard)
	require.Equal(t, lampText(1, 100), b.text(1))
	require.Equal(t, ino, b.file(1).Ino())
	require.Equal(t, "\n"+lampText(9, 9), b.text(9), "its exact text")
	text, err := open.Text()
	require.NoError(t, err)
	require.Equal(t, lampText(2, 2), string(text), "for processes that have it open")
	require.Equal(t, []entity.ID{1, 3, 9}, b.IDs(0, 10))
	b.control.Feed().Write()
	entries, err := b.control.Feed().Log().Of(1)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, "import", entries[0].By)
	require.Equal(t, lampText(1, 1), string(entries[0].Was))
}

func TestWhatIsWrittenSinceTheViewStands(t *testing.T) {
	b := newBench(t, 2)
	v := b.view()
	b.write(1, lampText(1, 5))
	b.publish(v, map[entity.ID]table.Change{1: {Entity: lamp(1, 100)}})
	require.Equal(t, lampText(1, 5), b.text(1))
	e, ok := b.view().Get(1)
	require.True(t, ok)
	require.True(t, e.Equal(lamp(1, 5)))
	b.control.Feed().Write()
	entries, err := b.control.Feed().Log().Of(1)
	require.NoError(t, err)
	var lost []string
	for _, n := range entries {
		if n.Kind == history.Lost {
			lost = append(lost, string(n.Is))
		}
	}
	require.Equal(t, []string{lampText(1, 100)}, lost)
}

// The files' bytes stay when another type is in force, and so do the values where they
// can.
func TestATypeThatChangesServesTheSameBytes(t *testing.T) {
	b := newBench(t, 2)
	before := b.text(1)
	b.view()
	require.NoError(t, b.control.Retype(entity.NewTypes(lampType(entity.KindString))))
	require.Equal(t, before, b.text(1))
	require.Equal(t, entity.KindString, b.Types().Get("Lamp").Fields[0].Shape.Kind)
	require.True(t, b.control.IsUnpublished())
	require.NoError(t, b.control.Retype(entity.NewTypes(lampType(entity.KindU16))))
	require.Equal(t, before, b.text(1))
	v := b.view()
	e, ok := v.Get(1)
	require.True(t, ok)
	require.True(t, e.Equal(lamp(1, 1)))
}

// A program writes a large text in many pieces: each costs what it is, not what is there already.
func TestAPieceOfATextIsWrittenWithoutCopyingTheText(t *testing.T) {
	const size, pieces = 1 << 20, 64
	b := newBench(t, 1)
	f := b.file(1)
	_, err := f.WriteAt(make([]byte, size), 0)
	require.NoError(t, err)
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	for i := range int64(pieces) {
		_, err := f.WriteAt([]byte("x"), i)
		require.NoError(t, err)
	}
	require.Less(t, allocated()-before, uint64(pieces*size/2))
}
