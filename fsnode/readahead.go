package fsnode

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/layout"
)

// What the kernel needs, in bytes, for a name that it knows, about, and for
// contents, which take whole pages.
const (
	nameCost = 1 << 10
	pageSize = 4 << 10
)

// readers is how many files are read at a time. Each read is a round trip to
// the daemon; more than a few at a time only wait for each other.
const readers = 4

// separator is what stands between names that the process is to read.
const separator = "\x00"

// ReadAhead is what the process does that Warm starts. The first line from in is how
// many bytes, and a directory, in quotes. Each line after it asks for something, and
// a number of files is the answer to it on out. An empty one: that the directory and
// its shards are listed, in the directory's order, until what the kernel then knows
// would take so many bytes of its memory with the files' contents. One that begins
// with secretXattr: that the acts are done which it names. Any other: that the files
// are read which it names, below that directory. In between there is separator.
func ReadAhead(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadString('\n')
	if err != nil {
		return nil // whoever was to ask has ended
	}
	var r reading
	if _, err := fmt.Sscanf(line, "%d %q\n", &r.left, &r.path); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	defer r.close()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil
		}
		files, err := r.answer(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, files); err != nil {
			return err
		}
	}
}

type reading struct {
	path string
	dir  *os.File // nil: it was not opened yet
	left int64
}

func (r *reading) close() {
	if r.dir != nil {
		_ = r.dir.Close() // it was only read
	}
}

func (r *reading) answer(asked string) (files int, err error) {
	if strings.HasPrefix(asked, secretXattr) {
		orders := strings.Split(asked, separator)
		files, err = r.perform(orders[0], orders[1:])
		return files, unlessUnmounted(err)
	}
	if r.dir == nil {
		if r.dir, err = os.Open(r.path); err != nil {
			return 0, unlessUnmounted(err)
		}
	}
	if asked == "" {
		files, err = r.list(r.dir)
		return files, unlessUnmounted(err)
	}
	return r.read(strings.Split(asked, separator)), nil
}

func unlessUnmounted(err error) error {
	for _, gone := range []error{unix.ENOTCONN, unix.ECONNABORTED, unix.ENODEV, fs.ErrNotExist} {
		if errors.Is(err, gone) {
			return nil
		}
	}
	return err
}

// list lists a directory, then its shards.
func (r *reading) list(dir *os.File) (files int, err error) {
	files, shards, err := r.names(int(dir.Fd()))
	for _, name := range shards {
		if err != nil || r.left <= 0 {
			break
		}
		var n int
		n, err = r.listShard(filepath.Join(dir.Name(), name))
		files += n
	}
	return files, err
}

func (r *reading) listShard(path string) (files int, err error) {
	d, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return r.list(d)
}

// listBuffer is large, since the kernel asks for as many names at a time as the
// reader has room for.
const listBuffer = 128 << 10

// names counts the names of entities that there is room for, and returns those of
// shards.
func (r *reading) names(dir int) (files int, shards []string, err error) {
	buf := make([]byte, listBuffer)
	for r.left > 0 {
		size, err := eintr(func() (int, error) { return unix.Getdents(dir, buf) })
		if err != nil || size <= 0 {
			return files, shards, err
		}
		some := ""
		for todo := buf[:size]; len(todo) > 0; {
			var e fuse.DirEntry
			todo = todo[e.Parse(todo):]
			switch _, isEntity := layout.ParseFileName(e.Name); {
			case isEntity:
				some = e.Name
				files++
				r.left -= memoryOf(pageSize)
			case e.Mode == unix.S_IFDIR && isShard(e.Name):
				shards = append(shards, e.Name)
			}
		}
		askForAttributes(dir, some)
	}
	return files, shards, nil
}

// askForAttributes has the kernel ask for attributes along with the names that
// come next: it does so for as long as somebody wants those that it has been told.
func askForAttributes(dir int, name string) {
	_ = unix.Fstatat(dir, name, new(unix.Stat_t), unix.AT_SYMLINK_NOFOLLOW) // it may be gone
}

// read reads files and asks for their attributes again, since reading them has
// changed the time of that. It returns how many there were.
func (r *reading) read(names []string) int {
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			buf := make([]byte, 128<<10)
			for ; i < len(names); i += readers {
				readFile(int(r.dir.Fd()), names[i], buf)
			}
		})
	}
	group.Wait()
	return len(names)
}

// memoryOf returns what a file of a size takes of the kernel's memory, in bytes.
func memoryOf(size int64) int64 { return nameCost + (size+pageSize-1)/pageSize*pageSize }

// readFile reads a file. That it cannot be read is for whoever needs it.
func readFile(dir int, name string, buf []byte) {
	f, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(f)
	for {
		n, err := eintr(func() (int, error) { return unix.Read(f, buf) })
		if err != nil || n < len(buf) {
			break
		}
	}
	_ = unix.Fstat(f, new(unix.Stat_t))
}

// isShard tells whether a directory's name is that of a shard.
func isShard(name string) bool {
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(name) <= 3
}
