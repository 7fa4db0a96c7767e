package ownpart

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePartIsTakenAwayAsIfItHadNotBeen(t *testing.T) {
	for name, text := range map[string]string{
		"no file": "", "a text": "a\r\nb", "with a mark": "\ufeffa\n", "an end elsewhere": "# end\na\n", "a part in a line": "x # begin\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := Part{What: "a file", Path: filepath.Join(t.TempDir(), "d", "f"), Begin: "# begin\n", End: "# end\n"}
			if text != "" {
				require.NoError(t, os.Mkdir(filepath.Dir(p.Path), 0o777))
				require.NoError(t, os.WriteFile(p.Path, []byte(text), 0o640))
			}
			for _, between := range []string{"1\n", "1\n", "2\n"} {
				_, err := p.Put(between)
				require.NoError(t, err)
				have, err := p.Text()
				require.NoError(t, err)
				require.Equal(t, "# begin\n"+between+"# end\n", have)
				around, err := p.Around()
				require.NoError(t, err)
				require.Equal(t, text, around)
			}
			changed, err := p.Put("2\n")
			require.NoError(t, err)
			require.False(t, changed)
			was, err := p.Remove()
			require.NoError(t, err)
			require.True(t, was)
			was, err = p.Remove()
			require.NoError(t, err)
			require.False(t, was)
			if text == "" {
				require.NoDirExists(t, filepath.Dir(p.Path))
				return
			}
			data, err := os.ReadFile(p.Path)
			require.NoError(t, err)
			require.Equal(t, text, string(data))
			info, err := os.Stat(p.Path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
		})
	}
}

// What names programs to run may not be everyone's to write: not when it is made, and not
// because it was so before.
func TestAFileWithAPartIsNotOpenToAll(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o002))
	p := Part{What: "a file", Path: filepath.Join(t.TempDir(), "d", "f"), Begin: "# begin\n", End: "# end\n"}
	mode := func() os.FileMode {
		info, err := os.Stat(p.Path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	for _, step := range []struct {
		before  os.FileMode
		between string
		changed bool
		after   os.FileMode
	}{{0, "1\n", true, 0o664}, {0o666, "1\n", true, 0o664}, {0o664, "1\n", false, 0o664}, {0o606, "2\n", true, 0o604}} {
		if step.before != 0 {
			require.NoError(t, os.Chmod(p.Path, step.before))
		}
		changed, err := p.Put(step.between)
		require.NoError(t, err)
		require.Equal(t, step.changed, changed, step)
		require.Equal(t, step.after, mode(), step)
	}
	require.NoError(t, os.Chmod(p.Path, 0o666))
	require.True(t, IsOpenToAll(p.Path))
	require.NoError(t, os.Chmod(filepath.Dir(p.Path), 0o777)) // as all of it is on a file system without modes
	require.False(t, IsOpenToAll(p.Path))
	require.NoError(t, os.Chmod(filepath.Dir(p.Path), 0o755))
	syscall.Umask(0)
	_, err := p.Remove()
	require.NoError(t, err)
	_, err = p.Put("1\n")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o664), mode())
}

func TestAPartWithoutItsEndIsLeft(t *testing.T) {
	p := Part{What: "a file", Path: filepath.Join(t.TempDir(), "f"), Begin: "# begin\n", End: "# end\n"}
	require.NoError(t, os.WriteFile(p.Path, []byte("# begin\nx\n"), 0o666))
	_, err := p.Put("y\n")
	require.ErrorContains(t, err, `the line "# end" that ends worldfs's part is missing`)
	_, err = p.Remove()
	require.Error(t, err)
}
