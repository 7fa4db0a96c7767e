package fsnode_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// The model of the mount is a plain directory. Actors do random things to both
// at the same time, each to names of its own in directories that all share, and
// everything must come out alike: what each step answers, what each handle
// sees, and in the end every name, before and after a remount.
//
// WORLDFS_MODEL_CHECKS is how many worlds are played through (it is few unless
// told), WORLDFS_MODEL_SEED where rapid begins.

const (
	modelActors  = 4
	modelSteps   = 60 // of each actor
	modelHandles = 3
)

func TestTheMountIsAsItsModel(t *testing.T) {
	modelCheck(t, newRig(t, 0), []string{
		"%d1.entity_text", "%d2.entity_text", "%d3.entity_text", "0%d.entity_text", "%d~", ".%d.swp",
		"sub/%d1.entity_text", "sub/%d", "own%d/x", "own%d/1.entity_text",
	}, []string{"sub"})
}

func TestTheMountIsAsItsModelInShards(t *testing.T) {
	modelCheck(t, newShardedRig(t, 0, layout.LastDigit), []string{
		"1/%d1.entity_text", "2/%d2.entity_text", "2/1%d2.entity_text", "2/%d3.entity_text", "%d4.entity_text", "1/%d~",
		"sub/%d1.entity_text", "own%d/x",
	}, []string{"sub", "1", "2"})
}

// modelCheck plays worlds through in which each actor has names of these forms.
func modelCheck(t *testing.T, r *rig, forms, shared []string) {
	checks, seed := os.Getenv("WORLDFS_MODEL_CHECKS"), os.Getenv("WORLDFS_MODEL_SEED")
	if checks == "" {
		checks = "12"
	}
	if seed == "" {
		seed = "20260816"
	}
	require.NoError(t, flag.Set("rapid.checks", checks))
	require.NoError(t, flag.Set("rapid.seed", seed))
	t.Logf("WORLDFS_MODEL_SEED=%s WORLDFS_MODEL_CHECKS=%s", seed, checks)
	rapid.Check(t, func(rt *rapid.T) {
		var scripts [modelActors][]step
		for i := range scripts {
			scripts[i] = rapid.SliceOfN(stepGenerator(len(forms)), modelSteps, modelSteps).Draw(rt, fmt.Sprintf("actor %d", i+1))
		}
		plain := t.TempDir()
		if err := errors.Join(os.Chmod(plain, 0o755), r.clear()); err != nil {
			rt.Fatal(err)
		}
		for _, dir := range shared {
			if err := errors.Join(os.Mkdir(r.path(dir), 0o755), os.Mkdir(filepath.Join(plain, dir), 0o755)); err != nil {
				rt.Fatal(err)
			}
		}
		var group errgroup.Group
		for i, script := range scripts {
			a := actor{mount: r.mnt, plain: plain, number: i + 1}
			for _, form := range forms {
				a.names = append(a.names, fmt.Sprintf(form, i+1))
			}
			group.Go(func() error { return a.play(script) })
		}
		if err := group.Wait(); err != nil {
			rt.Fatal(err)
		}
		want := treeOf(plain)
		if got := treeOf(r.mnt); got != want {
			rt.Fatalf("the model has\n%s\nand the mount\n%s", want, got)
		}
		r.again()
		if got := treeOf(r.mnt); got != want {
			rt.Fatalf("the model has\n%s\nand the mount, mounted again,\n%s", want, got)
		}
	})
}

// clear removes all names in the mount.
func (r *rig) clear() error {
	entries, err := os.ReadDir(r.mnt)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(r.path(e.Name())))
	}
	return err
}

// step is something that an actor does. What its numbers mean depends on what
// it is.
type step struct {
	Do           string
	Name, Other  int
	Handle       int
	Flags        int
	Offset, Size int64
}

// deeds are the steps that there are.
var deeds = map[string]func(*actor, step) string{
	"open":      (*actor).open,
	"write":     (*actor).write,
	"append":    (*actor).write,
	"read":      (*actor).read,
	"ftruncate": (*actor).ftruncate,
	"fchmod":    (*actor).fchmod,
	"fsync":     (*actor).fsync,
	"close":     (*actor).close,
	"truncate": func(a *actor, s step) string {
		return a.both(func(at string) error { return os.Truncate(at, s.Size) }, s.Name)
	},
	"chmod": func(a *actor, s step) string {
		return a.both(func(at string) error { return os.Chmod(at, mode(s)) }, s.Name)
	},
	"unlink":  func(a *actor, s step) string { return a.both(syscall.Unlink, s.Name) },
	"rename":  (*actor).rename,
	"link":    (*actor).link,
	"symlink": (*actor).symlink,
	"age":     func(a *actor, s step) string { return a.both(age, s.Name) },
	"mkdir":   func(a *actor, s step) string { return a.own(func(at string) error { return os.Mkdir(at, 0o755) }) },
	"rmdir":   func(a *actor, s step) string { return a.own(syscall.Rmdir) },
	"list":    func(a *actor, s step) string { return a.own(nil) },
	"stat":    func(a *actor, s step) string { return a.look(s.Name) },
}

func stepGenerator(names int) *rapid.Generator[step] {
	kinds := make([]string, 0, len(deeds))
	for kind := range deeds {
		kinds = append(kinds, kind)
	}
	kinds = append(kinds, "open", "open", "open", "write", "append", "rename", "rename", "rename", "rename", "rename")
	slices.Sort(kinds)
	return rapid.Custom(func(t *rapid.T) step {
		return step{
			Do:   rapid.SampledFrom(kinds).Draw(t, "do"),
			Name: upTo(names).Draw(t, "name"), Other: upTo(names).Draw(t, "other"),
			Handle: upTo(modelHandles).Draw(t, "handle"), Flags: upTo(60).Draw(t, "flags"),
			Offset: rapid.Int64Range(0, 9000).Draw(t, "offset"), Size: rapid.Int64Range(0, 5000).Draw(t, "size"),
		}
	})
}

// upTo draws each number below n as often as any other.
func upTo(n int) *rapid.Generator[int] {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return rapid.SampledFrom(numbers)
}

// actor does the same to a mount and to a plain directory.
type actor struct {
	mount, plain string
	number       int
	names        []string
	handles      [modelHandles][2]*os.File // in the mount, and in the plain directory
}

func (a *actor) play(script []step) error {
	defer func() {
		for i := range a.handles {
			a.close(step{Handle: i})
		}
	}()
	for name := range a.names { // half of them are there at first
		if name%2 == 0 {
			if diff := a.both(func(at string) error { return os.WriteFile(at, []byte(a.names[name]), 0o644) }, name); diff != "" {
				return fmt.Errorf("actor %d, at first: %s: %s", a.number, a.names[name], diff)
			}
		}
	}
	for i, s := range script {
		if diff := deeds[s.Do](a, s); diff != "" {
			return fmt.Errorf("actor %d, step %d: %s %s (%s): %s", a.number, i, s.Do, a.names[s.Name], a.names[s.Other], diff)
		}
		if i%7 == 0 {
			if diff := a.look(s.Name); diff != "" {
				return fmt.Errorf("actor %d, after step %d: %s: %s", a.number, i, a.names[s.Name], diff)
			}
		}
	}
	return nil
}

// paths returns where a name is in the mount and in the plain directory.
func (a *actor) paths(name int) [2]string {
	return [2]string{filepath.Join(a.mount, a.names[name]), filepath.Join(a.plain, a.names[name])}
}

// both does one thing to a name in both places.
func (a *actor) both(do func(at string) error, name int) string {
	p := a.paths(name)
	return unlike(do(p[0]), do(p[1]))
}

// own does something to the directory that only this actor has, and lists it.
func (a *actor) own(do func(at string) error) string {
	mount, plain := filepath.Join(a.mount, fmt.Sprint("own", a.number)), filepath.Join(a.plain, fmt.Sprint("own", a.number))
	if do != nil {
		if diff := unlike(do(mount), do(plain)); diff != "" {
			return diff
		}
	}
	return unlikeText(treeOf(mount), treeOf(plain))
}

func (a *actor) look(name int) string {
	p := a.paths(name)
	return unlikeText(glance(p[0]), glance(p[1]))
}

func unlike(mount, plain error) string {
	if errnoText(mount) == errnoText(plain) {
		return ""
	}
	return fmt.Sprintf("the mount says %s, the model %s", errnoText(mount), errnoText(plain))
}

func unlikeText(mount, plain string) string {
	if mount == plain {
		return ""
	}
	return fmt.Sprintf("the mount has\n%s\nand the model\n%s", mount, plain)
}

func errnoText(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

func mode(s step) os.FileMode {
	return []os.FileMode{0o600, 0o644, 0o444, 0o755, 0o640}[s.Flags%5]
}

// old is a time that nothing gets but by being told.
var old = unix.Timespec{Sec: 1000000000, Nsec: 123456789}

func age(at string) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, at, []unix.Timespec{old, old}, unix.AT_SYMLINK_NOFOLLOW)
}

func (a *actor) open(s step) string {
	a.close(s)
	flags := os.O_RDWR | []int{
		0, os.O_TRUNC, os.O_APPEND, os.O_CREATE, os.O_CREATE | os.O_TRUNC, os.O_CREATE | os.O_EXCL, os.O_CREATE | os.O_APPEND,
	}[s.Flags%7]
	var errs [2]error
	for i, path := range a.paths(s.Name) {
		// By the number: os.OpenFile would leave a mode to the umask alone.
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o640)
		if errs[i] = err; err == nil {
			a.handles[s.Handle][i] = os.NewFile(uintptr(fd), path)
		}
	}
	if errs[0] != nil || errs[1] != nil {
		defer a.close(s)
	}
	return unlike(errs[0], errs[1])
}

func (a *actor) close(s step) string {
	for i, f := range a.handles[s.Handle] {
		if f != nil {
			_ = f.Close()
		}
		a.handles[s.Handle][i] = nil
	}
	return ""
}

// handled does something to an open file in both places, and looks at it.
func (a *actor) handled(s step, do func(f *os.File) error) string {
	h := a.handles[s.Handle]
	if h[0] == nil || h[1] == nil {
		return ""
	}
	if diff := unlike(do(h[0]), do(h[1])); diff != "" {
		return diff
	}
	return unlikeText(glanceIn(h[0]), glanceIn(h[1]))
}

func (a *actor) write(s step) string {
	text := bytes.Repeat([]byte{byte('a' + s.Offset%26)}, int(s.Size)+1)
	return a.handled(s, func(f *os.File) error {
		if s.Do == "append" {
			_, err := unix.Seek(int(f.Fd()), 0, io.SeekEnd)
			if err == nil {
				_, err = unix.Write(int(f.Fd()), text)
			}
			return err
		}
		_, err := unix.Pwrite(int(f.Fd()), text, s.Offset)
		return err
	})
}

func (a *actor) read(s step) string { return a.handled(s, func(*os.File) error { return nil }) }

func (a *actor) ftruncate(s step) string {
	return a.handled(s, func(f *os.File) error { return f.Truncate(s.Size) })
}

func (a *actor) fchmod(s step) string {
	return a.handled(s, func(f *os.File) error { return f.Chmod(mode(s)) })
}

func (a *actor) fsync(s step) string { return a.handled(s, (*os.File).Sync) }

func (a *actor) rename(s step) string {
	flags := uint([]int{0, 0, unix.RENAME_NOREPLACE, unix.RENAME_EXCHANGE}[s.Flags%4])
	from, to := a.paths(s.Name), a.paths(s.Other)
	do := func(i int) error { return unix.Renameat2(unix.AT_FDCWD, from[i], unix.AT_FDCWD, to[i], flags) }
	err := do(0)
	if why := a.refuses(s.Name, s.Other) || flags == unix.RENAME_EXCHANGE && a.refuses(s.Other, s.Name); why &&
		(errors.Is(err, unix.EPERM) || errors.Is(err, unix.EXDEV)) {
		return ""
	}
	return unlike(err, do(1))
}

// refuses reports whether docs/posix.md has the mount refuse what the model
// allows: that a file becomes an entity that has other names, or is a symlink.
func (a *actor) refuses(from, to int) bool {
	var st unix.Stat_t
	if !a.isEntity(to) || unix.Lstat(a.paths(from)[1], &st) != nil {
		return false
	}
	return st.Nlink > 1 || st.Mode&unix.S_IFMT != unix.S_IFREG
}

// isEntity reports whether a name is an entity's in either of the tests' layouts.
func (a *actor) isEntity(name int) bool {
	l, _, ok := layout.Of(a.names[name])
	return ok && (l == layout.None) != a.sharded()
}

func (a *actor) sharded() bool {
	return slices.ContainsFunc(a.names, func(name string) bool { return strings.HasPrefix(name, "1/") })
}

// link gives a file one more name, where neither is an entity's.
func (a *actor) link(s step) string {
	if a.isEntity(s.Name) || a.isEntity(s.Other) {
		return ""
	}
	from, to := a.paths(s.Name), a.paths(s.Other)
	return unlike(os.Link(from[0], to[0]), os.Link(from[1], to[1]))
}

func (a *actor) symlink(s step) string {
	if a.isEntity(s.Name) {
		return ""
	}
	to := fmt.Sprint("nowhere", a.number) // until an open makes it
	return a.both(func(at string) error { return os.Symlink(to, at) }, s.Name)
}

// glance returns what is seen of a file by its name.
func glance(path string) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return errnoText(err)
	}
	text := ""
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		text = describe(os.ReadFile(path))
	case unix.S_IFLNK:
		text, _ = os.Readlink(path)
	}
	return statText(&st) + text
}

// glanceIn returns what is seen of an open file.
func glanceIn(f *os.File) string {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return errnoText(err)
	}
	return statText(&st) + describe(io.ReadAll(io.NewSectionReader(f, 0, 1<<30)))
}

func statText(st *unix.Stat_t) string {
	size := st.Size
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		size = 0 // each filesystem has its own
	}
	return fmt.Sprintf("mode %o nlink %d size %d old %v ", st.Mode, st.Nlink, size, st.Mtim == old)
}

// describe returns a text that differs wherever the bytes do, and says where.
func describe(b []byte, err error) string {
	if err != nil {
		return errnoText(err)
	}
	var out strings.Builder
	for len(b) > 0 {
		n := len(b) - len(bytes.TrimLeft(b, string(b[:1])))
		fmt.Fprintf(&out, "%q*%d ", b[0], n)
		b = b[n:]
	}
	return out.String()
}

// treeOf returns all that is seen below a directory.
func treeOf(dir string) string {
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, path); relErr == nil && rel != "." {
			out = append(out, rel+": "+glance(path))
		}
		return err
	})
	if err != nil {
		out = append(out, errnoText(err))
	}
	return strings.Join(out, "\n")
}
