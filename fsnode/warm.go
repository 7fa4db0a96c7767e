package fsnode

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/cache"
)

// Warm says how much of a mount the kernel is made to know before anybody asks.
type Warm struct {
	// Limit is how many bytes of the kernel's memory that may take.
	Limit int64
	// Reader is a command that calls ReadAhead with the directory and the limit
	// that come as its last two arguments, and its standard input and output.
	// Without it nothing is made known.
	Reader []string
}

// warming makes names, attributes and contents known to the kernel before anybody
// asks for them: no read then costs a round trip, not even the first.
//
// Names and attributes the kernel only learns by asking. So another process lists
// the directory; it must be another one, since one that uses what it serves itself
// can come to wait for itself. Contents are handed over then (see filling), while
// nobody can open a file yet, and what there is no time for that process reads
// afterwards, beside everybody.
type warming struct {
	fsys  *fsys
	limit int64

	cancel  context.CancelFunc // nil: it was never begun
	mounted chan struct{}      // closed when there is something to list
	done    chan struct{}      // closed when nothing more is read
	files   int                // how many are warm, once done is closed

	reader    *exec.Cmd
	to        io.WriteCloser
	from      *bufio.Reader
	complaint strings.Builder
}

// prepare starts the process that is to list and read dir, which waits for start.
// From now on until stop, or until all is done, the mount is opening.
func (w *warming) prepare(dir string, o Warm) {
	if o.Limit <= 0 || len(o.Reader) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := w.launch(ctx, dir, o); err != nil {
		cancel()
		w.fsys.log.Warn("the mount will be slower until all was read once", "err", err)
		return
	}
	w.limit, w.cancel, w.mounted, w.done = o.Limit, cancel, make(chan struct{}), make(chan struct{})
	w.fsys.opening = beginOpening(w.reader.Process.Pid)
	ready := &prerender{texts: make(map[*cache.File]*cache.Rendering)}
	rendering, rendered := context.WithCancel(ctx)
	go ready.run(rendering, w.fsys.world)
	go func() {
		defer close(w.done)
		defer w.fsys.opening.end()
		defer rendered()
		if err := w.run(ctx, ready); err != nil && ctx.Err() == nil {
			w.fsys.log.Warn("the mount is not warm, and slower until all was read once", "err", err)
		}
	}()
}

func (w *warming) launch(ctx context.Context, dir string, o Warm) error {
	last := len(o.Reader)
	w.reader = exec.CommandContext(ctx, o.Reader[0], append(o.Reader[1:last:last], dir, strconv.FormatInt(o.Limit, 10))...)
	w.reader.Dir = "/" // the mount must not be busy for its sake
	w.reader.Stderr = &w.complaint
	out, err := w.reader.StdoutPipe()
	if err != nil {
		return err
	}
	w.from = bufio.NewReader(out)
	if w.to, err = w.reader.StdinPipe(); err != nil {
		return err
	}
	return w.reader.Start()
}

// start has the process begin: the mount is there.
func (w *warming) start() {
	if w.cancel != nil {
		close(w.mounted)
	}
}

func (w *warming) run(ctx context.Context, ready *prerender) error {
	err := w.lead(ctx, ready)
	_ = w.to.Close() // it may have ended already
	if ended := w.reader.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("read ahead: %w: %s", err, strings.TrimSpace(w.complaint.String()))
	}
	return nil
}

// lead has the process list, hands contents over, and has the process read what
// there was no time for.
func (w *warming) lead(ctx context.Context, ready *prerender) error {
	select {
	case <-w.mounted:
	case <-ctx.Done():
		return ctx.Err()
	}
	begun, opening := time.Now(), w.fsys.opening
	names := time.AfterFunc(namesWait, opening.endList)
	all := time.AfterFunc(filesWait, opening.end)
	if _, err := w.ask(""); err != nil {
		return err
	}
	names.Stop()
	opening.endList()
	until := begun.Add(filesWait)
	if !all.Stop() {
		until = time.Time{} // somebody may have opened a file
	}
	handed, late := w.fsys.fill(ctx, ready, w.limit, until)
	opening.endFill()
	filled := time.Since(begun)
	read, err := w.readLate(late)
	w.files = handed + read
	w.fsys.log.Info("the mount is warm", "files", w.files, "handed", handed, "took", filled, "read", read, "with_them", time.Since(begun))
	return err
}

// readLate has files read, one at least: by then the kernel knows that none needs
// to be opened, and does not tell us either when one is closed that was just made.
func (w *warming) readLate(names []string) (files int, err error) {
	if len(names) > 0 {
		return w.ask(strings.Join(names, separator))
	}
	for _, id := range w.fsys.world.IDs(0, 1) {
		_, err = w.ask(w.fsys.world.Layout().Path(id))
	}
	return 0, err
}

// ask has the process read files, or list the directory where none is named, and
// returns how many those were.
func (w *warming) ask(names string) (files int, err error) {
	if _, err := io.WriteString(w.to, names+"\n"); err != nil {
		return 0, err
	}
	said, err := w.from.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(said))
}

// stop returns when no process of ours is in the mount, now or later.
func (w *warming) stop() {
	if w.cancel != nil {
		w.cancel()
		<-w.done
	}
}

// warmed returns how many files are warm, and whether there will be no more.
func (w *warming) warmed() (files int, done bool) {
	if w.cancel == nil {
		return 0, true
	}
	select {
	case <-w.done:
		return w.files, true
	default:
		return 0, false
	}
}
