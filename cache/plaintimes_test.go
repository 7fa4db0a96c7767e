package cache_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

func (b *bench) plainTime(id entity.ID) time.Time {
	info, err := os.Stat(b.plainPath(id))
	require.NoError(b, err)
	return info.ModTime()
}

func (b *bench) touchPlain(id entity.ID, at time.Time) {
	ts := unix.Timespec{Sec: at.Unix(), Nsec: int64(at.Nanosecond())}
	require.NoError(b, unix.UtimesNanoAt(unix.AT_FDCWD, b.plainPath(id), []unix.Timespec{ts, ts}, 0))
}

func (b *bench) touch(id entity.ID, at time.Time) {
	f, err := b.w.Lookup(id)
	require.NoError(b, err)
	require.NoError(b, f.SetAttr(cache.AttrChange{Mtime: &at}))
}

func (b *bench) requireTime(id entity.ID, want time.Time, what string) {
	b.Helper()
	require.Equal(b, want.UnixNano(), b.attr(id).Mtime.UnixNano(), what)
	require.Equal(b, want.Unix(), b.attr(id).Mtime.Unix(), what)
}

// oddTimes are times that programs set, which not every clock or format has.
var oddTimes = []time.Time{
	fixedTime, time.Unix(-86400, 5), time.Unix(0, 0), time.Now().Add(1000 * time.Hour).Truncate(1), time.Unix(10000000000, 7),
}

func TestAPlainFilesTimeIsTakenOver(t *testing.T) {
	for _, at := range oddTimes {
		for what, before := range map[string]func(b *bench){
			"never touched":    func(*bench) {},
			"touched here":     func(b *bench) { b.touch(2, time.Unix(1500000000, 0)) },
			"its exact text":   func(b *bench) { b.write(2, "\n"+lampText(2, 2)) },
			"changed":          func(b *bench) { b.write(2, lampText(2, 77)) },
			"a new state":      func(b *bench) { b.forgetState() },
			"a new state, all": func(b *bench) { b.forgetState(); require.NoError(b, os.Remove(b.dir.PackPath())) },
		} {
			t.Run(fmt.Sprint(what, " ", at.Unix()), func(t *testing.T) {
				b := plainBench(t, 4)
				before(b)
				if strings.HasPrefix(what, "a new state") {
					b.open()
				}
				b.takePlain()
				b.requirePlainWritten()
				b.touchPlain(2, at)
				b.takePlain()
				b.requireTime(2, at, "taken over")
				b.requirePlainWritten()
				require.Equal(t, at.Unix(), b.plainTime(2).Unix(), "the file's own stays")
				b.crash()
				b.requireTime(2, at, "after a crash")
				b.takePlain()
				for _, id := range []entity.ID{1, 2, 3} {
					b.requireTime(id, b.plainTime(id), "of each")
				}
			})
		}
	}
}

// forgetState closes the world and removes what it knew.
func (b *bench) forgetState() {
	require.NoError(b, b.w.Close())
	require.NoError(b, os.RemoveAll(b.dir.StatePath()))
	require.NoError(b, b.dir.EnsureState())
}

func TestATimeSetHereIsThePlainFiles(t *testing.T) {
	for _, at := range oddTimes {
		b := plainBench(t, 4)
		b.reopen()
		b.eventually("in step", b.inStep)
		was := b.plainTime(3)
		b.touch(2, at)
		require.NoError(t, b.w.SyncAll())
		b.crash()
		b.requirePlainWritten()
		require.Equal(t, at.Unix(), b.plainTime(2).Unix())
		require.Equal(t, at.Nanosecond(), b.plainTime(2).Nanosecond())
		require.Equal(t, was, b.plainTime(3))
		b.reopen()
		b.takePlain()
		b.requireTime(2, at, "there and back")
		b.eventually("in step again", b.inStep)
	}
}

// A copied or restored working copy has plain files with another inode and ctime, which
// say nothing of their mtimes: what was set here since stays.
func TestATimeSetHereStaysWhereThePlainFilesDidNotChangeTheirs(t *testing.T) {
	for what, move := range map[string]func(b *bench, path string){
		"another ctime": func(b *bench, path string) { require.NoError(b, os.Chmod(path, 0o644)) },
		"another inode": func(b *bench, path string) {
			was := b.plainTime(2)
			text, err := os.ReadFile(path)
			require.NoError(b, err)
			require.NoError(b, os.WriteFile(path+"~", text, 0o644))
			require.NoError(b, os.Rename(path+"~", path))
			b.touchPlain(2, was)
		},
		"whole seconds": func(b *bench, _ string) { b.touchPlain(2, b.plainTime(2).Truncate(time.Second)) },
	} {
		t.Run(what, func(t *testing.T) {
			b := plainBench(t, 4)
			b.takePlain()
			b.touch(2, fixedTime)
			require.NoError(t, b.w.SyncAll())
			b.crash()
			move(b, b.plainPath(2))
			b.takePlain()
			b.requireTime(2, fixedTime, what)
			b.requirePlainWritten()
			require.Equal(t, fixedTime, b.plainTime(2))
		})
	}
}

func TestANewFilesTimeIsTakenOver(t *testing.T) {
	b := plainBench(t, 4)
	for id, text := range map[entity.ID]string{2: lampText(2, 99), 3: "broken", 9: lampText(9, 9), 10: "\n" + lampText(10, 10)} {
		require.NoError(t, os.WriteFile(b.plainPath(id), []byte(text), 0o644))
		b.touchPlain(id, fixedTime)
	}
	b.takePlain()
	for _, id := range []entity.ID{2, 3, 9, 10} {
		b.requireTime(id, fixedTime, strconv.Itoa(int(id)))
	}
	b.requirePlainWritten()
	require.Equal(t, fixedTime, b.plainTime(9))
}

// What reads a file again by its time and size must not miss a change.
func TestOtherBytesNeverKeepTheTime(t *testing.T) {
	b := plainBench(t, 4)
	b.reopen()
	b.takePlain()
	was := b.plainTime(2)
	b.editPlain(2, "    2\n", "    7\n") // another file, or nothing could tell
	b.touchPlain(2, was)
	b.takePlain()
	require.Equal(t, 7, b.published(2))
	require.NotEqual(t, was, b.attr(2).Mtime)
	b.requirePlainWritten()
	require.Equal(t, b.attr(2).Mtime.UnixNano(), b.plainTime(2).UnixNano())
}

// An entity that is deleted and comes in anew while its plain file's stamp is still
// known is another file.
func TestAnEntityMadeAnewHasATimeOfItsOwn(t *testing.T) {
	b := plainBench(t, 2)
	b.reopen()
	b.takePlain()
	was := b.attr(1).Mtime
	for _, id := range b.w.IDs(0, 10) {
		require.NoError(t, b.w.Remove(id))
	}
	b.eventually("an empty world is published", func() bool {
		require.NoError(t, b.w.AcceptLoss())
		return cache.CheckpointNow(b.w) == nil && b.w.Len() == 0
	})
	time.Sleep(20 * time.Millisecond)
	_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(1, lampType(), 5)}})
	require.NoError(t, err)
	require.NotEqual(t, was, b.attr(1).Mtime)
	b.reopen()
	require.NotEqual(t, was, b.attr(1).Mtime)
}

// After any edits here and there a file and its plain file have one text and one time,
// and what was remembered of a file by time and size has the text that it had.
func TestTimesCrossTheMount(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := plainBench(t, 3)
		seen := map[string]string{}
		look := func(id entity.ID, at time.Time, text string) {
			key := fmt.Sprint(id, at.UnixNano(), len(text))
			if was, ok := seen[key]; ok && was != text {
				r.Fatalf("entity %d: two texts of time %v", id, at)
			}
			seen[key] = text
		}
		lookAtAll := func() {
			for id := entity.ID(1); id <= 3; id++ {
				look(id, b.attr(id).Mtime, b.text(id))
			}
		}
		for step := range rapid.IntRange(1, 12).Draw(r, "steps") {
			id := entity.ID(rapid.IntRange(1, 3).Draw(r, "id"))
			watts := rapid.Uint64Range(10, 14).Draw(r, "watts")
			at := time.Unix(1e9+int64(step), 0) // a time set twice says that nothing changed
			switch rapid.SampledFrom([]string{"edit", "touch", "plain edit", "plain touch", "in place", "crash", "reopen"}).Draw(r, "do") {
			case "edit":
				b.write(id, lampText(id, watts))
			case "touch":
				b.touch(id, at)
			case "plain edit":
				b.requirePlainWritten()
				require.NoError(t, os.WriteFile(b.plainPath(id), []byte(lampText(id, watts)), 0o644))
			case "plain touch":
				b.requirePlainWritten()
				b.touchPlain(id, at)
			case "in place":
				b.requirePlainWritten()
				lookAtAll()
			case "crash":
				require.NoError(t, b.w.SyncAll())
				b.crash()
			case "reopen":
				b.reopen()
			}
			b.takePlain()
			lookAtAll()
		}
		b.requirePlainWritten()
		for id := entity.ID(1); id <= 3; id++ {
			require.Equal(t, b.text(id), b.plain(id))
			require.Equal(t, b.plainTime(id).UnixNano(), b.attr(id).Mtime.UnixNano())
			look(id, b.plainTime(id), b.plain(id))
		}
	})
}

// Where the pack that the edits were made on is lost, nothing says what another one
// changes: any file may have other bytes.
func TestAForeignPackOnALostOneKeepsNoTimes(t *testing.T) {
	b := plainBench(t, 3)
	b.reopen()
	b.takePlain()
	was := b.attr(2).Mtime
	require.NoError(t, b.w.Close())
	state := t.TempDir()
	require.NoError(t, os.CopyFS(state, os.DirFS(b.dir.StatePath())))
	b.open()
	b.write(2, lampText(2, 7))
	require.NoError(t, b.w.Sync())
	require.Equal(t, 7, b.published(2))
	b.forgetState()
	require.NoError(t, os.RemoveAll(b.dir.StatePath()))
	require.NoError(t, os.CopyFS(b.dir.StatePath(), os.DirFS(state)))
	require.NoError(t, os.Chmod(b.dir.StatePath(), 0o700))
	require.NoError(t, os.RemoveAll(b.dir.PacksPath()))
	require.NoError(t, os.Mkdir(b.dir.PacksPath(), 0o700))
	b.open()
	require.Equal(t, lampText(2, 7), b.text(2))
	require.NotEqual(t, was, b.attr(2).Mtime)
	b.reopen()
	require.NotEqual(t, was, b.attr(2).Mtime)
}
