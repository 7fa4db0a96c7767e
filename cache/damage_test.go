package cache_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// damaged is a world that was killed with edits in state.db and its log, which is
// copied for each fault.
type damaged struct {
	root string
	want map[entity.ID]string
}

func makeDamaged(t *testing.T) damaged {
	const n = 120
	b := newBench(t, n)
	b.w.Stop()
	want := make(map[entity.ID]string)
	edit := func(id entity.ID, text string) {
		f := b.write(id, text)
		require.NoError(t, f.Sync())
	}
	for id := entity.ID(1); id <= 60; id++ {
		edit(id, lampText(id, uint64(1000+id)))
	}
	require.NoError(t, b.w.SyncAll())
	for id := entity.ID(50); id <= 70; id++ {
		edit(id, "broken "+fmt.Sprint(id)+"\n")
	}
	cache.FlushState(b.w)
	for id := entity.ID(68); id <= 90; id++ {
		edit(id, lampText(id, uint64(2000+id)))
	}
	require.True(t, b.w.LogIsAhead())
	for id := entity.ID(1); id <= n; id++ {
		want[id] = b.text(id)
	}
	b.w.CloseState()
	b.w = nil
	return damaged{b.dir.Root, want}
}

// fault changes data in a way that disks, cables and programs do.
func fault(r *rand.Rand, data []byte) ([]byte, string) {
	data = slices.Clone(data)
	at := r.IntN(len(data))
	switch r.IntN(5) {
	case 0:
		data[at] ^= 1 << r.IntN(8)
		return data, fmt.Sprintf("a bit at %d", at)
	case 1:
		page := at &^ 4095
		clear(data[page:min(page+4096, len(data))])
		return data, fmt.Sprintf("the page at %d zeroed", page)
	case 2:
		return data[:at], fmt.Sprintf("cut off at %d", at)
	case 3:
		end := min(at+1+r.IntN(20_000), len(data))
		clear(data[at:end])
		return data, fmt.Sprintf("zeros from %d to %d", at, end)
	}
	n := min(1+r.IntN(64), len(data)-at)
	other := r.IntN(len(data) - n + 1)
	a := slices.Clone(data[at : at+n])
	copy(data[at:], slices.Clone(data[other:other+n]))
	copy(data[other:], a)
	return data, fmt.Sprintf("%d bytes at %d and %d swapped", n, at, other)
}

// A fault anywhere in state.db or its log changes no entity without a word: opening
// the world is refused, with the command that mends it; that says of which
// entities it does not know whether they are as they were; and nothing panics.
// WORLDFS_FAULTS is how many faults there are in each, WORLDFS_FAULTS_SEED their
// seed.
func TestNoFaultInTheStateIsSilent(t *testing.T) {
	faults, seed := 30, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("WORLDFS_FAULTS")); err == nil {
		faults = n
	}
	if n, err := strconv.ParseUint(os.Getenv("WORLDFS_FAULTS_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("%d faults in each, seed %d", faults, seed)
	d := makeDamaged(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, file := range []string{"state.db", "state.wal"} {
		mended, exact := 0, 0
		for range faults {
			refused, whole := d.try(t, random, file)
			if refused {
				mended++
			}
			if whole {
				exact++
			}
		}
		t.Logf("%s: %d of %d faults refused; after restore %d worlds are whole, the others are listed", file, mended, faults, exact)
	}
}

// try opens and mends the world after one fault.
func (d damaged) try(t *testing.T, random *rand.Rand, file string) (refused, whole bool) {
	root := filepath.Join(t.TempDir(), "world")
	require.NoError(t, os.CopyFS(root, os.DirFS(d.root)))
	require.NoError(t, os.Chmod(filepath.Join(root, ".worldfs"), 0o700))
	path := filepath.Join(root, ".worldfs", file)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data, what := fault(random, data)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	dir, err := worlddir.Open(root)
	require.NoError(t, err)

	w, err := cache.Open(dir, cache.Options{})
	var mended mend.Mended
	if err != nil {
		refused = true
		var damage *state.Damage
		require.True(t, errors.As(err, &damage), "%s: %s: %v", file, what, err)
		require.ErrorContains(t, err, "worldfs restore")
		mended, err = mend.Mend(dir, nil)
		require.NoError(t, err, "%s: %s", file, what)
		require.NotEmpty(t, mended.State.Damage)
		w, err = cache.Open(dir, cache.Options{})
	}
	require.NoError(t, err, "%s: %s", file, what)
	defer func() { w.Stop(); w.CloseState() }()
	return refused, d.compare(t, w, mended.State, file+": "+what)
}

// compare reports whether the world is as it was. Where it is not that was said.
func (d damaged) compare(t *testing.T, w *cache.World, m state.Mended, what string) (whole bool) {
	whole = true
	for id, want := range d.want {
		got := ""
		if f, err := w.Lookup(id); err == nil {
			text, err := f.Text()
			require.NoError(t, err, what)
			got = string(text)
		}
		if got != want {
			whole = false
			salvaged := slices.ContainsFunc(m.Salvaged, func(f state.FromHistory) bool { return f.ID == id })
			require.True(t, slices.Contains(m.Lost, id) || salvaged || len(m.Unnamed) > 0, "%s: entity %d is %q and nothing says so", what, id, got)
		}
	}
	return whole
}

func TestAnEmptiedStateIsNoNewOne(t *testing.T) {
	d := makeDamaged(t)
	dir, err := worlddir.Open(d.root)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(dir.DBPath(), 0))
	_, err = cache.Open(dir, cache.Options{})
	require.ErrorContains(t, err, "the file is empty or cut off")
	require.ErrorContains(t, err, "worldfs restore")
	m, err := mend.Mend(dir, nil)
	require.NoError(t, err)
	require.NotEmpty(t, m.State.Unnamed)
	w, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	defer func() { w.Stop(); w.CloseState() }()
	for id := entity.ID(68); id <= 90; id++ {
		f, err := w.Lookup(id)
		require.NoError(t, err)
		text, err := f.Text()
		require.NoError(t, err)
		require.Equal(t, d.want[id], string(text), "the log has it")
	}
}

// What becomes of state.db while it is open is an error that names it, and nothing
// ends the process.
func TestAStateThatIsDamagedWhileItIsOpen(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"cut off": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 8192)) },
		"zeroed": func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteAt(make([]byte, len(data)-8192), 8192)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := stopped(t, 200)
			for id := entity.ID(1); id <= 100; id++ {
				b.write(id, "broken\n")
			}
			require.NoError(t, b.w.SyncAll())
			damage(t, b.dir.DBPath())
			b.write(3, lampText(3, 30))
			err := b.w.Sync()
			var found *state.Damage
			require.ErrorAs(t, err, &found)
			require.ErrorContains(t, err, "worldfs restore")
			require.Error(t, b.w.Sync(), "and goes on being one")
		})
	}
}

// salvageable is a world that was killed with edits that the history has been told of.
func salvageable(t *testing.T) damaged {
	b := newBench(t, 40)
	b.w.Stop() // it is to publish nothing
	for id := entity.ID(1); id <= 20; id++ {
		b.write(id, lampText(id, uint64(100+id)))
	}
	b.write(30, "broken\n")
	_, err := b.w.Create(41, 0o644, 0, 0)
	require.NoError(t, err)
	b.write(41, lampText(41, 41))
	_, err = b.w.View() // reads them
	require.NoError(t, err)
	require.NoError(t, b.w.SyncAll())
	b.write(1, lampText(1, 1001))
	_, err = b.w.View()
	require.NoError(t, err)
	require.NoError(t, b.w.SyncAll())
	require.NoError(t, cache.TellNow(b.w))
	want := make(map[entity.ID]string)
	for id := entity.ID(1); id <= 41; id++ {
		want[id] = b.text(id)
	}
	b.w.CloseState()
	b.w = nil
	return damaged{b.dir.Root, want}
}

// What the state has lost comes from the history, and what that has lost, too, is told.
func TestRestoreSalvagesEditsFromTheHistory(t *testing.T) {
	remove := func(t *testing.T, path string) { require.NoError(t, os.RemoveAll(path)) }
	zero := func(t *testing.T, path string) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, make([]byte, info.Size()), 0o600))
	}
	middle := func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		clear(data[len(data)/2:])
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	type damage map[string]func(t *testing.T, path string)
	for name, c := range map[string]struct {
		damage damage
		whole  bool
	}{
		"state and log zeroed": {damage{"state.db": zero, "state.wal": zero}, true},
		"state gone, log gone": {damage{"state.db": remove, "state.wal": remove}, true},
		"half of the state":    {damage{"state.db": middle, "state.wal": remove}, true},
		"the log":              {damage{"state.wal": zero}, true},
		"all, and half the history": {damage{"state.db": zero, "state.wal": zero, "history": func(t *testing.T, path string) {
			segments, err := filepath.Glob(filepath.Join(path, "*"))
			require.NoError(t, err)
			for _, s := range segments {
				middle(t, s)
			}
		}}, false},
		"all, and the history is gone": {damage{"state.db": zero, "state.wal": zero, "history": remove}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := salvageable(t)
			for file, do := range c.damage {
				do(t, filepath.Join(d.root, ".worldfs", file))
			}
			dir, err := worlddir.Open(d.root)
			require.NoError(t, err)
			m, err := mend.Mend(dir, nil)
			require.NoError(t, err)
			w, err := cache.Open(dir, cache.Options{})
			require.NoError(t, err)
			defer func() { w.Stop(); w.CloseState() }()
			require.Equal(t, c.whole, d.compare(t, w, m.State, name), "%+v", m.State)
			require.Empty(t, m.State.Lost)
		})
	}
}

// A log that is damaged after the world was closed had nothing: the world opens, and
// where state.db is to be mended nothing of the log counts as lost.
func TestADamagedLogOfAClosedWorldHadNothing(t *testing.T) {
	b := newBench(t, 120)
	require.NoError(t, b.write(1, lampText(1, 10)).Sync())
	require.NoError(t, b.write(2, "broken\n").Sync())
	require.NoError(t, b.w.Close())
	damageLog := func() {
		data, err := os.ReadFile(b.dir.WALPath())
		require.NoError(t, err)
		for i := range data {
			data[i] ^= 0x5a
		}
		require.NoError(t, os.WriteFile(b.dir.WALPath(), data, 0o600))
	}
	damageLog()
	b.open()
	require.Equal(t, []string{lampText(1, 10), "broken\n"}, []string{b.text(1), b.text(2)})
	require.NoError(t, b.write(3, lampText(3, 30)).Sync())
	b.crash()
	require.Equal(t, lampText(3, 30), b.text(3))
	require.NoError(t, b.w.Close())

	damageLog()
	data, err := os.ReadFile(b.dir.DBPath())
	require.NoError(t, err)
	older := data[:4096] // the first of the two pages that name a transaction, which have its number at 64
	if binary.LittleEndian.Uint64(data[64:]) > binary.LittleEndian.Uint64(data[4096+64:]) {
		older = data[4096 : 2*4096]
	}
	clear(older)
	require.NoError(t, os.WriteFile(b.dir.DBPath(), data, 0o600))
	m, err := mend.Mend(b.dir, nil)
	require.NoError(t, err)
	require.Empty(t, m.State.Lost)
	for _, text := range m.State.Unnamed {
		require.NotContains(t, text, "record")
	}
	b.open()
	require.Equal(t, "broken\n", b.text(2))
}
