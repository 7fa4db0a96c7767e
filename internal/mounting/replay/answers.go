package replay

import (
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/mounting/seal"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Answers knows which requests of the process that replays are answered, and how.
//
// It knows the process by the thread that asked for an attribute whose name has a
// secret in it. Only that process was told the secret, and that the attribute is
// there shows it in turn that its directory is in this mount, and not in what lies
// beneath. It is answered so until it has ended: what it has asked by then is never
// taken for another process's request.
type Answers struct {
	world  *cache.World
	queue  *eventQueue
	thread atomic.Uint32 // 0: there is none

	mu     lockorder.Mutex
	secret string  // guarded by mu
	batch  []event // guarded by mu
}

func newAnswers(w *cache.World, q *eventQueue) *Answers {
	s := &Answers{world: w, queue: q}
	s.mu.Init(&classAnswers)
	return s
}

// secretXattr begins the name of the attribute that only the process knows.
const secretXattr = realfs.OwnXattrs + "secret."

// ErrLate is the answer to an event that is not to be any more.
const ErrLate = unix.ECANCELED

// set has a batch answered from now on, to the process that knows the secret.
func (s *Answers) set(secret string, batch []event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secret, s.batch = secret, slices.Clone(batch)
}

// end ends the batch and returns it.
func (s *Answers) end() []event {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.batch
	s.secret, s.batch = "", nil
	return batch
}

// processEnded is called when the process has ended.
func (s *Answers) processEnded() { s.thread.Store(0) }

// IsReplayer reports whether a thread is the process.
func (s *Answers) IsReplayer(thread uint32) bool {
	return thread != 0 && thread == s.thread.Load()
}

// find calls do with the first event of the batch for which is holds and which is to
// be done, and reports whether there is one.
func (s *Answers) find(is func(*event) bool, do func(*event)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.batch, func(a event) bool {
		return !a.done && is(&a) && !s.queue.newer(a.id) && a.stands(s.world)
	})
	if i < 0 {
		return false
	}
	do(&s.batch[i])
	return true
}

func named(name string, what Change) func(*event) bool {
	return func(a *event) bool { return a.what == what && !a.made && a.name() == name }
}

func withGeneration(n uint64) func(*event) bool {
	return func(a *event) bool { return a.generation == n && a.what != Removed }
}

func finish(a *event) { a.done = true }

// Enter notes the thread that asks for an attribute as the process, if the name has the
// secret, which is the attribute's value then.
func (s *Answers) Enter(thread uint32, xattr string) (value string, ok bool) {
	secret, ok := strings.CutPrefix(xattr, secretXattr)
	if !ok {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret == "" || secret != s.secret {
		return "", false
	}
	s.thread.Store(thread)
	return secret, thread != 0 // it is in no process namespace of ours
}

// Awaits reports whether a file of that name is to be made, or to be removed.
func (s *Answers) Awaits(name string, what Change) bool {
	return s.find(named(name, what), func(*event) {})
}

// Makes answers that a new file was made, and reports whether it was to be.
func (s *Answers) Makes(name string) bool {
	return s.find(named(name, Created), func(a *event) { a.made = true })
}

// Removes answers that a file was removed, and reports whether it was to be.
func (s *Answers) Removes(name string) bool { return s.find(named(name, Removed), finish) }

// Changes answers that a file, or a directory, was changed by the event of that
// generation, and reports whether it was to be.
func (s *Answers) Changes(generation uint64) bool {
	return s.find(withGeneration(generation), finish)
}

// Changing returns what the event of that generation changes: an entity, whose file
// has the number ino, or for an ID of 0 a directory. ok unless it is not to be.
func (s *Answers) Changing(generation uint64) (id entity.ID, ino uint64, ok bool) {
	ok = s.find(withGeneration(generation), func(a *event) { id, ino = a.id, a.ino })
	return id, ino, ok
}

// replayOps are the requests of the process that are changes to others (see package
// seal).
var replayOps = map[uint32]bool{
	4:  true, // SETATTR
	8:  true, // MKNOD
	10: true, // UNLINK
	43: true, // FALLOCATE
}

// Guard returns a handler that refuses what is no part of any event, if the process asks
// for it.
func (s *Answers) Guard(next fuseconn.Handler) fuseconn.Handler {
	return func(in, out []byte) int {
		op := fuseconn.Opcode(in)
		if seal.IsChange(op) && !replayOps[op] && s.IsReplayer(fuseconn.Thread(in)) {
			return len(fuseconn.Refusal(out, in, ErrLate))
		}
		return next(in, out)
	}
}
