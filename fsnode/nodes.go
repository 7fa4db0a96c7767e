package fsnode

import (
	"context"
	"iter"
	"slices"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/support/paged"
)

// nodeTable has the nodes that the kernel may know, by their identities. Nearly all
// are regular files that are known by their number alone, which takes a fifth of what
// the others take.
type nodeTable struct {
	root *Dir // the mount's; set before anything is interned

	mu         lockorder.Mutex
	files      paged.Map[uint64, File] // guarded by mu
	others     map[fs.StableAttr]node  // guarded by mu
	renumbered map[uint64]*File        // files that go by another number than the kernel knows, by that; guarded by mu
}

func newNodeTable() *nodeTable {
	t := &nodeTable{others: make(map[fs.StableAttr]node), renumbered: make(map[uint64]*File)}
	t.mu.Init(&classNodes)
	return t
}

func fileIdentity(ino uint64) fs.StableAttr { return fs.StableAttr{Mode: unix.S_IFREG, Ino: ino} }

// intern returns the node with an identity, made with make if the kernel does
// not know it yet.
func (t *nodeTable) intern(id fs.StableAttr, make func() node) node {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.getLocked(id); n != nil {
		return n
	}
	return t.enterLocked(id, make())
}

// renew puts a new node in the place of one whose file is gone, but which the
// kernel still knows: backing filesystems use inode numbers again.
func (t *nodeTable) renew(id fs.StableAttr, n node) node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.enterLocked(id, n)
}

// live returns the node with an identity if the kernel may know it, else nil.
func (t *nodeTable) live(id fs.StableAttr) node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.getLocked(id)
}

// remove takes a node away that the kernel does not know any more.
func (t *nodeTable) remove(n node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropLocked(n.EmbeddedInode().StableAttr(), n)
	if file, ok := n.(*File); ok {
		t.dropAliasLocked(file)
	}
}

// removeAll empties the table and returns what was in it.
func (t *nodeTable) removeAll() (nodes []node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	nodes = slices.Collect(t.allLocked())
	t.files, t.others = paged.Map[uint64, File]{}, make(map[fs.StableAttr]node)
	return nodes
}

// count returns how many nodes the kernel may know.
func (t *nodeTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.files.Len() + len(t.others)
}

// countFiles returns how many of them are no directories.
func (t *nodeTable) countFiles() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for known := range t.allLocked() {
		if _, isDir := known.(*Dir); !isDir {
			n++
		}
	}
	return n
}

// numberOf returns the number that a file goes by.
func (t *nodeTable) numberOf(n *File) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if alias := n.extra.look().alias; alias != 0 {
		return alias
	}
	return n.StableAttr().Ino
}

// addAlias has a file go by another number than the kernel knows.
func (t *nodeTable) addAlias(n *File, ino uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.extra.get().alias = ino
	t.putLocked(fileIdentity(ino), n)
	t.renumbered[n.StableAttr().Ino] = n
}

// dropAlias ends that a file goes by two numbers.
func (t *nodeTable) dropAlias(n *File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropAliasLocked(n)
}

func (t *nodeTable) dropAliasLocked(n *File) {
	alias := n.extra.look().alias
	if alias == 0 {
		return
	}
	t.dropLocked(fileIdentity(alias), n)
	if ino := n.StableAttr().Ino; t.renumbered[ino] == n {
		delete(t.renumbered, ino)
	}
	n.extra.get().alias = 0
}

// isRenumbered reports whether the kernel knows a number that its file does not go by.
func (t *nodeTable) isRenumbered(ino uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.renumbered[ino] != nil
}

// enterLocked enters a new node.
func (t *nodeTable) enterLocked(id fs.StableAttr, n node) node {
	t.root.NewInode(context.Background(), n, id)
	t.putLocked(id, n)
	return n
}

// getLocked returns the node of an identity, nil if there is none.
func (t *nodeTable) getLocked(id fs.StableAttr) node {
	if id == fileIdentity(id.Ino) {
		if n := t.files.Get(id.Ino); n != nil {
			return n
		}
		return nil
	}
	return t.others[id]
}

// putLocked has an identity stand for a node; one of fileIdentity is a File's.
func (t *nodeTable) putLocked(id fs.StableAttr, n node) {
	if id == fileIdentity(id.Ino) {
		t.files.Put(id.Ino, n.(*File))
		return
	}
	t.others[id] = n
}

// dropLocked takes an identity away if it stands for a node.
func (t *nodeTable) dropLocked(id fs.StableAttr, n node) {
	if t.getLocked(id) != n {
		return
	}
	if id == fileIdentity(id.Ino) {
		t.files.Delete(id.Ino)
	}
	delete(t.others, id)
}

func (t *nodeTable) allLocked() iter.Seq[node] {
	return func(yield func(node) bool) {
		for n := range t.files.Values() {
			if !yield(n) {
				return
			}
		}
		for _, n := range t.others {
			if !yield(n) {
				return
			}
		}
	}
}
