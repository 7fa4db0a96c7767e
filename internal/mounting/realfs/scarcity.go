package realfs

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Descriptors are the process's, and may be few: 64 on a machine that is set up so.
// (The Go runtime has raised the soft limit to the hard one.) The kernel gives out
// the lowest number that is free, so the number of a new descriptor tells how many
// are in use. Those beyond half of what there may be, or beyond all but reserve, are
// for operations only: nothing is cached there, and no file kept open for having no
// name. They are what the rest of the daemon works with.
const reserve = 256

// IsScarce reports whether a descriptor that has just been opened is one of those
// that are not kept.
func IsScarce(n int) bool { return n >= firstScarce() }

// firstScarce returns the lowest number of a descriptor that is not kept.
var firstScarce = sync.OnceValue(func() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return reserve
	}
	n := int(min(limit.Cur, 1<<30))
	return max(n/2, n-reserve)
})

// descCaches has every cache of descriptors in the process. What is in them can be
// closed at any time.
type descCaches struct {
	mu  lockorder.Mutex
	all map[*Cache]bool // guarded by mu
}

var caches = newDescCaches()

func newDescCaches() *descCaches {
	c := &descCaches{all: make(map[*Cache]bool)}
	c.mu.Init(&classCaches)
	return c
}

func (c *descCaches) add(one *Cache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[one] = true
}

func (c *descCaches) remove(one *Cache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, one)
}

// evictAll closes every descriptor that is only cached.
func (c *descCaches) evictAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.all {
		one.EvictAll()
	}
}

// EvictCaches closes every descriptor of the process that is only cached.
func EvictCaches() { caches.evictAll() }

// opened makes a descriptor. When the kernel refuses one because there are too many,
// those that are only cached are closed. Then what is left belongs to operations that
// are under way, which end soon.
func opened(open func() (int, error)) (int, error) {
	const tries = 8 // a tenth of a second in all
	for try := 0; ; try++ {
		n, err := eintr(open)
		if try == tries || !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE) {
			return n, err
		}
		caches.evictAll()
		time.Sleep(time.Millisecond << try / 2)
	}
}

// Lower returns a descriptor in place of d that is not scarce, if there is one since
// others have been closed.
func (d *Desc) Lower() *Desc {
	if !IsScarce(d.FD) {
		return d
	}
	n, err := unix.FcntlInt(uintptr(d.FD), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return d
	}
	d.Close()
	return &Desc{FD: n, names: d.names, writable: d.writable}
}
