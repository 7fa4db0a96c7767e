package fsnode

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// A mount that only working directories keep busy can be detached: the kernel takes
// it out of the tree, and lets go of the connection when the last process has left.
// Until then requests come, and are answered. The steps, in this order:
//
//  1. Seal: no file is open or mapped, and from now on nothing changes.
//  2. The caller makes everything durable and publishes it.
//  3. Detach: the mount is out of the tree.
//  4. The caller brings the plain files back.
//  5. ShowPlain: the mount shows them, and needs the world no more.
//
// After 1 and 2 Unseal leads back. A process that opens a file between the finding
// and the seal has its writes refused with EROFS: none is accepted and lost.

// Seal has every change to the mount refused with EROFS, if no process has any file
// of it open or mapped, else the error is EBUSY. The kernel says so, not /proc, which
// hides what belongs to other users, lies in other namespaces or is on its way
// through a socket: told to forget the names of all files, it goes on knowing those
// that are in use. An inotify watch on a file counts as use, too.
func (m *Mounted) Seal() error {
	defer m.fsys.replayer.EndAndLock()()
	const tries = 3 // a program may look at files just then
	for range tries {
		since := m.seal.Changes()
		m.fsys.notices.forgetFiles(m.fsys.root)
		if m.fsys.nodes.waitNoFiles() && m.seal.Close(since) {
			return nil
		}
	}
	return unix.EBUSY
}

// SealAnyway has every change refused, whatever processes have open.
func (m *Mounted) SealAnyway() { m.seal.CloseNow() }

// Unseal ends that changes are refused.
func (m *Mounted) Unseal() { m.seal.Open() }

// Detach takes the mount out of the tree, whatever processes do in it, and has all
// that is in memory beside the entities flushed. The mount is sealed.
func (m *Mounted) Detach() error {
	m.fsys.prefetch.Close()
	if err := mounts.Detach(m.dir); err != nil {
		return fmt.Errorf("detach %s: %w", m.dir, err)
	}
	m.fsys.replayer.Close() // what it has open would keep the mount
	m.fsys.mem.Close()
	return nil
}

// ShowPlain has a sealed mount, if the kernel has not let go of it yet, show in place
// of entities and scratch the directory at dir. The world is not used any more.
func (m *Mounted) ShowPlain(dir string) error {
	if m.isGone() {
		return nil
	}
	plain, err := realfs.OpenDir(dir, false)
	if err != nil {
		return err
	}
	defer plain.Close()
	if gone, err := m.replaceScratch(plain); gone || err != nil {
		return err
	}
	m.fsys.tree.EvictAll()
	m.fsys.notices.forgetFiles(m.fsys.root)
	m.fsys.notices.forgetListings(m.fsys.root)
	return nil
}

// replaceScratch puts a directory in the place of the scratch directory.
func (m *Mounted) replaceScratch(plain *realfs.Dir) (gone bool, err error) {
	m.closing.Lock()
	defer m.closing.Unlock()
	if m.isGone() {
		return true, nil
	}
	return false, m.fsys.scratch.Become(plain)
}

// forgetTime is how long the kernel may take to say that it has forgotten files: it
// says so of some at a time, in between other requests.
const forgetTime = 200 * time.Millisecond

// waitNoFiles reports whether the kernel soon knows nothing but directories.
func (t *nodeTable) waitNoFiles() bool {
	const pause = 2 * time.Millisecond
	for left, quiet := t.countFiles(), time.Now(); left > 0; {
		if time.Since(quiet) > forgetTime {
			return false
		}
		time.Sleep(pause)
		if now := t.countFiles(); now < left {
			left, quiet = now, time.Now()
		}
	}
	return true
}
