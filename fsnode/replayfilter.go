package fsnode

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// replayFilter answers the requests of the process that replays (see event), and passes on
// those of all others.
//
// It knows the process by the thread that asked for an attribute whose name has a
// secret in it. Only that process was told the secret, and that the attribute is
// there shows it in turn that its directory is in this mount, and not in what lies
// beneath. It is answered so until it has ended: what it has asked by then is never
// taken for another process's request.
type replayFilter struct {
	fuse.RawFileSystem
	fsys         *fsys
	queue        *eventQueue
	thread       atomic.Uint32 // 0: there is none
	placeholders atomic.Uint64 // how many placeholders there were

	mu     lockorder.Mutex
	secret string  // guarded by mu
	batch  []event // guarded by mu
}

// secretXattr begins the name of the attribute that only the process knows.
const secretXattr = realfs.OwnXattrs + "secret."

// placeholderNodes is below the kernel's numbers of placeholders, and above all others,
// which are counted from 1.
const placeholderNodes = 1 << 62

// errLate is the answer to an event that is not to be any more.
const errLate = fuse.Status(unix.ECANCELED)

// set has a batch answered from now on, to the process that knows the secret.
func (s *replayFilter) set(secret string, batch []event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secret, s.batch = secret, slices.Clone(batch)
}

// end ends the batch and returns it.
func (s *replayFilter) end() []event {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.batch
	s.secret, s.batch = "", nil
	return batch
}

// processEnded is called when the process has ended.
func (s *replayFilter) processEnded() { s.thread.Store(0) }

// isReplay reports whether a request is the process's.
func (s *replayFilter) isReplay(h *fuse.InHeader) bool { return s.isReplayer(h.Pid) }

func (s *replayFilter) isReplayer(thread uint32) bool {
	return thread != 0 && thread == s.thread.Load()
}

// find calls do with the first event of the batch for which is holds and which is to
// be done, and reports whether there is one.
func (s *replayFilter) find(is func(*event) bool, do func(*event)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.batch, func(a event) bool {
		return !a.done && is(&a) && !s.queue.newer(a.id) && a.stands(s.fsys.world)
	})
	if i < 0 {
		return false
	}
	do(&s.batch[i])
	return true
}

func named(name string, what change) func(*event) bool {
	return func(a *event) bool { return a.what == what && !a.made && a.name() == name }
}

func withGeneration(n uint64) func(*event) bool {
	return func(a *event) bool { return a.generation == n && a.what != removed }
}

func finish(a *event) { a.done = true }

// makePlaceholder fills out from a node that stands for no file.
func (s *replayFilter) makePlaceholder(h *fuse.InHeader, out *fuse.EntryOut) {
	n := s.placeholders.Add(1)
	out.NodeId = placeholderNodes + n
	fillPlaceholder(out.NodeId, h, &out.Attr)
}

func fillPlaceholder(node uint64, h *fuse.InHeader, out *fuse.Attr) {
	*out = fuse.Attr{Ino: node, Mode: unix.S_IFREG | 0o600, Nlink: 1, Blksize: blockSize, Owner: h.Owner}
}

// GetXAttr implements fuse.RawFileSystem.
func (s *replayFilter) GetXAttr(c <-chan struct{}, h *fuse.InHeader, name string, dest []byte) (uint32, fuse.Status) {
	if secret, ok := strings.CutPrefix(name, secretXattr); ok && s.enter(h, secret) {
		n, err := answerXattr(secret, dest)
		return n, fuse.ToStatus(err)
	}
	if h.NodeId > placeholderNodes {
		return 0, fuse.Status(unix.ENOTSUP)
	}
	return s.RawFileSystem.GetXAttr(c, h, name, dest)
}

// enter notes whose request has the secret, if it does.
func (s *replayFilter) enter(h *fuse.InHeader, secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret == "" || secret != s.secret {
		return false
	}
	s.thread.Store(h.Pid)
	return h.Pid != 0 // it is in no process namespace of ours
}

// Lookup implements fuse.RawFileSystem. A file that is new is not there yet for the
// process that makes it, and one that is gone still is for the process that removes it.
func (s *replayFilter) Lookup(c <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	if _, isEntity := layout.ParseFileName(name); isEntity && s.isReplay(h) {
		switch {
		case s.find(named(name, created), func(*event) {}):
			return fuse.ENOENT
		case s.find(named(name, removed), func(*event) {}):
			s.makePlaceholder(h, out)
			return fuse.OK
		}
	}
	status := s.RawFileSystem.Lookup(c, h, name, out)
	if status.Ok() && out.NodeId == 0 && s.find(named(name, removed), func(*event) {}) {
		out.SetEntryTimeout(0) // what the kernel knows to be missing, it does not ask to unlink
	}
	return status
}

// Mknod implements fuse.RawFileSystem.
func (s *replayFilter) Mknod(c <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	if !s.isReplay(&in.InHeader) {
		return s.RawFileSystem.Mknod(c, in, name, out)
	}
	if !s.find(named(name, created), func(a *event) { a.made = true }) {
		return errLate
	}
	s.makePlaceholder(&in.InHeader, out)
	return fuse.OK
}

// Unlink implements fuse.RawFileSystem.
func (s *replayFilter) Unlink(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	if !s.isReplay(h) {
		return s.RawFileSystem.Unlink(c, h, name)
	}
	if !s.find(named(name, removed), finish) {
		return errLate
	}
	return fuse.OK
}

// Fallocate implements fuse.RawFileSystem.
func (s *replayFilter) Fallocate(c <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	if !s.isReplay(&in.InHeader) {
		return s.RawFileSystem.Fallocate(c, in)
	}
	if !s.find(withGeneration(in.Offset), finish) {
		return errLate
	}
	return fuse.OK
}

// SetAttr implements fuse.RawFileSystem. The answer is what is so, and good for no
// time. A later notice of the file waits until it was taken in (see notices.await).
func (s *replayFilter) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	if !s.isReplay(&in.InHeader) {
		return s.RawFileSystem.SetAttr(c, in, out)
	}
	var this event
	if in.Valid&fuse.FATTR_MTIME == 0 || !s.find(withGeneration(in.Mtime), func(a *event) { this = *a }) {
		return errLate
	}
	if this.what != overflow {
		file, err := s.fsys.liveEntity(this.id)
		if err != nil {
			return errLate
		}
		file.marks.set(markAttrInFlight) // before anything is looked at
	}
	status := s.RawFileSystem.GetAttr(c, &fuse.GetAttrIn{InHeader: in.InHeader}, out)
	out.SetTimeout(0)
	if status.Ok() && (this.what != overflow && out.Ino != this.ino || !s.find(withGeneration(in.Mtime), finish)) {
		return errLate
	}
	return status
}

// GetAttr implements fuse.RawFileSystem.
func (s *replayFilter) GetAttr(c <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	if in.NodeId > placeholderNodes {
		fillPlaceholder(in.NodeId, &in.InHeader, &out.Attr)
		return fuse.OK
	}
	return s.RawFileSystem.GetAttr(c, in, out)
}

// Forget implements fuse.RawFileSystem.
func (s *replayFilter) Forget(node, lookups uint64) {
	if node < placeholderNodes {
		s.RawFileSystem.Forget(node, lookups)
	}
}

// actOps are the requests of the process that are changes to others (see changeOps).
var replayOps = map[uint32]bool{
	4:  true, // SETATTR
	8:  true, // MKNOD
	10: true, // UNLINK
	43: true, // FALLOCATE
}

// guard returns a handler that refuses what is no part of any event, if the process asks
// for it.
func (s *replayFilter) guard(next fuseconn.Handler) fuseconn.Handler {
	return func(in, out []byte) int {
		op := fuseconn.Opcode(in)
		if changeOps[op] && !replayOps[op] && s.isReplayer(fuseconn.Thread(in)) {
			return len(fuseconn.Refusal(out, in, unix.Errno(errLate)))
		}
		return next(in, out)
	}
}
