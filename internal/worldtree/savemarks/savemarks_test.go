package savemarks_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestMarksOfSavesAreKept(t *testing.T) {
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{Note: func(string) {}})
	require.NoError(t, err)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	dropping := func(want int, after time.Duration, texts map[entity.ID][]byte) {
		t.Helper()
		dropped, err := savemarks.Add(dir, texts, now.Add(after))
		require.NoError(t, err)
		require.Equal(t, want, dropped)
	}
	add := func(after time.Duration, texts map[entity.ID][]byte) {
		t.Helper()
		dropping(0, after, texts)
	}
	kept := func() (texts []string) {
		t.Helper()
		marks, err := savemarks.Read(dir)
		require.NoError(t, err)
		for _, m := range marks {
			texts = append(texts, m.ID.String()+string(m.Text[:1]))
		}
		return texts
	}
	require.Empty(t, kept())
	add(0, nil)
	require.Empty(t, kept())
	add(0, map[entity.ID][]byte{7: []byte("a"), 5: []byte("b")})
	add(time.Hour, map[entity.ID][]byte{7: []byte("c")})
	require.Equal(t, []string{"7c", "5b", "7a"}, kept())
	add(2*time.Hour, map[entity.ID][]byte{5: []byte("b")})
	require.Equal(t, []string{"5b", "7c", "7a"}, kept(), "the same is kept once")
	add(14*24*time.Hour+time.Minute, map[entity.ID][]byte{6: []byte("d")})
	require.Equal(t, []string{"6d", "5b", "7c"}, kept(), "7a is too old")
	dropping(2, 14*24*time.Hour+time.Hour, map[entity.ID][]byte{4: bytes.Repeat([]byte("e"), 8<<20-1)})
	require.Equal(t, []string{"4e", "6d"}, kept(), "there is room for one more")
	dropping(2, 14*24*time.Hour+time.Hour, map[entity.ID][]byte{1: bytes.Repeat([]byte("g"), 8<<20+1), 2: []byte("h")})
	require.Equal(t, []string{"2h", "4e"}, kept(), "what is too large takes nothing else with it")
	later := []byte(`{"version":99,"records":[]}`)
	require.NoError(t, dir.Keep(worlddir.SaveMarksName, later))
	_, err = savemarks.Add(dir, map[entity.ID][]byte{3: []byte("f")}, now)
	require.ErrorContains(t, err, "later worldfs")
	data, err := dir.Kept(worlddir.SaveMarksName)
	require.NoError(t, err)
	require.Equal(t, later, data)
	require.NoError(t, dir.Keep(worlddir.SaveMarksName, []byte("{")))
	_, err = savemarks.Read(dir)
	require.Error(t, err)
	add(14*24*time.Hour+2*time.Hour, map[entity.ID][]byte{3: []byte("f")})
	require.Equal(t, []string{"3f"}, kept())
}
