package fsnode_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// scene is a directory in which an operation is played, and what was seen of
// it. The same operation on the mount and on a plain directory must look the
// same.
type scene struct {
	*testing.T
	dir, a, b string // a and b are paths of files that are not there at first
	seen      []string
}

func (s *scene) see(format string, args ...any) {
	s.seen = append(s.seen, fmt.Sprintf(format, args...))
}

// did notes how a step ended.
func (s *scene) did(step string, err error) bool {
	var errno syscall.Errno
	switch {
	case err == nil:
		s.see("%s: done", step)
	case errors.As(err, &errno):
		s.see("%s: %s", step, unix.ErrnoName(errno))
	default:
		s.see("%s: %v", step, err)
	}
	return err == nil
}

func (s *scene) open(path string, flags int) *os.File {
	f, err := os.OpenFile(path, flags, 0o640)
	if !s.did("open "+filepath.Base(path), err) {
		return nil
	}
	s.Cleanup(func() { _ = f.Close() })
	return f
}

func (s *scene) put(path, text string) *os.File {
	f := s.open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	_, err := f.WriteString(text)
	s.did("write "+filepath.Base(path), err)
	return f
}

func (s *scene) look(what string, f *os.File) {
	st := s.fstat(f)
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
	s.did("read "+what, err)
	s.see("%s: %q size %d mode %o nlink %d blocks>0 %v", what, text, st.Size, st.Mode, st.Nlink, st.Blocks > 0)
}

func (s *scene) fstat(f *os.File) *syscall.Stat_t {
	var st syscall.Stat_t
	s.did("fstat", syscall.Fstat(int(f.Fd()), &st))
	return &st
}

func (s *scene) lookAt(path string) uint64 {
	text, err := os.ReadFile(path)
	s.did("read "+filepath.Base(path), err)
	var st syscall.Stat_t
	if !s.did("lstat "+filepath.Base(path), syscall.Lstat(path, &st)) {
		return 0
	}
	s.see("%s: %q size %d mode %o nlink %d", filepath.Base(path), text, st.Size, st.Mode, st.Nlink)
	return st.Ino
}

func (s *scene) list() {
	entries, err := os.ReadDir(s.dir)
	s.did("readdir", err)
	for _, e := range entries {
		if e.Name() == filepath.Base(s.a) || e.Name() == filepath.Base(s.b) {
			s.see("listed %s %v", e.Name(), e.Type())
		}
	}
}

func (s *scene) rename2(from, to string, flags uint) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
}

func (s *scene) ino(path string) uint64 {
	var st syscall.Stat_t
	s.did("lstat", syscall.Lstat(path, &st))
	return st.Ino
}

func (s *scene) dirTimes() (mtime, ctime time.Time) {
	var st syscall.Stat_t
	s.did("stat dir", syscall.Stat(s.dir, &st))
	return time.Unix(st.Mtim.Unix()), time.Unix(st.Ctim.Unix())
}

// pause lets a coarse clock go on.
func pause() { time.Sleep(10 * time.Millisecond) }

// plays are operations on one or two regular files.
var plays = map[string]func(*scene){
	"create and read": func(s *scene) {
		s.look("a", s.put(s.a, "hello\n"))
		s.lookAt(s.a)
		s.list()
	},
	"nothing there": func(s *scene) {
		s.open(s.a, os.O_RDONLY)
		s.open(s.a, os.O_RDWR|os.O_TRUNC)
		s.did("unlink", syscall.Unlink(s.a))
		s.did("rmdir", syscall.Rmdir(s.a))
		s.did("rename", os.Rename(s.a, s.b))
		s.did("exchange", s.rename2(s.a, s.b, unix.RENAME_EXCHANGE))
		s.did("chmod", os.Chmod(s.a, 0o600))
		s.did("truncate", os.Truncate(s.a, 3))
	},
	"append": func(s *scene) {
		s.put(s.a, "one\n")
		f, g := s.open(s.a, os.O_WRONLY|os.O_APPEND), s.open(s.a, os.O_WRONLY|os.O_APPEND)
		for i := range 3 {
			_, _ = fmt.Fprintf(f, "f%d\n", i)
			_, _ = fmt.Fprintf(g, "g%d\n", i)
		}
		s.lookAt(s.a)
	},
	"truncate by handle": func(s *scene) {
		f := s.put(s.a, "some text")
		s.did("shrink", f.Truncate(4))
		s.look("shrunk", f)
		s.did("grow", f.Truncate(7))
		s.look("grown", f)
		s.did("empty", f.Truncate(0))
		s.look("empty", f)
	},
	"truncate without handle": func(s *scene) {
		s.put(s.a, "some text")
		s.did("shrink", os.Truncate(s.a, 4))
		s.lookAt(s.a)
		s.did("grow", os.Truncate(s.a, 7))
		s.lookAt(s.a)
		s.did("negative", unix.Truncate(s.a, -1))
	},
	"open with O_TRUNC": func(s *scene) {
		s.put(s.a, "some text")
		s.look("a", s.open(s.a, os.O_RDWR|os.O_TRUNC))
	},
	"overwrite in the middle": func(s *scene) {
		f := s.put(s.a, "0123456789")
		_, err := f.WriteAt([]byte("abc"), 4)
		s.did("write", err)
		_, err = f.WriteAt([]byte("far"), 5000)
		s.did("write far", err)
		s.look("a", f)
	},
	"large": func(s *scene) {
		text := strings.Repeat("0123456789abcdef", 40000)
		f := s.put(s.a, text)
		got, err := os.ReadFile(s.a)
		s.did("read", err)
		s.see("equal %v size %d", string(got) == text, s.fstat(f).Size)
	},
	"O_EXCL": func(s *scene) {
		s.open(s.a, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		s.open(s.a, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		s.open(s.a, os.O_RDWR|os.O_CREATE)
	},
	"unlinked but open": func(s *scene) {
		f := s.put(s.a, "old")
		was := s.ino(s.a)
		s.did("unlink", os.Remove(s.a))
		s.lookAt(s.a)
		_, err := f.WriteString(" and more")
		s.did("write", err)
		s.look("unlinked", f)
		s.did("truncate", f.Truncate(5))
		s.did("chmod", f.Chmod(0o600))
		s.did("fsync", f.Sync())
		s.look("unlinked", f)
		s.look("new", s.put(s.a, "new"))
		s.see("same inode %v", s.ino(s.a) == was)
		s.look("unlinked", f)
		s.list()
	},
	"rename to a new name": func(s *scene) {
		f := s.put(s.a, "text")
		was := s.ino(s.a)
		s.did("rename", os.Rename(s.a, s.b))
		s.lookAt(s.a)
		s.see("same inode %v", s.lookAt(s.b) == was)
		_, err := f.WriteString(" written after")
		s.did("write", err)
		s.look("by handle", f)
		s.lookAt(s.b)
		s.list()
		s.did("back", os.Rename(s.b, s.a))
		_, err = f.WriteString(" and again")
		s.did("write", err)
		s.lookAt(s.a)
		s.see("same inode %v, by handle %v", s.ino(s.a) == was, s.fstat(f).Ino == was)
		s.list()
	},
	"rename over an open file": func(s *scene) {
		a, b := s.put(s.a, "text of a"), s.put(s.b, "b")
		was := s.ino(s.a)
		s.did("rename", os.Rename(s.a, s.b))
		s.look("a by handle", a)
		s.look("b by handle", b)
		_, err := b.WriteString(" lives on")
		s.did("write", err)
		_, err = a.WriteString(" goes on")
		s.did("write", err)
		s.look("b by handle", b)
		s.see("same inode %v", s.lookAt(s.b) == was)
		s.lookAt(s.a)
		s.list()
	},
	"rename to itself": func(s *scene) {
		s.put(s.a, "text")
		s.did("rename", os.Rename(s.a, s.a))
		s.lookAt(s.a)
	},
	"no replace": func(s *scene) {
		s.put(s.a, "a")
		s.put(s.b, "b")
		s.did("onto b", s.rename2(s.a, s.b, unix.RENAME_NOREPLACE))
		s.lookAt(s.a)
		s.lookAt(s.b)
		s.did("unlink", os.Remove(s.b))
		s.did("to b", s.rename2(s.a, s.b, unix.RENAME_NOREPLACE))
		s.lookAt(s.a)
		s.lookAt(s.b)
	},
	"exchange": func(s *scene) {
		a, b := s.put(s.a, "a's"), s.put(s.b, "text of b")
		inoA, inoB := s.ino(s.a), s.ino(s.b)
		s.did("exchange", s.rename2(s.a, s.b, unix.RENAME_EXCHANGE))
		s.see("inodes moved %v %v", s.lookAt(s.a) == inoB, s.lookAt(s.b) == inoA)
		_, err := a.WriteString(" more")
		s.did("write", err)
		_, err = b.WriteString(" more")
		s.did("write", err)
		s.look("a by handle", a)
		s.look("b by handle", b)
		s.lookAt(s.a)
		s.lookAt(s.b)
		s.did("and back", s.rename2(s.b, s.a, unix.RENAME_EXCHANGE))
		s.see("inodes moved %v %v", s.lookAt(s.a) == inoA, s.lookAt(s.b) == inoB)
		s.list()
	},
	"backup and write anew": func(s *scene) {
		s.put(s.a, "the old text")
		was := s.ino(s.a)
		s.did("mv", os.Rename(s.a, s.b))
		s.put(s.a, "the new one")
		s.see("two inodes %v", s.ino(s.a) != s.ino(s.b))
		s.list()
		s.see("backup has the inode %v", s.lookAt(s.b) == was)
		s.see("the new one has not %v", s.lookAt(s.a) != was)
	},
	"temp and rename, again and again": func(s *scene) {
		s.put(s.a, "first")
		for i := range 5 {
			s.put(s.b, fmt.Sprintf("version %d", i))
			s.did("rename", os.Rename(s.b, s.a))
			s.lookAt(s.a)
			s.lookAt(s.b)
		}
	},
	"modes": func(s *scene) {
		f := s.put(s.a, "text")
		for _, mode := range []uint32{0o444, 0o600, 0, 0o755, 0o4755, 0o644} {
			s.did("chmod", syscall.Chmod(s.a, mode))
			s.see("mode %o", s.fstat(f).Mode)
		}
		s.did("fchmod", f.Chmod(0o640))
		s.did("chown", os.Chown(s.a, 12, 34))
		st := s.fstat(f)
		s.see("mode %o uid %d gid %d", st.Mode, st.Uid, st.Gid)
		s.did("chown group", os.Chown(s.a, -1, 56))
		s.did("rename", os.Rename(s.a, s.b))
		st = s.fstat(f)
		s.see("mode %o uid %d gid %d", st.Mode, st.Uid, st.Gid)
	},
	"created read-only and written": func(s *scene) {
		f, err := os.OpenFile(s.a, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o444)
		s.did("open", err)
		_, err = f.WriteString("object")
		s.did("write", err)
		s.did("rename", os.Rename(s.a, s.b))
		_, err = f.WriteString(" and more")
		s.did("write", err)
		s.did("close", f.Close())
		s.lookAt(s.b)
	},
	"times": func(s *scene) {
		f := s.put(s.a, "text")
		mtime := time.Unix(1234567890, 987654321)
		s.did("utimes", os.Chtimes(s.a, time.Unix(1000000000, 1), mtime))
		st := s.fstat(f)
		s.see("atime %v mtime %v", st.Atim, st.Mtim)
		s.did("rename", os.Rename(s.a, s.b))
		s.see("mtime %v", s.fstat(f).Mtim)
		_, err := f.WriteString("more")
		s.did("write", err)
		st = s.fstat(f)
		s.see("new mtime %v, new ctime %v", time.Since(time.Unix(st.Mtim.Unix())) < time.Hour, time.Since(time.Unix(st.Ctim.Unix())) < time.Hour)
		s.did("far past", os.Chtimes(s.b, time.Unix(-5, 0), time.Unix(-5, 500)))
		s.see("mtime %v", s.fstat(f).Mtim)
	},
	"mtime follows every write": func(s *scene) {
		f := s.put(s.a, "text")
		for range 3 {
			before := s.fstat(f).Mtim
			pause()
			_, err := f.WriteString("more")
			s.did("write", err)
			s.see("later %v", s.fstat(f).Mtim != before)
			before = s.fstat(f).Mtim
			pause()
			s.did("truncate", f.Truncate(2))
			s.see("later %v", s.fstat(f).Mtim != before)
		}
	},
	"directory times": func(s *scene) {
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"create", func() error { return os.WriteFile(s.a, nil, 0o644) }},
			{"write", func() error { return os.WriteFile(s.a, []byte("x"), 0o644) }},
			{"chmod", func() error { return os.Chmod(s.a, 0o600) }},
			{"rename", func() error { return os.Rename(s.a, s.b) }},
			{"rename back", func() error { return os.Rename(s.b, s.a) }},
			{"create b", func() error { return os.WriteFile(s.b, nil, 0o644) }},
			{"exchange", func() error { return s.rename2(s.a, s.b, unix.RENAME_EXCHANGE) }},
			{"rename over", func() error { return os.Rename(s.a, s.b) }},
			{"unlink", func() error { return os.Remove(s.b) }},
		} {
			mtime, ctime := s.dirTimes()
			pause()
			s.did(step.name, step.do())
			newM, newC := s.dirTimes()
			s.see("%s: mtime moved %v ctime moved %v", step.name, newM.After(mtime), newC.After(ctime))
		}
	},
	"seek for data and holes": func(s *scene) {
		f := s.put(s.a, "0123456789")
		for _, off := range []int64{0, 5, 10, 11} {
			data, err := unix.Seek(int(f.Fd()), off, unix.SEEK_DATA)
			s.did("SEEK_DATA", err)
			hole, err := unix.Seek(int(f.Fd()), off, unix.SEEK_HOLE)
			s.did("SEEK_HOLE", err)
			s.see("%d: data %d hole %d", off, data, hole)
		}
	},
	"a regular file is no directory": func(s *scene) {
		s.put(s.a, "x")
		s.did("mkdir", os.Mkdir(s.a, 0o755))
		s.did("rmdir", syscall.Rmdir(s.a))
		s.did("below", os.WriteFile(s.a+"/x", nil, 0o644))
		_, err := os.ReadDir(s.a)
		s.did("readdir", err)
		s.did("symlink", os.Symlink("x", s.a))
		_, err = os.Readlink(s.a)
		s.did("readlink", err)
		s.did("O_DIRECTORY", func() error { _, err := unix.Open(s.a, unix.O_DIRECTORY, 0); return err }())
	},
	"mknod": func(s *scene) {
		s.did("mknod", syscall.Mknod(s.a, syscall.S_IFREG|0o600, 0))
		s.lookAt(s.a)
		s.did("again", syscall.Mknod(s.a, syscall.S_IFREG|0o600, 0))
	},
	"locks": func(s *scene) {
		f, g := s.put(s.a, "x"), s.open(s.a, os.O_RDWR)
		s.did("flock", unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
		s.did("second flock", unix.Flock(int(g.Fd()), unix.LOCK_EX|unix.LOCK_NB))
		s.did("unlock", unix.Flock(int(f.Fd()), unix.LOCK_UN))
		s.did("second flock", unix.Flock(int(g.Fd()), unix.LOCK_EX|unix.LOCK_NB))
		lock := unix.Flock_t{Type: unix.F_WRLCK}
		s.did("ofd lock", unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock))
		lock = unix.Flock_t{Type: unix.F_WRLCK}
		s.did("second ofd lock", unix.FcntlFlock(g.Fd(), unix.F_OFD_SETLK, &lock))
	},
	"names that are too long": func(s *scene) {
		s.did("create", os.WriteFile(filepath.Join(s.dir, strings.Repeat("n", 256)), nil, 0o644))
		_, err := os.Lstat(filepath.Join(s.dir, strings.Repeat("n", 256)))
		s.did("lstat", err)
	},
}

// TestTheMountDoesWhatAPlainDirectoryDoes shows invariants 1, 4 and 12.
func TestTheMountDoesWhatAPlainDirectoryDoes(t *testing.T) {
	playAll(t, newRig(t, 3), map[string][2]string{
		"entities":          {"70.entity_text", "71.entity_text"},
		"scratch":           {"06.entity_text", "b~"},
		"entity to scratch": {"70.entity_text", "70.entity_text~"},
		"scratch to entity": {"svn-XXXXXX", "71.entity_text"},
		"subdirectory":      {"sub/70.entity_text", "sub/b"},
		"into subdirectory": {"70.entity_text", "sub/b"},
	})
}

func TestTheCoverDoesWhatAPlainDirectoryDoes(t *testing.T) {
	r := newCoverRig(t, 3)
	require.NoError(t, os.MkdirAll(filepath.Join(r.top, ".svn", "tmp"), 0o755))
	playAll(t, r, map[string][2]string{
		"entities":              {"70.entity_text", "71.entity_text"},
		"entity to scratch":     {"70.entity_text", "70.entity_text~"},
		"scratch to entity":     {"svn-XXXXXX", "71.entity_text"},
		"beneath":               {"../70.entity_text", "../b"},
		"beneath, directories":  {"../../a", "../../../.svn/tmp/b"},
		"entity to beneath":     {"70.entity_text", "../70.entity_text~"},
		"beneath to entity":     {"../b", "71.entity_text"},
		"far beneath to entity": {"../../../.svn/tmp/svn-XXXXXX", "71.entity_text"},
		"scratch to beneath":    {"06.entity_text", "../b"},
		"beneath to scratch":    {"../a", "b~"},
	})
}

// playAll plays everything with each cast, whose names are as seen from the
// entities directory, in the mount and in a plain directory.
func playAll(t *testing.T, r *rig, casts map[string][2]string) {
	top := t.TempDir()
	plain := filepath.Join(top, "levels", "one", "entities")
	require.NoError(t, os.MkdirAll(plain, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(top, ".svn", "tmp"), 0o755))
	require.NoError(t, os.Mkdir(r.path("sub"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(plain, "sub"), 0o755))
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

func playIn(t *testing.T, dir string, files [2]string, play func(*scene)) []string {
	s := &scene{T: t, a: filepath.Join(dir, files[0]), b: filepath.Join(dir, files[1])}
	s.dir = filepath.Dir(s.a)
	play(s)
	_ = os.Remove(s.a)
	_ = os.Remove(s.b)
	return s.seen
}

// treePlays are operations on what only scratch has. They are played in an
// empty directory.
var treePlays = map[string]func(*scene){
	"directories": func(s *scene) {
		s.did("mkdir", os.MkdirAll(s.dir+"/d/e/f", 0o750))
		s.did("write", os.WriteFile(s.dir+"/d/e/f/x", []byte("deep"), 0o644))
		s.did("rmdir", syscall.Rmdir(s.dir+"/d/e"))
		s.did("unlink a directory", syscall.Unlink(s.dir+"/d"))
		s.did("rename", os.Rename(s.dir+"/d", s.dir+"/g"))
		s.lookAt(s.dir + "/g/e/f/x")
		s.did("rename into itself", os.Rename(s.dir+"/g", s.dir+"/g/e/h"))
		s.did("mkdir", os.Mkdir(s.dir+"/empty", 0o700))
		s.did("onto an empty one", syscall.Rename(s.dir+"/g", s.dir+"/empty"))
		s.did("mkdir", os.Mkdir(s.dir+"/g", 0o700))
		s.did("onto a full one", syscall.Rename(s.dir+"/g", s.dir+"/empty"))
		s.did("file onto directory", syscall.Rename(s.dir+"/empty/e/f/x", s.dir+"/g"))
		s.did("write", os.WriteFile(s.dir+"/x", nil, 0o644))
		s.did("directory onto file", syscall.Rename(s.dir+"/g", s.dir+"/x"))
		s.did("exchange", s.rename2(s.dir+"/empty", s.dir+"/x", unix.RENAME_EXCHANGE))
		s.lookAt(s.dir + "/x/e/f/x")
		s.tree()
	},
	"a directory that is open, then gone": func(s *scene) {
		s.did("mkdir", os.Mkdir(s.dir+"/d", 0o700))
		f := s.open(s.dir+"/d", os.O_RDONLY)
		s.did("rmdir", os.Remove(s.dir+"/d"))
		st := s.fstat(f)
		s.see("mode %o nlink %d", st.Mode, st.Nlink)
		names, err := f.Readdirnames(-1)
		s.did("readdir", err)
		s.see("%q", names)
		_, err = unix.Openat(int(f.Fd()), "x", unix.O_CREAT|unix.O_RDWR, 0o600)
		s.did("create", err)
	},
	"symlinks": func(s *scene) {
		s.did("symlink", os.Symlink("some/where", s.dir+"/.#lock"))
		to, err := os.Readlink(s.dir + "/.#lock")
		s.did("readlink", err)
		s.see("%q", to)
		s.did("again", os.Symlink("x", s.dir+"/.#lock"))
		s.did("lutimes", unix.Lutimes(s.dir+"/.#lock", []unix.Timeval{{Sec: 5}, {Sec: 6}}))
		s.did("lchown", os.Lchown(s.dir+"/.#lock", 7, 8))
		st := s.lstat(s.dir + "/.#lock")
		s.see("mode %o size %d mtime %d uid %d", st.Mode, st.Size, st.Mtim.Sec, st.Uid)
		s.did("rename", os.Rename(s.dir+"/.#lock", s.dir+"/l"))
		s.did("link", os.Link(s.dir+"/l", s.dir+"/m"))
		s.did("dangling", os.WriteFile(s.dir+"/l", nil, 0o644))
		s.did("remove", os.Remove(s.dir+"/l"))
		s.tree()
	},
	"special files": func(s *scene) {
		s.did("fifo", unix.Mkfifo(s.dir+"/fifo", 0o620))
		s.did("chmod", os.Chmod(s.dir+"/fifo", 0o600))
		s.did("socket", unix.Mknod(s.dir+"/sock", unix.S_IFSOCK|0o600, 0))
		s.did("device", unix.Mknod(s.dir+"/null", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
		st := s.lstat(s.dir + "/null")
		s.see("mode %o rdev %d", st.Mode, st.Rdev)
		s.tree()
	},
	"hard links": func(s *scene) {
		s.put(s.dir+"/x", "text")
		s.did("link", os.Link(s.dir+"/x", s.dir+"/y"))
		s.did("link", os.Link(s.dir+"/y", s.dir+"/z"))
		s.see("same %v", s.ino(s.dir+"/x") == s.ino(s.dir+"/z"))
		s.did("again", os.Link(s.dir+"/x", s.dir+"/y"))
		s.did("unlink", os.Remove(s.dir+"/y"))
		s.did("rename onto the other link", os.Rename(s.dir+"/x", s.dir+"/z"))
		f := s.open(s.dir+"/z", os.O_RDWR|os.O_APPEND)
		s.did("unlink", os.Remove(s.dir+"/z"))
		_, err := f.WriteString(" more")
		s.did("write", err)
		s.look("z", f)
		s.lookAt(s.dir + "/x")
		s.did("directory", os.Mkdir(s.dir+"/d", 0o755))
		s.did("link it", os.Link(s.dir+"/d", s.dir+"/e"))
		s.tree()
	},
	"setgid directories": func(s *scene) {
		s.did("mkdir", os.Mkdir(s.dir+"/d", 0o755))
		s.did("chown", os.Chown(s.dir+"/d", 0, 77))
		s.did("chmod", syscall.Chmod(s.dir+"/d", 0o2775))
		s.did("write", os.WriteFile(s.dir+"/d/f", nil, 0o644))
		s.did("mkdir", os.Mkdir(s.dir+"/d/e", 0o755))
		s.did("symlink", os.Symlink("x", s.dir+"/d/l"))
		for _, name := range []string{"f", "e", "l"} {
			st := s.lstat(s.dir + "/d/" + name)
			s.see("%s: mode %o gid %d", name, st.Mode, st.Gid)
		}
	},
	"links and times of directories": func(s *scene) {
		for _, name := range []string{"a", "b", "c"} {
			before := s.lstat(s.dir)
			pause()
			s.did("mkdir", os.Mkdir(s.dir+"/"+name, 0o755))
			after := s.lstat(s.dir)
			s.see("nlink %+d, mtime moved %v", int(after.Nlink)-int(before.Nlink), after.Mtim != before.Mtim)
		}
		s.did("rename", os.Rename(s.dir+"/a", s.dir+"/b/a"))
		s.see("nlink %d", s.lstat(s.dir+"/b").Nlink)
	},
	"xattrs": func(s *scene) {
		s.put(s.dir+"/x", "text")
		s.did("set", unix.Setxattr(s.dir+"/x", "user.comment", []byte("hello"), 0))
		s.did("create", unix.Setxattr(s.dir+"/x", "user.comment", nil, unix.XATTR_CREATE))
		s.did("replace", unix.Setxattr(s.dir+"/x", "user.other", nil, unix.XATTR_REPLACE))
		buf := make([]byte, 100)
		n, err := unix.Getxattr(s.dir+"/x", "user.comment", buf)
		s.did("get", err)
		s.see("%q", buf[:max(n, 0)])
		n, err = unix.Getxattr(s.dir+"/x", "user.comment", nil)
		s.did("size", err)
		s.see("%d", n)
		_, err = unix.Getxattr(s.dir+"/x", "user.comment", buf[:2])
		s.did("short", err)
		n, err = unix.Listxattr(s.dir+"/x", buf)
		s.did("list", err)
		s.see("%q", buf[:max(n, 0)])
		_, err = unix.Listxattr(s.dir+"/x", buf[:2])
		s.did("short", err)
		s.did("remove", unix.Removexattr(s.dir+"/x", "user.comment"))
		s.did("remove", unix.Removexattr(s.dir+"/x", "user.comment"))
	},
	"seek in a directory": func(s *scene) {
		for i := range 50 {
			s.did("write", os.WriteFile(fmt.Sprintf("%s/file%02d", s.dir, i), nil, 0o644))
		}
		f := s.open(s.dir, os.O_RDONLY)
		all := dirents(s.T, f, 400)
		s.see("%d names", len(all))
		for _, i := range []int{0, 1, 2, 25, len(all) - 1} {
			_, err := f.Seek(all[i].Off, io.SeekStart)
			s.did("seek", err)
			rest := dirents(s.T, f, 400)
			s.see("rest as before %v", fmt.Sprint(rest) == fmt.Sprint(all[i+1:]))
		}
		s.did("write", os.WriteFile(s.dir+"/late", nil, 0o644))
		_, err := f.Seek(0, io.SeekStart)
		s.did("rewind", err)
		s.see("%d names", len(dirents(s.T, f, 400)))
	},
	"delete while listing": func(s *scene) {
		for i := range 300 {
			_ = os.WriteFile(fmt.Sprintf("%s/file%03d", s.dir, i), nil, 0o644)
		}
		s.see("met %d", deleteWhileListing(s.T, s.dir, "file"))
		s.tree()
	},
	"removed with everything in it": func(s *scene) {
		for i := range 20 {
			s.did("mkdir", os.MkdirAll(fmt.Sprintf("%s/.git/objects/%02x", s.dir, i), 0o755))
			s.did("write", os.WriteFile(fmt.Sprintf("%s/.git/objects/%02x/obj", s.dir, i), []byte("o"), 0o444))
		}
		s.did("rm -rf", os.RemoveAll(s.dir+"/.git"))
		s.tree()
	},
	"a path longer than the kernel takes at once": func(s *scene) {
		at, err := unix.Open(s.dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		s.did("open", err)
		name := strings.Repeat("d", 200)
		for range 25 {
			_ = unix.Mkdirat(at, name, 0o755)
			next, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
			_ = unix.Close(at)
			require.NoError(s, err)
			at = next
		}
		f, err := unix.Openat(at, "x", unix.O_RDWR|unix.O_CREAT, 0o644)
		s.did("create", err)
		_, err = unix.Write(f, []byte("deep"))
		s.did("write", err)
		_, _ = unix.Close(f), unix.Close(at)
		s.did("rm -rf", os.RemoveAll(s.dir+"/"+name))
	},
}

func (s *scene) lstat(path string) *syscall.Stat_t {
	var st syscall.Stat_t
	s.did("lstat", syscall.Lstat(path, &st))
	return &st
}

// tree notes everything below the directory.
func (s *scene) tree() {
	var all []string
	err := filepath.Walk(s.dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && path != s.dir {
			st := info.Sys().(*syscall.Stat_t)
			all = append(all, fmt.Sprintf("%s %v nlink %d uid %d", strings.TrimPrefix(path, s.dir), info.Mode(), st.Nlink, st.Uid))
		}
		return err
	})
	s.did("walk", err)
	sort.Strings(all)
	s.seen = append(s.seen, all...)
}

func TestScratchIsAnOrdinaryDirectory(t *testing.T) {
	playTrees(t, newRig(t, 3).path("dir"))
}

func TestWhatIsBeneathIsAnOrdinaryDirectory(t *testing.T) {
	playTrees(t, filepath.Join(newCoverRig(t, 3).top, "dir"))
}

func playTrees(t *testing.T, dir string) {
	for name, play := range treePlays {
		t.Run(name, func(t *testing.T) {
			plain := filepath.Join(t.TempDir(), "dir")
			require.NoError(t, os.Mkdir(plain, 0o755))
			require.NoError(t, os.Mkdir(dir, 0o755))
			defer func() { require.NoError(t, os.RemoveAll(dir)) }()
			want, got := &scene{T: t, dir: plain}, &scene{T: t, dir: dir}
			play(want)
			play(got)
			require.Equal(t, strings.Join(want.seen, "\n"), strings.Join(got.seen, "\n"))
		})
	}
}

type dirent struct {
	Name string
	Off  int64
	Type uint8
	Ino  uint64
}

// dirents reads a directory from where it stands, a small buffer at a time.
func dirents(t *testing.T, f *os.File, size int) []dirent {
	t.Helper()
	var out []dirent
	for {
		some := someDirents(t, f, size)
		if len(some) == 0 {
			return out
		}
		out = append(out, some...)
	}
}

func someDirents(t *testing.T, f *os.File, size int) []dirent {
	t.Helper()
	buf := make([]byte, size)
	n, err := unix.Getdents(int(f.Fd()), buf)
	require.NoError(t, err)
	var out []dirent
	for buf = buf[:n]; len(buf) > 0; {
		length := int(uint16(buf[16]) | uint16(buf[17])<<8)
		name := string(buf[19:length])
		name = name[:strings.IndexByte(name, 0)]
		out = append(out, dirent{Name: name, Off: int64(le64(buf[8:])), Type: buf[18], Ino: le64(buf)})
		buf = buf[length:]
	}
	return out
}

func le64(b []byte) (v uint64) {
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// deleteWhileListing removes each file as it is met and counts them.
func deleteWhileListing(t *testing.T, dir, prefix string) int {
	f, err := os.Open(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	met := 0
	for {
		some := someDirents(t, f, 500)
		if len(some) == 0 {
			return met
		}
		for _, e := range some {
			if e.Name != "." && e.Name != ".." && strings.HasPrefix(e.Name, prefix) {
				require.NoError(t, os.Remove(filepath.Join(dir, e.Name)))
				met++
			}
		}
	}
}
