package fsnode

import (
	"sync/atomic"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// requests counts what the kernel asks, by kind. Each is a round trip between
// two processes: their number says more about speed than a clock does.
type requests struct {
	fuse.RawFileSystem
	counts [kinds]atomic.Uint64
}

type kind uint8

const (
	kindLookup kind = iota
	kindForget
	kindGetAttr
	kindSetAttr
	kindMknod
	kindMkdir
	kindUnlink
	kindRmdir
	kindRename
	kindLink
	kindSymlink
	kindReadlink
	kindGetXAttr
	kindListXAttr
	kindSetXAttr
	kindRemoveXAttr
	kindCreate
	kindOpen
	kindRead
	kindWrite
	kindLseek
	kindRelease
	kindFlush
	kindFsync
	kindFallocate
	kindOpenDir
	kindReadDir
	kindReadDirPlus
	kindReleaseDir
	kindFsyncDir
	kindStatFs
	kinds
)

var kindNames = [kinds]string{
	"lookup",
	"forget",
	"getattr",
	"setattr",
	"mknod",
	"mkdir",
	"unlink",
	"rmdir",
	"rename",
	"link",
	"symlink",
	"readlink",
	"getxattr",
	"listxattr",
	"setxattr",
	"removexattr",
	"create",
	"open",
	"read",
	"write",
	"lseek",
	"release",
	"flush",
	"fsync",
	"fallocate",
	"opendir",
	"readdir",
	"readdirplus",
	"releasedir",
	"fsyncdir",
	"statfs",
}

// Held returns how many files and directories the kernel knows, and how many
// notices wait for being told to it.
func (m *Mounted) Held() (nodes, notices int) {
	m.fsys.table.Lock()
	nodes = m.fsys.nodes.len()
	m.fsys.table.Unlock()
	n := m.fsys.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	return nodes, len(n.queue)
}

// Requests returns how often the kernel has asked for what since the mount:
// "lookup", "read" and so on. Kinds that it never asked for are left out.
func (m *Mounted) Requests() map[string]uint64 {
	out := make(map[string]uint64)
	for k := range m.requests.counts {
		if n := m.requests.counts[k].Load(); n > 0 {
			out[kindNames[k]] = n
		}
	}
	return out
}

func (r *requests) count(k kind) fuse.RawFileSystem {
	r.counts[k].Add(1)
	return r.RawFileSystem
}

func (r *requests) Lookup(c <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	return r.count(kindLookup).Lookup(c, h, name, out)
}

func (r *requests) Forget(node, lookups uint64) {
	r.count(kindForget).Forget(node, lookups)
}

func (r *requests) GetAttr(c <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return r.count(kindGetAttr).GetAttr(c, in, out)
}

func (r *requests) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return r.count(kindSetAttr).SetAttr(c, in, out)
}

func (r *requests) Mknod(c <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return r.count(kindMknod).Mknod(c, in, name, out)
}

func (r *requests) Mkdir(c <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return r.count(kindMkdir).Mkdir(c, in, name, out)
}

func (r *requests) Unlink(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return r.count(kindUnlink).Unlink(c, h, name)
}

func (r *requests) Rmdir(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return r.count(kindRmdir).Rmdir(c, h, name)
}

func (r *requests) Rename(c <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	return r.count(kindRename).Rename(c, in, from, to)
}

func (r *requests) Link(c <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	return r.count(kindLink).Link(c, in, name, out)
}

func (r *requests) Symlink(c <-chan struct{}, h *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	return r.count(kindSymlink).Symlink(c, h, to, name, out)
}

func (r *requests) Readlink(c <-chan struct{}, h *fuse.InHeader) ([]byte, fuse.Status) {
	return r.count(kindReadlink).Readlink(c, h)
}

func (r *requests) GetXAttr(c <-chan struct{}, h *fuse.InHeader, name string, dest []byte) (uint32, fuse.Status) {
	return r.count(kindGetXAttr).GetXAttr(c, h, name, dest)
}

func (r *requests) ListXAttr(c <-chan struct{}, h *fuse.InHeader, dest []byte) (uint32, fuse.Status) {
	return r.count(kindListXAttr).ListXAttr(c, h, dest)
}

func (r *requests) SetXAttr(c <-chan struct{}, in *fuse.SetXAttrIn, name string, data []byte) fuse.Status {
	return r.count(kindSetXAttr).SetXAttr(c, in, name, data)
}

func (r *requests) RemoveXAttr(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return r.count(kindRemoveXAttr).RemoveXAttr(c, h, name)
}

func (r *requests) Create(c <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	return r.count(kindCreate).Create(c, in, name, out)
}

func (r *requests) Open(c <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return r.count(kindOpen).Open(c, in, out)
}

func (r *requests) Read(c <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	return r.count(kindRead).Read(c, in, buf)
}

func (r *requests) Write(c <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	return r.count(kindWrite).Write(c, in, data)
}

func (r *requests) Writev(c <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	n, status := r.RawFileSystem.Writev(c, in, data)
	if status != fuse.ENOSYS { // then it comes again as a Write
		r.count(kindWrite)
	}
	return n, status
}

func (r *requests) Lseek(c <-chan struct{}, in *fuse.LseekIn, out *fuse.LseekOut) fuse.Status {
	return r.count(kindLseek).Lseek(c, in, out)
}

func (r *requests) Release(c <-chan struct{}, in *fuse.ReleaseIn) {
	r.count(kindRelease).Release(c, in)
}

func (r *requests) Flush(c <-chan struct{}, in *fuse.FlushIn) fuse.Status {
	return r.count(kindFlush).Flush(c, in)
}

func (r *requests) Fsync(c <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return r.count(kindFsync).Fsync(c, in)
}

func (r *requests) Fallocate(c <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	return r.count(kindFallocate).Fallocate(c, in)
}

func (r *requests) OpenDir(c <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return r.count(kindOpenDir).OpenDir(c, in, out)
}

func (r *requests) ReadDir(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return r.count(kindReadDir).ReadDir(c, in, out)
}

func (r *requests) ReadDirPlus(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return r.count(kindReadDirPlus).ReadDirPlus(c, in, out)
}

func (r *requests) ReleaseDir(in *fuse.ReleaseIn) {
	r.count(kindReleaseDir).ReleaseDir(in)
}

func (r *requests) FsyncDir(c <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return r.count(kindFsyncDir).FsyncDir(c, in)
}

func (r *requests) StatFs(c <-chan struct{}, h *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	return r.count(kindStatFs).StatFs(c, h, out)
}
