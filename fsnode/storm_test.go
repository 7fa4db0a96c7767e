package fsnode_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAStormOfRenamesLosesNothing moves files about, within and across the
// boundary, while others read, list and write them. Renames that never replace
// and exchanges only permute: in the end every text is there once, and no two
// files have one inode number.
// It shows invariant 1.
func TestAStormOfRenamesLosesNothing(t *testing.T) {
	const rounds, movers, texts = 150, 4, 6
	r := newRig(t, 0)
	require.NoError(t, os.Mkdir(r.path("sub"), 0o755))
	names := []string{
		"1.entity_text", "2.entity_text", "3.entity_text", "a~", "b.tmp", "0.entity_text", "sub/c", "sub/1.entity_text",
	}
	var want []string
	for i := range texts {
		text := fmt.Sprintf("text %d\n", i)
		r.write(names[i], text)
		want = append(want, text)
	}
	var group sync.WaitGroup
	for m := range movers {
		group.Go(func() { r.storm(rand.New(rand.NewPCG(1, uint64(m))), names, rounds) })
	}
	for range 2 {
		group.Go(func() { r.watch(names, rounds) })
	}
	group.Wait()
	r.requireTexts(names, want)
	r.again()
	r.requireTexts(names, want)
}

// TestAKillInAStormLosesNothing kills the daemon while files are moved about.
// What was durable before is there afterwards, at worst under two names.
// It shows invariant 2.
func TestAKillInAStormLosesNothing(t *testing.T) {
	const kills, movers, texts = 4, 2, 5
	r := newRig(t, 0)
	require.NoError(t, os.Mkdir(r.path("sub"), 0o755))
	names := []string{"1.entity_text", "2.entity_text", "a~", "b.tmp", "sub/c", "3.entity_text"}
	var want []string
	for i := range texts {
		want = append(want, fmt.Sprintf("text %d\n", i))
		r.write(names[i], want[i])
	}
	for round := range kills {
		r.close()
		kill := r.serve()
		var group sync.WaitGroup
		for m := range movers {
			group.Go(func() { r.storm(rand.New(rand.NewPCG(uint64(round), uint64(m))), names, 1<<20) })
		}
		time.Sleep(time.Duration(40+30*round) * time.Millisecond)
		kill()
		group.Wait()
		r.open()
		r.up()
		got := map[string]bool{}
		for _, name := range append(r.names(), "sub/c") {
			if text, err := os.ReadFile(r.path(name)); err == nil {
				got[string(text)] = true
			}
		}
		for _, text := range want {
			require.True(t, got[text], "%q is lost after kill %d", text, round)
		}
	}
}

func (r *rig) storm(random *rand.Rand, names []string, rounds int) {
	for range rounds {
		from, to := names[random.IntN(len(names))], names[random.IntN(len(names))]
		flags := []uint{unix.RENAME_NOREPLACE, unix.RENAME_EXCHANGE}[random.IntN(2)]
		err := unix.Renameat2(unix.AT_FDCWD, r.path(from), unix.AT_FDCWD, r.path(to), flags)
		switch {
		case errors.Is(err, syscall.ENOTCONN), errors.Is(err, syscall.ECONNABORTED):
			return // the daemon was killed
		case errors.Is(err, syscall.EIO) && errors.Is(unix.Statfs(r.mnt, new(unix.Statfs_t)), syscall.ENOTCONN):
			return // while it was reading this very request
		case err == nil, errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EEXIST), errors.Is(err, syscall.ESTALE):
		default:
			r.Errorf("rename %s %s %d: %v", from, to, flags, err)
		}
	}
}

// watch reads what is there. Each text is whole, and what is written to an open
// file goes where the file went.
func (r *rig) watch(names []string, rounds int) {
	for i := range rounds {
		f, err := os.OpenFile(r.path(names[i%len(names)]), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		buf := make([]byte, 100)
		n, _ := f.ReadAt(buf, 0)
		if text := string(buf[:n]); !strings.HasPrefix(text, "text ") || n != 7 {
			r.Errorf("%s holds %q", names[i%len(names)], text)
		}
		if _, err := f.WriteAt(buf[:n], 0); err != nil {
			r.Errorf("write: %v", err)
		}
		if err := f.Close(); err != nil {
			r.Errorf("close: %v", err)
		}
		if _, err := os.ReadDir(r.mnt); err != nil {
			r.Errorf("list: %v", err)
		}
	}
}

func (r *rig) requireTexts(names, want []string) {
	r.Helper()
	var got []string
	inos := map[uint64]string{}
	for _, name := range names {
		text, err := os.ReadFile(r.path(name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		require.NoError(r, err)
		got = append(got, string(text))
		ino := r.stat(name).Ino
		require.Empty(r, inos[ino], "%s has the same inode number", name)
		inos[ino] = name
	}
	slices.Sort(got)
	require.Equal(r, want, got)
}

// TestForgottenFilesComeBackTheSame has the kernel forget what it knows, over
// and over, while files are looked up and moved.
// It shows invariant 9.
func TestForgottenFilesComeBackTheSame(t *testing.T) {
	r := newRig(t, 50)
	drop := func() {
		if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("2"), 0); err != nil {
			t.Skip("caches cannot be dropped here:", err)
		}
	}
	r.write("scratch", "text")
	require.NoError(t, os.Mkdir(r.path("dir"), 0o755))
	r.write("dir/below", "below")
	before := map[string]uint64{}
	names := append(r.names(), "dir/below")
	for _, name := range names {
		before[name] = r.stat(name).Ino
	}
	f, err := os.OpenFile(r.path("7.entity_text"), os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	for range 5 {
		drop()
		for _, name := range names {
			require.Equal(t, before[name], r.stat(name).Ino, name)
		}
		require.NoError(t, os.Rename(r.path("7.entity_text"), r.path("dir/away")))
		drop()
		_, err := f.WriteAt([]byte("held"), 0)
		require.NoError(t, err)
		require.Equal(t, "held", r.read("dir/away")[:4])
		require.NoError(t, os.Rename(r.path("dir/away"), r.path("7.entity_text")))
	}
}
