package mounts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestParse(t *testing.T) {
	const text = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
91 22 0:53 / /home/a\040b/entities rw,nosuid,nodev,relatime shared:50 master:1 - fuse.worldfs worldfs rw,user_id=0
92 91 0:54 / /home/a\040b/entities rw - tmpfs - - rw
what is no line of mountinfo
`
	all, err := parse(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, []Mount{
		{"/", "254:0", "ext4"}, {"/home/a b/entities", "0:53", Type}, {"/home/a b/entities", "0:54", "tmpfs"},
	}, all)
	_, err = parse(strings.NewReader(strings.Repeat("x", maxLine+1)))
	require.Error(t, err)
}

func TestMountinfoEscapes(t *testing.T) {
	require.Equal(t, "/a b\t\\c", unescape(`/a\040b\011\134c`))
	require.True(t, Mounted("/proc"))
	require.Equal(t, "proc", At("/proc").Type)
	require.False(t, Mounted(t.TempDir()))
}

func TestWithin(t *testing.T) {
	require.True(t, Within("/a/b", "/a/b"))
	require.True(t, Within("/a/b/c", "/a/b"))
	require.False(t, Within("/a/bc", "/a/b"))
	require.False(t, Within("/a", "/a/b"))
}

// A process that was killed counts as killed for as long as it is not quite gone, and
// one that lives, or has gone, does not.
func TestKilled(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	require.False(t, Killed(pid))
	require.True(t, Lives(pid))
	require.False(t, Stopped(pid))
	require.NoError(t, cmd.Process.Signal(unix.SIGSTOP))
	require.Eventually(t, func() bool { return Stopped(pid) }, time.Minute, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Eventually(t, func() bool { return Killed(pid) }, time.Minute, 5*time.Millisecond)
	_ = cmd.Wait()
	require.False(t, Killed(pid))
	require.False(t, Lives(pid))
}

func TestHasThread(t *testing.T) {
	require.True(t, HasThread(os.Getpid(), uint32(os.Getpid())))
	require.True(t, HasThread(os.Getpid(), uint32(unix.Gettid())))
	require.False(t, HasThread(os.Getpid(), 1))
}

func TestAncestors(t *testing.T) {
	pids := Ancestors()
	require.NotEmpty(t, pids)
	require.Equal(t, os.Getppid(), pids[0])
	require.Equal(t, os.Getppid(), parent(os.Getpid()))
	require.NotContains(t, pids, 1)
}

// A dead mount may be taken away by two processes at once.
func TestAMountThatAnotherProcessHasDetachedIsGone(t *testing.T) {
	require.NoError(t, Detach(t.TempDir()))
	require.Error(t, Detach(filepath.Join(t.TempDir(), "missing")))
}

func TestWhatIsNoMountIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, Alive, Probe(dir))
	cleared, err := ClearDead(dir)
	require.NoError(t, err)
	require.False(t, cleared)
	require.NoError(t, Clear(dir, 0))
	require.ErrorContains(t, Clear("/proc", 0), "a file system (proc) is mounted there")
	Abort(dir)
	Abort("/proc")
}

func TestHolders(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	file := filepath.Join(dir, "6555.entity_text")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	var st unix.Stat_t
	require.NoError(t, unix.Stat(dir, &st))
	at := device{dir, fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))}
	require.Empty(t, at.holders())

	stands := exec.Command("sleep", "1000")
	stands.Dir = dir
	reads := exec.Command("sleep", "1000")
	reads.Stdin, err = os.Open(file)
	require.NoError(t, err)
	for _, cmd := range []*exec.Cmd{stands, reads} {
		require.NoError(t, cmd.Start())
		defer cmd.Wait()
		defer cmd.Process.Kill()
	}
	want := map[int]Holder{
		stands.Process.Pid: {stands.Process.Pid, "sleep", "is in", dir, false},
		reads.Process.Pid:  {reads.Process.Pid, "sleep", "has open", file, false},
	}
	require.Eventually(t, func() bool { // exec takes a moment
		found := at.holders()
		return len(found) == 2 && found[0] == want[found[0].Pid] && found[1] == want[found[1].Pid]
	}, time.Minute, 10*time.Millisecond)
	require.Empty(t, device{dir, "0:9999"}.holders(), "the same paths on another device")
	found := at.holders()
	require.False(t, AllStandOnly(found))
	require.False(t, AllStandOnly(nil))
	i := slices.IndexFunc(found, Holder.StandsOnly)
	require.Equal(t, stands.Process.Pid, found[i].Pid)
	require.True(t, AllStandOnly(found[i:i+1]))
	require.True(t, MarkOurs([]int{1, stands.Process.Pid}, found)[i].Ours)
	require.False(t, found[i].Ours)
	require.Contains(t, found[i].String(), "sleep (process ")
}
