package fsnode

import (
	"sync/atomic"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/replay"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// replayFilter answers the requests of the process that replays for watchers (see package
// replay), and passes on those of all others.
type replayFilter struct {
	fuse.RawFileSystem
	fsys         *fsys
	answers      *replay.Answers
	placeholders atomic.Uint64 // how many placeholders there were
}

// placeholderNodes is below the kernel's numbers of placeholders, and above all others,
// which are counted from 1.
const placeholderNodes = 1 << 62

// statusLate is the answer to an event that is not to be any more.
const statusLate = fuse.Status(replay.ErrLate)

// isReplay reports whether a request is the process's.
func (s *replayFilter) isReplay(h *fuse.InHeader) bool { return s.answers.IsReplayer(h.Pid) }

// makePlaceholder fills out from a node that stands for no file.
func (s *replayFilter) makePlaceholder(h *fuse.InHeader, out *fuse.EntryOut) {
	n := s.placeholders.Add(1)
	out.NodeId = placeholderNodes + n
	fillPlaceholder(out.NodeId, h, &out.Attr)
}

func fillPlaceholder(node uint64, h *fuse.InHeader, out *fuse.Attr) {
	*out = fuse.Attr{Ino: node, Mode: unix.S_IFREG | 0o600, Nlink: 1, Blksize: backing.BlockSize, Owner: h.Owner}
}

// GetXAttr implements fuse.RawFileSystem.
func (s *replayFilter) GetXAttr(c <-chan struct{}, h *fuse.InHeader, name string, dest []byte) (uint32, fuse.Status) {
	if value, ok := s.answers.Enter(h.Pid, name); ok {
		n, err := backing.AnswerXattr(value, dest)
		return n, fuse.ToStatus(err)
	}
	if h.NodeId > placeholderNodes {
		return 0, fuse.Status(unix.ENOTSUP)
	}
	return s.RawFileSystem.GetXAttr(c, h, name, dest)
}

// Lookup implements fuse.RawFileSystem. A file that is new is not there yet for the
// process that makes it, and one that is gone still is for the process that removes it.
func (s *replayFilter) Lookup(c <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	if _, isEntity := layout.ParseFileName(name); isEntity && s.isReplay(h) {
		switch {
		case s.answers.Awaits(name, replay.Created):
			return fuse.ENOENT
		case s.answers.Awaits(name, replay.Removed):
			s.makePlaceholder(h, out)
			return fuse.OK
		}
	}
	status := s.RawFileSystem.Lookup(c, h, name, out)
	if status.Ok() && out.NodeId == 0 && s.answers.Awaits(name, replay.Removed) {
		out.SetEntryTimeout(0) // what the kernel knows to be missing, it does not ask to unlink
	}
	return status
}

// Mknod implements fuse.RawFileSystem.
func (s *replayFilter) Mknod(c <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	if !s.isReplay(&in.InHeader) {
		return s.RawFileSystem.Mknod(c, in, name, out)
	}
	if !s.answers.Makes(name) {
		return statusLate
	}
	s.makePlaceholder(&in.InHeader, out)
	return fuse.OK
}

// Unlink implements fuse.RawFileSystem.
func (s *replayFilter) Unlink(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	if !s.isReplay(h) {
		return s.RawFileSystem.Unlink(c, h, name)
	}
	if !s.answers.Removes(name) {
		return statusLate
	}
	return fuse.OK
}

// Fallocate implements fuse.RawFileSystem.
func (s *replayFilter) Fallocate(c <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	if !s.isReplay(&in.InHeader) {
		return s.RawFileSystem.Fallocate(c, in)
	}
	if !s.answers.Changes(in.Offset) {
		return statusLate
	}
	return fuse.OK
}

// SetAttr implements fuse.RawFileSystem. The answer is what is so, and good for no
// time. A later notice of the file waits until it was taken in (see notices.await).
func (s *replayFilter) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	if !s.isReplay(&in.InHeader) {
		return s.RawFileSystem.SetAttr(c, in, out)
	}
	id, ino, ok := s.answers.Changing(in.Mtime)
	if in.Valid&fuse.FATTR_MTIME == 0 || !ok {
		return statusLate
	}
	if id != 0 {
		file, err := s.fsys.liveEntity(id)
		if err != nil {
			return statusLate
		}
		file.marks.set(markAttrInFlight) // before anything is looked at
	}
	status := s.RawFileSystem.GetAttr(c, &fuse.GetAttrIn{InHeader: in.InHeader}, out)
	out.SetTimeout(0)
	if status.Ok() && (id != 0 && out.Ino != ino || !s.answers.Changes(in.Mtime)) {
		return statusLate
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
