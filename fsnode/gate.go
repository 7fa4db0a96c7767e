package fsnode

import (
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// gate keeps forgetting apart from finding. A node that a lookup has found in
// our table is only known to go-fuse once the reply is made up; were it
// forgotten in between, two nodes would stand for one file, and a rename would
// swap the backing of the wrong one.
type gate struct {
	fuse.RawFileSystem
	mu sync.RWMutex
}

// Forget waits until no reply that tells the kernel of a node is being made up.
func (g *gate) Forget(node, lookups uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.RawFileSystem.Forget(node, lookups)
}

func (g *gate) Lookup(c <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.Lookup(c, h, name, out)
}

func (g *gate) Mknod(c <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.Mknod(c, in, name, out)
}

func (g *gate) Mkdir(c <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.Mkdir(c, in, name, out)
}

func (g *gate) Link(c <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.Link(c, in, name, out)
}

func (g *gate) Symlink(c <-chan struct{}, h *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.Symlink(c, h, to, name, out)
}

func (g *gate) Create(c <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.Create(c, in, name, out)
}

func (g *gate) ReadDirPlus(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.RawFileSystem.ReadDirPlus(c, in, out)
}
