package test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// save writes an entity's text, as a program does that looks at what it is
// told, and returns what the first call said that failed.
func (b *bench) save(name, text string) error {
	f, err := os.OpenFile(b.path(name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// failure returns why edits cannot be kept, as status has it.
func (b *bench) failure() string {
	b.Helper()
	var st struct{ Failure string }
	require.NoError(b, json.Unmarshal([]byte(b.run("worldfs", "status", "--json")), &st))
	return st.Failure
}

// testFailingDisk has the disk under a mounted world fail and recover.
func testFailingDisk(b *bench, fail, mend func(), want syscall.Errno) {
	names := b.names("entities")
	first, second, third := "entities/"+names[0], "entities/"+names[1], "entities/"+names[2]
	good := strings.Replace(b.read(first), "\n", "\r\n", 1)
	require.NoError(b, b.save(first, good))
	other := strings.Replace(b.read(second), "\n", "\r\n", 1)
	untouched := b.read(third)

	fail()
	longer := other
	b.eventually(func() bool { // there may be room for some in state.db itself
		longer += strings.Repeat("\r\n", 1<<15)
		err := b.save(second, longer)
		require.True(b, err == nil || errors.Is(err, want), "%v", err)
		return err != nil
	})
	b.eventually(func() bool { return strings.Contains(b.failure(), want.Error()) })
	require.ErrorIs(b, b.save(third, "lost\n"), want)
	require.Equal(b, untouched, b.read(third), "a text that cannot be replaced stays")
	require.Equal(b, good, b.read(first))

	mend()
	b.eventually(func() bool { return b.failure() == "" })
	require.NoError(b, b.save(second, other))
	b.kill()
	b.run("worldfs", "mount")
	require.Equal(b, good, b.read(first), "what was durable before")
	require.Equal(b, other, b.read(second), "and after")
	require.Equal(b, untouched, b.read(third))
	b.run("worldfs", "sync")
	b.run("worldfs", "unmount")
}

func TestAFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	b := newBench(t)
	disk := b.path("disk")
	require.NoError(t, os.Mkdir(disk, 0o755))
	require.NoError(t, unix.Mount("worldfs-test", disk, "tmpfs", 0, "size=16m"))
	t.Cleanup(func() { // the daemon has its log open until it ends
		require.Eventually(t, func() bool { return unix.Unmount(disk, 0) == nil }, time.Minute, 10*time.Millisecond)
	})
	b = b.cd("disk")
	b.run("worldfs", "demo", "--entities", "50", "w")
	filler := filepath.Join(disk, "filler")
	b = b.cd("w")
	b.mount()
	testFailingDisk(b, func() {
		f, err := os.Create(filler)
		require.NoError(t, err)
		for block := make([]byte, 4096); err == nil; {
			_, err = f.Write(block)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.NoError(t, f.Close())
	}, func() { require.NoError(t, os.Remove(filler)) }, syscall.ENOSPC)
}

// faults are what goes wrong with state.db and its log, or with the log alone, on a
// faultyDisk.
type faults struct {
	write, fsync       atomic.Uint32 // errno, 0: nothing
	writeLog, fsyncLog atomic.Uint32 // the same
}

// faultyNode is a file or a directory of a loopback that fails as it is told.
type faultyNode struct {
	*fs.LoopbackNode
	faults *faults
}

var (
	_ fs.NodeWriter      = (*faultyNode)(nil)
	_ fs.NodeFsyncer     = (*faultyNode)(nil)
	_ fs.NodeWrapChilder = (*faultyNode)(nil)
)

// WrapChild implements fs.NodeWrapChilder.
func (n *faultyNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &faultyNode{child.(*fs.LoopbackNode), n.faults}
}

// fault returns how the file fails, where state.db and its log do by one and the
// log alone by the other.
func (n *faultyNode) fault(both, log *atomic.Uint32) syscall.Errno {
	switch name := filepath.Base(n.Path(nil)); {
	case name == "state.wal" && log.Load() != 0:
		return syscall.Errno(log.Load())
	case name == "state.wal" || name == "state.db":
		return syscall.Errno(both.Load())
	}
	return 0
}

func (n *faultyNode) Write(ctx context.Context, f fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if errno := n.fault(&n.faults.write, &n.faults.writeLog); errno != 0 {
		return 0, errno
	}
	return f.(fs.FileWriter).Write(ctx, data, off)
}

func (n *faultyNode) Fsync(ctx context.Context, f fs.FileHandle, flags uint32) syscall.Errno {
	if errno := n.fault(&n.faults.fsync, &n.faults.fsyncLog); errno != 0 {
		return errno
	}
	if file, ok := f.(fs.FileFsyncer); ok {
		return file.Fsync(ctx, flags)
	}
	return 0
}

// faultyDisk mounts a directory on which state.db and its log fail as they are told.
func faultyDisk(b *bench, path string) *faults {
	under := b.path("under")
	require.NoError(b, os.Mkdir(under, 0o755))
	require.NoError(b, os.Mkdir(path, 0o755))
	f := &faults{}
	root, err := fs.NewLoopbackRoot(under)
	require.NoError(b, err)
	server, err := fs.Mount(path, &faultyNode{root.(*fs.LoopbackNode), f}, &fs.Options{MountOptions: fuse.MountOptions{
		FsName: under, Name: "faulty",
		DisabledCapabilities: fuse.CAP_PASSTHROUGH, // or the kernel would write past us
	}})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, server.Unmount()) })
	return f
}

// mountOnAFaultyDisk returns a mounted world on a disk that can be made to fail.
func mountOnAFaultyDisk(t *testing.T) (*bench, *faults) {
	b := newBench(t)
	f := faultyDisk(b, b.path("disk"))
	b = b.cd("disk")
	b.run("worldfs", "demo", "--entities", "50", "w")
	b = b.cd("w")
	b.mount()
	return b, f
}

// Where only the log cannot be written nobody has to know.
func TestALogThatFails(t *testing.T) {
	for name, errno := range map[string]syscall.Errno{"fsync": syscall.EIO, "write": syscall.ENOSPC} {
		t.Run(name, func(t *testing.T) {
			b, f := mountOnAFaultyDisk(t)
			want := make(map[string]string)
			save := func(name string) {
				want[name] = strings.Replace(b.read(name), "\n", "\r\n", 1)
				require.NoError(t, b.save(name, want[name]))
			}
			names := b.names("entities")
			save("entities/" + names[0])
			save("entities/" + names[1])
			fault := &f.fsyncLog
			if name == "write" {
				fault = &f.writeLog
			}
			fault.Store(uint32(errno))
			save("entities/" + names[1])
			save("entities/" + names[2])
			require.Empty(t, b.failure())
			fault.Store(0)
			save("entities/" + names[3])
			b.kill()
			b.run("worldfs", "mount")
			for name, text := range want {
				require.Equal(t, text, b.read(name))
			}
			b.run("worldfs", "unmount")
		})
	}
}

func TestADiskThatFails(t *testing.T) {
	for name, errno := range map[string]syscall.Errno{"fsync": syscall.EIO, "write": syscall.ENOSPC} {
		t.Run(name, func(t *testing.T) {
			b, f := mountOnAFaultyDisk(t)
			fault := &f.fsync
			if name == "write" {
				fault = &f.write
			}
			testFailingDisk(b, func() { fault.Store(uint32(errno)) }, func() { fault.Store(0) }, errno)
		})
	}
}
