package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// smallDisk is a file system of the test's own that can be filled.
type smallDisk struct {
	*bench
	dir    string
	inodes bool // it is filled with empty files, else with bytes
}

// newSmallDisk mounts one of 24 MB on the directory disk of a bench.
func newSmallDisk(t *testing.T, kind string, inodes bool) *smallDisk {
	b := newBench(t, "mkfs.ext4")
	d := &smallDisk{bench: b, dir: b.path("disk"), inodes: inodes}
	require.NoError(t, os.Mkdir(d.dir, 0o755))
	if kind == "tmpfs" {
		require.NoError(t, unix.Mount("worldfs-test", d.dir, "tmpfs", 0, "size=24m,nr_inodes=2k"))
	} else {
		image := b.path("image")
		b.run("truncate", "-s", "24M", image)
		b.run("mkfs.ext4", "-q", "-m", "0", "-N", "2048", image)
		b.run("mount", "-o", "loop", image, d.dir)
	}
	t.Cleanup(func() { // a daemon has its log open until it ends
		require.Eventually(t, func() bool { return unix.Unmount(d.dir, 0) == nil }, time.Minute, 10*time.Millisecond)
	})
	return d
}

// fill leaves the disk no room at all. Where blocks of files that were just removed
// come free a little later, it takes those, too.
func (d *smallDisk) fill() {
	d.Helper()
	dir := filepath.Join(d.dir, "filler")
	require.NoError(d, os.MkdirAll(dir, 0o755))
	for quiet := 0; quiet < 3; quiet++ {
		d.sync()
		for i := 0; ; i++ {
			n, err := d.fillMore(filepath.Join(dir, fmt.Sprint(quiet, "-", i, "-", time.Now().UnixNano())))
			if n > 0 {
				quiet = 0
			}
			if err != nil {
				require.ErrorIs(d, err, syscall.ENOSPC)
				break
			}
		}
	}
}

// fillMore makes one file, as large as goes, and returns how much that took.
func (d *smallDisk) fillMore(path string) (n int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if d.inodes {
		return 1, nil
	}
	for _, size := range []int{1 << 16, 512} {
		for block := make([]byte, size); ; n++ {
			if _, err = f.Write(block); err != nil {
				break
			}
		}
	}
	return n, err
}

func (d *smallDisk) empty() {
	d.Helper()
	require.NoError(d, os.RemoveAll(filepath.Join(d.dir, "filler")))
	d.sync()
}

func (d *smallDisk) sync() {
	d.Helper()
	f, err := os.Open(d.dir)
	require.NoError(d, err)
	require.NoError(d, unix.Syncfs(int(f.Fd())))
	require.NoError(d, f.Close())
}

// world makes a world on the disk. Commands run beside it: in the cover shape its own
// directory is covered.
func (d *smallDisk) world(plain bool) {
	d.Helper()
	d.run("worldfs", "demo", "--entities", "100", "disk/w")
	d.append("disk/w/world.toml", fmt.Sprintf("plain = %v\n", plain))
	d.env = append(d.env, fmt.Sprintf("WORLDFS_PLAIN=%v", plain)) // whatever the configuration
	d.run("worldfs", "-C", "disk/w", "status")                    // plain files are in step now
}

func (d *smallDisk) append(name, text string) {
	d.Helper()
	f, err := os.OpenFile(d.path(name), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(d, err)
	_, err = f.WriteString(text)
	require.NoError(d, err)
	require.NoError(d, f.Close())
}

// requireReadable has every command that only reads say what the world is.
func (d *smallDisk) requireReadable(has string) {
	d.Helper()
	in := func(args ...string) string {
		d.Helper()
		return d.run("worldfs", append([]string{"-C", "disk/w"}, args...)...)
	}
	require.Contains(d, in("status"), "100 entities")
	in("status", "--json")
	in("check")
	require.Contains(d, in("ls"), has)
	require.Contains(d, in("find", has), has)
	require.Contains(d, in("show", "1002"), has)
	require.Contains(d, in("export"), has)
	in("history", "1002")
	in("restore", "--list")
	in("export", "-o", d.path("out.jsonl"))
	in("pack", "-o", d.path("out.pack"))
	require.Contains(d, d.run("worldfs", "show", "--from", "out.pack", "1002"), has)
	in("pack", "--ship", "-o", d.path("ship.pack"))
	in("diff", d.path("out.pack"), ".")
}

// On a disk without room a world is read as ever, mounted, not mounted and after its
// daemon was killed; edits are durable or refused; and its mount begins and ends.
func TestACompletelyFullDisk(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		kind, what, shape string
		plain             bool
	}{
		{"ext4", "bytes", "entities", false},
		{"ext4", "bytes", "entities", true},
		{"ext4", "bytes", "cover", true},
		{"ext4", "inodes", "entities", true},
		{"tmpfs", "bytes", "cover", false},
		{"tmpfs", "inodes", "entities", false},
	}) {
		t.Run(fmt.Sprint(c.kind, " ", c.what, " ", c.shape, " plain=", c.plain), func(t *testing.T) {
			testFull(newSmallDisk(t, c.kind, c.what == "inodes"), c.shape, c.plain)
		})
	}
}

func testFull(d *smallDisk, shape string, plain bool) {
	d.world(plain)
	d.fill()
	d.requireReadable("bunker")
	w := d.cd("disk/w")
	mount := func() {
		d.Helper()
		d.run("worldfs", "-C", "disk/w", "mount", "--shape", shape)
	}
	mount()
	d.Cleanup(func() {
		if w.mounted() {
			d.run("worldfs", "-C", "disk/w", "unmount")
		}
	})
	d.fill()
	d.requireReadable("bunker")
	name := config.entityPath("1002")
	text := strings.Replace(w.read(name), "bunker", "BUNKER", 1)
	durable := w.save(name, text) == nil
	time.Sleep(1200 * time.Millisecond) // long enough for whatever is done later to be tried
	d.fill()
	has := "bunker"
	if durable {
		has = "BUNKER"
	}
	d.requireReadable(has)
	w.kill()
	d.requireReadable(has)
	mount()
	require.Contains(d, w.read(name), has)
	d.requireReadable(has)
	d.run("worldfs", "-C", "disk/w", "unmount")
	require.Contains(d, d.run("worldfs", "show", "--from", "disk/w/world.pack", "1002"), has)
	if plain {
		require.Contains(d, w.read(name), has)
	}
	d.requireReadable(has)
	d.empty()
	mount()
	require.NoError(d, w.save(name, strings.Replace(text, "BUNKER", "Bunker", 1)))
	d.run("worldfs", "-C", "disk/w", "unmount")
	d.requireReadable("Bunker")
	reserve, err := os.ReadDir(w.path(".worldfs/reserve"))
	require.NoError(d, err)
	require.NotEmpty(d, reserve, "there is room for it again")
}

// On a disk without room a great loss is refused as it is elsewhere: the pack stays, the
// mount ends only when that is allowed, and what was removed comes back.
func TestAGreatLossOnAFullDisk(t *testing.T) {
	t.Parallel()
	const n = 300
	for _, kind := range []string{"ext4", "tmpfs"} {
		t.Run(kind, func(t *testing.T) {
			d := newSmallDisk(t, kind, false)
			d.run("worldfs", "demo", "--entities", fmt.Sprint(n), "disk/w")
			w := d.cd("disk/w")
			before := w.read("world.pack")
			d.run("worldfs", "-C", "disk/w", "mount")
			d.Cleanup(func() {
				if w.mounted() {
					d.run("worldfs", "-C", "disk/w", "unmount", "--allow-loss")
				}
			})
			d.fill()
			w.run("sh", "-c", "rm "+config.entityPath("*"))
			for range 2 {
				for _, command := range []string{"unmount", "pack", "check"} {
					out, code := d.try("worldfs", "-C", "disk/w", command)
					require.Equal(d, 1, code, "%s: %s", command, out)
					require.Contains(d, out, "300 of the 300 entities", command)
				}
				require.True(d, w.mounted())
				require.Contains(d, d.run("worldfs", "-C", "disk/w", "status"), "300 of the 300 entities")
				require.True(d, before == w.read("world.pack"), "the pack changed")
				time.Sleep(1200 * time.Millisecond) // long enough for whatever is done later to be tried
				d.fill()
			}
			w.kill()
			d.run("worldfs", "-C", "disk/w", "status")
			require.True(d, before == w.read("world.pack"), "the pack changed")
			d.empty()
			d.run("worldfs", "-C", "disk/w", "mount")
			if len(w.names("entities")) < n { // else no removal was durable
				d.restoreLoss("-C", "disk/w")
			}
			require.Len(d, w.names("entities"), n)
			d.run("worldfs", "-C", "disk/w", "unmount")
			require.True(d, before == w.read("world.pack"), "the pack changed")
		})
	}
}

// A game's save that is whole, and that there is no room to take in, is told as what a full disk
// does, and comes in once there is room.
func TestASaveOnAFullDisk(t *testing.T) {
	t.Parallel()
	d := newSmallDisk(t, "tmpfs", false)
	d.world(true)
	b := d.cd("disk/w")
	b.mount()
	b.Cleanup(func() { b.try("worldfs", "unmount") })
	e := b.engine()
	id := e.entities(1)[0]
	d.fill()
	e.move(id, 1)
	e.overwrite(true)
	const told = "world.pack was saved by another program and is not taken in yet: "
	b.eventually(func() bool { return strings.Contains(b.run("worldfs", "status"), told) })
	require.Regexp(t, `(?m)^. world\.pack: `+told+`.*no space left on device +\[df -h \.\]$`, b.run("worldfs", "status"))
	d.empty()
	e.come(id)
	b.eventually(func() bool { return !strings.Contains(b.run("worldfs", "status"), told) })
}
