package fsnode

import (
	"iter"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/paged"
)

// nodeTable has the nodes that the kernel may know by their identities. Nearly all
// are regular files that are known by their number alone, which takes a fifth of what
// the others take.
type nodeTable struct {
	files  paged.Map[uint64, File]
	others map[fs.StableAttr]node
}

func newNodeTable() nodeTable {
	return nodeTable{others: make(map[fs.StableAttr]node)}
}

func fileIdentity(ino uint64) fs.StableAttr { return fs.StableAttr{Mode: unix.S_IFREG, Ino: ino} }

// get returns the node of an identity, nil if there is none.
func (t *nodeTable) get(id fs.StableAttr) node {
	if id == fileIdentity(id.Ino) {
		if n := t.files.Get(id.Ino); n != nil {
			return n
		}
		return nil
	}
	return t.others[id]
}

// put has an identity stand for a node; one of fileIdentity is a File's.
func (t *nodeTable) put(id fs.StableAttr, n node) {
	if id == fileIdentity(id.Ino) {
		t.files.Put(id.Ino, n.(*File))
		return
	}
	t.others[id] = n
}

// drop takes an identity away if it stands for a node.
func (t *nodeTable) drop(id fs.StableAttr, n node) {
	if t.get(id) != n {
		return
	}
	if id == fileIdentity(id.Ino) {
		t.files.Delete(id.Ino)
	}
	delete(t.others, id)
}

func (t *nodeTable) len() int { return t.files.Len() + len(t.others) }

func (t *nodeTable) all() iter.Seq[node] {
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
