package cache_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/merge"
)

// unheard is told of changes and does nothing about them.
type unheard struct{}

func (unheard) Changed(entity.ID) {}
func (unheard) Created(entity.ID) {}
func (unheard) Removed(entity.ID) {}

// While somebody writes types/, as a checkout does, the last good types stay in
// force under a mount.
func TestTypesThatAreBeingWrittenAreWaitedFor(t *testing.T) {
	b := newBench(t, 3)
	b.w.Watch(unheard{})
	b.w.SetTypesQuiet(time.Hour)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	other := filepath.Join(b.dir.TypesPath(), typefile.FileName("Other"))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(other, bytes.ReplaceAll(whole, []byte("Lamp"), []byte("Other")), 0o644))
	require.NoError(t, os.Remove(path)) // and is about to be written
	b.write(2, lampText(2, 20))
	require.Eventually(t, func() bool {
		require.NoError(t, cache.CheckpointNow(b.w))
		return b.published(2) == 20
	}, time.Minute, 5*time.Millisecond)
	require.NotNil(t, b.w.Types().Get("Lamp"))
	require.Nil(t, b.w.Types().Get("Other"))

	b.w.SetTypesQuiet(0)
	b.write(3, lampText(3, 30)) // its checkpoint looks again, which had been put off for an hour
	require.Eventually(t, func() bool { return b.w.Types().Get("Other") != nil }, time.Minute, 5*time.Millisecond,
		"they are read without anybody asking")
	require.Equal(t, []string{"1 type-unknown", "2 type-unknown", "3 type-unknown"}, b.codes())
	require.Equal(t, lampText(2, 20), b.text(2))
	require.NoError(t, os.WriteFile(path, whole, 0o644))
	require.NoError(t, b.w.Sync())
	require.Empty(t, b.codes())
	require.Equal(t, 20, b.judged(2))
}

// A question that comes while a changed type is being put in force is answered by
// the world of before or by that of after: not by one of which some entities are
// under the new declaration and some under the old.
func TestTypesComeInForceForAllEntitiesAtOnce(t *testing.T) {
	const n = 500
	b := newBench(t, n)
	b.w.Watch(unheard{})
	b.w.SetTypesQuiet(0)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	two := []byte(strings.Replace(string(whole), "revision = 3", "revision = 2", 1))
	require.NotEqual(t, whole, two)

	var asking sync.WaitGroup
	var seen [n + 1]atomic.Bool // how many findings an answer had
	over := make(chan struct{})
	for range 3 {
		asking.Go(func() {
			for {
				seen[len(b.codes())].Store(true)
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	for i := range 30 {
		require.NoError(t, os.WriteFile(path+"~", [][]byte{two, whole}[i%2], 0o644))
		require.NoError(t, os.Rename(path+"~", path))
		for range 3 {
			require.NoError(t, cache.CheckpointNow(b.w))
		}
	}
	close(over)
	asking.Wait()
	for found := range seen {
		require.Equal(t, found == 0 || found == n, seen[found].Load(), "%d findings", found)
	}
}

// judged returns the watts of an entity as the world has them.
func (b *bench) judged(id entity.ID) int {
	v, err := b.w.View()
	require.NoError(b, err)
	e, ok := v.Get(id)
	require.True(b, ok)
	return int(e.Value("watts").Uint())
}

// Mounted, whatever is asked of the world is answered under types/ as it is at
// that moment, without a checkpoint in between.
func TestWhatIsAskedIsAnsweredUnderTheTypesOfThatMoment(t *testing.T) {
	b := newBench(t, 3)
	b.w.Watch(unheard{})
	b.w.SetTypesQuiet(0)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	broken := append([]byte("<<<<<<< ours\n"), whole...)
	newer := bytes.Replace(whole, []byte("revision = 3"), []byte("revision = 4"), 1)
	require.NotEqual(t, whole, newer)
	write := func(data []byte) { require.NoError(t, os.WriteFile(path, data, 0o644)) }

	for range 20 { // several of them within one tick of the clock
		write(broken)
		require.Equal(t, []string{"0 type-file"}, b.codes())
		write(whole)
		_, findings, err := b.w.ViewForShip()
		require.NoError(t, err, "%v", findings)
		write(broken)
		_, findings, err = b.w.ViewForShip()
		require.ErrorIs(t, err, cache.ErrShip)
		require.Equal(t, entity.CodeTypeFile, findings[0].Code)
		write(newer)
		p, _, err := b.w.ViewForShip()
		require.NoError(t, err)
		require.Equal(t, uint32(4), p.Types().Get("Lamp").Revision)
		write(whole)
		v, err := b.w.View()
		require.NoError(t, err)
		require.Equal(t, uint32(3), v.Types().Get("Lamp").Revision)
	}
}

// A text is read under the declaration that came with it, not under the one of
// before: the field that is new in both has a value.
func TestTypesAreReadBeforeTheTextsThatNeedThem(t *testing.T) {
	b := newBench(t, 3)
	b.w.Watch(unheard{})
	b.w.SetTypesQuiet(0)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, "\n[[fields]]\nname = \"glow\"\nkind = \"u8\"\n"...), 0o644))
	b.write(2, lampText(2, 20)+"; glow\n    7\n")
	v, err := b.w.View()
	require.NoError(t, err)
	e, _ := v.Get(2)
	require.Equal(t, uint64(7), e.Value("glow").Uint())
	require.Empty(t, e.Unknown)
}

// declare writes the declaration of lamps with a part of it replaced.
func (b *bench) declare(old, new string) {
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	whole := typefile.Format(lampType())
	require.Contains(b, string(whole), old)
	require.NoError(b, os.WriteFile(path, bytes.Replace(whole, []byte(old), []byte(new), 1), 0o644))
}

// The last good values of a broken text are read under whatever types/ declares now, in
// the same process and after a crash.
func TestABrokenTextsValuesOutliveItsType(t *testing.T) {
	const whole = "Lamp"
	for what, change := range map[string]func(b *bench){
		"the type is gone": func(b *bench) {
			require.NoError(b, os.Remove(filepath.Join(b.dir.TypesPath(), typefile.FileName(whole))))
			other := bytes.ReplaceAll(typefile.Format(lampType()), []byte(whole), []byte("Other"))
			require.NoError(b, os.WriteFile(filepath.Join(b.dir.TypesPath(), typefile.FileName("Other")), other, 0o644))
		},
		"another kind": func(b *bench) { b.declare(`kind = "u16"`, `kind = "bool"`) },
	} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t, 3)
			b.write(2, lampText(2, 77))
			_, err := b.w.View()
			require.NoError(t, err)
			b.write(2, "Lamp\n3\n2\n; targets\n    [ broken")
			change(b)
			_, err = b.w.Status()
			require.NoError(t, err)
			require.NoError(t, b.w.Sync())
			b.crash()
			_, err = b.w.Status()
			require.NoError(t, err)
			require.NoError(t, b.w.Sync())
			require.Equal(t, "Lamp\n3\n2\n; targets\n    [ broken", b.text(2))
		})
	}
}

// A broken text's last good values may be such that the published pack's types, which
// the next opening knows first, do not read them.
func TestValuesThatThePublishedTypesDoNotReadAreNoDamage(t *testing.T) {
	b := newBench(t, 3)
	b.w.Stop() // nothing is published
	b.declare(`kind = "u16"`, `kind = "string"`)
	good := lampText(2, 0)
	good = strings.Replace(good, "; watts\n    0\n", "; watts\n    \"bright\"\n", 1)
	b.write(2, good)
	_, err := b.w.Status()
	require.NoError(t, err)
	b.write(2, "Lamp\n3\n2\n; targets\n    [ broken")
	_, err = b.w.Status()
	require.NoError(t, err)
	require.NoError(t, b.w.SyncAll())
	b.w.CloseState()
	b.open()
	v, err := b.w.View()
	require.NoError(t, err)
	e, _ := v.Get(2)
	require.Equal(t, "bright", e.Value("watts").Text())
	require.NoError(t, b.w.Sync())
}

// A program that goes by an older declaration, of fields of the same names and kinds
// but other elements, changes nothing of what it does not understand.
func TestTakingInUnderADeclarationOfOtherElements(t *testing.T) {
	b := newBench(t, 2)
	old := lampType()
	old.Fields[3] = &entity.Field{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindString}}}
	theirs := entity.New(2, old.Current())
	theirs.Values[1] = entity.NewUint(entity.KindU16, 40)
	theirs.Values[3] = entity.NewList(entity.KindSet, []entity.Value{entity.NewString("a name")})
	v, err := b.w.View()
	require.NoError(t, err)
	_, err = b.w.TakeIn(v, entity.NewOverlay(v, map[entity.ID]*entity.Entity{2: theirs}), merge.Options{})
	require.NoError(t, err)
	require.Equal(t, lampText(2, 40), b.text(2))
	require.Empty(t, b.codes())
}

// A text that is read as an entity while types/ changes is one under the types that are
// in force then, not under those of before.
func TestATextIsReadUnderTheTypesInForceWhileTheyChange(t *testing.T) {
	b := newBench(t, 3)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := range 30 {
		for i := range entity.ID(150) {
			id := 1000 + 150*entity.ID(n) + i
			b.create(id, lampText(id, 20))
		}
		var reading sync.WaitGroup
		reading.Go(func() {
			_, err := b.w.View()
			require.NoError(t, err)
		})
		field := fmt.Sprintf("\n[[fields]]\nname = \"round %d\"\nkind = \"u8\"\n", n)
		require.NoError(t, os.WriteFile(path, append(bytes.Clone(whole), field...), 0o644))
		_, err := b.w.Pack()
		require.NoError(t, err, "round %d", n)
		reading.Wait()
		_, err = b.w.Pack()
		require.NoError(t, err, "round %d", n)
	}
}

// What is taken in whole takes away the declarations of types that it neither declares nor has
// entities of, in whatever files those stand.
func TestTakingInWholeKeepsTheDeclarationsOfWhatComesIn(t *testing.T) {
	b := newBench(t, 3)
	other, spare := &entity.Type{Name: "Other", Revision: 1}, &entity.Type{Name: "Spare", Revision: 1}
	_, err := b.w.Import(cache.Intake{Types: []*entity.Type{other, spare}})
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(b.dir.TypesPath(), name) }
	require.NoError(t, os.Rename(at("Other.toml"), at("Lamp 2.toml")))
	require.NoError(t, os.Rename(at("Lamp.toml"), at("Other.toml")))
	require.NoError(t, os.Rename(at("Spare.toml"), at("Lamp.toml")))
	_, err = b.w.Status()
	require.NoError(t, err)
	_, err = b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(1, b.w.Types().Get("Lamp"), 7)}, Whole: true})
	require.NoError(t, err)
	types, problems, err := typefile.ReadDir(b.dir.TypesPath())
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, 1, types.Len())
	require.NotNil(t, types.Get("Lamp"))
	require.Equal(t, 1, b.w.Types().Len())
	require.Equal(t, lampText(1, 7), b.text(1))
}

// Where no file of types/ declares anything any more, the declarations from before stay in
// force. That is said of those that entities have, by later openings, too, and stops a ship
// build: a clone would have none of them.
func TestTypesThatNoFileDeclaresAreNamed(t *testing.T) {
	b := newBench(t, 3)
	_, err := b.w.Import(cache.Intake{Types: []*entity.Type{{Name: "Spare", Revision: 1}}})
	require.NoError(t, err)
	require.Empty(t, b.codes())
	at := func(name string) string { return filepath.Join(b.dir.TypesPath(), name) }
	whole, err := os.ReadFile(at("Lamp.toml"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(at("Spare.toml")))
	for _, lose := range []func() error{
		func() error { return os.Remove(at("Lamp.toml")) },
		func() error { return os.Rename(at("Lamp.toml"), at("Lamp.TOML")) },
		func() error { return os.RemoveAll(b.dir.TypesPath()) },
	} {
		require.NoError(t, lose())
		for range 2 {
			require.Equal(t, []string{"0 type-file"}, b.codes())
			_, findings, err := b.w.ViewForShip()
			require.ErrorIs(t, err, cache.ErrShip)
			require.Contains(t, findings[0].Message, "Lamp")
			require.NotContains(t, findings[0].Message, "Spare")
			require.NotNil(t, b.w.Types().Get("Lamp"))
			require.NoError(t, b.w.Sync())
			b.reopen()
		}
		require.NoError(t, os.MkdirAll(b.dir.TypesPath(), 0o755))
		require.NoError(t, os.WriteFile(at("Lamp.toml"), whole, 0o644))
		require.Empty(t, b.codes())
	}

	b.w.Watch(unheard{})
	b.w.SetTypesQuiet(0)
	require.NoError(t, os.Remove(at("Lamp.toml")))
	require.Equal(t, []string{"0 type-file"}, b.codes(), "mounted")
	for id := range entity.ID(3) {
		require.NoError(t, b.w.Remove(id+1))
	}
	require.NoError(t, b.w.AcceptLoss())
	require.Empty(t, b.codes(), "the type went with its entities")
}
