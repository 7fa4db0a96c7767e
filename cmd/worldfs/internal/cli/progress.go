package cli

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progressAfter is how long work takes before a bar shows.
const progressAfter = time.Second

// Progress shows on a terminal how far work has come, and nothing elsewhere.
type Progress struct {
	what  string
	count atomic.Int64
	stop  chan struct{}
	once  sync.Once // closes stop
	ended sync.WaitGroup
}

// Progress shows progress from now on, until Stop; total is -1 where it is not
// known, and then what is counted is bytes.
func (a *App) Progress(cmd *cobra.Command, what string, total int64) *Progress {
	p := &Progress{what: what, stop: make(chan struct{})}
	if f, ok := cmd.ErrOrStderr().(*os.File); a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.ended.Go(func() { p.show(cmd.ErrOrStderr(), total) })
	return p
}

func (p *Progress) show(w io.Writer, total int64) {
	select {
	case <-p.stop:
		return
	case <-time.After(progressAfter):
	}
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription(p.what), progressbar.OptionSetElapsedTime(total > 0))
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			_ = bar.Finish() // its spinner turns by itself
			_ = bar.Clear()
			return
		case <-tick.C:
			n := p.count.Load()
			if total < 0 && n > 0 {
				bar.Describe(p.what + " (" + humanize.Bytes(uint64(n)) + ")")
			}
			_ = bar.Set64(n)
		}
	}
}

// Set says how much is done.
func (p *Progress) Set(n int) { p.count.Store(int64(n)) }

// Reader counts what is read through it.
func (p *Progress) Reader(r io.Reader) io.Reader {
	return io.TeeReader(r, counter{&p.count})
}

// Stop takes the bar away, so that results can be printed.
func (p *Progress) Stop() {
	p.once.Do(func() { close(p.stop) })
	p.ended.Wait()
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}
