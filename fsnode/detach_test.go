package fsnode_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// sh is a shell that runs lines in the mount: another process than that which serves
// it, and one that may stand there.
type sh struct {
	*testing.T
	cmd  *exec.Cmd
	to   *os.File
	from *bufio.Reader
}

func (r *rig) shell() *sh {
	r.Helper()
	in, to, err := os.Pipe()
	require.NoError(r, err)
	from, out, err := os.Pipe()
	require.NoError(r, err)
	s := &sh{T: r.T, cmd: exec.Command("sh"), to: to, from: bufio.NewReader(from)}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = in, out, out
	require.NoError(r, s.cmd.Start())
	require.NoError(r, errors.Join(in.Close(), out.Close()))
	r.Cleanup(func() {
		require.NoError(r, to.Close())
		_ = s.cmd.Wait() // its last command's status
		require.NoError(r, from.Close())
	})
	return s
}

// does runs a line and returns what it printed.
func (s *sh) does(line string) string {
	s.Helper()
	_, err := s.to.WriteString(line + "\necho; echo done\n")
	require.NoError(s, err)
	var said strings.Builder
	for {
		line, err := s.from.ReadString('\n')
		require.NoError(s, err)
		if line == "done\n" {
			return strings.TrimSpace(said.String())
		}
		said.WriteString(line)
	}
}

// inUse is what processes may do with a mount, and whether that is more than to stand
// in it.
var inUse = map[string]struct {
	line string
	more bool
}{
	"stand in it":                         {"cd sub", false},
	"stand where nothing is any more":     {"mkdir gone && cd gone && rmdir ../gone", false},
	"have looked at everything":           {"ls -lR >/dev/null && cat *.entity_text notes >/dev/null && cd sub", false},
	"read an entity":                      {"exec 9<1.entity_text", true},
	"write an entity":                     {"exec 9>>1.entity_text", true},
	"read a file that is no entity":       {"exec 9<notes", true},
	"read a file below":                   {"exec 9<sub/file", true},
	"have a file open that is gone":       {"exec 9<notes && rm notes", true},
	"have an entity open that is gone":    {"exec 9<1.entity_text && rm 1.entity_text", true},
	"have a file open that was made anew": {"exec 9>temp && mv temp 2.entity_text", true},
	"run a program":                       {"cp $(command -v sleep) prog && exec 8>&- && { ./prog 1000 & pid=$!; until readlink /proc/$pid/exe | grep -q prog; do :; done; }", true},
	"hold a pipe's end":                   {"mkfifo pipe && exec 9<>pipe", true},
}

func TestOnlyWorkingDirectoriesLetAMountBeSealed(t *testing.T) {
	for does, use := range inUse {
		for shape, newRig := range map[string]func(*testing.T, int) *rig{
			"entities": func(t *testing.T, n int) *rig { return newRig(t, n) },
			"cover":    func(t *testing.T, n int) *rig { return newCoverRig(t, n) },
		} {
			t.Run(does+", "+shape, func(t *testing.T) {
				r := newRig(t, 20)
				r.write("notes", "mine")
				require.NoError(t, os.Mkdir(r.path("sub"), 0o755))
				r.write("sub/file", "below")
				s := r.shell()
				require.Empty(t, s.does("cd "+r.mnt+" && "+use.line))
				err := r.mount.Seal()
				if use.more {
					require.ErrorIs(t, err, syscall.EBUSY)
					require.Empty(t, s.does("echo more >>more && cat sub/file >/dev/null"), "the mount goes on as it was")
				} else {
					require.NoError(t, err)
					require.Contains(t, s.does("echo more >>../more || echo more >>"+r.path("more")), "Read-only file system")
				}
				r.mount.Unseal()
				if does != "stand where nothing is any more" {
					require.Contains(t, s.does("pwd -P"), r.mnt, "a shell has not lost its way")
				}
				s.does("[ ! $pid ] || kill $pid; wait $pid; cd /; exec 9>&-; exec 8>&-")
				r.write("more", "")
			})
		}
	}
}

// Sealed, each kind of change is refused as on a file system that is read-only, and
// what is there can be read.
// It shows invariant 11.
func TestASealedMountIsReadOnly(t *testing.T) {
	for shape, newRig := range map[string]func(*testing.T, int) *rig{
		"entities": func(t *testing.T, n int) *rig { return newRig(t, n) },
		"cover":    func(t *testing.T, n int) *rig { return newCoverRig(t, n) },
	} {
		t.Run(shape, func(t *testing.T) {
			r := newRig(t, 3)
			r.write("notes", "mine")
			require.NoError(t, os.Mkdir(r.path("sub"), 0o755))
			text := r.read("1.entity_text")
			f, err := os.OpenFile(r.path("2.entity_text"), os.O_RDWR, 0)
			require.NoError(t, err)
			defer f.Close()
			r.mount.SealAnyway()
			for what, err := range map[string]error{
				"write":       os.WriteFile(r.path("1.entity_text"), nil, 0o644),
				"create":      os.WriteFile(r.path("new"), nil, 0o644),
				"truncate":    os.Truncate(r.path("notes"), 1),
				"chmod":       os.Chmod(r.path("1.entity_text"), 0o600),
				"chown":       os.Chown(r.path("notes"), os.Getuid(), os.Getgid()),
				"utimes":      os.Chtimes(r.path("sub"), time.Now(), time.Now()),
				"mkdir":       os.Mkdir(r.path("dir"), 0o755),
				"mkfifo":      unix.Mkfifo(r.path("pipe"), 0o644),
				"symlink":     os.Symlink("notes", r.path("link")),
				"link":        os.Link(r.path("notes"), r.path("other")),
				"rename":      os.Rename(r.path("notes"), r.path("9.entity_text")),
				"unlink":      unix.Unlink(r.path("1.entity_text")),
				"rmdir":       unix.Rmdir(r.path("sub")),
				"setxattr":    unix.Setxattr(r.path("notes"), "user.x", []byte("x"), 0),
				"removexattr": unix.Removexattr(r.path("notes"), "user.x"),
			} {
				require.ErrorIs(t, err, syscall.EROFS, what)
			}
			_, err = f.WriteString("x")
			require.ErrorIs(t, err, syscall.EROFS)
			require.NoError(t, f.Sync())
			require.Equal(t, text, r.read("1.entity_text"))
			require.Equal(t, "mine", r.read("notes"))
			r.mount.Unseal()
			r.write("1.entity_text", text)
		})
	}
}

// A change that is under way, or begins meanwhile, keeps a mount from being sealed;
// and a change that is answered with success is there.
// It shows invariant 11.
func TestNoAcceptedChangeComesAfterTheSeal(t *testing.T) {
	r := newRig(t, 3)
	var wrote atomic.Int64
	var sealed atomic.Bool
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for i := 0; i < 200000; i++ {
				was := sealed.Load()
				err := os.Truncate(r.path("1.entity_text"), int64(i%7))
				if err != nil {
					require.ErrorIs(t, err, syscall.EROFS)
					return
				}
				require.False(t, was, "a change came after the seal")
				wrote.Add(1)
			}
		})
	}
	for wrote.Load() < 500 {
		time.Sleep(time.Millisecond)
	}
	tries := 0
	for r.mount.Seal() != nil && tries < 20 {
		tries++
	}
	if tries < 20 {
		sealed.Store(true)
	}
	r.mount.SealAnyway()
	writers.Wait()
}

// What is left of a mount that was detached shows the directory that it is given.
func TestADetachedMountShowsThePlainFiles(t *testing.T) {
	for _, l := range []layout.Layout{layout.None, layout.LastDigit} {
		t.Run(l.String(), func(t *testing.T) {
			r := newShardedRig(t, 20, l)
			r.write("notes", "mine")
			s := r.shell()
			in := "."
			if l.Sharded() {
				in = "1"
			}
			require.Contains(t, s.does("cd "+r.path(in)+" && ls"), "11.entity_text")
			require.NoError(t, r.mount.Seal())
			require.NoError(t, r.mount.Detach())
			require.Empty(t, r.names(), "the mount is out of the tree")
			require.Contains(t, s.does("ls"), "11.entity_text")

			plain := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(plain, "1"), 0o755))
			for _, name := range []string{"1/11.entity_text", "11.entity_text"} {
				require.NoError(t, os.WriteFile(filepath.Join(plain, name), []byte("plain"), 0o644))
			}
			require.NoError(t, r.mount.ShowPlain(plain))
			require.NoError(t, r.world.Close())
			r.world = nil
			require.Equal(t, "plain", s.does("cat 11.entity_text"))
			require.NotContains(t, s.does("ls"), "21.entity_text")
			require.Contains(t, s.does("echo x >11.entity_text"), "Read-only file system")
			require.Contains(t, s.does("mkdir x"), "Read-only file system")
			require.NoError(t, os.WriteFile(filepath.Join(plain, "1/later"), nil, 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(plain, "later"), nil, 0o644))
			require.Contains(t, s.does("ls"), "later")
			s.does("cd /")
			r.mount.Wait()
			require.NoError(t, r.mount.ShowPlain(plain), "nothing is left to show it")
			r.mount = nil
		})
	}
}
