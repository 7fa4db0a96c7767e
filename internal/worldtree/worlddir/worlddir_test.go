package worlddir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func initWorld(t *testing.T) *Dir {
	t.Helper()
	d, err := Init(filepath.Join(t.TempDir(), "w"), InitOptions{})
	require.NoError(t, err)
	return d
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestInitMakesAWorldThatIsFoundFromBelow(t *testing.T) {
	d := initWorld(t)
	require.NotEqual(t, entity.GUID{}, d.ID)
	for _, path := range []string{d.ConfigPath(), d.RangesPath(), d.TypesPath(), d.EntitiesPath(), d.PacksPath(), d.ScratchPath()} {
		_, err := os.Stat(path)
		require.NoError(t, err)
	}
	below := filepath.Join(d.TypesPath(), "deeper")
	require.NoError(t, os.Mkdir(below, 0o777))
	found, err := Find(below)
	require.NoError(t, err)
	require.Equal(t, d, found)
}

func TestInitRefusesASecondWorldButKeepsOtherFiles(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "game.exe"), []byte("x"), 0o666))
	_, err := Init(root, InitOptions{})
	require.NoError(t, err)
	before, err := os.ReadFile(filepath.Join(root, configName))
	require.NoError(t, err)
	_, err = Init(root, InitOptions{})
	require.ErrorIs(t, err, ErrExists)
	after, err := os.ReadFile(filepath.Join(root, configName))
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.FileExists(t, filepath.Join(root, "game.exe"))
}

func TestFindSaysWhenThereIsNoWorld(t *testing.T) {
	_, err := Find(t.TempDir())
	require.ErrorIs(t, err, ErrNotFound)
	_, err = Open(t.TempDir())
	require.ErrorIs(t, err, ErrNotFound)
}

func TestFindThroughASymlinkGivesTheSameRoot(t *testing.T) {
	d := initWorld(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(d.Root, link))
	found, err := Find(link)
	require.NoError(t, err)
	require.Equal(t, d.Root, found.Root)
}

func TestIgnoreAddsWhatIsMissingOnce(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, ".gitignore")
	require.NoError(t, os.WriteFile(path, []byte("*.o\n/.worldfs/\n/world.pack"), 0o666))
	require.NoError(t, Ignore(root, nil))
	once, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(once), "*.o\n/.worldfs/\n/world.pack\n"))
	require.Contains(t, string(once), "/ship.pack\n")
	require.Equal(t, 1, strings.Count(string(once), "/.worldfs/"))
	require.NotContains(t, string(once), "\n/.worldfs\n")
	require.NoError(t, Ignore(root, nil))
	twice, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(once), string(twice))
}

func TestGitIsToldOfWhatIsLocalOnEveryBranch(t *testing.T) {
	top := t.TempDir()
	run(t, top, "git", "init", "-q")
	exclude := filepath.Join(top, ".git", "info", "exclude")
	require.NoError(t, os.MkdirAll(filepath.Dir(exclude), 0o755))
	require.NoError(t, os.WriteFile(exclude, []byte("*.o"), 0o644))
	root := filepath.Join(top, "levels", "a[1]*")
	d, err := Init(root, InitOptions{})
	require.NoError(t, err)
	require.NoError(t, d.Exclude())
	text, err := os.ReadFile(exclude)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "*.o\n/levels/a"), "%s", text)
	require.Equal(t, 1, strings.Count(string(text), "world.pack\n"))
	require.NoError(t, os.Remove(filepath.Join(root, ".gitignore")))
	require.NoError(t, os.WriteFile(d.PackPath(), nil, 0o644))
	out, err := exec.Command("git", "-C", root, "status", "--porcelain", "-uall").Output()
	require.NoError(t, err)
	require.NotContains(t, string(out), "world.pack")
	require.Contains(t, string(out), "world.toml")

	require.NoError(t, os.Remove(exclude))
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, nil, 0o644))
	require.NoError(t, os.Symlink(victim, exclude))
	require.Error(t, d.Exclude())
	text, err = os.ReadFile(victim)
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestIgnoreSetsSVNIgnore(t *testing.T) {
	top := t.TempDir()
	run(t, top, "svnadmin", "create", "repo")
	run(t, top, "svn", "checkout", "-q", "file://"+top+"/repo", "wc")
	root := filepath.Join(top, "wc")
	run(t, root, "svn", "propset", "-q", "svn:ignore", "*.o", ".")
	d, err := Init(root, InitOptions{Note: func(s string) { t.Error(s) }})
	require.NoError(t, err)
	require.True(t, d.WantsPlain())
	require.NoError(t, Ignore(root, nil))
	out, err := exec.Command("svn", "propget", "svn:ignore", root).Output()
	require.NoError(t, err)
	require.Equal(t, "*.o\nworld.pack\nship.pack\nship.pack.map\n.*.pack.*\n.worldfs", strings.TrimSpace(string(out)))

	var notes []string
	_, err = Init(filepath.Join(root, "new"), InitOptions{Note: func(s string) { notes = append(notes, s) }})
	require.NoError(t, err)
	require.Len(t, notes, 1)
}

func TestStateIsRefusedUnlessItIsOurs(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, d *Dir){
		"symlink": func(t *testing.T, d *Dir) {
			require.NoError(t, os.Rename(d.StatePath(), d.Root+"/elsewhere"))
			require.NoError(t, os.Symlink("elsewhere", d.StatePath()))
		},
		"file": func(t *testing.T, d *Dir) {
			require.NoError(t, os.RemoveAll(d.StatePath()))
			require.NoError(t, os.WriteFile(d.StatePath(), nil, 0o700))
		},
		"pack": func(t *testing.T, d *Dir) {
			require.NoError(t, os.Symlink("/etc/passwd", d.PackPath()))
		},
		"lock": func(t *testing.T, d *Dir) {
			require.NoError(t, os.Symlink("/etc/passwd", d.LockPath()))
		},
		"database": func(t *testing.T, d *Dir) {
			require.NoError(t, os.Symlink("/etc/passwd", d.DBPath()))
		},
		"scratch": func(t *testing.T, d *Dir) {
			require.NoError(t, os.Remove(d.ScratchPath()))
			require.NoError(t, os.Symlink("/etc", d.ScratchPath()))
		},
		"open to others": func(t *testing.T, d *Dir) { require.NoError(t, os.Chmod(d.StatePath(), 0o755)) },
		"someone else's": func(t *testing.T, d *Dir) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			require.NoError(t, os.Chown(d.StatePath(), 12345, -1))
		},
		"in git": func(t *testing.T, d *Dir) {
			require.NoError(t, os.WriteFile(d.DBPath(), []byte("x"), 0o600))
			run(t, d.Root, "git", "init", "-q")
			run(t, d.Root, "git", "add", "-f", ".worldfs")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := initWorld(t)
			require.NoError(t, d.EnsureState())
			spoil(t, d)
			d, err := Open(d.Root) // each command asks version control anew
			require.NoError(t, err)
			err = d.EnsureState()
			require.ErrorIs(t, err, ErrState)
			require.ErrorContains(t, err, d.Root)
			_, err = d.Lock()
			require.ErrorIs(t, err, ErrState)
		})
	}
}

func TestLockIsHeldByOne(t *testing.T) {
	d := initWorld(t)
	unlock, err := d.Lock()
	require.NoError(t, err)
	_, err = d.Lock()
	require.ErrorIs(t, err, ErrLocked)
	var locked *LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.Pid)
	unlock()
	unlock, err = d.Lock()
	require.NoError(t, err)
	unlock()
}
