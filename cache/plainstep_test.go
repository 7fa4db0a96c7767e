package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// inStep takes in the plain files as a command does that opens the world, and
// returns whether there is then nothing to write.
func (b *bench) inStep() bool {
	_, err := b.w.TakePlain()
	require.NoError(b, err)
	return b.w.PlainInStep()
}

func TestPlainFilesAreKnownToBeInStep(t *testing.T) {
	b := newBench(t, 5)
	path := filepath.Join(b.dir.EntitiesPath(), "2.entity_text")
	write := func() {
		_, err := b.w.WritePlain("", false)
		require.NoError(t, err)
	}
	require.False(t, b.inStep())
	write()
	b.reopen()
	b.eventually("they are, once the clock has moved on", b.inStep)

	for what, change := range map[string]func(){
		"an edit":        func() { b.write(2, lampText(2, 99)) },
		"its exact text": func() { b.write(2, "\n"+lampText(2, 99)) },
		"its form": func() {
			_, err := b.w.Format([]entity.ID{2}, false)
			require.NoError(t, err)
		},
		"an import": func() {
			_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(2, lampType(), 97)}})
			require.NoError(t, err)
		},
		"a deletion": func() { require.NoError(t, b.w.Remove(3)); b.create(3, lampText(3, 3)) },
		"a mode": func() {
			mode := uint32(0o600)
			f, err := b.w.Lookup(2)
			require.NoError(t, err)
			require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
		},
	} {
		b.write(2, "\n"+lampText(2, 98))
		write()
		b.eventually("in step", b.inStep)
		change()
		require.False(t, b.w.PlainInStep(), what)
		require.NoError(t, b.w.SyncAll())
		b.crash()
		require.False(t, b.inStep(), "%s, after a crash", what)
		write()
		require.Equal(t, b.text(2), read(t, path), what)
	}

	b.eventually("in step", b.inStep)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(read(t, path), "\n", "\r\n", 1)), 0o644))
	require.False(t, b.inStep(), "a plain file was edited")
	write()
	require.NoError(t, os.Remove(path))
	require.False(t, b.inStep(), "a plain file was removed")
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
