package cache_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// islandBench is an island world of 10,422 entities, or as many as
// WORLDFS_BENCH_ENTITIES says.
func islandBench(b *testing.B) (*cache.World, *worlddir.Dir, []entity.ID) {
	n := island.DefaultEntities
	if text := os.Getenv("WORLDFS_BENCH_ENTITIES"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	dir, err := worlddir.Init(filepath.Join(b.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(b, err)
	require.NoError(b, dir.EnsureState())
	w, err := cache.Open(dir, cache.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, w.Close()) })
	world := island.Generate(n, 1)
	_, err = w.Import(cache.Intake{Types: world.Types.All(), Entities: slices.Collect(world.All())})
	require.NoError(b, err)
	for _, id := range world.IDs() { // as after a listing
		_, err := w.Lookup(id)
		require.NoError(b, err)
	}
	return w, dir, world.IDs()
}

// BenchmarkCheckpoint publishes one edit, and says how long the slowest of the
// writes waited that went on meanwhile.
func BenchmarkCheckpoint(b *testing.B) {
	w, _, ids := islandBench(b)
	f, err := w.Lookup(ids[len(ids)/2])
	require.NoError(b, err)
	text, err := f.Text()
	require.NoError(b, err)
	other, err := w.Lookup(ids[0])
	require.NoError(b, err)
	stop, slowest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for {
			select {
			case <-stop:
				slowest <- most
				return
			case <-time.After(time.Millisecond):
			}
			begin := time.Now()
			_, _ = other.WriteAt([]byte("x"), 0)
			most = max(most, time.Since(begin))
		}
	}()
	i := 0
	for b.Loop() {
		i++
		_, err := f.WriteAt(slices.Concat(text, []byte(strconv.Itoa(i)+"\n")), 0)
		require.NoError(b, err)
		require.NoError(b, w.Sync())
	}
	close(stop)
	b.ReportMetric(float64(<-slowest)/1e6, "slowest-write-ms")
}

// BenchmarkTakeover takes in packs that an engine saves with 10 changes, from
// the rename to when the files show them.
func BenchmarkTakeover(b *testing.B) {
	w, dir, ids := islandBench(b)
	require.NoError(b, w.Sync())
	p, err := packfile.ReadFile(dir.PackPath())
	require.NoError(b, err)
	base := p.Hash()
	i := 0
	for b.Loop() {
		b.StopTimer()
		changes := make(map[entity.ID]*entity.Entity)
		i++
		for k := range 10 {
			e, _ := p.Get(ids[(i*977+k*101)%len(ids)])
			e = e.Clone()
			for f, v := range e.Values {
				if v.Kind() == entity.KindVec3 {
					e.Values[f] = entity.NewVec(entity.KindVec3, [4]uint32{uint32(i), uint32(k)})
				}
			}
			changes[e.ID] = e
		}
		changed, err := packfile.EncodeChanges(dir.ID, p.Types(), p, changes)
		require.NoError(b, err)
		data := changed.Bytes()
		packfile.SetBasedOn(data, base)
		p, err = packfile.Parse(data)
		require.NoError(b, err)
		base = p.Hash()
		temp := dir.PackPath() + ".engine"
		require.NoError(b, os.WriteFile(temp, data, 0o644))
		told := &watcher{}
		w.Watch(told)
		var want []string
		for id := range changes {
			want = append(want, "changed "+id.String())
		}
		b.StartTimer()
		require.NoError(b, os.Rename(temp, dir.PackPath()))
		for begin := time.Now(); !told.has(want...); time.Sleep(time.Millisecond) {
			require.Less(b, time.Since(begin), time.Minute)
		}
	}
}
