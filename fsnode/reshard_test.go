package fsnode_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// walk returns how often each entity's file is found below the mountpoint.
func (r *rig) walk() map[string]int {
	found := make(map[string]int)
	_ = filepath.WalkDir(r.mnt, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, layout.Suffix) {
			found[filepath.Base(path)]++
		}
		return nil
	})
	return found
}

// moveAsCheckout moves every entity's file as git does, which removes all of the old
// ones and then makes the new ones, before world.toml says so.
func (r *rig) moveAsCheckout(n int, from, to layout.Layout) {
	texts := make(map[entity.ID][]byte)
	for i := range n {
		id := entity.ID(i + 1)
		text, err := os.ReadFile(r.path(from.Path(id)))
		require.NoError(r, err)
		texts[id] = text
		require.NoError(r, os.Remove(r.path(from.Path(id))))
		_ = os.Remove(filepath.Dir(r.path(from.Path(id)))) // a shard with nothing left
	}
	for id, text := range texts {
		_ = os.Mkdir(filepath.Dir(r.path(to.Path(id))), 0o755)
		require.NoError(r, os.WriteFile(r.path(to.Path(id)), text, 0o644))
	}
}

// Whoever lists all files while the layout changes, after a checkout has moved them,
// finds each of them, and finds it once; and a file that is removed and made anew at
// that moment is neither lost nor hidden.
// It shows invariant 10.
func TestAListingDuringAChangeOfLayoutIsWhole(t *testing.T) {
	const n = 1200
	r := newRig(t, n)
	from, to := layout.None, layout.LastDigit
	for range 4 {
		r.moveAsCheckout(n, from, to)
		var done atomic.Bool
		bad, ended := make(chan map[string]int, 1), make(chan error)
		go func() {
			for !done.Load() {
				if found := r.walk(); len(found) != n {
					select {
					case bad <- found:
					default:
					}
				}
			}
			ended <- nil
		}()
		go func() { // what a rebase does next
			path := r.path(to.Path(7))
			for !done.Load() {
				text, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(path+"~", text, 0o644)
				}
				if err == nil {
					err = os.Rename(path+"~", path)
				}
				if err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
		require.NoError(t, r.mount.Relayout(to))
		done.Store(true)
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
		select {
		case found := <-bad:
			require.Len(t, found, n)
		default:
		}
		found := r.walk()
		require.Len(t, found, n)
		for name, times := range found {
			require.Equal(t, 1, times, name)
		}
		require.Equal(t, n, r.world.Len())
		from, to = to, from
	}
}
