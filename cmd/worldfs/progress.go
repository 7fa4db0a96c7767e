package main

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progressAfter is how long work takes before a bar shows.
const progressAfter = time.Second

// progress shows on a terminal how far work has come, and nothing elsewhere.
type progress struct {
	count atomic.Int64
	stop  chan struct{}
	ended sync.WaitGroup
}

// progress shows progress from now on, until Stop; total is -1 where it is not
// known.
func (a *app) progress(cmd *cobra.Command, what string, total int64, options ...progressbar.Option) *progress {
	p := &progress{stop: make(chan struct{})}
	if f, ok := cmd.ErrOrStderr().(*os.File); a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	options = append(options,
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(cmd.ErrOrStderr()),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false))
	p.ended.Go(func() { p.show(total, options) })
	return p
}

func (p *progress) show(total int64, options []progressbar.Option) {
	select {
	case <-p.stop:
		return
	case <-time.After(progressAfter):
	}
	bar := progressbar.NewOptions64(total, options...)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			_ = bar.Clear()
			return
		case <-tick.C:
			_ = bar.Set64(p.count.Load())
		}
	}
}

// Set says how much is done.
func (p *progress) Set(n int) { p.count.Store(int64(n)) }

// Reader counts what is read through it.
func (p *progress) Reader(r io.Reader) io.Reader {
	return io.TeeReader(r, counter{&p.count})
}

// Stop takes the bar away.
func (p *progress) Stop() {
	close(p.stop)
	p.ended.Wait()
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}
