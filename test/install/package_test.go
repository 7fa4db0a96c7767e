package install

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func packagePath(t *testing.T) string {
	return filepath.Join(release(t), "worldfs_1.2.3~rc.1_"+runtime.GOARCH+".deb")
}

// TestTheDebianPackage puts the package on this system, uses it and takes it off: in a mount
// namespace in which all writes to the system go to memory, and which ends with the test.
func TestTheDebianPackage(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root installs packages")
	}
	for _, part := range []string{"inside.sh", "complete.bash", "complete.zsh", "complete.fish"} {
		_, err := os.ReadFile("testdata/" + part) // go test keeps results: it is to know of them
		require.NoError(t, err)
	}
	scripts, err := filepath.Abs("testdata")
	require.NoError(t, err)
	work := t.TempDir()
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-eu", filepath.Join(scripts, "outside.sh"), work, scripts, packagePath(t))
	cmd.Env = append(os.Environ(), "HOME="+work, "XDG_RUNTIME_DIR=/run/worldfs-test", "LC_ALL=C.UTF-8", "TERM=dumb")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "all was tried\n")
}

func TestLintianFindsNothing(t *testing.T) {
	_, err := exec.LookPath("lintian")
	require.NoError(t, err, "scripts/setup.sh test installs it")
	out, err := exec.Command("lintian", "--fail-on", "error,warning", packagePath(t)).Output()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out))
}

// The pages say nothing to which a reader of manual pages objects.
func TestTheManualPages(t *testing.T) {
	dir := t.TempDir()
	call(t, dir, nil, "dpkg-deb", "-x", packagePath(t), ".")
	call(t, dir, nil, "sh", "-c", "gunzip usr/share/man/man?/*.gz")
	pages, err := filepath.Glob(filepath.Join(dir, "usr/share/man/man?/*"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 40)
	require.Empty(t, call(t, dir, nil, "mandoc", append([]string{"-Tlint", "-W", "warning"}, pages...)...))
	for _, page := range pages {
		cmd := exec.Command("man", "--warnings=w", "-l", page)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat", "MANWIDTH=80")
		var objections bytes.Buffer
		cmd.Stderr = &objections
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Empty(t, objections.String(), page)
		require.Contains(t, string(out), "NAME\n")
	}
}

// The page of mount.worldfs knows the options that the program names.
func TestThePageOfTheMountHelper(t *testing.T) {
	page, err := os.ReadFile("../../contrib/mount.worldfs.8.in")
	require.NoError(t, err)
	source, err := os.ReadFile("../../cmd/worldfs/internal/mount/mounthelper.go")
	require.NoError(t, err)
	said := regexp.MustCompile(`there are ([a-z_]+), ([a-z]+)=[A-Z]+, ([a-z_]+)=[A-Z]+ and ([a-z]+)=[A-Z]+`).FindStringSubmatch(string(source))
	require.NotEmpty(t, said)
	for _, option := range said[1:] {
		require.Contains(t, string(page), option)
	}
}

// make install puts the same files below another prefix.
func TestMakeInstall(t *testing.T) {
	tree := filepath.Dir(release(t))
	dir := t.TempDir()
	call(t, tree, nil, "make", "-s", "install", "DESTDIR="+dir, "PREFIX=/opt/worldfs")
	require.Contains(t, call(t, dir, nil, "opt/worldfs/bin/worldfs", "version"), "worldfs ")
	target, err := os.Readlink(filepath.Join(dir, "sbin/mount.worldfs"))
	require.NoError(t, err)
	require.Equal(t, "/opt/worldfs/bin/worldfs", target)
	unit, err := os.ReadFile(filepath.Join(dir, "opt/worldfs/lib/systemd/system/worldfs@.service"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(unit), "/opt/worldfs/bin/worldfs "))
	require.NotContains(t, string(unit), "/usr/local")
	for _, name := range []string{"man/man1/worldfs-show.1", "man/man8/mount.worldfs.8", "bash-completion/completions/worldfs",
		"zsh/site-functions/_worldfs", "fish/vendor_completions.d/worldfs.fish", "vim/vimfiles/syntax/entity_text.vim", "worldfs/vscode/package.json"} {
		require.FileExists(t, filepath.Join(dir, "opt/worldfs/share", name))
	}
}
