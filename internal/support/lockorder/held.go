//go:build lockorder

package lockorder

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// holding is a mutex that a goroutine holds.
type holding struct {
	mutex any
	class *Class
}

// held has what each goroutine holds, by its ID, in the order in which it was locked.
var held = struct {
	sync.Mutex
	by map[uint64][]holding
}{by: make(map[uint64][]holding)}

// goroutine returns the ID of the goroutine that asks, which the runtime shows nowhere
// but in a stack.
func goroutine() uint64 {
	buf := make([]byte, 64)
	buf = bytes.TrimPrefix(buf[:runtime.Stack(buf, false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(buf, []byte(" "))
	id, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("lockorder: no goroutine's ID in %q", buf))
	}
	return id
}

var violated atomic.Bool

// violation panics, having told standard error where: a panic may be recovered from.
func violation(format string, args ...any) {
	violated.Store(true)
	message := "lockorder: " + fmt.Sprintf(format, args...)
	fmt.Fprintf(os.Stderr, "%s\n%s", message, debug.Stack())
	panic(message)
}

// before panics where a goroutine must not lock a mutex.
func before(mutex any, c *Class) {
	if c == nil {
		violation("a mutex has no class")
	}
	id := goroutine()
	held.Lock()
	defer held.Unlock()
	for _, h := range held.by[id] {
		if h.mutex == mutex {
			violation("%s is locked twice", c.Name)
		}
		if h.class.Rank < c.Rank || c.Many && h.class == c {
			continue
		}
		violation("%s (rank %d) is locked while %s is held", c.Name, c.Rank, names(held.by[id]))
	}
}

func names(all []holding) string {
	var out []string
	for _, h := range all {
		out = append(out, fmt.Sprintf("%s (rank %d)", h.class.Name, h.class.Rank))
	}
	return strings.Join(out, ", ")
}

func locked(mutex any, c *Class) {
	id := goroutine()
	held.Lock()
	defer held.Unlock()
	held.by[id] = append(held.by[id], holding{mutex, c})
}

func unlocked(mutex any, c *Class) {
	id := goroutine()
	held.Lock()
	defer held.Unlock()
	all := held.by[id]
	for i, h := range slices.Backward(all) {
		if h.mutex != mutex {
			continue
		}
		if all = slices.Delete(all, i, i+1); len(all) == 0 {
			delete(held.by, id)
		} else {
			held.by[id] = all
		}
		return
	}
	violation("%s is unlocked by a goroutine that does not hold it", c.Name)
}
