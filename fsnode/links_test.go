package fsnode_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// linkables are what can have several names.
var linkables = map[string]func(path string) error{
	"file":    func(path string) error { return os.WriteFile(path, []byte("text"), 0o644) },
	"symlink": func(path string) error { return os.Symlink("some/where", path) },
	"fifo":    func(path string) error { return unix.Mkfifo(path, 0o620) },
}

func init() {
	for kind, make := range linkables {
		treePlays["a "+kind+" that loses the name it got last"] = func(s *scene) { s.relink(make) }
		treePlays["a "+kind+" that is only open"] = func(s *scene) { s.linkOpen(make) }
	}
}

// relink links what is made, and removes the name that was made last.
func (s *scene) relink(make func(string) error) {
	in := func(name string) string { return filepath.Join(s.dir, name) }
	s.did("make", make(in("a")))
	s.did("mkdir", os.MkdirAll(in("d/e"), 0o755))
	for range 3 {
		s.did("link", os.Link(in("a"), in("b")))
		s.did("unlink", os.Remove(in("b")))
		s.did("link into a directory", os.Link(in("a"), in("d/e/b")))
		s.did("rename the directory", os.Rename(in("d"), in("f")))
		s.did("link again", os.Link(in("a"), in("c")))
		s.did("unlink", os.Remove(in("f/e/b")))
		s.did("rmdir", os.Remove(in("f/e")))
		s.did("link again", os.Link(in("a"), in("f/c")))
		s.did("unlink the first", os.Remove(in("a")))
		s.did("link from the last", os.Link(in("f/c"), in("a")))
		s.did("rename over", os.Rename(in("c"), in("a")))
		s.did("other", make(in("other")))
		s.did("rename over the other", os.Rename(in("other"), in("f/c")))
		s.did("link again", os.Link(in("a"), in("d")))
		s.tree()
		s.did("rm", errors.Join(os.RemoveAll(in("f")), os.Remove(in("d"))))
		s.did("mkdir", os.MkdirAll(in("d/e"), 0o755))
	}
}

// linkOpen links what a descriptor has, while it has a name and when it has none.
func (s *scene) linkOpen(make func(string) error) {
	in := func(name string) string { return filepath.Join(s.dir, name) }
	s.did("make", make(in("a")))
	s.did("link", os.Link(in("a"), in("b")))
	fd, err := unix.Open(in("a"), unix.O_PATH|unix.O_NOFOLLOW, 0)
	if !s.did("open", err) {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	link := func(name string) error { return unix.Linkat(fd, "", unix.AT_FDCWD, in(name), unix.AT_EMPTY_PATH) }
	s.did("unlink", os.Remove(in("b")))
	s.did("link what is open", link("c"))
	s.did("unlink", errors.Join(os.Remove(in("a")), os.Remove(in("c"))))
	s.did("link what has no name", link("d"))
	s.tree()
}

// TestAFileKeepsTheNamesThatAnEarlierMountGaveIt is for names that this mount has not
// looked up.
func TestNamesThatWereMadeByAnEarlierMountCountToo(t *testing.T) {
	r := newRig(t, 1)
	for kind, make := range linkables {
		require.NoError(t, make(r.path(kind+".a")))
		require.NoError(t, os.Link(r.path(kind+".a"), r.path(kind+".b")))
	}
	r.again()
	for kind := range linkables {
		fd, err := unix.Open(r.path(kind+".b"), unix.O_PATH|unix.O_NOFOLLOW, 0)
		require.NoError(t, err)
		require.NoError(t, os.Remove(r.path(kind+".b")))
		require.NoError(t, unix.Linkat(fd, "", unix.AT_FDCWD, r.path(kind+".c"), unix.AT_EMPTY_PATH), kind)
		require.NoError(t, unix.Close(fd))
		require.Equal(t, r.stat(kind+".a").Ino, r.stat(kind+".c").Ino)
		require.EqualValues(t, 2, r.stat(kind+".c").Nlink)
	}
}

// linkStep does something to one or two of the names that a few files share.
type linkStep struct {
	Do       string
	From, To string
}

var linkSteps = map[string]func(dir string, s linkStep) error{
	"link":   func(dir string, s linkStep) error { return os.Link(dir+s.From, dir+s.To) },
	"unlink": func(dir string, s linkStep) error { return syscall.Unlink(dir + s.From) },
	"rename": func(dir string, s linkStep) error { return syscall.Rename(dir+s.From, dir+s.To) },
	"exchange": func(dir string, s linkStep) error {
		return unix.Renameat2(unix.AT_FDCWD, dir+s.From, unix.AT_FDCWD, dir+s.To, unix.RENAME_EXCHANGE)
	},
	"move directory": func(dir string, s linkStep) error {
		return syscall.Rename(dir+filepath.Dir(s.From), dir+filepath.Dir(s.To))
	},
	"rmdir":   func(dir string, s linkStep) error { return syscall.Rmdir(dir + filepath.Dir(s.From)) },
	"mkdir":   func(dir string, s linkStep) error { return os.Mkdir(dir+filepath.Dir(s.From), 0o755) },
	"file":    func(dir string, s linkStep) error { return makeNew(dir+s.From, linkables["file"]) },
	"symlink": func(dir string, s linkStep) error { return makeNew(dir+s.From, linkables["symlink"]) },
	"fifo":    func(dir string, s linkStep) error { return makeNew(dir+s.From, linkables["fifo"]) },
	"chmod":   func(dir string, s linkStep) error { return changeMode(dir + s.From) },
}

func makeNew(path string, make func(string) error) error {
	if _, err := os.Lstat(path); err == nil {
		return os.ErrExist
	}
	return make(path)
}

// changeMode changes what all names of a file show.
func changeMode(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()^0o011)
}

func TestHardLinksAreAsOnAPlainDirectory(t *testing.T) {
	linkCheck(t, newRig(t, 1).path("links"))
}

func TestHardLinksBeneathAreAsOnAPlainDirectory(t *testing.T) {
	linkCheck(t, filepath.Join(newCoverRig(t, 1).top, "links"))
}

// linkCheck does random things to the names of files in dir and in a plain
// directory, and looks at both after each.
func linkCheck(t *testing.T, dir string) {
	names := []string{"/p/a", "/p/b", "/p/c", "/q/a", "/q/b", "/q/r/a", "/q/r/b"}
	var kinds []string
	for kind := range linkSteps {
		kinds = append(kinds, kind)
	}
	kinds = append(kinds, "link", "link", "link", "unlink", "unlink", "rename")
	slices.Sort(kinds)
	require.NoError(t, flag.Set("rapid.checks", "40"))
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) linkStep {
			return linkStep{rapid.SampledFrom(kinds).Draw(t, "do"), rapid.SampledFrom(names).Draw(t, "from"), rapid.SampledFrom(names).Draw(t, "to")}
		}), 60, 60).Draw(rt, "steps")
		plain := filepath.Join(t.TempDir(), "links")
		for _, at := range []string{dir, plain} {
			if err := errors.Join(os.RemoveAll(at), os.MkdirAll(at+"/q/r", 0o755), os.Mkdir(at+"/p", 0o755)); err != nil {
				rt.Fatal(err)
			}
		}
		for i, s := range steps {
			do := linkSteps[s.Do]
			if diff := unlike(do(dir, s), do(plain, s)); diff != "" {
				rt.Fatalf("step %d: %v: %s", i, s, diff)
			}
			if diff := unlikeText(linksIn(dir), linksIn(plain)); diff != "" {
				rt.Fatalf("after step %d: %v: %s", i, s, diff)
			}
		}
	})
}

// linksIn describes what lies below a directory, and which names are one file's.
func linksIn(dir string) string {
	first := make(map[uint64]string)
	var out strings.Builder
	_ = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		name, st := strings.TrimPrefix(path, dir), info.Sys().(*syscall.Stat_t)
		if first[st.Ino] == "" {
			first[st.Ino] = name
		}
		fmt.Fprintf(&out, "%s %v nlink %d as %s\n", name, info.Mode(), st.Nlink, first[st.Ino])
		return nil
	})
	return out.String()
}
