package fsnode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// A file that was edited, and which a checkout therefore has not removed, stays in its old
// place when the layout changes, with what has it open, while the entity has what the
// checkout wrote; a file whose new text is the same does not.
func TestAnEditedFileStaysInItsOldPlace(t *testing.T) {
	for _, c := range []struct{ from, to layout.Layout }{
		{layout.None, layout.LastDigit},
		{layout.LastDigit, layout.None},
		{layout.LastDigit, layout.Tens},
	} {
		t.Run(c.from.String()+" to "+c.to.String(), func(t *testing.T) {
			const n = 30
			r := newRig(t, n)
			require.NoError(t, r.mount.Relayout(c.from))
			place := func(l layout.Layout, id entity.ID) string { return l.Path(id) }
			committed := r.read(place(c.from, 7))
			edited := committed + "; note\n    1\n"
			r.write(place(c.from, 7), edited)
			r.write(place(c.from, 8), edited)
			require.NoError(t, r.world.SyncAll())
			was := r.stat(place(c.from, 7))
			open, err := os.OpenFile(r.path(place(c.from, 7)), os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			defer open.Close()
			for id, text := range map[entity.ID]string{7: committed, 8: edited, 9: r.read(place(c.from, 9))} {
				require.NoError(t, os.MkdirAll(filepath.Dir(r.path(place(c.to, id))), 0o755))
				r.write(place(c.to, id), text)
			}

			require.NoError(t, r.mount.Relayout(c.to))
			require.Equal(t, committed, r.read(place(c.to, 7)))
			require.Equal(t, edited, r.read(place(c.from, 7)))
			require.Equal(t, was.Ino, r.stat(place(c.from, 7)).Ino)
			require.NotEqual(t, was.Ino, r.stat(place(c.to, 7)).Ino)
			_, err = open.WriteString("; more\n    1\n")
			require.NoError(t, err)
			require.Equal(t, edited+"; more\n    1\n", r.read(place(c.from, 7)))
			require.Equal(t, committed, r.read(place(c.to, 7)))
			found := r.walk()
			require.Len(t, found, n)
			for name, times := range found {
				require.Equal(t, map[bool]int{true: 2, false: 1}[name == layout.FileName(7)], times, name)
			}
			misplaced, err := r.mount.Misplaced()
			require.NoError(t, err)
			require.Equal(t, map[string]entity.ID{place(c.from, 7): 7}, misplaced)

			require.NoError(t, open.Close())
			require.NoError(t, r.dir.SetShard(c.to))
			r.again()
			require.Equal(t, edited+"; more\n    1\n", r.read(place(c.from, 7)))
			require.NoError(t, os.Remove(r.path(place(c.from, 7))))
			require.Len(t, r.walk(), n)
		})
	}
}
