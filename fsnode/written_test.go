package fsnode_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsWrittenToANewFileIsRead: of a file that somebody makes and writes to,
// everybody sees what was written so far, whoever has read it before and is just
// reading it, across a rename to an entity's name.
func TestWhatIsWrittenToANewFileIsRead(t *testing.T) {
	r := newRig(t, 2)
	for _, names := range [][2]string{{"new.tmp", "1.entity_text"}, {"3.entity_text", "4.entity_text"}, {"5.entity_text", "kept"}} {
		testWrittenIsRead(r, names[0], names[1])
	}
}

func testWrittenIsRead(r *rig, name, later string) {
	f, err := os.OpenFile(r.path(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	require.NoError(r, err)
	defer f.Close()
	reader, err := os.Open(r.path(name))
	require.NoError(r, err)
	defer reader.Close()
	done, others := make(chan struct{}), sync.WaitGroup{}
	for range 3 {
		others.Go(func() { keepReading(r, reader, done) })
	}
	const lines = 400
	var want []byte
	for i := range lines {
		if i == lines/2 {
			require.NoError(r, os.Rename(r.path(name), r.path(later)))
			name = later
		}
		line := fmt.Appendf(nil, "line %d of what is written\n", i)
		want = append(want, line...)
		_, err := f.Write(line)
		require.NoError(r, err)
		requireReads(r, reader, name, want)
	}
	close(done)
	others.Wait()
	_, err = f.WriteAt([]byte("LINE"), 0)
	require.NoError(r, err)
	copy(want, "LINE")
	requireReads(r, reader, name, want)
	require.NoError(r, f.Truncate(100))
	requireReads(r, reader, name, want[:100])
}

// requireReads looks at a file by a descriptor and by its name.
func requireReads(r *rig, reader *os.File, name string, want []byte) {
	got, err := io.ReadAll(io.NewSectionReader(reader, 0, 1<<20))
	require.NoError(r, err)
	require.Equal(r, string(want), string(got))
	info, err := os.Stat(r.path(name))
	require.NoError(r, err)
	require.EqualValues(r, len(want), info.Size())
	require.Equal(r, string(want), r.read(name))
}

// keepReading reads a file that grows, in which there are never zeros.
func keepReading(r *rig, f *os.File, done chan struct{}) {
	buf := make([]byte, 64<<10)
	for {
		select {
		case <-done:
			return
		default:
		}
		n, err := f.ReadAt(buf, 0)
		if err != nil && err != io.EOF || bytes.IndexByte(buf[:n], 0) >= 0 {
			r.Errorf("what is being written reads as %q, %v", buf[:n], err)
			return
		}
	}
}

// TestWhatIsMappedIsRead: by who writes to the same file, without asking for it anew.
func TestWhatIsMappedIsRead(t *testing.T) {
	r := newRig(t, 1)
	f, err := os.OpenFile(r.path("database"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Write(make([]byte, 5000))
	require.NoError(t, err)
	helper(t, nil, "mmap", r.path("database"))
	text := make([]byte, 6)
	before := r.mount.Requests()["read"]
	for range 10 {
		_, err = f.ReadAt(text, 4090)
		require.NoError(t, err)
		require.Equal(t, "mapped", string(text))
	}
	require.LessOrEqual(t, r.mount.Requests()["read"], before+2)
}
