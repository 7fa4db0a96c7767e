package fsnode

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Warm says how much of a mount the kernel is made to know before anybody asks.
type Warm struct {
	// Limit is how many bytes of the kernel's memory that may take.
	Limit int64
	// Reader is a command that calls ReadAhead with the directory and the limit
	// that come as its last two arguments, and prints the number of files.
	// Without it nothing is made known.
	Reader []string
}

// warming has another process read the mount once, so that names, attributes
// and contents are in the kernel's memory before anybody asks for them: no read
// then costs a round trip, not even the first. It must be another process, since
// one that reads what it serves itself can come to wait for itself.
//
// The kernel takes contents from us too (NOTIFY_STORE), which costs a third of
// that. But it stores them over what a program has just written to the page and
// has not been sent to us yet, and sends us that: a write would be lost, and
// nothing that we know at the time tells of it.
type warming struct {
	fsys *fsys

	mu      sync.Mutex
	cancel  context.CancelFunc // nil: it was never begun; guarded by mu
	done    chan struct{}      // closed when nothing more is read; guarded by mu
	stopped bool               // guarded by mu
	files   int                // how many are warm, once done is closed
}

// start makes known what the limit has room for, in the background.
func (w *warming) start(dir string, o Warm) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped || o.Limit <= 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.cancel, w.done = cancel, done
	go func() {
		defer close(done)
		begun, log := time.Now(), w.fsys.log
		var err error
		if w.files, err = readAhead(ctx, dir, o); err != nil && ctx.Err() == nil {
			log.Warn("the mount is not warm, and slower until all was read once", "err", err)
			return
		}
		log.Info("the mount is warm", "files", w.files, "took", time.Since(begun))
	}()
}

// readAhead runs the process that reads.
func readAhead(ctx context.Context, dir string, o Warm) (files int, err error) {
	last := len(o.Reader)
	cmd := exec.CommandContext(ctx, o.Reader[0], append(o.Reader[1:last:last], dir, strconv.FormatInt(o.Limit, 10))...)
	cmd.Dir = "/" // the mount must not be busy for its sake
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("read ahead: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// stop returns when no process of ours is in the mount, now or later.
func (w *warming) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.cancel != nil {
		w.cancel()
		<-w.done
	}
}

// warmed returns how many files are warm, and whether there will be no more.
func (w *warming) warmed() (files int, done bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done == nil {
		return 0, true
	}
	select {
	case <-w.done:
		return w.files, true
	default:
		return 0, false
	}
}
