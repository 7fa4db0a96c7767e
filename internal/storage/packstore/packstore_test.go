package packstore

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// bench is a world directory with a pack store.
type bench struct {
	testing.TB
	dir   *worlddir.Dir
	state *state.Store
	packs *Store
}

func newBench(t *testing.T) *bench {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	s, _, err := state.Open(dir, &disk.Disk{}, nil, false)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &bench{t, dir, s, New(dir, &disk.Disk{}, nil, s, nil)}
}

// pack returns a pack with a lamp of so many watts under each ID.
func (b *bench) pack(watts map[entity.ID]uint64) *packfile.Pack {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "watts", Shape: entity.Shape{Kind: entity.KindU16}},
	}})
	w := entity.NewWorld(b.dir.ID, types)
	for id, n := range watts {
		e := entity.New(id, types.Get("Lamp").Current())
		e.Values[0] = entity.NewUint(entity.KindU16, n)
		w.Put(e)
	}
	data, err := packfile.Encode(b.dir.ID, types, w)
	require.NoError(b, err)
	p, err := packfile.Parse(data)
	require.NoError(b, err)
	return p
}

// keep keeps a pack as one that was published at a time.
func (b *bench) keep(p *packfile.Pack, at time.Time) *packfile.Pack {
	require.NoError(b, b.state.Apply(state.Update{Packs: map[[32]byte]state.PackNote{p.Hash(): {At: at}}}))
	b.packs.Keep(p)
	return p
}

func (b *bench) hashes() (hashes [][32]byte) {
	kept, err := b.packs.List()
	require.NoError(b, err)
	for _, k := range kept {
		hashes = append(hashes, k.Digest)
	}
	return hashes
}

// Invariant 1.
func TestAKeptPackThatIsNotWhatItWasIsAnError(t *testing.T) {
	b := newBench(t)
	one, two := b.pack(map[entity.ID]uint64{1: 1}), b.pack(map[entity.ID]uint64{1: 2})
	b.keep(one, time.Now())
	got, err := b.packs.Get(one.Hash())
	require.NoError(t, err)
	require.Equal(t, one.Bytes(), got.Bytes())
	require.NoError(t, os.WriteFile(b.packs.Path(one.Hash()), two.Bytes(), 0o600))
	_, err = b.packs.Get(one.Hash())
	require.ErrorContains(t, err, "not what it was")
}

// Invariant 2.
func TestThePackOfThePlainFilesIsNeverPruned(t *testing.T) {
	b := newBench(t)
	old := time.Now().Add(-2 * MaxAge)
	pinned := b.keep(b.pack(map[entity.ID]uint64{1: 1}), old)
	require.NoError(t, b.state.PutPlain(state.PlainUpdate{Bases: map[state.BaseRef]state.PackHash{state.BaseCommon: pinned.Hash()}}))
	dropped := b.keep(b.pack(map[entity.ID]uint64{1: 2}), old.Add(time.Second))
	for n := range uint64(keepNewest) {
		b.keep(b.pack(map[entity.ID]uint64{1: 10 + n}), time.Now().Add(time.Duration(n)*time.Second))
	}
	require.Contains(t, b.hashes(), pinned.Hash())
	require.NotContains(t, b.hashes(), dropped.Hash())
}

// Invariant 3.
func TestNoTwoPacksHaveTheSameTime(t *testing.T) {
	b := newBench(t)
	last := b.packs.NextTime()
	for range 1000 {
		next := b.packs.NextTime()
		require.True(t, next.After(last))
		last = next
	}
}

// Invariant 4.
func TestTheBaseOfASaveThatNamesNone(t *testing.T) {
	b := newBench(t)
	now := time.Now()
	b.keep(b.pack(map[entity.ID]uint64{1: 1, 2: 1, 3: 1}), now.Add(-3*time.Minute))
	near := b.keep(b.pack(map[entity.ID]uint64{1: 2, 2: 2, 3: 1}), now.Add(-2*time.Minute))
	published := b.keep(b.pack(map[entity.ID]uint64{1: 9, 2: 9, 3: 9}), now.Add(-time.Minute))
	save := b.pack(map[entity.ID]uint64{1: 2, 2: 2, 3: 5})
	base := b.packs.BaseOf(save, published, func() entity.Source { return published })
	require.Equal(t, near.Hash(), base.Pack.Hash(), "the one that differs in the fewest entities")
	require.Empty(t, base.Unknown)
}

func TestASaveThatNamesAnUnknownPackIsToldSo(t *testing.T) {
	b := newBench(t)
	published := b.keep(b.pack(map[entity.ID]uint64{1: 1}), time.Now())
	data := append([]byte(nil), b.pack(map[entity.ID]uint64{1: 2}).Bytes()...)
	packfile.SetBasedOn(data, [32]byte{1, 2, 3})
	save, err := packfile.Parse(data)
	require.NoError(t, err)
	base := b.packs.BaseOf(save, published, func() entity.Source { return published })
	require.Contains(t, base.Unknown, "010203")
}

// Invariant 5.
func TestWhatIsNoPackIsPutAsideAndListed(t *testing.T) {
	b := newBench(t)
	torn := filepath.Join(b.dir.Root, "torn")
	require.NoError(t, os.WriteFile(torn, []byte("half a pa"), 0o600))
	require.NoError(t, b.packs.Quarantine(torn, packfile.ErrTruncated))
	require.NoFileExists(t, torn)
	found := b.packs.Findings()
	require.Len(t, found, 1)
	data, err := os.ReadFile(filepath.Join(b.dir.Root, found[0].File))
	require.NoError(t, err)
	require.Equal(t, "half a pa", string(data))
	require.NoError(t, b.packs.prune())
	require.Len(t, b.packs.Findings(), 1)
}

func TestSumsThatAreDamagedAreMadeAnew(t *testing.T) {
	b := newBench(t)
	p := b.keep(b.pack(map[entity.ID]uint64{1: 1, 7: 3}), time.Now())
	want, err := b.packs.sums(p.Hash())
	require.NoError(t, err)
	path := b.packs.Path(p.Hash()) + sumsSuffix
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range data {
		broken := append([]byte(nil), data...)
		broken[i] ^= 1
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		got, err := b.packs.sums(p.Hash())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
