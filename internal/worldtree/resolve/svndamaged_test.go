package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
)

// What is kept between calls of an update is damaged: that is told, and no file of the world
// changes by it. Where svn has its conflicts still, they are found anew.
func TestDamagedSVNRecord(t *testing.T) {
	begun := killedAt(t)
	open := begun.again(t)
	r, err := resolve.Open(open.dir, resolve.Options{})
	require.NoError(t, err)
	_, err = r.Apply()
	require.NoError(t, err)
	require.Len(t, r.Left, 4)
	whole := begun.again(t)
	require.NoError(t, whole.take(nil))

	random := rand.New(rand.NewPCG(1, 2))
	damages := map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return []byte{} },
		"half":      func(data []byte) []byte { return data[:len(data)/2] },
		"null":      func([]byte) []byte { return []byte("null") },
		"no record": func([]byte) []byte { return []byte(`{"Operation":"svn","Files":{"entities/1.entity_text":null}}`) },
	}
	for i := range 8 {
		damages[fmt.Sprint("bytes ", i)] = func(data []byte) []byte {
			data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
			return data
		}
	}
	for name, damage := range damages {
		for _, settled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, settled %t", name, settled), func(t *testing.T) {
				c := open.again(t)
				if settled {
					c = whole.again(t)
				}
				path := filepath.Join(c.dir, ".worldfs/resolve-svn.json")
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, damage(data), 0o600))
				before, status := c.entities(), c.svn("status")
				var notes []string
				r, err := resolve.Open(c.dir, resolve.Options{Note: func(note string) { notes = append(notes, note) }})
				require.Contains(t, strings.Join(notes, "\n"), ".worldfs/resolve-svn.json is damaged")
				if settled {
					require.ErrorIs(t, err, resolve.ErrNothing)
				} else {
					require.NoError(t, err)
					require.Equal(t, 4, len(r.Left)+len(r.Unread), "all is left that was")
					_, err = r.Apply()
					require.NoError(t, err)
				}
				require.Equal(t, before, c.entities())
				require.Equal(t, status, c.svn("status"))
				notes = nil
				_, err = resolve.Open(c.dir, resolve.Options{Note: func(note string) { notes = append(notes, note) }})
				require.Empty(t, notes, "it is told once")
				require.Equal(t, settled, err != nil)
			})
		}
	}
}
