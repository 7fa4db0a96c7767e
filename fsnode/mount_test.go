package fsnode_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/fsnode"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

var helpers = map[string]func([]string) error{
	"mmap":        mmapHelper,
	"create":      createHelper,
	"denied":      deniedHelper,
	"serve":       serveHelper,
	"rewrite":     rewriteHelper,
	"readahead":   readAheadHelper,
	"write-much":  writeMuchHelper,
	"scribble":    scribbleHelper,
	"meddle":      meddleHelper,
	"hang":        hangHelper,
	"list-slowly": listSlowlyHelper,
	"list":        listHelper,

	"rewrite-five":           rewriteFiveHelper,
	"readahead-unprivileged": unprivilegedReadAheadHelper,
}

func TestTheMountIsWhatItWasAskedToBe(t *testing.T) {
	r := newRig(t, 1)
	mounts, err := os.ReadFile("/proc/self/mounts")
	require.NoError(t, err)
	var line string
	for l := range strings.Lines(string(mounts)) {
		if strings.Contains(l, r.mnt) {
			line = l
		}
	}
	require.True(t, strings.HasPrefix(line, "worldfs "+r.mnt+" fuse.worldfs "), line)
	for _, option := range []string{"nosuid", "nodev", "default_permissions"} {
		require.Contains(t, line, option)
	}
	require.NotContains(t, line, "allow_other")
	require.EqualValues(t, 1, r.stat(".").Ino)

	var st, want unix.Statfs_t
	require.NoError(t, unix.Statfs(r.path("1.entity_text"), &st))
	require.NoError(t, unix.Statfs(r.dir.ScratchPath(), &want))
	require.Equal(t, want.Blocks, st.Blocks)
}

func TestUnmountSaysWhenItIsBusy(t *testing.T) {
	r := newRig(t, 1)
	f, err := os.Open(r.path("1.entity_text"))
	require.NoError(t, err)
	require.ErrorIs(t, r.mount.Unmount(), syscall.EBUSY)
	require.NoError(t, f.Close())
	require.NoError(t, r.mount.Unmount())
	r.mount.Wait()
	require.NoError(t, r.mount.Unmount(), "again is no error")
	require.Empty(t, r.names())
}

func TestMountingWhereNothingIsFails(t *testing.T) {
	r := newRig(t, 1)
	r.close()
	r.open()
	_, err := fsnode.Mount(r.world, fsnode.Options{Dir: r.dir.Root + "/nowhere", Scratch: r.dir.ScratchPath()})
	require.ErrorIs(t, err, syscall.ENOENT)
	_, err = fsnode.Mount(r.world, fsnode.Options{Dir: r.mnt, Scratch: r.dir.Root + "/nowhere"})
	require.ErrorIs(t, err, syscall.ENOENT)
}

func TestEntitiesAreListedInOrderAndThenTheRest(t *testing.T) {
	const n = 1500
	r := newRig(t, n)
	others := []string{".#5.entity_text", "0.entity_text", "05.entity_text", "4294967296.entity_text", "x.entity_text"}
	for _, name := range others {
		r.write(name, name)
	}
	r.write("4294967295.entity_text", "")
	f, err := os.Open(r.mnt)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	all := dirents(t, f, 4096)
	require.Len(t, all, 2+n+1+len(others))
	require.Equal(t, ".", all[0].Name)
	require.Equal(t, "..", all[1].Name)
	for i, e := range all[2 : 2+n] {
		require.Equal(t, fmt.Sprintf("%d.entity_text", i+1), e.Name)
	}
	require.Equal(t, "4294967295.entity_text", all[2+n].Name)
	for i, e := range all[3+n:] {
		require.Equal(t, others[i], e.Name)
	}
	for _, e := range all {
		if e.Name != ".." {
			require.Equal(t, r.stat(e.Name).Ino, e.Ino, e.Name)
		}
	}
	for _, i := range []int{0, 1, 2, 700, 1 + n, 2 + n, 3 + n, len(all) - 1} {
		_, err := f.Seek(all[i].Off, 0)
		require.NoError(t, err)
		rest := dirents(t, f, 1000)
		require.Equal(t, all[i+1:], append([]dirent{}, rest...), "after %s", all[i].Name)
	}
}

func TestFilesCanBeDeletedAsTheyAreListed(t *testing.T) {
	r := newRig(t, 2000)
	for i := range 200 {
		r.write(fmt.Sprintf("%d.entity_text~", i), "backup")
	}
	require.Equal(t, 2200, deleteWhileListing(t, r.mnt, ""))
	require.Empty(t, r.names())
}

func TestWhatAnEntityCannotBeIsRefused(t *testing.T) {
	r := newRig(t, 2)
	one, free, scratch := r.path("1.entity_text"), r.path("9.entity_text"), r.path("scratch")
	r.write("scratch", "text")
	require.NoError(t, os.Mkdir(r.path("dir"), 0o755))
	require.NoError(t, os.Symlink("x", r.path("link")))

	require.ErrorIs(t, os.Mkdir(free, 0o755), syscall.EPERM)
	require.ErrorIs(t, os.Symlink("x", free), syscall.EPERM)
	require.ErrorIs(t, unix.Mkfifo(free, 0o600), syscall.EPERM)
	require.ErrorIs(t, os.Link(one, r.path("1.orig")), syscall.EPERM)
	require.ErrorIs(t, os.Link(one, free), syscall.EPERM)
	require.ErrorIs(t, os.Link(scratch, free), syscall.EPERM)
	require.ErrorIs(t, os.Rename(r.path("dir"), free), syscall.EPERM)
	require.ErrorIs(t, os.Rename(r.path("link"), free), syscall.EPERM)
	require.ErrorIs(t, unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, r.path("dir"), unix.RENAME_EXCHANGE), syscall.EPERM)
	require.ErrorIs(t, unix.Rename(one, r.path("dir")), syscall.EISDIR)
	require.NoError(t, os.Link(scratch, r.path("scratch.link")))
	require.ErrorIs(t, os.Rename(scratch, free), syscall.EXDEV)
	require.ErrorIs(t, os.Rename(scratch, one), syscall.EXDEV)

	f, err := os.OpenFile(one, os.O_RDWR, 0)
	require.NoError(t, err)
	require.ErrorIs(t, unix.Fallocate(int(f.Fd()), 0, 0, 4096), syscall.EOPNOTSUPP)
	require.ErrorIs(t, f.Truncate(cache.MaxFileSize+1), syscall.EFBIG)
	require.NoError(t, f.Close())

	require.ErrorIs(t, os.Mkdir(r.path(".worldfs-moving"), 0o755), syscall.EPERM)
	_, err = os.Lstat(r.path(".worldfs-moving"))
	require.ErrorIs(t, err, syscall.ENOENT)
	require.ErrorIs(t, os.Rename(scratch, r.path(".worldfs-moving")), syscall.EPERM)
	require.Len(t, r.names(), 6)
}

func TestAFileTooLargeForAnEntityStaysWhereItIs(t *testing.T) {
	r := newRig(t, 1)
	was := r.read("1.entity_text")
	r.write("large", "")
	require.NoError(t, os.Truncate(r.path("large"), cache.MaxFileSize+1))
	require.ErrorIs(t, os.Rename(r.path("large"), r.path("1.entity_text")), syscall.EFBIG)
	require.Equal(t, was, r.read("1.entity_text"))
	require.EqualValues(t, cache.MaxFileSize+1, r.stat("large").Size)
}

func TestExtendedAttributes(t *testing.T) {
	r := newRig(t, 1)
	r.write("scratch", "text")
	buf := make([]byte, 100)
	for _, name := range []string{"1.entity_text", "scratch"} {
		for _, own := range []string{"user.worldfs.ino", "user.comment"} {
			_, err := unix.Getxattr(r.path(name), own, buf)
			require.ErrorIs(t, err, syscall.ENODATA)
		}
		require.ErrorIs(t, unix.Setxattr(r.path(name), "user.worldfs.ino", []byte("7"), 0), syscall.ENOTSUP)
		require.ErrorIs(t, unix.Removexattr(r.path(name), "user.worldfs.ino"), syscall.ENODATA)
		if os.Getuid() == 0 {
			require.ErrorIs(t, unix.Setxattr(r.path(name), "trusted.x", []byte("7"), 0), syscall.ENOTSUP)
		}
	}
	for _, name := range []string{".", "1.entity_text", "scratch"} {
		for _, kernels := range []string{"security.selinux", "system.posix_acl_access"} {
			_, err := unix.Getxattr(r.path(name), kernels, buf)
			require.ErrorIs(t, err, syscall.ENOTSUP, "ls asks for it of no other file then")
		}
	}
	n, err := unix.Listxattr(r.path("scratch"), buf)
	require.NoError(t, err)
	require.Zero(t, n, "%q", buf[:n])
	require.ErrorIs(t, unix.Setxattr(r.path("1.entity_text"), "user.comment", nil, 0), syscall.ENOTSUP)
}

func TestInodeNumbersModesAndTimesSurviveARemount(t *testing.T) {
	r := newRig(t, 3)
	long := time.Unix(1111111111, 222222222)
	r.write("10.entity_text", "an entity made here")
	r.write("backup", "scratch")
	require.NoError(t, os.Link(r.path("backup"), r.path("backup.link")))
	require.NoError(t, os.Rename(r.path("1.entity_text"), r.path("1.entity_text~")))
	r.write("1.entity_text", "anew")
	r.write("svn-XXXX", "to be 2")
	require.NoError(t, os.Rename(r.path("svn-XXXX"), r.path("2.entity_text")))
	require.NoError(t, os.Mkdir(r.path("dir"), 0o710))
	require.NoError(t, os.Symlink("to", r.path("link")))
	names := r.names()
	for _, name := range names {
		if name != "link" {
			require.NoError(t, os.Chtimes(r.path(name), long, long), name)
			require.NoError(t, os.Chmod(r.path(name), 0o440), name)
		}
	}
	before := map[string]*syscall.Stat_t{}
	inos := map[uint64]string{}
	for _, name := range names {
		st := r.stat(name)
		before[name] = st
		if other, taken := inos[st.Ino]; taken && !strings.HasPrefix(name, "backup") {
			t.Fatalf("%s and %s have one inode number", name, other)
		}
		inos[st.Ino] = name
	}
	r.again()
	require.Equal(t, names, r.names())
	for _, name := range names {
		st, was := r.stat(name), before[name]
		require.Equal(t, was.Ino, st.Ino, name)
		require.Equal(t, was.Mode, st.Mode, name)
		require.Equal(t, was.Mtim, st.Mtim, name)
		require.Equal(t, was.Ctim, st.Ctim, name)
		require.Equal(t, was.Size, st.Size, name)
		require.Equal(t, was.Nlink, st.Nlink, name)
	}
	require.Equal(t, before["backup"].Ino, r.stat("backup.link").Ino)
	require.Equal(t, "to be 2", r.read("2.entity_text"))
	require.Equal(t, "anew", r.read("1.entity_text"))
}

func TestBytesWrittenAreInTheWorld(t *testing.T) {
	r := newRig(t, 3)
	text := strings.Replace(r.read("2.entity_text"), "    2\n", "    77\n", 1)
	r.write("2.entity_text", text)
	require.NoError(t, os.Remove(r.path("1.entity_text")))
	f, err := r.world.Lookup(2)
	require.NoError(t, err)
	got, err := f.Text()
	require.NoError(t, err)
	require.Equal(t, text, string(got))
	_, err = r.world.Lookup(1)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTheDirectoryKeepsWhatItIsTold(t *testing.T) {
	r := newRig(t, 3)
	was := r.stat(".")
	require.EqualValues(t, 2, was.Nlink)
	require.NoError(t, os.Chmod(r.mnt, 0o711))
	require.EqualValues(t, syscall.S_IFDIR|0o711, r.stat(".").Mode)
	long := time.Unix(1111111111, 222222222)
	require.NoError(t, os.Chtimes(r.mnt, long, long))
	require.Equal(t, long.UnixNano(), r.stat(".").Mtim.Nano())
	require.Greater(t, r.stat(".").Ctim.Nano(), was.Ctim.Nano())
	r.write("7.entity_text", "")
	require.Greater(t, r.stat(".").Mtim.Nano(), long.UnixNano(), "a name came; the clock may not have gone on since the first look")
	require.NoError(t, os.Mkdir(r.path("dir"), 0o755))
	require.EqualValues(t, 3, r.stat(".").Nlink)

	d, err := os.Open(r.mnt)
	require.NoError(t, err)
	require.NoError(t, d.Sync())
	require.NoError(t, d.Close())
	d, err = os.Open(r.path("dir"))
	require.NoError(t, err)
	require.NoError(t, d.Sync())
	require.NoError(t, d.Close())
}

// TestChangesFromElsewhereAreSeen shows invariant 7.
func TestChangesFromElsewhereAreSeen(t *testing.T) {
	r := newRig(t, 3)
	f, err := os.Open(r.path("2.entity_text"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	before := r.read("2.entity_text")
	was := r.stat("2.entity_text")
	_, err = os.Lstat(r.path("9.entity_text"))
	require.ErrorIs(t, err, os.ErrNotExist)

	typ := lampType()
	two, nine := lamp(2, typ), lamp(9, typ)
	two.Values[0] = entity.NewUint(entity.KindU16, 777)
	_, err = r.world.Import(cache.Intake{Types: []*entity.Type{typ}, Entities: []*entity.Entity{two, nine, lamp(1, typ)}, Whole: true})
	require.NoError(t, err)

	want := strings.Replace(before, "    2\n", "    777\n", 1)
	require.NotEqual(t, before, want)
	seen := func() bool {
		got := make([]byte, 1000)
		n, _ := f.ReadAt(got, 0)
		return string(got[:n]) == want
	}
	require.Eventually(t, seen, time.Minute, 10*time.Millisecond)
	gone := func() bool { _, err := os.Lstat(r.path("3.entity_text")); return errors.Is(err, os.ErrNotExist) }
	require.Eventually(t, gone, time.Minute, 10*time.Millisecond)
	require.Equal(t, want, r.read("2.entity_text"))
	require.Equal(t, was.Ino, r.stat("2.entity_text").Ino)
	require.Equal(t, []string{"1.entity_text", "2.entity_text", "9.entity_text"}, r.names())
}

// What the kernel knows of a name can be out of date when it asks for a rename.
func TestARenameOfWhatWasReplacedElsewhereMovesTheNewFile(t *testing.T) {
	r := newRig(t, 3)
	was := r.stat("1.entity_text").Ino
	require.NoError(t, r.world.Remove(1))
	f, err := r.world.Create(1, 0o644, 0, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("anew"), 0)
	require.NoError(t, err)
	require.NoError(t, os.Rename(r.path("1.entity_text"), r.path("1.entity_text~")))
	require.Equal(t, "anew", r.read("1.entity_text~"))
	require.NotEqual(t, was, r.stat("1.entity_text~").Ino)
	_, err = os.Lstat(r.path("1.entity_text"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAFailureReachesWhoAsked(t *testing.T) {
	r := newRig(t, 3)
	f, err := os.OpenFile(r.path("1.entity_text"), os.O_RDWR, 0)
	require.NoError(t, err)
	d, err := os.Open(r.mnt)
	require.NoError(t, err)
	r.write("scratch", "text")
	three := r.read("3.entity_text")
	require.NoError(t, r.world.Close()) // as when state.db cannot be written
	r.world = nil
	_, err = f.WriteAt([]byte("x"), 0)
	if err == nil {
		err = f.Sync()
	}
	require.ErrorIs(t, err, syscall.EIO)
	require.ErrorIs(t, d.Sync(), syscall.EIO)
	require.ErrorIs(t, os.Rename(r.path("scratch"), r.path("2.entity_text")), syscall.EIO)
	require.Equal(t, "text", r.read("scratch"), "what could not be moved is where it was")
	require.NoError(t, os.Rename(r.path("3.entity_text"), r.path("3.entity_text~")))
	require.Equal(t, three, r.read("3.entity_text~"), "what is durable is moved")
	require.NoError(t, f.Close())
	require.NoError(t, d.Close())
}

func TestAMappingIsWrittenBack(t *testing.T) {
	r := newRig(t, 3)
	r.write("1.entity_text", strings.Repeat("a", 5000))
	r.write("scratch", strings.Repeat("b", 5000))
	for _, name := range []string{"1.entity_text", "scratch"} {
		was := r.stat(name).Mtim
		helper(t, nil, "mmap", r.path(name))
		text := r.read(name)
		require.Equal(t, "mapped", text[4090:4096])
		require.Len(t, text, 5000)
		require.NotEqual(t, was, r.stat(name).Mtim)
	}
	f, err := r.world.Lookup(1)
	require.NoError(t, err)
	got, err := f.Text()
	require.NoError(t, err)
	require.Equal(t, r.read("1.entity_text"), string(got))
}

func mmapHelper(args []string) error {
	f, err := os.OpenFile(args[0], os.O_RDWR, 0)
	if err != nil {
		return err
	}
	m, err := unix.Mmap(int(f.Fd()), 0, 5000, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(m[4090:], "mapped")
	return errors.Join(unix.Msync(m, unix.MS_SYNC), unix.Munmap(m), f.Close())
}

func anyone(o *fsnode.Options) { o.AllowOther = true }

// TestOthersCreateAsThemselves shows invariant 6.
func TestOthersCreateAsThemselves(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be others")
	}
	r := newRig(t, 3, anyone)
	for dir := r.dir.Root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	require.NoError(t, os.Chmod(r.mnt, 0o777))
	r.write("mine.txt", "x")
	require.NoError(t, os.Chmod(r.path("mine.txt"), 0o400))
	require.NoError(t, os.Chmod(r.path("1.entity_text"), 0o400))
	nobody := &syscall.Credential{Uid: 65534, Gid: 65533}
	helper(t, nobody, "create", r.mnt)
	helper(t, nobody, "denied", r.path("mine.txt"), r.path("1.entity_text"))
	for _, name := range []string{"9.entity_text", "file", "dir", "link", "fifo", "dir/below"} {
		st := r.stat(name)
		require.EqualValues(t, 65534, st.Uid, name)
		require.EqualValues(t, 65533, st.Gid, name)
	}
	require.Equal(t, "mine", r.read("9.entity_text"))
}

func createHelper(args []string) error {
	at := func(name string) string { return filepath.Join(args[0], name) }
	return errors.Join(
		os.WriteFile(at("9.entity_text"), []byte("mine"), 0o644),
		os.WriteFile(at("file"), []byte("mine"), 0o444),
		os.Mkdir(at("dir"), 0o755),
		os.WriteFile(at("dir/below"), nil, 0o644),
		os.Symlink("to", at("link")),
		unix.Mkfifo(at("fifo"), 0o644))
}

func deniedHelper(args []string) error {
	for _, path := range args {
		for _, flags := range []int{os.O_RDONLY, os.O_WRONLY} {
			if f, err := os.OpenFile(path, flags, 0); err == nil {
				return errors.Join(fmt.Errorf("opened %s", path), f.Close())
			}
		}
		if err := os.Chmod(path, 0o777); err == nil {
			return fmt.Errorf("changed the mode of %s", path)
		}
	}
	return nil
}

// TestWhatACrashLeftIsClearedOrShown shows invariant 2.
func TestWhatACrashLeftIsClearedOrShown(t *testing.T) {
	r := newRig(t, 1)
	r.close()
	moving := filepath.Join(r.dir.ScratchPath(), ".worldfs-moving")
	require.NoError(t, os.WriteFile(filepath.Join(moving, "copy.5"), []byte("still elsewhere"), 0o600))
	for _, name := range []string{"only.6", "only.7"} {
		require.NoError(t, os.WriteFile(filepath.Join(moving, name), []byte("nowhere else "+name), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.dir.ScratchPath(), "worldfs-recovered.6"), []byte("before"), 0o600))
	r.open()
	r.up()
	require.Equal(t, []string{"1.entity_text", "worldfs-recovered.6", "worldfs-recovered.6.1", "worldfs-recovered.7"}, r.names())
	require.Equal(t, "nowhere else only.6", r.read("worldfs-recovered.6.1"))
}

func TestADeadMountMakesWay(t *testing.T) {
	r := newRig(t, 1)
	r.write("1.entity_text", "the last words")
	r.close()
	kill := r.serve()
	require.Equal(t, "the last words", r.read("1.entity_text"))
	kill()
	_, err := os.Lstat(r.path("7.entity_text"))
	require.ErrorIs(t, err, syscall.ENOTCONN)

	r.open()
	r.up()
	require.Equal(t, "the last words", r.read("1.entity_text"))
	cleared, err := mounts.ClearDead(r.mnt)
	require.NoError(t, err)
	require.False(t, cleared, "what is alive stays")
	require.Equal(t, "the last words", r.read("1.entity_text"))
}

// serve has another process mount the world, until it is killed.
func (r *rig) serve() (kill func()) {
	r.Helper()
	cmd := helperCommand(nil, "serve", r.dir.Root)
	ready, err := cmd.StdoutPipe()
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	_, err = ready.Read(make([]byte, 1))
	require.NoError(r, err)
	return func() {
		require.NoError(r, cmd.Process.Kill())
		require.Error(r, cmd.Wait())
	}
}

func serveHelper(args []string) error {
	dir, err := worlddir.Open(args[0])
	if err != nil {
		return err
	}
	world, err := cache.Open(dir, cache.Options{})
	if err != nil {
		return err
	}
	m, err := fsnode.Mount(world, fsnode.Options{Dir: dir.EntitiesPath(), Scratch: dir.ScratchPath()})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	m.Wait()
	return world.Close()
}

// A power cut in a rename may leave one inode number on an entity and on a
// scratch file.
// It shows invariant 3.
func TestOneInodeNumberOnTwoFilesIsPutRight(t *testing.T) {
	for _, first := range []string{"1.entity_text", "twin"} {
		t.Run(first+" is looked at first", func(t *testing.T) {
			r := newRig(t, 1)
			entityText := r.read("1.entity_text")
			ino := r.stat("1.entity_text").Ino
			r.write("twin", "twin")
			r.close()
			twin := filepath.Join(r.dir.ScratchPath(), "twin")
			require.NoError(t, unix.Setxattr(twin, "user.worldfs.ino", []byte(strconv.FormatUint(ino, 10)), 0))
			r.open()
			r.up()
			r.read(first)
			require.Equal(t, entityText, r.read("1.entity_text"))
			require.Equal(t, "twin", r.read("twin"))
			r.write("twin", "written")
			require.Equal(t, entityText, r.read("1.entity_text"))
			require.Equal(t, ino, r.stat("1.entity_text").Ino)
		})
	}
}

// Symlinks in scratch that were put there from outside lead nowhere.
// It shows invariant 5.
func TestScratchIsNotLeftThroughASymlink(t *testing.T) {
	r := newRig(t, 1)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600))
	require.NoError(t, os.Mkdir(r.path("dir"), 0o755))
	r.write("dir/secret", "mine")
	scratch := r.dir.ScratchPath()
	require.NoError(t, os.Rename(filepath.Join(scratch, "dir"), filepath.Join(scratch, "moved")))
	require.NoError(t, os.Symlink(outside, filepath.Join(scratch, "dir")))
	_, err := os.ReadFile(r.path("dir/secret"))
	require.Error(t, err)
	require.Error(t, os.WriteFile(r.path("dir/new"), nil, 0o644))
	_, err = os.Lstat(filepath.Join(outside, "new"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
