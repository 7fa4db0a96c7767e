package fuseconn

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What the kernel asks here (linux/fuse.h).
const (
	opLookup    = 1
	opForget    = 2
	opGetAttr   = 3
	opInit      = 26
	opInterrupt = 36

	parallelDirOps = 1 << 18 // several lookups in a directory at once
)

// mounted mounts a filesystem of one empty directory. lookup is called with each name
// that the kernel looks up, before the answer that there is none.
func mounted(t *testing.T, lookup func(name string)) (dir string, s *Server) {
	return mountedWith(t, lookup, func(*Server) {})
}

// mountedWith is mounted by a server that is set up before it serves.
func mountedWith(t *testing.T, lookup func(name string), setUp func(*Server)) (dir string, s *Server) {
	dir = t.TempDir()
	file, err := Connect(Mount{Dir: dir, Source: "test", Type: "test", MaxRead: 4096, Options: []string{"default_permissions"}})
	require.NoError(t, err)
	s, err = NewServer(file, 128<<10, func(in, out []byte) int {
		switch binary.NativeEndian.Uint32(in[opcodeAt:]) {
		case opInit:
			return answerWith(out, in, initOut(in))
		case opGetAttr:
			return answerWith(out, in, attrOut())
		case opLookup:
			name := strings.TrimRight(string(in[inHeaderSize:]), "\x00")
			lookup(name)
			return len(Refusal(out, in, unix.ENOENT))
		case opForget, opBatchForget, opInterrupt:
			return 0
		}
		return len(Refusal(out, in, unix.ENOSYS))
	})
	require.NoError(t, err)
	setUp(s)
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, unix.Unmount(dir, 0))
		require.NoError(t, <-served)
		require.ErrorIs(t, s.file.Close(), os.ErrClosed, "Serve has closed it")
	})
	return dir, s
}

// answerWith writes an answer that is more than a status.
func answerWith(out, in, contents []byte) int {
	n := len(Refusal(out, in, 0))
	n += copy(out[n:], contents)
	binary.NativeEndian.PutUint32(out, uint32(n))
	return n
}

// initOut agrees with whatever version the kernel has (fuse_init_out).
func initOut(in []byte) []byte {
	b := binary.NativeEndian.AppendUint32(nil, 7)
	b = append(b, in[inHeaderSize+4:inHeaderSize+8]...)
	b = binary.NativeEndian.AppendUint32(b, 0)
	b = binary.NativeEndian.AppendUint32(b, parallelDirOps)
	b = binary.NativeEndian.AppendUint16(b, 64)
	b = binary.NativeEndian.AppendUint16(b, 48)
	b = binary.NativeEndian.AppendUint32(b, 128<<10)
	return append(b, make([]byte, 64-len(b))...)
}

// attrOut is the directory's attributes, good for an hour (fuse_attr_out).
func attrOut() []byte {
	b := make([]byte, 16, 104)
	binary.NativeEndian.PutUint64(b, 3600)
	attr := make([]byte, 88) // fuse_attr
	binary.NativeEndian.PutUint64(attr, 1)
	binary.NativeEndian.PutUint32(attr[60:], unix.S_IFDIR|0o755)
	binary.NativeEndian.PutUint32(attr[64:], 2)
	return append(b, attr...)
}

func ask(dir, name string) error {
	var st unix.Stat_t
	return unix.Lstat(filepath.Join(dir, name), &st)
}

func TestEveryRequestIsAnswered(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	dir, _ := mounted(t, func(name string) {
		mu.Lock()
		defer mu.Unlock()
		asked[name]++
	})
	var askers sync.WaitGroup
	const each = 2000
	for i := range 4 {
		askers.Go(func() {
			for j := range each {
				if err := ask(dir, fmt.Sprint(i, "-", j)); err != unix.ENOENT {
					t.Errorf("%d-%d: %v", i, j, err)
				}
			}
		})
	}
	askers.Wait()
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, asked, 4*each)
	for name, times := range asked {
		require.Equal(t, 1, times, name)
	}
}

// kept keeps who asks for a name that begins with waits until somebody asks for
// ends.
func kept() (lookup func(name string)) {
	end := make(chan struct{})
	return func(name string) {
		switch {
		case strings.HasPrefix(name, "waits"):
			<-end
		case name == "ends":
			close(end)
		}
	}
}

// A request may be kept by what only another can end: were nobody to look
// meanwhile, both would wait for good.
func TestARequestThatWaitsKeepsNoOtherWaiting(t *testing.T) {
	dir, s := mounted(t, kept())
	var waiting sync.WaitGroup
	const many = 3 * maxIdle
	for i := range many {
		waiting.Go(func() {
			if err := ask(dir, fmt.Sprint("waits", i)); err != unix.ENOENT {
				t.Error(err)
			}
		})
	}
	require.Eventually(t, func() bool { return s.pace.behind.Load() > 0 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, ask(dir, "ends"), unix.ENOENT)
	waiting.Wait()
	require.ErrorIs(t, ask(dir, "after"), unix.ENOENT)
	require.Eventually(t, func() bool { return s.pace.behind.Load() == 0 }, time.Minute, time.Millisecond)
	require.LessOrEqual(t, s.idle.Load(), int32(maxIdle), "no more wait to lead than are worth their memory")
}

// After a pause long enough for the watch to sleep, it is woken again.
func TestARequestThatWaitsAfterAPauseKeepsNoOtherWaiting(t *testing.T) {
	dir, s := mounted(t, kept())
	require.ErrorIs(t, ask(dir, "before"), unix.ENOENT)
	require.Eventually(t, func() bool { return !s.watch.awake.Load() }, time.Minute, time.Millisecond)
	waited := make(chan error, 1)
	go func() { waited <- ask(dir, "waits") }()
	require.Eventually(t, func() bool { return s.pace.behind.Load() > 0 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, ask(dir, "ends"), unix.ENOENT)
	require.ErrorIs(t, <-waited, unix.ENOENT)
}

func TestRefusal(t *testing.T) {
	in := make([]byte, inHeaderSize)
	binary.NativeEndian.PutUint64(in[uniqueAt:], 0x1234567890)
	out := Refusal(make([]byte, 100), in, unix.EIO)
	require.Len(t, out, outHeaderSize)
	require.EqualValues(t, outHeaderSize, binary.NativeEndian.Uint32(out))
	require.EqualValues(t, -int32(unix.EIO), int32(binary.NativeEndian.Uint32(out[4:])))
	require.EqualValues(t, 0x1234567890, binary.NativeEndian.Uint64(out[uniqueAt:]))
}

func TestWhatWaitsForTheDisk(t *testing.T) {
	request := func(op uint32) []byte {
		in := make([]byte, inHeaderSize)
		binary.NativeEndian.PutUint32(in[opcodeAt:], op)
		return in
	}
	require.True(t, waitsForDisk(request(opFsync)))
	require.True(t, waitsForDisk(request(opFsyncDir)))
	require.False(t, waitsForDisk(request(opGetAttr)))
	require.False(t, waitsForDisk([]byte{1, 2, 3}))
}

// A handler that says that it waits is not waited for at all.
func TestWhoSaysThatItWaitsHandsTheLeadOn(t *testing.T) {
	handOn, keep := make(chan func(), 1), kept()
	dir, s := mounted(t, func(name string) {
		if name == "waits" {
			(<-handOn)()
		}
		keep(name)
	})
	handOn <- func() {
		s.HandOn()
		if s.pace.behind.Load() != 1 {
			t.Error("it still leads")
		}
	}
	waited := make(chan error, 1)
	go func() { waited <- ask(dir, "waits") }()
	require.Eventually(t, func() bool { return s.pace.behind.Load() > 0 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, ask(dir, "ends"), unix.ENOENT)
	require.ErrorIs(t, <-waited, unix.ENOENT)
}
