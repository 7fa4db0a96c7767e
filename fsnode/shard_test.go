package fsnode_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// newShardedRig mounts a world of lamps 1 to n in shards.
func newShardedRig(t *testing.T, n int, l layout.Layout) *rig {
	t.Helper()
	r := newRig(t, n)
	r.close()
	require.NoError(t, r.dir.SetShard(l))
	r.open()
	r.up()
	return r
}

func (r *rig) list(dir string) (names []string) {
	r.Helper()
	entries, err := os.ReadDir(r.path(dir))
	require.NoError(r, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// In shards everything is as in a plain directory, too.
func TestShardsDoWhatPlainDirectoriesDo(t *testing.T) {
	r := newShardedRig(t, 3, layout.LastDigit)
	plain := t.TempDir()
	for _, shard := range []string{"4", "5", "1"} {
		_ = os.Mkdir(r.path(shard), 0o755)
		require.NoError(t, os.Mkdir(filepath.Join(plain, shard), 0o755))
	}
	require.NoError(t, os.Chmod(plain, 0o755))
	casts := map[string][2]string{
		"one shard":        {"4/74.entity_text", "4/84.entity_text"},
		"across shards":    {"4/74.entity_text", "5/75.entity_text"},
		"wrong shard":      {"4/75.entity_text", "5/75.entity_text"},
		"beside shards":    {"74.entity_text", "75.entity_text"},
		"shard to scratch": {"4/74.entity_text", "4/74.entity_text~"},
		"scratch to shard": {"svn-XXXXXX", "5/75.entity_text"},
	}
	for name, play := range plays {
		for cast, files := range casts {
			t.Run(name+"/"+cast, func(t *testing.T) {
				want := playIn(t, plain, files, play)
				got := playIn(t, r.mnt, files, play)
				require.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
			})
		}
	}
}

func TestShardsAreDirectories(t *testing.T) {
	r := newShardedRig(t, 12, layout.LastDigit)
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, r.list(""))
	require.Equal(t, []string{"12.entity_text", "2.entity_text"}, r.list("2"))
	require.EqualValues(t, 12, r.stat("").Nlink)
	require.EqualValues(t, 2, r.stat("2").Nlink)
	require.Contains(t, r.read("2/12.entity_text"), "\n12\n")

	require.ErrorIs(t, os.Remove(r.path("2")), syscall.ENOTEMPTY)
	require.ErrorIs(t, os.Rename(r.path("2"), r.path("x")), syscall.EXDEV)
	require.ErrorIs(t, os.Mkdir(r.path("2"), 0o755), syscall.EEXIST)
	require.NoError(t, os.Remove(r.path("3/3.entity_text")))
	require.NoError(t, os.Remove(r.path("3")))
	require.NoDirExists(t, r.path("3"))
	require.EqualValues(t, 11, r.stat("").Nlink)
	require.ErrorIs(t, os.WriteFile(r.path("3"), nil, 0o644), syscall.EPERM)
	require.ErrorIs(t, os.Symlink("x", r.path("3")), syscall.EPERM)
	require.ErrorIs(t, os.WriteFile(r.path("3/13.entity_text"), nil, 0o644), syscall.ENOENT)
	require.NoError(t, os.Mkdir(r.path("d"), 0o700))
	require.NoError(t, os.WriteFile(r.path("d/13.entity_text"), []byte("x"), 0o644))
	require.ErrorIs(t, os.Rename(r.path("d"), r.path("3")), syscall.EXDEV)
	out, err := exec.Command("mv", r.path("d"), r.path("3")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoDirExists(t, r.path("d"))
	require.Equal(t, []entity.ID{13}, r.world.IDsIn(r.world.Layout(), 3, 0, 9))
	require.EqualValues(t, 0o700|syscall.S_IFDIR, r.stat("3").Mode)

	ino, mtime := r.stat("3").Ino, r.stat("3").Mtim
	r.again()
	require.Equal(t, ino, r.stat("3").Ino)
	require.Equal(t, mtime, r.stat("3").Mtim)
	require.Equal(t, []string{"13.entity_text"}, r.list("3"))
}

// A name's coming and going shows in the directory that it is in, and only
// there.
func TestEachShardHasItsTimes(t *testing.T) {
	r := newShardedRig(t, 12, layout.LastDigit)
	before := map[string]syscall.Timespec{}
	for _, dir := range []string{"", "1", "2"} {
		before[dir] = r.stat(dir).Mtim
	}
	pause()
	require.NoError(t, os.Remove(r.path("2/12.entity_text")))
	require.Equal(t, before[""], r.stat("").Mtim)
	require.Equal(t, before["1"], r.stat("1").Mtim)
	require.NotEqual(t, before["2"], r.stat("2").Mtim)
	old := time.Unix(1000, 0)
	require.NoError(t, os.Chtimes(r.path("1"), old, old))
	require.EqualValues(t, 1000, r.stat("1").Mtim.Sec)
}

// An entity that comes from elsewhere brings its shard along, and what is in
// the way goes.
func TestAShardComesWhenItIsNeeded(t *testing.T) {
	r := newShardedRig(t, 0, layout.Tens)
	require.Empty(t, r.list(""))
	require.NoFileExists(t, r.path("06/6.entity_text"), "what the kernel may remember")
	_, err := r.world.Import(cache.Intake{Types: []*entity.Type{lampType()}, Entities: []*entity.Entity{lamp(6, lampType())}})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := os.ReadFile(r.path("06/6.entity_text"))
		return err == nil
	}, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool { return len(r.list("")) == 1 }, time.Minute, 5*time.Millisecond)
}

// A directory stream that is read in pieces, with deletions in between, shows
// every entity of its shard once.
func TestShardsAreListedWithCookies(t *testing.T) {
	r := newShardedRig(t, 2000, layout.LastDigit)
	d, err := os.Open(r.path("7"))
	require.NoError(t, err)
	defer d.Close()
	seen := map[string]bool{}
	for {
		names, _ := d.Readdirnames(7)
		if len(names) == 0 {
			break
		}
		for _, name := range names {
			require.False(t, seen[name])
			seen[name] = true
			require.NoError(t, os.Remove(r.path("7/"+name)))
		}
	}
	require.Len(t, seen, 200)
	require.NoError(t, os.Remove(r.path("7")))
}

// While it is mounted a world goes from one layout to another, and nothing is
// lost of what lies in the one or in the other.
// It shows invariant 10.
func TestALayoutChangesUnderTheMount(t *testing.T) {
	r := newRig(t, 20)
	text := r.read("15.entity_text")
	// A checkout deletes here and creates there before world.toml says so.
	require.NoError(t, os.Remove(r.path("15.entity_text")))
	require.NoError(t, os.Mkdir(r.path("5"), 0o755))
	require.NoError(t, os.WriteFile(r.path("5/15.entity_text"), []byte(text), 0o640))
	require.NoError(t, os.WriteFile(r.path("5/note"), []byte("x"), 0o644))
	require.NoError(t, os.WriteFile(r.path("6"), []byte("in the way"), 0o644))
	open, err := os.OpenFile(r.path("5/15.entity_text"), os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	defer open.Close()
	ino := r.stat("5/15.entity_text").Ino

	require.NoError(t, r.mount.Relayout(layout.LastDigit))
	require.Eventually(t, func() bool {
		_, err := os.Lstat(r.path("16.entity_text"))
		return err != nil && len(r.list("")) == 11
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, []entity.ID{5, 15}, r.world.IDsIn(r.world.Layout(), 5, 0, 9))
	require.Equal(t, []string{"15.entity_text", "5.entity_text", "note"}, r.list("5"))
	require.Equal(t, "in the way", r.read("6~"))
	require.Equal(t, text, r.read("5/15.entity_text"))
	require.Equal(t, ino, r.stat("5/15.entity_text").Ino)
	require.EqualValues(t, 0o640|syscall.S_IFREG, r.stat("5/15.entity_text").Mode)
	_, err = open.WriteString("\n")
	require.NoError(t, err)
	require.Equal(t, text+"\n", r.read("5/15.entity_text"))

	require.NoError(t, r.mount.Relayout(layout.None))
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(r.path("15.entity_text"))
		return err == nil && string(b) == text+"\n"
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 20, r.world.Len())
	require.Equal(t, ino, r.stat("15.entity_text").Ino)
}

// Everything is renamed across shards and back by many at once.
func TestManyRenamesAcrossShards(t *testing.T) {
	r := newShardedRig(t, 10, layout.LastDigit)
	done := make(chan error)
	for digit := range 5 {
		go func() {
			for i := range 20 {
				from, to := fmt.Sprintf("%d/%d.entity_text", digit, 100+digit), fmt.Sprintf("%d/%d.entity_text", digit+5, 205+digit)
				if i%2 == 1 {
					from, to = to, from
				} else if i == 0 {
					if err := os.WriteFile(r.path(from), []byte("text"), 0o644); err != nil {
						done <- err
						return
					}
				}
				if err := unix.Renameat2(unix.AT_FDCWD, r.path(from), unix.AT_FDCWD, r.path(to), unix.RENAME_NOREPLACE); err != nil {
					done <- fmt.Errorf("%s to %s: %w", from, to, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 5 {
		require.NoError(t, <-done)
	}
	for digit := range 5 {
		require.Equal(t, "text", r.read(fmt.Sprintf("%d/%d.entity_text", digit, 100+digit)))
	}
	require.Equal(t, 15, r.world.Len())
}
