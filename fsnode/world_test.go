package fsnode_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/fsnode"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// TestMain is also the helpers that tests start: what blocks in a page fault or
// runs as another user must not be the process that serves the mount.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == helperFlag {
		if err := helpers[os.Args[2]](os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if lockorder.Violated() {
		code = 1 // a request's panic is but an EIO
	}
	os.Exit(code)
}

const helperFlag = "-helper"

// noKernelCache has every test run on mounts of which the kernel remembers
// nothing, as the setting of that name does in the daemon.
var noKernelCache = os.Getenv("WORLDFS_KERNEL_CACHE") == "false"

// helperCommand is the test binary as one of the helpers.
func helperCommand(as *syscall.Credential, name string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", append([]string{helperFlag, name}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	return cmd
}

// helper runs one of the helpers.
func helper(t *testing.T, as *syscall.Credential, name string, args ...string) {
	t.Helper()
	out, err := helperCommand(as, name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// rig is a world directory, the live world in it, and its mount.
type rig struct {
	*testing.T
	dir   *worlddir.Dir
	world *cache.World
	mount *fsnode.Mounted
	mnt   string // the entities directory in the mount
	top   string // the mountpoint
	floor string // what lies beneath it, in the cover shape
	cover *fsnode.Cover
}

func lampType() *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "watts", Shape: entity.Shape{Kind: entity.KindU16}},
	}}
}

func lamp(id entity.ID, typ *entity.Type) *entity.Entity {
	e := entity.New(id, typ.Current())
	e.Values[0] = entity.NewUint(entity.KindU16, uint64(id%1000))
	return e
}

// newRig mounts a world of lamps 1 to n.
func newRig(t *testing.T, n int, opts ...func(*fsnode.Options)) *rig {
	t.Helper()
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	r := &rig{T: t, dir: dir, mnt: dir.EntitiesPath(), top: dir.EntitiesPath()}
	t.Cleanup(r.checkNothingIsLeft)
	r.open()
	t.Cleanup(func() { r.close() })
	r.lamps(n)
	r.up(opts...)
	return r
}

// newCoverRig mounts such a world in the cover shape, over a directory two above
// the world's.
func newCoverRig(t *testing.T, n int, opts ...func(*fsnode.Options)) *rig {
	t.Helper()
	top := t.TempDir()
	dir, err := worlddir.Init(filepath.Join(top, "levels", "one"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	r := &rig{T: t, mnt: dir.EntitiesPath(), top: top, cover: &fsnode.Cover{
		World: "levels/one", Entities: worlddir.EntitiesName, State: worlddir.StateName, Types: worlddir.TypesName,
	}}
	beneath, release, err := dir.Beneath()
	require.NoError(t, err)
	r.dir = beneath
	floor, err := os.Open(top) // ".." would lead from the world into the mount
	require.NoError(t, err)
	r.floor = fmt.Sprintf("/proc/self/fd/%d/", floor.Fd())
	t.Cleanup(func() {
		release()
		require.NoError(t, floor.Close())
		r.dir = dir
		r.checkNothingIsLeft()
	})
	r.open()
	t.Cleanup(func() { r.close() })
	r.lamps(n)
	r.up(opts...)
	return r
}

func (r *rig) lamps(n int) {
	typ := lampType()
	in := cache.Intake{Types: []*entity.Type{typ}}
	for i := range n {
		in.Entities = append(in.Entities, lamp(entity.ID(i+1), typ))
	}
	_, err := r.world.Import(in)
	require.NoError(r, err)
}

func (r *rig) open() {
	var err error
	r.world, err = cache.Open(r.dir, cache.Options{})
	require.NoError(r, err)
}

func (r *rig) close() {
	if r.mount != nil {
		require.NoError(r, r.mount.Unmount())
		r.mount = nil
	}
	if r.world != nil {
		require.NoError(r, r.world.Close())
		r.world = nil
	}
}

func (r *rig) up(opts ...func(*fsnode.Options)) {
	o := fsnode.Options{Dir: r.top, Cover: r.cover, Scratch: r.dir.ScratchPath(), NoKernelCache: noKernelCache}
	for _, opt := range opts {
		opt(&o)
	}
	var err error
	r.mount, err = fsnode.Mount(r.world, o)
	require.NoError(r, err)
}

// again unmounts, closes the world, and does the reverse.
func (r *rig) again() {
	r.close()
	r.open()
	r.up()
}

// checkNothingIsLeft fails if a mount is left, or an open descriptor.
func (r *rig) checkNothingIsLeft() {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(r, err)
	require.NotContains(r, string(mounts), r.dir.Root, "a mount is left")
	fds, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(r, err)
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			require.False(r, strings.HasPrefix(to, r.dir.Root), "descriptor %s of %s is left", fd, to)
		}
	}
	moving, err := os.ReadDir(filepath.Join(r.dir.ScratchPath(), ".worldfs-moving"))
	if !os.IsNotExist(err) {
		require.NoError(r, err)
		require.Empty(r, moving, "files are left that were made ready to be moved")
	}
}

func (r *rig) path(name string) string { return filepath.Join(r.mnt, name) }

func (r *rig) write(name, text string) {
	r.Helper()
	require.NoError(r, os.WriteFile(r.path(name), []byte(text), 0o644))
}

func (r *rig) read(name string) string {
	r.Helper()
	b, err := os.ReadFile(r.path(name))
	require.NoError(r, err)
	return string(b)
}

func (r *rig) stat(name string) *syscall.Stat_t {
	r.Helper()
	info, err := os.Lstat(r.path(name))
	require.NoError(r, err)
	return info.Sys().(*syscall.Stat_t)
}

func (r *rig) names() []string {
	r.Helper()
	entries, err := os.ReadDir(r.mnt)
	require.NoError(r, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
