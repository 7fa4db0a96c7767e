package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// rawFS stands before go-fuse's nodes, where the kernel's own numbers of nodes
// are known.
//
// It keeps forgetting apart from finding. A node that a lookup has found in
// our table is only known to go-fuse once the reply is made up; were it
// forgotten in between, two nodes would stand for one file, and a rename would
// swap the backing of the wrong one.
//
// It answers OPEN, where nothing depends on it, and FLUSH with ENOSYS: the
// kernel then never sends them again.
//
// It has callers that open or change files wait while the mount is prefetched (see
// prefetch.Barrier).
//
// And it notes which directories change (see notices.refreshLater).
type rawFS struct {
	fuse.RawFileSystem
	fsys    *fsys
	server  *fuse.Server      // set by Init, before any request
	replies lockorder.RWMutex // read-locked while a reply is made up that tells the kernel of a node
}

func newRawFS(nodes fuse.RawFileSystem, f *fsys) *rawFS {
	g := &rawFS{RawFileSystem: nodes, fsys: f}
	g.replies.Init(&classReplies)
	return g
}

// Init implements fuse.RawFileSystem.
func (g *rawFS) Init(s *fuse.Server) {
	g.server = s
	g.RawFileSystem.Init(s)
}

// changed passes on the status of a request that changes names in directories.
func (g *rawFS) changed(s fuse.Status, dirs ...uint64) fuse.Status {
	if s.Ok() && g.fsys.policy.caching.explicit {
		for _, dir := range dirs {
			g.fsys.notices.refreshLater(dir, g.server)
		}
	}
	return s
}

func (g *rawFS) Write(c <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	if s := g.dropSetID(c, in); !s.Ok() {
		return 0, s
	}
	return g.RawFileSystem.Write(c, in, data)
}

func (g *rawFS) Writev(c <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	if s := g.dropSetID(c, in); !s.Ok() {
		return 0, s
	}
	return g.RawFileSystem.Writev(c, in, data)
}

// dropSetID sees to it that a file that another user writes to runs as its
// owner no more, if the kernel says so: of a write, go-fuse does not tell the
// node that.
func (g *rawFS) dropSetID(c <-chan struct{}, in *fuse.WriteIn) fuse.Status {
	if in.WriteFlags&fuse.WRITE_KILL_SUIDGID == 0 {
		return fuse.OK
	}
	drop := fuse.SetAttrIn{SetAttrInCommon: fuse.SetAttrInCommon{InHeader: in.InHeader, Valid: fuse.FATTR_KILL_SUIDGID}}
	return g.SetAttr(c, &drop, &fuse.AttrOut{})
}

func (g *rawFS) Open(c <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	g.fsys.barrier.WaitFilled()
	if !g.fsys.policy.caching.opens {
		return fuse.ENOSYS
	}
	return g.RawFileSystem.Open(c, in, out)
}

// SetAttr implements fuse.RawFileSystem.
func (g *rawFS) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	if in.Valid&fuse.FATTR_SIZE != 0 {
		g.fsys.barrier.WaitFilled()
	}
	return g.RawFileSystem.SetAttr(c, in, out)
}

// Flush says nothing about the contents: `echo x > f` closes the empty file
// before it writes.
func (g *rawFS) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status {
	return fuse.ENOSYS
}

// Forget waits until no reply that tells the kernel of a node is being made up.
func (g *rawFS) Forget(node, lookups uint64) {
	g.replies.Lock()
	defer g.replies.Unlock()
	g.RawFileSystem.Forget(node, lookups)
}

func (g *rawFS) Lookup(c <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	g.replies.RLock()
	defer g.replies.RUnlock()
	s := g.RawFileSystem.Lookup(c, h, name, out)
	if s == fuse.ENOENT && out.EntryTimeout() > 0 {
		return fuse.OK // without a node: that it is not there is to be remembered
	}
	return s
}

func (g *rawFS) Mknod(c <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	g.replies.RLock()
	defer g.replies.RUnlock()
	return g.changed(g.RawFileSystem.Mknod(c, in, name, out), in.NodeId)
}

func (g *rawFS) Mkdir(c <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	g.replies.RLock()
	defer g.replies.RUnlock()
	return g.changed(g.RawFileSystem.Mkdir(c, in, name, out), in.NodeId)
}

func (g *rawFS) Link(c <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	g.replies.RLock()
	defer g.replies.RUnlock()
	return g.changed(g.RawFileSystem.Link(c, in, name, out), in.NodeId)
}

func (g *rawFS) Symlink(c <-chan struct{}, h *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	g.replies.RLock()
	defer g.replies.RUnlock()
	return g.changed(g.RawFileSystem.Symlink(c, h, to, name, out), h.NodeId)
}

func (g *rawFS) Create(c <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	g.fsys.barrier.WaitFilled()
	g.replies.RLock()
	defer g.replies.RUnlock()
	return g.changed(g.RawFileSystem.Create(c, in, name, out), in.NodeId)
}

func (g *rawFS) ReadDirPlus(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	g.replies.RLock()
	defer g.replies.RUnlock()
	return g.RawFileSystem.ReadDirPlus(c, in, out)
}

func (g *rawFS) Unlink(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return g.changed(g.RawFileSystem.Unlink(c, h, name), h.NodeId)
}

func (g *rawFS) Rmdir(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	return g.changed(g.RawFileSystem.Rmdir(c, h, name), h.NodeId)
}

func (g *rawFS) Rename(c <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	g.fsys.barrier.WaitFilled()
	return g.changed(g.RawFileSystem.Rename(c, in, from, to), in.NodeId, in.Newdir)
}
