package fsnode

import (
	"encoding/binary"
	"iter"
	"sync"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

// listAhead makes up the next part of a listing while the kernel takes in the last
// one, which takes longer, for the process that lists while the mount opens. Who
// has asked for the one will ask for the other.
//
// What is made up before it is asked for may be old by then, and the kernel may have
// been told so when it did not know the name yet. So it is the answer only if no
// notice was added since, and as long as nobody else gets into the directory. A
// notice that is added later waits for the answer (see notices).
type listAhead struct {
	fuse.RawFileSystem
	fsys *fsys

	mu     sync.Mutex
	next   *part      // nil: none; guarded by mu
	room   []byte     // for another one; guarded by mu
	told   []toldName // guarded by mu
	noting bool       // told is wanted; guarded by mu
}

// toldName is an entity's file that the kernel was told of.
type toldName struct {
	id   entity.ID
	ino  uint64
	node uint64 // the number by which the kernel knows it
}

// part is a part of a listing that was made up before it is asked for.
type part struct {
	asks fuse.ReadIn   // what it answers
	told uint64        // how many notices there were before
	room []byte        // asks.Size bytes
	made chan struct{} // closed once what is below is there
	list *fuse.DirEntryList
	ok   bool
}

// ReadDirPlus implements fuse.RawFileSystem.
func (a *listAhead) ReadDirPlus(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	if !a.answer(in, out) {
		if s := a.RawFileSystem.ReadDirPlus(c, in, out); !s.Ok() {
			return s
		}
	}
	a.note(out.Bytes())
	if out.Offset != in.Offset && a.fsys.opening.listing() {
		a.begin(in, out.Offset)
	}
	return fuse.OK
}

// ReleaseDir implements fuse.RawFileSystem.
func (a *listAhead) ReleaseDir(in *fuse.ReleaseIn) {
	a.stop()
	a.RawFileSystem.ReleaseDir(in)
}

// begin has the part made up that comes at an offset, after what was asked for
// last.
func (a *listAhead) begin(last *fuse.ReadIn, offset uint64) {
	p := &part{asks: *last, told: a.fsys.notices.count(), made: make(chan struct{})}
	p.asks.Offset = offset
	a.mu.Lock()
	other := a.next
	a.next = p
	p.room, a.room = a.room, nil
	a.mu.Unlock()
	go p.make(a.RawFileSystem)
	a.forget(other)
}

// make makes the part up. Where that panics it is made up again when it is asked for:
// go-fuse answers a request with EIO then, and the daemon goes on.
func (p *part) make(from fuse.RawFileSystem) {
	defer close(p.made)
	defer func() { p.ok = recover() == nil && p.ok }()
	if len(p.room) != int(p.asks.Size) {
		p.room = make([]byte, p.asks.Size)
	}
	p.list = fuse.NewDirEntryList(p.room, p.asks.Offset)
	p.ok = from.ReadDirPlus(nil, &p.asks, p.list).Ok()
}

// answer answers with what was made up, if that is what is asked for and still
// true.
func (a *listAhead) answer(in *fuse.ReadIn, out *fuse.DirEntryList) bool {
	p := a.take()
	if p == nil {
		return false
	}
	<-p.made
	if !p.ok || !p.answers(in) || !a.fsys.opening.listing() || p.told != a.fsys.notices.count() {
		a.forget(p)
		return false
	}
	for node, entry := range entries(p.list.Bytes()) {
		*out.AddDirLookupEntry(entry) = *node
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.room = p.room
	return true
}

func (p *part) answers(in *fuse.ReadIn) bool {
	return p.asks.NodeId == in.NodeId && p.asks.Fh == in.Fh && p.asks.Offset == in.Offset && p.asks.Size == in.Size &&
		p.asks.Caller == in.Caller
}

func (a *listAhead) take() *part {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.next
	a.next = nil
	return p
}

// stop lets go of what nobody is going to ask for.
func (a *listAhead) stop() {
	a.forget(a.take())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.room = nil
}

// note keeps what the kernel is told of entities' files, if that is wanted.
func (a *listAhead) note(answer []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.noting {
		return
	}
	for node, entry := range entries(answer) {
		if id, isEntity := layout.ParseFileName(entry.Name); isEntity && node.NodeId != 0 {
			a.told = append(a.told, toldName{id, node.Attr.Ino, node.NodeId})
		}
	}
}

// takeTold returns what the kernel was told of entities' files, in its order. What it
// is told from then on nobody wants to know.
func (a *listAhead) takeTold() []toldName {
	a.mu.Lock()
	defer a.mu.Unlock()
	told := a.told
	a.told, a.noting = nil, false
	return told
}

// forget has nodes go that were to be told to the kernel and are not.
func (a *listAhead) forget(p *part) {
	if p == nil {
		return
	}
	<-p.made
	for node := range entries(p.list.Bytes()) {
		if node.NodeId != 0 {
			a.RawFileSystem.Forget(node.NodeId, 1)
		}
	}
}

// The layout of a name in an answer to READDIRPLUS (linux/fuse.h: fuse_direntplus),
// which begins with a fuse_entry_out.
const (
	entrySize  = int(unsafe.Sizeof(fuse.EntryOut{}))
	direntIno  = entrySize
	direntOff  = direntIno + 8
	direntLen  = direntOff + 8
	direntType = direntLen + 4
	direntName = direntType + 4
)

// entries yields what is in an answer.
func entries(b []byte) iter.Seq2[*fuse.EntryOut, fuse.DirEntry] {
	return func(yield func(*fuse.EntryOut, fuse.DirEntry) bool) {
		for len(b) > 0 {
			end := direntName + int(binary.NativeEndian.Uint32(b[direntLen:]))
			e := fuse.DirEntry{
				Name: string(b[direntName:end]),
				Ino:  binary.NativeEndian.Uint64(b[direntIno:]),
				Off:  binary.NativeEndian.Uint64(b[direntOff:]),
				Mode: binary.NativeEndian.Uint32(b[direntType:]) << 12,
			}
			if !yield((*fuse.EntryOut)(unsafe.Pointer(&b[0])), e) {
				return
			}
			b = b[(end+7)&^7:]
		}
	}
}
