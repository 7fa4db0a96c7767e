package install

import (
	"archive/tar"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	version = "1.2.3-rc.1"
	date    = "2026-02-03T04:05:06+01:00"
)

var (
	releases string // where they are made; removed when all tests have ended
	made     string // a release of this tree, once a test has made it
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "worldfs-release")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	releases = dir
	return m.Run()
}

// copyTree makes a repository with this tree as it is, committed or not, in one commit.
func copyTree(t *testing.T, to string) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = "../.."
	names, err := list.Output()
	require.NoError(t, err)
	for _, name := range strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		copyFile(t, filepath.Join("../..", name), filepath.Join(to, name))
	}
	call(t, to, nil, "git", "init", "-q")
	call(t, to, nil, "git", "add", "-A")
	call(t, to, []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}, "git",
		"-c", "user.name=A. Maker", "-c", "user.email=maker@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "All")
}

func copyFile(t *testing.T, from, to string) {
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return // removed, and not committed yet
	}
	require.NoError(t, err)
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, data, info.Mode().Perm()))
}

// call runs a command that must succeed, and returns what it printed.
func call(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := command(dir, env, name, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func command(dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	return cmd
}

// release returns the directory of a release of this tree.
func release(t *testing.T) string {
	if made == "" {
		tree := filepath.Join(releases, "a")
		copyTree(t, tree)
		call(t, tree, nil, "scripts/release.sh", version)
		made = filepath.Join(tree, "dist")
	}
	return made
}

func TestAReleaseIsTheSameBytesAnywhere(t *testing.T) {
	first := release(t)
	tree, second := filepath.Join(releases, "b", "a much longer path"), filepath.Join(releases, "elsewhere")
	copyTree(t, tree)
	env := []string{"TZ=Asia/Tokyo", "LC_ALL=C.UTF-8", "GOFLAGS=-tags=other", "GOAMD64=v3", "SOURCE_DATE_EPOCH=1"}
	call(t, filepath.Dir(tree), env, "sh", "-c", `umask 077; "$1"/scripts/release.sh "$2" "$3"`, "sh", tree, "v"+version, second)

	names := []string{
		"SHA256SUMS", "worldfs-1.2.3-rc.1-linux-amd64.tar.gz", "worldfs-1.2.3-rc.1-linux-arm64.tar.gz",
		"worldfs_1.2.3~rc.1_amd64.deb", "worldfs_1.2.3~rc.1_arm64.deb",
	}
	for _, dir := range []string{first, second} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		var found []string
		for _, e := range entries {
			found = append(found, e.Name())
		}
		require.Equal(t, names, found)
		require.Equal(t, len(names)-1, strings.Count(call(t, dir, nil, "sha256sum", "-c", "SHA256SUMS"), ": OK\n"))
	}
	for _, name := range names {
		a, err := os.ReadFile(filepath.Join(first, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(second, name))
		require.NoError(t, err)
		require.True(t, string(a) == string(b), "%s is other bytes", name)
	}
	require.Empty(t, call(t, tree, nil, "git", "status", "--porcelain"), "a release leaves nothing in the tree")
}

func TestTheArchivesPrograms(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		dir := t.TempDir()
		name := "worldfs-" + version + "-linux-" + arch
		checkOwners(t, filepath.Join(release(t), name+".tar.gz"))
		call(t, dir, nil, "tar", "-xf", filepath.Join(release(t), name+".tar.gz"))
		path := filepath.Join(dir, name, "bin/worldfs")
		program, err := elf.Open(path)
		require.NoError(t, err)
		defer program.Close()
		require.Equal(t, machine, program.Machine)
		for _, p := range program.Progs {
			require.NotEqual(t, elf.PT_INTERP, p.Type, "it is static")
		}
		libraries, err := program.ImportedLibraries()
		require.NoError(t, err)
		require.Empty(t, libraries)

		info, err := buildinfo.ReadFile(path)
		require.NoError(t, err)
		settings := make(map[string]string)
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		require.Equal(t, strings.TrimSpace(call(t, filepath.Dir(release(t)), nil, "git", "rev-parse", "HEAD")), settings["vcs.revision"])
		require.Equal(t, "false", settings["vcs.modified"])
		require.Equal(t, "0", settings["CGO_ENABLED"])
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(data), releases, "the directory of the build is in the program")

		licences, err := os.ReadFile(filepath.Join(dir, name, "share/doc/worldfs/licences.txt"))
		require.NoError(t, err)
		for _, dep := range info.Deps {
			require.Contains(t, string(licences), "---- "+dep.Path+" "+dep.Version+": ")
		}
	}
}

// checkOwners fails if an archive says anything of the user or the time at which it was made.
func checkOwners(t *testing.T, path string) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	require.NoError(t, err)
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		require.Equal(t, [2]int{0, 0}, [2]int{h.Uid, h.Gid}, h.Name)
		require.Equal(t, "2026-02-03T03:05:06Z", h.ModTime.UTC().Format("2006-01-02T15:04:05Z"), h.Name)
		require.Zero(t, h.Mode&0o022, h.Name)
	}
}

// What is no release is refused, and leaves the last one.
func TestWhatIsNoReleaseIsRefused(t *testing.T) {
	dist := release(t)
	tree := filepath.Dir(dist)
	before := call(t, dist, nil, "sha256sum", "-c", "SHA256SUMS")
	refuse := func(status int, says string, args ...string) {
		out, err := command(tree, nil, "scripts/release.sh", args...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(out))
		require.Equal(t, status, exit.ExitCode(), string(out))
		require.Contains(t, string(out), says)
		require.Equal(t, before, call(t, dist, nil, "sha256sum", "-c", "SHA256SUMS"))
	}
	refuse(2, "is no version such as 1.2.3")
	refuse(2, `"1.2" is no version`, "v1.2")
	refuse(2, `is no version`, "1.2.3\n4")
	refuse(2, `"more" is one argument too many`, "1.2.3", "dist", "more")
	require.NoError(t, os.WriteFile(filepath.Join(tree, "new.go"), []byte("package main\n"), 0o644))
	refuse(1, "changes that are not committed", "1.2.3")
	require.NoError(t, os.Remove(filepath.Join(tree, "new.go")))
}
