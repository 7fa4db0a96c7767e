package cache_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

func lampType() *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: 3, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "watts", Shape: entity.Shape{Kind: entity.KindU16}},
		{Name: "name", Shape: entity.Shape{Kind: entity.KindString, Optional: true}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}}},
	}}
}

func lamp(id entity.ID, typ *entity.Type, watts uint64) *entity.Entity {
	e := entity.New(id, typ.Current())
	e.Values[1] = entity.NewUint(entity.KindU16, watts)
	return e
}

func lampText(id entity.ID, watts uint64) string {
	return string(textcodec.Append(nil, lamp(id, lampType(), watts)))
}

// bench is a world directory and the live world in it.
type bench struct {
	*testing.T
	dir *worlddir.Dir
	w   *cache.World
}

// newBench makes a world of lamps 1 to n of as many watts.
func newBench(t *testing.T, n int) *bench {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	b := &bench{T: t, dir: dir}
	b.open()
	t.Cleanup(func() {
		if b.w != nil {
			require.NoError(t, b.w.Close())
		}
	})
	typ := lampType()
	in := cache.Intake{Types: []*entity.Type{typ}}
	for i := range n {
		in.Entities = append(in.Entities, lamp(entity.ID(i+1), typ, uint64(i+1)))
	}
	r, err := b.w.Import(in)
	require.NoError(t, err)
	require.Equal(t, n, r.Created)
	return b
}

func (b *bench) open() {
	w, err := cache.Open(b.dir, cache.Options{})
	require.NoError(b, err)
	b.w = w
}

func (b *bench) reopen() {
	require.NoError(b, b.w.Close())
	b.open()
}

// crash leaves everything as a killed process would, and opens it again.
func (b *bench) crash() {
	b.w.Crash()
	b.open()
}

func (b *bench) text(id entity.ID) string {
	f, err := b.w.Lookup(id)
	require.NoError(b, err)
	text, err := f.Text()
	require.NoError(b, err)
	a, err := f.Attr()
	require.NoError(b, err)
	require.Equal(b, int64(len(text)), a.Size)
	return string(text)
}

func (b *bench) attr(id entity.ID) fileattr.Attr {
	f, err := b.w.Lookup(id)
	require.NoError(b, err)
	a, err := f.Attr()
	require.NoError(b, err)
	return a
}

// write puts text into the file as an editor does that truncates first.
func (b *bench) write(id entity.ID, text string) *cache.File {
	f, err := b.w.Lookup(id)
	require.NoError(b, err)
	var zero int64
	require.NoError(b, f.SetAttr(cache.AttrChange{Size: &zero}))
	_, err = f.WriteAt([]byte(text), 0)
	require.NoError(b, err)
	return f
}

func (b *bench) create(id entity.ID, text string) *cache.File {
	f, err := b.w.Create(id, 0o644, 0, 0)
	require.NoError(b, err)
	_, err = f.WriteAt([]byte(text), 0)
	require.NoError(b, err)
	return f
}

// published returns the watts in the published pack, -1 where there is no such
// entity.
func (b *bench) published(id entity.ID) int {
	p, err := packfile.ReadFile(b.dir.PackPath())
	require.NoError(b, err)
	e, ok := p.Get(id)
	if !ok {
		return -1
	}
	return int(e.Value("watts").Uint())
}

func (b *bench) codes() (out []string) {
	st, err := b.w.Status()
	require.NoError(b, err)
	for _, f := range st.Findings {
		out = append(out, f.ID.String()+" "+f.Code)
	}
	return out
}

func TestAnUntouchedFileIsTheCanonicalText(t *testing.T) {
	b := newBench(t, 3)
	require.Equal(t, lampText(2, 2), b.text(2))
	_, err := b.w.Lookup(4)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, []entity.ID{1, 2, 3}, b.w.IDs(0, 10))
	require.Equal(t, []entity.ID{3}, b.w.IDs(2, 10))
	require.Empty(t, b.w.IDs(entity.MaxID, 10))
	require.Empty(t, b.codes())
}

func TestBytesWrittenAreBytesRead(t *testing.T) {
	for name, text := range map[string]string{
		"canonical": lampText(2, 60),
		"CRLF":      strings.ReplaceAll(lampText(2, 60), "\n", "\r\n"),
		"broken":    "Lamp\n3\n2\n; watts\n    many\n",
		"cut off":   "Lamp\n3\n2\n; wat",
		"empty":     "",
		"binary":    "\x00\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 3)
			b.write(2, text)
			require.Equal(t, text, b.text(2))
			require.NoError(t, b.w.Sync())
			require.Equal(t, text, b.text(2), "after a checkpoint")
			b.reopen()
			require.Equal(t, text, b.text(2), "after a remount")
			b.crash()
			require.Equal(t, text, b.text(2), "after a crash")
		})
	}
}

func TestABrokenTextKeepsTheLastGoodValues(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, lampText(2, 60))
	_, err := b.w.Status() // judged good
	require.NoError(t, err)
	b.write(2, "Lamp\n3\n2\n; watts\n    many\n")
	require.Equal(t, []string{"2 broken"}, b.codes())
	require.NoError(t, b.w.SyncAll())
	b.crash()
	require.Equal(t, []string{"2 broken"}, b.codes())
	require.NoError(t, b.w.Sync())
	require.Equal(t, 60, b.published(2), "the good edit before it, not the value before that")
	b.reopen()
	require.Equal(t, []string{"2 broken"}, b.codes())
	b.write(2, lampText(2, 61))
	require.Empty(t, b.codes())
	require.NoError(t, b.w.Sync())
	require.Equal(t, 61, b.published(2))
}

func TestANewFileThatNeverParsedIsNoEntity(t *testing.T) {
	b := newBench(t, 1)
	b.create(9, "Lam")
	require.NoError(t, b.w.Sync())
	require.Equal(t, -1, b.published(9))
	b.reopen()
	require.Equal(t, "Lam", b.text(9))
	require.Equal(t, []entity.ID{1, 9}, b.w.IDs(0, 10))
	b.write(9, lampText(9, 9))
	require.NoError(t, b.w.Sync())
	require.Equal(t, 9, b.published(9))
}

func TestAnEditIsDurableAfterSyncAndAfterASecond(t *testing.T) {
	b := newBench(t, 3)
	f := b.write(2, lampText(2, 60))
	require.NoError(t, f.Sync())
	b.crash()
	require.Equal(t, lampText(2, 60), b.text(2))
	b.write(3, lampText(3, 70))
	require.Eventually(t, func() bool {
		st, err := b.w.Status()
		return err == nil && st.Edits == 0
	}, time.Minute, 10*time.Millisecond, "published by itself")
	require.Equal(t, 70, b.published(3))
}

func TestADeletionIsPublishedAndStaysAcrossRemounts(t *testing.T) {
	b := newBench(t, 3)
	f, err := b.w.Lookup(2)
	require.NoError(t, err)
	require.NoError(t, b.w.Remove(2))
	require.Equal(t, []entity.ID{1, 3}, b.w.IDs(0, 10))
	text, err := f.Text()
	require.NoError(t, err)
	require.Equal(t, lampText(2, 2), string(text), "unlinked but open")
	require.NoError(t, b.w.SyncAll())
	b.crash()
	require.Equal(t, []entity.ID{1, 3}, b.w.IDs(0, 10))
	b.reopen()
	require.Equal(t, []entity.ID{1, 3}, b.w.IDs(0, 10))
	require.Equal(t, -1, b.published(2))
	require.ErrorIs(t, b.w.Remove(2), fs.ErrNotExist)
}

func TestWhatCameAndWentLeavesNothingToPublish(t *testing.T) {
	b := newBench(t, 3)
	b.create(9, lampText(9, 9))
	require.NoError(t, b.w.SyncAll())
	_, err := b.w.View() // it is read as an entity, and no pack has it yet
	require.NoError(t, err)
	require.NoError(t, b.w.Remove(9))
	_, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, -1, b.published(9))
}

func TestWhatIsDeletedAndMadeAnewKeepsItsLastGoodValues(t *testing.T) {
	b := newBench(t, 3)
	ino := b.attr(2).Ino
	require.NoError(t, b.w.Remove(2))
	b.create(2, "<half a te")
	require.Equal(t, []string{"2 broken"}, b.codes())
	require.NoError(t, b.w.Sync())
	require.Equal(t, 2, b.published(2))
	require.NotEqual(t, ino, b.attr(2).Ino, "another file")
}

func TestInodeNumbersAndTimesSurviveARemountAndAreNeverUsedTwice(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, lampText(2, 60))
	b.create(7, lampText(7, 7))
	before := map[entity.ID]fileattr.Attr{}
	seen := map[uint64]bool{}
	for _, id := range b.w.IDs(0, 10) {
		before[id] = b.attr(id)
		require.False(t, seen[before[id].Ino])
		seen[before[id].Ino] = true
	}
	b.reopen()
	for id, a := range before {
		require.Equal(t, a.Ino, b.attr(id).Ino)
		require.True(t, a.Mtime.Equal(b.attr(id).Mtime))
		require.True(t, a.Ctime.Equal(b.attr(id).Ctime))
	}
	for range 3 {
		require.NoError(t, b.w.Remove(2))
		b.create(2, lampText(2, 5))
		require.False(t, seen[b.attr(2).Ino])
		seen[b.attr(2).Ino] = true
		b.reopen()
		require.True(t, seen[b.attr(2).Ino])
	}
}

func TestRenameMovesTheFileAndItsInode(t *testing.T) {
	b := newBench(t, 3)
	f, err := b.w.Lookup(2)
	require.NoError(t, err)
	ino := b.attr(2).Ino
	require.ErrorIs(t, b.w.Rename(2, 3, true), fs.ErrExist)
	require.NoError(t, b.w.Rename(2, 8, false))
	require.Equal(t, entity.ID(8), f.ID())
	require.Equal(t, ino, b.attr(8).Ino)
	require.Equal(t, lampText(2, 2), b.text(8), "bytes stay")
	require.Equal(t, []string{"8 id-differs"}, b.codes())
	require.NoError(t, b.w.Sync())
	require.Equal(t, 2, b.published(8))
	require.Equal(t, -1, b.published(2))
	b.reopen()
	require.Equal(t, ino, b.attr(8).Ino)
	r, err := b.w.Format([]entity.ID{8}, false)
	require.NoError(t, err)
	require.Equal(t, 1, r.Changed)
	require.Equal(t, lampText(8, 2), b.text(8))
	require.Empty(t, b.codes())
}

func TestRenameOntoAnEntityReplacesIt(t *testing.T) {
	b := newBench(t, 3)
	old, err := b.w.Lookup(3)
	require.NoError(t, err)
	require.NoError(t, b.w.Rename(2, 3, false))
	require.Equal(t, entity.ID(0), old.ID())
	text, err := old.Text()
	require.NoError(t, err)
	require.Equal(t, lampText(3, 3), string(text))
	require.Equal(t, lampText(2, 2), b.text(3))
	require.Equal(t, []entity.ID{1, 3}, b.w.IDs(0, 10))
	b.reopen()
	require.Equal(t, []entity.ID{1, 3}, b.w.IDs(0, 10))
	require.Equal(t, 2, b.published(3))
}

func TestExchange(t *testing.T) {
	b := newBench(t, 3)
	one, two := b.attr(1).Ino, b.attr(2).Ino
	require.NoError(t, b.w.Exchange(1, 2))
	require.Equal(t, two, b.attr(1).Ino)
	require.Equal(t, one, b.attr(2).Ino)
	b.reopen()
	require.Equal(t, 2, b.published(1))
	require.Equal(t, 1, b.published(2))
}

func TestAdoptAndLeaveAreDurable(t *testing.T) {
	b := newBench(t, 3)
	ino, err := b.w.NewIno()
	require.NoError(t, err)
	a := b.attr(1)
	a.Ino = ino
	_, err = b.w.Adopt(2, a, []byte(lampText(2, 99)), true)
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = b.w.Adopt(2, a, []byte(lampText(2, 99)), false)
	require.NoError(t, err)
	require.NoError(t, b.w.Leave(3))
	b.crash()
	require.Equal(t, lampText(2, 99), b.text(2))
	require.Equal(t, ino, b.attr(2).Ino)
	require.Equal(t, []entity.ID{1, 2}, b.w.IDs(0, 10))
}

// What is adopted soon is there at once, is durable when somebody asks for that,
// and before that a crash leaves what was there, or it.
func TestAdoptSoonIsDurableSoon(t *testing.T) {
	b := newBench(t, 3)
	a := b.attr(1)
	a.Ino = 1 << 40
	_, err := b.w.AdoptSoon(2, a, []byte(lampText(2, 99)), true)
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = b.w.AdoptSoon(2, a, []byte(lampText(2, 99)), false)
	require.NoError(t, err)
	require.Equal(t, lampText(2, 99), b.text(2))
	b.crash()
	require.Contains(t, []string{lampText(2, 2), lampText(2, 99)}, b.text(2))
	_, err = b.w.AdoptSoon(2, a, []byte(lampText(2, 98)), false)
	require.NoError(t, err)
	require.NoError(t, b.w.SyncAll())
	b.crash()
	require.Equal(t, lampText(2, 98), b.text(2))
	require.Equal(t, a.Ino, b.attr(2).Ino)
}

func TestAnIntakeKeepsWhatDidNotChange(t *testing.T) {
	b := newBench(t, 3)
	odd := strings.ReplaceAll(lampText(1, 1), "\n", "\r\n")
	b.write(1, odd)
	require.NoError(t, b.w.Sync())
	before := b.attr(1)
	typ := lampType()
	r, err := b.w.Import(cache.Intake{Types: []*entity.Type{typ}, Entities: []*entity.Entity{
		lamp(1, typ, 1), lamp(2, typ, 20), lamp(5, typ, 5),
	}, Whole: true})
	require.NoError(t, err)
	r.Conflicts, r.Repairs = nil, nil
	require.Equal(t, cache.Report{Created: 1, Changed: 1, Deleted: 1, Unchanged: 1}, r)
	require.Equal(t, odd, b.text(1))
	require.Equal(t, before, b.attr(1))
	require.Equal(t, lampText(2, 20), b.text(2))
	require.Equal(t, []entity.ID{1, 2, 5}, b.w.IDs(0, 10))
	ino := b.attr(5).Ino
	b.crash()
	require.Equal(t, odd, b.text(1))
	require.Equal(t, 20, b.published(2))
	require.Equal(t, ino, b.attr(5).Ino)
	require.Equal(t, []entity.ID{1, 2, 5}, b.w.IDs(0, 10))
}

func TestServedBytesDoNotChangeBecauseATypeDid(t *testing.T) {
	b := newBench(t, 3)
	before := b.text(2)
	changed := lampType()
	changed.Fields[0], changed.Fields[1] = changed.Fields[1], changed.Fields[0]
	changed.Fields[2].Name = "label"
	_, err := typefile.WriteDir(b.dir.TypesPath(), []*entity.Type{changed})
	require.NoError(t, err)
	b.reopen()
	require.Equal(t, before, b.text(2))
	require.NoError(t, b.w.Sync())
	require.Equal(t, before, b.text(2))
	b.reopen()
	require.Equal(t, before, b.text(2))
	_, err = b.w.Format(nil, false)
	require.NoError(t, err)
	require.NotEqual(t, before, b.text(2))
	require.Empty(t, b.codes())
}

func TestATypesFileThatDoesNotParseLeavesTheLastGoodOneInForce(t *testing.T) {
	b := newBench(t, 3)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	require.NoError(t, os.WriteFile(path, []byte("<<<<<<< yours\n"), 0o644))
	b.reopen()
	require.Equal(t, []string{"0 type-file"}, b.codes())
	b.write(2, lampText(2, 60))
	require.NoError(t, b.w.Sync())
	require.Equal(t, 60, b.published(2))
	_, findings, err := b.w.ViewForShip()
	require.ErrorIs(t, err, cache.ErrShip)
	require.Len(t, findings, 1)
}

func TestPlainFilesAndThePackStayInStep(t *testing.T) {
	b := newBench(t, 3)
	n, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Zero(t, n, "nothing to do")

	at := func(id entity.ID) string { return filepath.Join(b.dir.EntitiesPath(), layout.FileName(id)) }
	odd := strings.ReplaceAll(lampText(1, 100), "\n", "\r\n")
	require.NoError(t, os.WriteFile(at(1), []byte(odd), 0o644))
	require.NoError(t, os.WriteFile(at(9), []byte(lampText(9, 9)), 0o644))
	require.NoError(t, os.WriteFile(at(3), []byte("broken"), 0o644))
	require.NoError(t, os.Remove(at(2)))
	r, err := b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, cache.Report{Created: 1, Changed: 1, Deleted: 1, Broken: 1}, r)
	require.Equal(t, odd, b.text(1))
	require.Equal(t, "broken", b.text(3))
	require.Equal(t, 100, b.published(1))
	require.Equal(t, -1, b.published(2))
	require.Equal(t, 3, b.published(3))
	b.reopen()
	r, err = b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, cache.Report{Unchanged: 3}, r)

	for _, id := range []entity.ID{1, 3, 9} {
		require.NoError(t, os.Remove(at(id)))
	}
	_, err = b.w.TakePlain()
	require.True(t, cache.IsLoss(err), "all are missing")
	require.Equal(t, []entity.ID{1, 3, 9}, b.w.IDs(0, 10))
}

func TestPlainFilesLieInShards(t *testing.T) {
	b := newBench(t, 3)
	require.NoError(t, b.dir.SetShard(layout.Tens))
	b.reopen()
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	at := func(path string) string { return filepath.Join(b.dir.EntitiesPath(), path) }
	require.FileExists(t, at("01/1.entity_text"))
	require.NoError(t, os.Remove(at("01/1.entity_text")))
	require.NoError(t, os.WriteFile(at("02/2.entity_text"), []byte(lampText(2, 20)), 0o644))
	require.NoError(t, os.WriteFile(at("03/102.entity_text"), []byte(lampText(102, 5)), 0o644))
	require.NoError(t, os.Rename(at("03/3.entity_text"), at("3.entity_text")))
	r, err := b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, cache.Report{Changed: 1, Deleted: 1}, r)
	require.Equal(t, []entity.ID{2, 3}, b.w.IDs(0, 10), "a misplaced file is nobody's deletion, and no entity's")
	require.Equal(t, []string{"3 misplaced", "102 misplaced"}, b.codes())
	_, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.NoFileExists(t, at("03/3.entity_text"), "a person has moved it")
	require.NoError(t, os.Rename(at("3.entity_text"), at("03/3.entity_text")))
	r, err = b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, cache.Report{Unchanged: 2}, r)
	require.Equal(t, []string{"102 misplaced"}, b.codes())
}

// The owner's part of a mode goes both ways: version control knows it.
func TestModesOfPlainFilesAndOfTheWorldStayInStep(t *testing.T) {
	b := newBench(t, 3)
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	at := func(id entity.ID) string { return filepath.Join(b.dir.EntitiesPath(), layout.FileName(id)) }
	modes := func() (modes []string) {
		for id := entity.ID(1); id <= 3; id++ {
			f, err := b.w.Lookup(id)
			require.NoError(t, err)
			attr, err := f.Attr()
			require.NoError(t, err)
			info, err := os.Stat(at(id))
			require.NoError(t, err)
			modes = append(modes, fmt.Sprintf("%o %o", attr.Mode, info.Mode()))
		}
		return modes
	}
	require.NoError(t, os.Chmod(at(1), 0o755))
	require.NoError(t, os.Chmod(at(2), 0o664))
	_, err = b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, []string{"755 755", "644 664", "644 644"}, modes(), "taken in")
	b.reopen()
	f, err := b.w.Lookup(3)
	require.NoError(t, err)
	mode := uint32(0o664)
	require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
	_, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, []string{"755 755", "644 664", "664 664"}, modes(), "written")
	r, err := b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, cache.Report{Unchanged: 3}, r)
}

func TestAPackThatAnotherProgramSavedIsTakenIn(t *testing.T) {
	b := newBench(t, 3)
	require.NoError(t, b.w.Sync())
	engine := entity.NewWorld(b.dir.ID, entity.NewTypes(lampType()))
	for i, watts := range []uint64{1, 200, 3} {
		engine.Put(lamp(entity.ID(i+1), lampType(), watts))
	}
	engine.Delete(3)
	data, err := packfile.Encode(b.dir.ID, engine.Types, engine)
	require.NoError(t, err)

	b.write(1, lampText(1, 111))
	require.NoError(t, b.w.SyncAll())
	b.w.Crash()
	require.NoError(t, os.WriteFile(b.dir.PackPath(), data, 0o644))
	b.open()
	require.Equal(t, lampText(1, 111), b.text(1), "our edit")
	require.Equal(t, lampText(2, 200), b.text(2), "theirs")
	require.Equal(t, []entity.ID{1, 2}, b.w.IDs(0, 10))
	require.NoError(t, b.w.Sync())
	require.Equal(t, 111, b.published(1))
}

// Whoever remembers a file's times sees every later change, be it in the same
// tick of the clock.
func TestEachChangeHasItsOwnTime(t *testing.T) {
	b := newBench(t, 3)
	seen := map[int64]bool{}
	for i := range 100 {
		b.write(2, lampText(2, uint64(i)))
		a := b.attr(2)
		require.False(t, seen[a.Mtime.UnixNano()])
		seen[a.Mtime.UnixNano()] = true
		require.False(t, a.Mtime.After(time.Now()))
	}
	future := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	f, err := b.w.Lookup(2)
	require.NoError(t, err)
	require.NoError(t, f.SetAttr(cache.AttrChange{Mtime: &future}))
	require.True(t, b.attr(2).Mtime.Equal(future))
	b.write(2, lampText(2, 7))
	require.True(t, b.attr(2).Mtime.Before(future), "a write sets the time of the write")
}

// A save and an edit that changed the same property leave a conflict that is
// seen in the file, around that property alone, and nothing else.
func TestAConflictIsMarkedInTheText(t *testing.T) {
	b := newBench(t, 3)
	typ := lampType()
	base, theirs := entity.NewWorld(b.dir.ID, entity.NewTypes(typ)), entity.NewWorld(b.dir.ID, entity.NewTypes(typ))
	for i := range entity.ID(3) {
		base.Put(lamp(i+1, typ, uint64(i+1)))
		theirs.Put(lamp(i+1, typ, uint64(i+1)*100))
	}
	b.write(2, lampText(2, 7))
	b.write(3, lampText(3, 300)) // the same as theirs
	r, err := b.w.TakeIn(base, theirs, merge.Options{})
	require.NoError(t, err)
	require.Len(t, r.Conflicts, 1)
	require.Equal(t, []string{"2 conflict"}, b.codes())
	require.Contains(t, b.text(2), "<<<<<<< yours\n; watts\n    7\n=======\n; watts\n    200\n>>>>>>> shared\n")
	require.Equal(t, lampText(1, 100), b.text(1))
	require.Equal(t, lampText(3, 300), b.text(3))
	b.crash()
	require.Equal(t, []string{"2 conflict"}, b.codes())
	require.Equal(t, 7, b.published(2))
	_, _, err = b.w.ViewForShip()
	require.ErrorIs(t, err, cache.ErrShip)

	r, err = b.w.TakeIn(base, theirs, merge.Options{Policy: merge.Shared})
	require.NoError(t, err)
	require.Equal(t, lampText(2, 200), b.text(2))
	require.Empty(t, b.codes())
}

func TestNoiseIsLeftOut(t *testing.T) {
	b := newBench(t, 1)
	typ := lampType()
	typ.Fields[1].InsignificantWhen = "true"
	r, err := b.w.Import(cache.Intake{Types: []*entity.Type{typ}, Entities: []*entity.Entity{lamp(1, typ, 50)}})
	require.NoError(t, err)
	require.Equal(t, entity.Noise{Insignificant: 1}, r.Noise)
	require.Zero(t, r.Changed)
	require.Equal(t, lampText(1, 1), b.text(1))
}

// A deletion against a change keeps the entity, from whichever side the
// deletion came, and its file shows the conflict.
func TestADeletionAgainstAChangeKeepsTheEntity(t *testing.T) {
	typ := lampType()
	side := func(b *bench, watts ...uint64) *entity.World {
		w := entity.NewWorld(b.dir.ID, entity.NewTypes(typ))
		for i, n := range watts {
			if n > 0 {
				w.Put(lamp(entity.ID(i+1), typ, n))
			}
		}
		return w
	}
	for by, c := range map[string]struct {
		ours   func(b *bench)
		theirs []uint64
		want   int
	}{
		"shared": {func(b *bench) { b.write(2, lampText(2, 20)) }, []uint64{1, 0, 3}, 20},
		"yours":  {func(b *bench) { require.NoError(b, b.w.Remove(2)) }, []uint64{1, 30, 3}, 30},
	} {
		t.Run(by, func(t *testing.T) {
			b := newBench(t, 3)
			c.ours(b)
			r, err := b.w.TakeIn(side(b, 1, 2, 3), side(b, c.theirs...), merge.Options{})
			require.NoError(t, err)
			require.Equal(t, 1, r.Left())
			require.Equal(t, []string{"2 conflict"}, b.codes())
			require.Equal(t, c.want, b.published(2))
			require.Contains(t, b.text(2), "<<<<<<< yours: "+by+" deleted it\n=======\n>>>>>>> shared\n")
			b.crash()
			require.Equal(t, []string{"2 conflict"}, b.codes())
			require.Equal(t, c.want, b.published(2))
		})
	}
}

func TestIDsAndTimesOfShards(t *testing.T) {
	b := newBench(t, 25)
	require.NoError(t, b.dir.SetShard(layout.LastDigit))
	b.reopen()
	require.Equal(t, []entity.ID{5, 15, 25}, b.w.IDsIn(b.w.Layout(), 5, 0, 9))
	b.create(35, lampText(35, 1))
	require.NoError(t, b.w.Remove(15))
	require.Equal(t, []entity.ID{5, 25, 35}, b.w.IDsIn(b.w.Layout(), 5, 0, 9))
	require.Equal(t, []entity.ID{25}, b.w.IDsIn(b.w.Layout(), 5, 5, 1))
	require.Empty(t, b.w.IDsIn(b.w.Layout(), 5, 35, 1))
	require.NoError(t, b.w.Sync())
	require.Equal(t, []entity.ID{5, 25, 35}, b.w.IDsIn(b.w.Layout(), 5, 0, 9))

	five, _ := b.w.DirAttr(5)
	four, _ := b.w.DirAttr(4)
	top, _ := b.w.DirAttr(cache.Top)
	require.True(t, five.After(four))
	require.NoError(t, b.w.Remove(4))
	b.reopen()
	for shard, was := range map[int]time.Time{5: five, cache.Top: top} {
		is, _ := b.w.DirAttr(shard)
		require.True(t, is.Equal(was), "%d: %s, not %s", shard, is, was)
	}
	is, _ := b.w.DirAttr(4)
	require.True(t, is.After(four))
}
