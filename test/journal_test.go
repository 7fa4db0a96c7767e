package test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// journal is a disk, a directory that is served through a mount, and the list of
// everything that was done to it, from which it can be told what a power cut at
// any moment would have left: see powerCut.
type journal struct {
	under string // where the files really are

	mu   sync.Mutex // locked during each change, so that the list has their order
	ops  []diskOp
	base map[fileID]*diskFile // as it was at the beginning, all of it durable
	tree map[fileID]map[string]fileID
	ids  map[uint64]fileID // by inode number, which is used again when a file is gone
	last fileID
}

// fileID names one file or directory for good.
type fileID int

const rootID fileID = 1

// diskFile is a file as the disk has it.
type diskFile struct {
	kind    uint32 // unix.S_IFREG, …
	mode    uint32
	mtime   time.Time // zero: when it was written
	data    []byte    // a symlink's: where it leads
	entries map[string]fileID
}

// diskOp is one thing done to the disk.
type diskOp struct {
	op       opKind
	file     fileID // which it is done to
	dir, to  fileID // the directories that it changes
	name, as string // in dir; in to
	new      *diskFile
	data     []byte
	at       int64 // where data is; the size after a truncation
	mode     uint32
	mtime    time.Time
}

type opKind string

const (
	opMake     opKind = "make" // a file of any kind
	opLink     opKind = "link"
	opRemove   opKind = "remove"
	opRename   opKind = "rename"
	opExchange opKind = "exchange"
	opWrite    opKind = "write"
	opTruncate opKind = "truncate"
	opChmod    opKind = "chmod"
	opTimes    opKind = "times"
	opFsync    opKind = "fsync"
)

// recordingNode is a file or a directory of the disk.
type recordingNode struct {
	*fs.LoopbackNode
	j *journal
}

var (
	_ fs.NodeWrapChilder = (*recordingNode)(nil)
	_ fs.NodeCreater     = (*recordingNode)(nil)
	_ fs.NodeMkdirer     = (*recordingNode)(nil)
	_ fs.NodeSymlinker   = (*recordingNode)(nil)
	_ fs.NodeLinker      = (*recordingNode)(nil)
	_ fs.NodeUnlinker    = (*recordingNode)(nil)
	_ fs.NodeRmdirer     = (*recordingNode)(nil)
	_ fs.NodeRenamer     = (*recordingNode)(nil)
	_ fs.NodeOpener      = (*recordingNode)(nil)
	_ fs.NodeWriter      = (*recordingNode)(nil)
	_ fs.NodeSetattrer   = (*recordingNode)(nil)
	_ fs.NodeFsyncer     = (*recordingNode)(nil)
	_ fs.NodeAllocater   = (*recordingNode)(nil)

	_ fs.NodeOpendirHandler = (*recordingNode)(nil)
)

// recordingDisk mounts the directory under, with all that is in it, at path.
func recordingDisk(b *bench, under, path string) *journal {
	j := &journal{under: under, ids: make(map[uint64]fileID), base: make(map[fileID]*diskFile), tree: make(map[fileID]map[string]fileID)}
	require.NoError(b, j.take(under))
	require.NoError(b, os.Mkdir(path, 0o755))
	root, err := fs.NewLoopbackRoot(under)
	require.NoError(b, err)
	server, err := fs.Mount(path, &recordingNode{root.(*fs.LoopbackNode), j}, &fs.Options{MountOptions: fuse.MountOptions{
		FsName: under, Name: "recording",
		DisabledCapabilities: fuse.CAP_PASSTHROUGH, // or the kernel would write past us
	}})
	require.NoError(b, err)
	b.Cleanup(func() {
		require.Eventually(b, func() bool { return server.Unmount() == nil }, time.Minute, 10*time.Millisecond) // the daemon has its log open until it ends
	})
	return j
}

// take notes a file that is there at the beginning, and what is in it.
func (j *journal) take(path string) error {
	id, f, err := j.look(path)
	if err != nil {
		return err
	}
	j.base[id] = f
	switch f.kind {
	case unix.S_IFREG:
		f.data, err = os.ReadFile(path)
		return err
	case unix.S_IFLNK:
		target, err := os.Readlink(path)
		f.data = []byte(target)
		return err
	}
	j.tree[id] = make(map[string]fileID)
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if err := j.take(filepath.Join(path, e.Name())); err != nil {
			return err
		}
		child, _, err := j.look(filepath.Join(path, e.Name()))
		if err != nil {
			return err
		}
		f.entries[e.Name()], j.tree[id][e.Name()] = child, child
	}
	return err
}

// look returns the file at a path, with a new ID if it was not known.
func (j *journal) look(path string) (fileID, *diskFile, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return 0, nil, err
	}
	if _, known := j.ids[st.Ino]; !known {
		j.last++
		j.ids[st.Ino] = j.last
	}
	f := &diskFile{kind: st.Mode & unix.S_IFMT, mode: st.Mode & 0o7777, mtime: time.Unix(st.Mtim.Unix())}
	if f.kind == unix.S_IFDIR {
		f.entries = make(map[string]fileID)
	}
	return j.ids[st.Ino], f, nil
}

// now returns how much has been done until now.
func (j *journal) now() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.ops)
}

// did notes what was done. The caller has mu.
func (j *journal) did(op diskOp) { j.ops = append(j.ops, op) }

// made notes a new file that has got a name just now.
func (j *journal) made(n *recordingNode, name string, target []byte) syscall.Errno {
	path := n.path(name)
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fs.ToErrno(err)
	}
	delete(j.ids, st.Ino)
	id, f, err := j.look(path)
	if err != nil {
		return fs.ToErrno(err)
	}
	f.data, f.mtime = target, time.Time{}
	if f.kind == unix.S_IFDIR {
		j.tree[id] = make(map[string]fileID)
	}
	j.tree[n.id()][name] = id
	j.did(diskOp{op: opMake, file: id, dir: n.id(), name: name, new: f})
	return 0
}

// id returns which file it is.
func (n *recordingNode) id() fileID {
	if n.IsRoot() {
		return rootID
	}
	return n.j.ids[n.StableAttr().Ino]
}

func (n *recordingNode) path(name string) string {
	return filepath.Join(n.j.under, n.Path(n.Root()), name)
}

// WrapChild implements fs.NodeWrapChilder.
func (n *recordingNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &recordingNode{child.(*fs.LoopbackNode), n.j}
}

func (n *recordingNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	id, there := n.j.tree[n.id()][name]
	inode, handle, fuseFlags, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	if errno != 0 {
		return inode, handle, fuseFlags, errno
	}
	if !there {
		errno = n.j.made(n, name, nil)
	} else if flags&unix.O_TRUNC != 0 {
		n.j.did(diskOp{op: opTruncate, file: id})
	}
	return inode, handle, fuseFlags, errno
}

func (n *recordingNode) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	inode, errno := n.LoopbackNode.Mkdir(ctx, name, mode, out)
	if errno == 0 {
		errno = n.j.made(n, name, nil)
	}
	return inode, errno
}

func (n *recordingNode) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	inode, errno := n.LoopbackNode.Symlink(ctx, target, name, out)
	if errno == 0 {
		errno = n.j.made(n, name, []byte(target))
	}
	return inode, errno
}

func (n *recordingNode) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	inode, errno := n.LoopbackNode.Link(ctx, target, name, out)
	if errno == 0 {
		id := target.(*recordingNode).id()
		n.j.tree[n.id()][name] = id
		n.j.did(diskOp{op: opLink, file: id, dir: n.id(), name: name})
	}
	return inode, errno
}

func (n *recordingNode) Unlink(ctx context.Context, name string) syscall.Errno {
	return n.remove(name, func() syscall.Errno { return n.LoopbackNode.Unlink(ctx, name) })
}

func (n *recordingNode) Rmdir(ctx context.Context, name string) syscall.Errno {
	return n.remove(name, func() syscall.Errno { return n.LoopbackNode.Rmdir(ctx, name) })
}

func (n *recordingNode) remove(name string, do func() syscall.Errno) syscall.Errno {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	errno := do()
	if errno == 0 {
		dir := n.j.tree[n.id()]
		n.j.did(diskOp{op: opRemove, file: dir[name], dir: n.id(), name: name})
		delete(dir, name)
	}
	return errno
}

func (n *recordingNode) Rename(_ context.Context, name string, parent fs.InodeEmbedder, as string, flags uint32) syscall.Errno {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	p := parent.(*recordingNode)
	err := unix.Renameat2(unix.AT_FDCWD, n.path(name), unix.AT_FDCWD, p.path(as), uint(flags))
	if err != nil {
		return fs.ToErrno(err)
	}
	op := diskOp{op: opRename, dir: n.id(), name: name, to: p.id(), as: as}
	from, to := n.j.tree[op.dir], n.j.tree[op.to]
	op.file = from[name]
	if flags&unix.RENAME_EXCHANGE != 0 {
		op.op = opExchange
		from[name], to[as] = to[as], from[name]
	} else {
		delete(from, name)
		to[as] = op.file
	}
	n.j.did(op)
	return 0
}

func (n *recordingNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	handle, fuseFlags, errno := n.LoopbackNode.Open(ctx, flags)
	if errno == 0 && flags&unix.O_TRUNC != 0 {
		n.j.did(diskOp{op: opTruncate, file: n.id()})
	}
	return handle, fuseFlags, errno
}

// recordingDir is a directory that is open: fsync goes to what has it, before the
// node.
type recordingDir struct {
	directoryHandle
	node *recordingNode
}

type directoryHandle interface {
	fs.FileReaddirenter
	fs.FileSeekdirer
	fs.FileReleasedirer
}

func (n *recordingNode) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	handle, fuseFlags, errno := n.LoopbackNode.OpendirHandle(ctx, flags)
	if errno != 0 {
		return handle, fuseFlags, errno
	}
	return &recordingDir{handle.(directoryHandle), n}, fuseFlags, 0
}

func (d *recordingDir) Fsyncdir(ctx context.Context, flags uint32) syscall.Errno {
	return d.node.Fsync(ctx, d, flags)
}

func (n *recordingNode) Write(ctx context.Context, f fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	written, errno := f.(fs.FileWriter).Write(ctx, data, off)
	if errno == 0 {
		n.j.did(diskOp{op: opWrite, file: n.id(), data: append([]byte(nil), data[:written]...), at: off})
	}
	return written, errno
}

func (n *recordingNode) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	errno := n.LoopbackNode.Setattr(ctx, f, in, out)
	if errno != 0 {
		return errno
	}
	if size, ok := in.GetSize(); ok {
		n.j.did(diskOp{op: opTruncate, file: n.id(), at: int64(size)})
	}
	if mode, ok := in.GetMode(); ok {
		n.j.did(diskOp{op: opChmod, file: n.id(), mode: mode & 0o7777})
	}
	if mtime, ok := in.GetMTime(); ok {
		n.j.did(diskOp{op: opTimes, file: n.id(), mtime: mtime})
	}
	return 0
}

// Fsync is all that there is of it: nothing here needs to be durable really.
func (n *recordingNode) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	n.j.mu.Lock()
	defer n.j.mu.Unlock()
	n.j.did(diskOp{op: opFsync, file: n.id()})
	return 0
}

// Allocate is refused, and so are files without a name and copies made by the
// kernel: programs then do the same by what is recorded.
func (n *recordingNode) Allocate(context.Context, fs.FileHandle, uint64, uint64, uint32) syscall.Errno {
	return syscall.ENOTSUP
}

func (n *recordingNode) Tmpfile(context.Context, uint32, uint32, *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	return nil, nil, 0, syscall.ENOTSUP
}

func (n *recordingNode) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64) (uint32, syscall.Errno) {
	return 0, syscall.ENOSYS
}
