package cache

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/worlddir"
)

func drawUpdate(t *rapid.T) update {
	u := update{records: make(map[entity.ID]*record), meta: make(map[string][]byte)}
	bytes := rapid.SliceOfN(rapid.Byte(), 0, 20)
	for range rapid.IntRange(0, 4).Draw(t, "records") {
		r := &record{
			gone: rapid.Bool().Draw(t, "gone"), hasText: rapid.Bool().Draw(t, "has text"),
			attr: fileattr.Attr{Mode: 0o644, Ino: rapid.Uint64().Draw(t, "ino"), Mtime: time.Unix(1, 2), Ctime: time.Unix(3, 4), Atime: time.Unix(5, 6)},
			seq:  rapid.Uint64().Draw(t, "seq"),
			text: append([]byte(nil), bytes.Draw(t, "text")...), good: append([]byte(nil), bytes.Draw(t, "good")...),
			keepText: rapid.Bool().Draw(t, "keep"),
		}
		u.records[entity.ID(rapid.Uint32().Draw(t, "id"))] = r
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "meta") {
		u.meta[fmt.Sprint(i)] = append([]byte{}, bytes.Draw(t, "value")...)
	}
	return u
}

func TestAnUpdateIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := drawUpdate(t)
		got, err := parseUpdate(u.appendTo(nil))
		require.NoError(t, err)
		require.Equal(t, u, got)
	})
}

func TestEveryPartOfAnUpdateIsNeeded(t *testing.T) {
	u := update{
		records: map[entity.ID]*record{1: {text: []byte("text")}, 2: {good: []byte("good")}},
		meta:    map[string][]byte{"a": []byte("1"), "b": nil},
	}
	b := u.appendTo(nil)
	whole := map[int]bool{len(b): true, len(b) - 9: true, len(b) - 9 - 10: true} // after each of meta
	for n := range b {
		_, err := parseUpdate(b[:n])
		require.Equal(t, whole[n], err == nil, n)
	}
}

func TestATextIsReadThatOnlyTheLogHas(t *testing.T) {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	s, _, err := openStore(dir, &disk.Disk{}, nil, false)
	require.NoError(t, err)
	put := func(apply func(update) error, r *record) {
		r.hasText = true
		require.NoError(t, apply(update{records: map[entity.ID]*record{7: r}}))
	}
	has := func(want string, ahead bool) {
		require.Equal(t, ahead, s.isAhead())
		text, err := s.text(7)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	put(s.apply, &record{text: []byte("one")})
	put(s.applySoon, &record{keepText: true})
	has("one", true)
	put(s.applySoon, &record{text: []byte("two")})
	put(s.applySoon, &record{keepText: true})
	has("two", true)
	require.NoError(t, s.settle())
	has("two", false)
	require.NoError(t, s.close())
}

// FuzzParseUpdate reads records of the log of any content: what is read is
// written again as the same.
func FuzzParseUpdate(f *testing.F) {
	at := time.Unix(981173106, 789)
	u := update{
		records: map[entity.ID]*record{
			7:    {attr: fileattr.Attr{Mode: 0o644, Mtime: at, Ctime: at, Atime: at}, hasText: true, text: []byte("Lamp\n")},
			6555: {gone: true, unpublished: true, seq: 9},
			9:    {keepText: true, hasText: true, hasGood: true, good: []byte("Lamp\n")},
		},
		meta: map[string][]byte{"seq": {1, 2, 3, 4, 5, 6, 7, 8}, "dir/7": nil},
	}
	f.Add(u.appendTo(nil))
	f.Add(update{}.appendTo(nil))
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := parseUpdate(b)
		if err != nil {
			return
		}
		again, err := parseUpdate(u.appendTo(nil))
		require.NoError(t, err)
		require.Equal(t, u.appendTo(nil), again.appendTo(nil))
	})
}
