package prefetch

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

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
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

// Serve is what the process does that StartProcess starts. The first line from in is
// how many bytes, and a directory, in quotes. Each line after it asks for something, and
// a number is the answer to it on out. An empty one: that the directory and its shards
// are listed, in the directory's order, until what the kernel then knows would take so
// many bytes of its memory with the files' contents; the answer is how many files. Any
// other: that the files are read which it names, below that directory. In between there
// is a NUL. Other, which may be nil, is asked first; it reports whether a line was for
// it.
func Serve(in io.Reader, out io.Writer, other Other) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadString('\n')
	if err != nil {
		return nil // the process that was to ask has ended
	}
	s := server{other: other}
	if _, err := fmt.Sscanf(line, "%d %q\n", &s.left, &s.path); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	defer s.close()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil
		}
		files, err := s.answer(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, files); err != nil {
			return err
		}
	}
}

// Other answers lines that ask for something else in the directory dir.
type Other func(dir string, words []string) (answer int, ok bool, err error)

type server struct {
	other Other
	path  string
	dir   *os.File // nil: it was not opened yet
	left  int64    // bytes of the kernel's memory
}

func (s *server) close() {
	if s.dir != nil {
		_ = s.dir.Close() // it was only read
	}
}

func (s *server) answer(asked string) (files int, err error) {
	words := strings.Split(asked, separator)
	if s.other != nil {
		if n, ok, err := s.other(s.path, words); ok {
			return n, unlessUnmounted(err)
		}
	}
	if s.dir == nil {
		if s.dir, err = os.Open(s.path); err != nil {
			return 0, unlessUnmounted(err)
		}
	}
	if asked == "" {
		files, err = s.list(s.dir)
		return files, unlessUnmounted(err)
	}
	return s.read(words), nil
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
func (s *server) list(dir *os.File) (files int, err error) {
	files, shards, err := s.names(int(dir.Fd()))
	for _, name := range shards {
		if err != nil || s.left <= 0 {
			break
		}
		var n int
		n, err = s.listShard(filepath.Join(dir.Name(), name))
		files += n
	}
	return files, err
}

func (s *server) listShard(path string) (files int, err error) {
	d, err := os.OpenFile(path, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return 0, nil // it is none
	}
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return s.list(d)
}

// listBuffer is large, since the kernel asks for as many names at a time as the
// reader has room for.
const listBuffer = 128 << 10

// names counts the names of entities that there is room for, and returns those that
// may be shards'.
func (s *server) names(dir int) (files int, shards []string, err error) {
	buf := make([]byte, listBuffer)
	for s.left > 0 {
		size, err := unix.Getdents(dir, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || size <= 0 {
			return files, shards, err
		}
		some := ""
		_, _, names := unix.ParseDirent(buf[:size], -1, nil)
		for _, name := range names {
			if _, isEntity := layout.ParseFileName(name); isEntity {
				some = name
				files++
				s.left -= memoryOf(pageSize)
			} else if layout.IsShard(name) {
				shards = append(shards, name)
			}
		}
		askForAttributes(dir, some)
	}
	return files, shards, nil
}

// askForAttributes has the kernel ask for attributes along with the names that
// come next: it does so for as long as a process wants those that it has been told.
func askForAttributes(dir int, name string) {
	_ = unix.Fstatat(dir, name, new(unix.Stat_t), unix.AT_SYMLINK_NOFOLLOW) // it may be gone
}

// read reads files and asks for their attributes again, since reading them has
// changed the time of that. It returns how many there were.
func (s *server) read(names []string) int {
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			buf := make([]byte, 128<<10)
			for ; i < len(names); i += readers {
				readFile(int(s.dir.Fd()), names[i], buf)
			}
		})
	}
	group.Wait()
	return len(names)
}

// memoryOf returns what a file of a size takes of the kernel's memory, in bytes.
func memoryOf(size int64) int64 { return nameCost + (size+pageSize-1)/pageSize*pageSize }

// readFile reads a file. An error is for the reader that needs it.
func readFile(dir int, name string, buf []byte) {
	f, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(f)
	for {
		n, err := unix.Read(f, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n < len(buf) {
			break
		}
	}
	_ = unix.Fstat(f, new(unix.Stat_t))
}
