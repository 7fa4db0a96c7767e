package boltfile_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/worldfs/worldfs/internal/storage/boltfile"
)

// made returns a bbolt file with buckets of every shape, and what they hold.
func made(t testing.TB) (data []byte, want map[string]string) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true})
	require.NoError(t, err)
	want = make(map[string]string)
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
			for name, n := range map[string]int{"empty": 0, "inline": 3, "one": 40, "tree": 2000} {
				b, err := tx.CreateBucketIfNotExists([]byte(name))
				if err != nil {
					return err
				}
				for range n {
					key := fmt.Sprint(random.IntN(5000))
					if n == 3 {
						key = fmt.Sprint(random.IntN(4))
					}
					value := strings.Repeat("v", random.IntN(60))
					if random.IntN(400) == 0 {
						value = strings.Repeat("long", 3000)
					}
					if err := b.Put([]byte(key), []byte(value)); err != nil {
						return err
					}
					want[name+"/"+key] = value
				}
			}
			return nil
		}))
	}
	require.NoError(t, db.Close())
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	return data, want
}

func TestWalkReadsWhatBoltWrote(t *testing.T) {
	data, want := made(t)
	found := make(map[string]string)
	f := boltfile.Parse(data)
	faults := f.Walk(func(e boltfile.Element) { found[e.Bucket+"/"+string(e.Key)] = string(e.Value) })
	require.Empty(t, faults)
	require.Equal(t, want, found)
	require.NotZero(t, f.Txid())
}

func TestScanFindsWhatTheTreeHas(t *testing.T) {
	data, want := made(t)
	clear(data[:2*4096]) // no meta page: no tree
	found := make(map[string]bool)
	f := boltfile.Parse(data)
	require.NotEmpty(t, f.Walk(func(boltfile.Element) {}))
	f.Scan(func(e boltfile.Element) { found[string(e.Key)+"="+string(e.Value)] = true })
	for key, value := range want {
		_, key, _ = strings.Cut(key, "/")
		require.True(t, found[key+"="+value], key)
	}
}

// A zeroed page that the tree leads to is a fault, and nothing panics.
func TestAZeroedPageIsAFault(t *testing.T) {
	data, _ := made(t)
	used := make(map[uint64]bool)
	boltfile.Parse(data).Walk(func(e boltfile.Element) { used[e.Page] = true })
	require.Greater(t, len(used), 10)
	for page := range used {
		bad := slices.Clone(data)
		clear(bad[page*4096 : (page+1)*4096])
		f := boltfile.Parse(bad)
		require.NotEmpty(t, f.Walk(func(boltfile.Element) {}), "page %d", page)
		f.Scan(func(boltfile.Element) {})
	}
}

// FuzzFile reads files of any content.
func FuzzFile(f *testing.F) {
	data, _ := made(f)
	f.Add(data[:8*4096])
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, data []byte) {
		file := boltfile.Parse(data)
		file.Walk(func(boltfile.Element) {})
		file.Scan(func(boltfile.Element) {})
	})
}
