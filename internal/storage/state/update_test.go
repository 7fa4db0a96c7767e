package state

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func drawUpdate(t *rapid.T) Update {
	u := Update{Records: make(map[entity.ID]*Record), meta: make(map[string][]byte)}
	bytes := rapid.SliceOfN(rapid.Byte(), 0, 20)
	for range rapid.IntRange(0, 4).Draw(t, "records") {
		r := &Record{
			Gone: rapid.Bool().Draw(t, "gone"), HasText: rapid.Bool().Draw(t, "has text"),
			Attr: fileattr.Attr{Mode: 0o644, Ino: rapid.Uint64().Draw(t, "ino"), Mtime: time.Unix(1, 2), Ctime: time.Unix(3, 4), Atime: time.Unix(5, 6)},
			Seq:  rapid.Uint64().Draw(t, "seq"),
			Text: append([]byte(nil), bytes.Draw(t, "text")...), Good: append([]byte(nil), bytes.Draw(t, "good")...),
			KeepText: rapid.Bool().Draw(t, "keep"),
		}
		u.Records[entity.ID(rapid.Uint32().Draw(t, "id"))] = r
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
	u := Update{
		Records: map[entity.ID]*Record{1: {Text: []byte("text")}, 2: {Good: []byte("good")}},
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
	s, _, err := Open(dir, &disk.Disk{}, nil, false)
	require.NoError(t, err)
	put := func(apply func(Update) error, r *Record) {
		r.HasText = true
		require.NoError(t, apply(Update{Records: map[entity.ID]*Record{7: r}}))
	}
	has := func(want string, ahead bool) {
		require.Equal(t, ahead, s.LogIsAhead())
		text, err := s.Text(7)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	put(s.Apply, &Record{Text: []byte("one")})
	put(s.ApplyFast, &Record{KeepText: true})
	has("one", true)
	put(s.ApplyFast, &Record{Text: []byte("two")})
	put(s.ApplyFast, &Record{KeepText: true})
	has("two", true)
	require.NoError(t, s.Flush())
	has("two", false)
	require.NoError(t, s.Close())
}

// FuzzParseUpdate reads records of the log of any content: what is read is
// written again as the same.
func FuzzParseUpdate(f *testing.F) {
	at := time.Unix(981173106, 789)
	u := Update{
		Records: map[entity.ID]*Record{
			7:    {Attr: fileattr.Attr{Mode: 0o644, Mtime: at, Ctime: at, Atime: at}, HasText: true, Text: []byte("Lamp\n")},
			6555: {Gone: true, Unpublished: true, Seq: 9},
			9:    {KeepText: true, HasText: true, HasGood: true, Good: []byte("Lamp\n")},
		},
		meta: map[string][]byte{"seq": {1, 2, 3, 4, 5, 6, 7, 8}, "dir/7": nil},
	}
	f.Add(u.appendTo(nil))
	f.Add(Update{}.appendTo(nil))
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
