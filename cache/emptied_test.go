package cache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// empty truncates an entity's file, as a program does that writes it anew.
func (b *bench) empty(id entity.ID) *cache.File {
	f, err := b.w.Lookup(id)
	require.NoError(b, err)
	require.NoError(b, f.SetAttr(cache.AttrChange{Size: new(int64)}))
	return f
}

// recreate removes an entity's file and creates it, as git does.
func (b *bench) recreate(id entity.ID) *cache.File {
	require.NoError(b, b.w.Remove(id))
	f, err := b.w.Create(id, 0o644, 0, 0)
	require.NoError(b, err)
	return f
}

// Killed after a file was emptied and before its new text came: it has the old one,
// byte for byte, whatever else was made durable meanwhile.
func TestATextThatWasEmptiedIsTheOldOneAfterAKill(t *testing.T) {
	odd := strings.ReplaceAll(lampText(2, 20), "\n", "\r\n")
	for name, empty := range map[string]func(*bench, entity.ID) *cache.File{"truncated": (*bench).empty, "made anew": (*bench).recreate} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 4)
			require.NoError(t, b.write(2, odd).Sync())
			require.NoError(t, b.write(3, "broken").Sync())
			for _, id := range []entity.ID{1, 2, 3} {
				empty(b, id)
				empty(b, id)
			}
			require.NoError(t, b.w.SyncAll())
			require.NoError(t, b.w.Sync())
			require.Empty(t, b.text(2))
			b.crash()
			require.Equal(t, []string{lampText(1, 1), odd, "broken"}, []string{b.text(1), b.text(2), b.text(3)})
			require.NoError(t, b.w.Sync())
			require.Equal(t, 20, b.published(2))
		})
	}
}

// A text that came has nothing of the one before it.
func TestATextThatWasWrittenAnewIsTheNewOneAfterAKill(t *testing.T) {
	b := newBench(t, 3)
	f := b.empty(1)
	require.NoError(t, b.w.SyncAll())
	_, err := f.WriteAt([]byte("x\n"), 0)
	require.NoError(t, err)
	require.NoError(t, b.w.SyncAll())
	b.crash()
	require.Equal(t, "x\n", b.text(1))
}

// Where the file itself was synced, the world closed, or the file left alone, it is meant
// to be empty.
func TestATextThatIsMeantToBeEmptyStaysSo(t *testing.T) {
	for name, meant := range map[string]func(*bench, *cache.File){
		"synced":            func(b *bench, f *cache.File) { require.NoError(b, f.Sync()); b.crash() },
		"closed":            func(b *bench, _ *cache.File) { b.reopen() },
		"synced and closed": func(b *bench, _ *cache.File) { require.NoError(b, b.w.SyncAll()); b.reopen() },
		"left alone": func(b *bench, _ *cache.File) {
			require.NoError(b, b.w.SyncAll())
			require.True(b, b.w.HoldsEmptied())
			b.eventually("state.db has the text as it is", func() bool { return !b.w.HoldsEmptied() })
			require.NoError(b, b.w.SyncAll())
			b.crash()
		},
	} {
		for _, empty := range []func(*bench, entity.ID) *cache.File{(*bench).empty, (*bench).recreate} {
			t.Run(name, func(t *testing.T) {
				b := newBench(t, 3)
				meant(b, empty(b, 1))
				require.Empty(t, b.text(1))
			})
		}
	}
}
