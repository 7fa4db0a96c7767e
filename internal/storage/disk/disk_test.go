package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

var errBroken = errors.New("broken by the test")

// breaking returns a Disk on which one step fails, and the list of steps taken.
func breaking(step string) (*disk.Disk, *[]string) {
	var taken []string
	return &disk.Disk{Fault: func(s string) error {
		taken = append(taken, s)
		if s == step {
			return errBroken
		}
		return nil
	}}, &taken
}

func names(t *testing.T, dir string) (out []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func contents(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestWriteAtomicReplacesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "id_ranges")
	d, taken := breaking("")
	require.NoError(t, d.WriteAtomic("ranges", path, []byte("one"), 0o644))
	require.NoError(t, d.WriteAtomic("ranges", path, []byte("two"), 0o600))
	require.Equal(t, "two", contents(t, path))
	require.Equal(t, []string{"id_ranges"}, names(t, filepath.Dir(path)))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	require.Equal(t, []string{"write ranges", "fsync ranges", "rename ranges", "fsync directory of ranges"}, (*taken)[4:])
}

func TestAFileIsWrittenInPieces(t *testing.T) {
	data := []byte(strings.Repeat("0123456789", 3<<20/10) + "and some more")
	d, path := &disk.Disk{}, filepath.Join(t.TempDir(), "f")
	require.NoError(t, disk.WriteSoon(path, data, 0o600))
	require.True(t, contents(t, path) == string(data))
	require.NoError(t, disk.WriteSoon(path, data[:5], 0o600))
	require.Equal(t, "01234", contents(t, path))
	require.NoError(t, d.WriteFile("f", path+".new", data, 0o600))
	require.True(t, contents(t, path+".new") == string(data))
}

func TestWhatAKilledWriterLeftIsSwept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	stay := []string{"a", "b", ".a.tmp", ".a.K7Q2K7Q2K7Q2K7Q2.next"}
	for _, name := range stay {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	for _, of := range []string{"a", "b"} {
		require.NoError(t, os.WriteFile(disk.Beside(filepath.Join(dir, of), "tmp"), nil, 0o644))
	}
	disk.Sweep(path, "tmp")
	require.Len(t, names(t, dir), len(stay)+1)
	disk.Sweep(filepath.Join(dir, "*"), "tmp")
	require.ElementsMatch(t, stay, names(t, dir))
	disk.Sweep(filepath.Join(dir, "none", "a"), "tmp")
}

func TestTheModeIsTheOneGivenWhateverTheUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, (&disk.Disk{}).WriteFile("f", path, nil, 0o664))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o664), info.Mode())
}

func TestTheUmaskTakesFromTheModeOfWhatIsTheUsers(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	path := filepath.Join(t.TempDir(), "f")
	for name, write := range map[string]func() error{
		"a file":           func() error { return (&disk.Disk{}).WriteFileUmasked("f", path, []byte("ab"), 0o777) },
		"of several parts": func() error { return (&disk.Disk{}).WriteAtomicUmasked("f", path, 0o777, []byte("a"), []byte("b")) },
		"over another":     func() error { return (&disk.Disk{}).WriteAtomicUmasked("f", path, 0o777, []byte("ab")) },
	} {
		if name == "over another" {
			require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
		}
		require.NoError(t, write(), name)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o750), info.Mode(), name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "ab", string(data), name)
		require.NoError(t, os.Remove(path))
	}
}

func TestAStepThatFailsLeavesTheOldFileAndNoLitter(t *testing.T) {
	for _, step := range []string{"write ranges", "fsync ranges", "rename ranges"} {
		path := filepath.Join(t.TempDir(), "id_ranges")
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
		d, taken := breaking(step)
		err := d.WriteAtomic("ranges", path, []byte("new"), 0o644)
		require.ErrorIs(t, err, errBroken, step)
		var stepErr *disk.StepError
		require.ErrorAs(t, err, &stepErr)
		require.Equal(t, step, stepErr.Step)
		require.Equal(t, "old", contents(t, path), step)
		require.Equal(t, []string{"id_ranges"}, names(t, filepath.Dir(path)), step)
		require.Equal(t, step, (*taken)[len(*taken)-1], "nothing was done after the step that failed")
	}
}

func TestErrorsSayTheStepAndThePathOnce(t *testing.T) {
	dir := t.TempDir()
	d := &disk.Disk{}
	gone := filepath.Join(dir, "gone")
	for want, err := range map[string]error{
		"rename pack " + dir + "/new: no such file or directory":                       d.Rename("pack", gone, dir+"/new"),
		"exchange pack " + dir + ": no such file or directory":                         d.Exchange("pack", gone, dir),
		"link pack " + dir + "/new: no such file or directory":                         d.Link("pack", gone, dir+"/new"),
		"remove pack " + gone + ": no such file or directory":                          d.Remove("pack", gone),
		"fsync directory of pack " + gone + ": no such file or directory":              d.SyncDir("pack", gone),
		"write pack " + gone + "/under: no such file or directory":                     d.WriteFile("pack", gone+"/under", nil, 0o600),
		"write pack " + filepath.Dir(dir) + "/" + filepath.Base(dir) + ": file exists": d.WriteFile("pack", dir, nil, 0o600),
	} {
		require.EqualError(t, err, want)
	}
	require.Empty(t, names(t, dir))
}

func TestExchangeSwapsAndRenameNewRefuses(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	d := &disk.Disk{}
	require.NoError(t, d.WriteFile("a", a, []byte("A"), 0o600))
	require.NoError(t, d.WriteFile("b", b, []byte("B"), 0o600))
	require.NoError(t, d.Exchange("a", a, b))
	require.Equal(t, "B", contents(t, a))
	require.Equal(t, "A", contents(t, b))
	require.ErrorIs(t, d.RenameNew("a", a, b), fs.ErrExist)
	require.NoError(t, d.RenameNew("a", a, filepath.Join(dir, "c")))
	require.Equal(t, []string{"b", "c"}, names(t, dir))
}

func TestIsUnsupported(t *testing.T) {
	require.True(t, disk.IsUnsupported(&disk.StepError{Err: syscall.EINVAL}))
	require.False(t, disk.IsUnsupported(&disk.StepError{Err: syscall.EIO}))
}
