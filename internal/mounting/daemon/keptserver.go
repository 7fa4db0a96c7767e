package daemon

import (
	"context"
	"net/http"
	"os"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/selection"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// routes are the control socket's: those of the commands, and of what a daemon does besides, but
// for the mount.
func (k *Kept) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/alive", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/ping", handleCall(func(nothing) (pong, error) { return pong{Protocol, oldestProtocol}, nil }))
	mux.HandleFunc("POST /v1/watch", k.handleWatch)
	mux.HandleFunc("POST /v1/select", handleCall(k.selectEntities))
	mux.HandleFunc("POST /v1/selections", k.handleSelections)
	mux.HandleFunc("POST /v1/unmount", handleCall(func(unmountCall) (nothing, error) {
		return nothing{}, &Failure{Exit: ExitFailed, Message: ErrNoDaemon.Error()}
	}))
	mux.HandleFunc("POST /v1/resolve", func(w http.ResponseWriter, r *http.Request) { answerResolve(w, r, k.dir.Root) })
	for _, r := range commandRoutes {
		mux.HandleFunc("POST /v1/"+r.name, r.handleKept(k))
	}
	return mux
}

// handleWatch sends what happens to the world, as the daemon of a mount does, whichever process
// it is that does it.
func (k *Kept) handleWatch(w http.ResponseWriter, r *http.Request) {
	from, err := k.watchFrom(r.URL.Query().Get("from"))
	if err != nil {
		answer(w, nothing{}, err)
		return
	}
	t := eventStream{w: w, out: http.NewResponseController(w), types: k.lastTypes, done: k.until(r.Context())}
	t.serve(r.Context(), &othersHistory{Kept: k, reader: history.Follow(k.dir.HistoryPath(), from), done: t.done}, k.log)
}

// watchFrom opens the world after it has looked where the history is: what is taken in by that
// is told.
func (k *Kept) watchFrom(position string) (from uint64, err error) {
	if position != "" {
		from, err = parsePosition(position)
	} else {
		from, err = history.Latest(k.dir.HistoryPath())
	}
	if err != nil {
		return 0, err
	}
	return from, k.use(false, func(*World) error { return nil })
}

func (k *Kept) lastTypes() *entity.Types {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.types
}

// othersHistory is the history of a world that this process has open for moments, and others
// have, too.
type othersHistory struct {
	*Kept
	reader *history.Follower
	grow   <-chan struct{} // closed when there may be more than was read
	done   <-chan struct{}
}

func (h *othersHistory) next(most int) ([]history.Entry, bool, error) {
	h.mu.Lock()
	h.grow = h.grown
	h.mu.Unlock()
	return h.reader.Next(most)
}

func (h *othersHistory) skip() (uint64, error) {
	last, err := history.Latest(h.dir.HistoryPath())
	h.reader = history.Follow(h.dir.HistoryPath(), last)
	return last, err
}

func (h *othersHistory) wait(ctx context.Context) error {
	select {
	case <-h.grow:
		return nil
	case <-h.done:
		return os.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *Kept) selectEntities(c SelectCall) (a Selected, err error) {
	err = k.use(false, func(w *World) error {
		is, err := w.Read()
		if err == nil {
			a, err = selectOn(&k.selected, is.Source, c)
		}
		return err
	})
	return a, err
}

func (k *Kept) handleSelections(w http.ResponseWriter, r *http.Request) {
	t := eventStream{w: w, out: http.NewResponseController(w), done: k.until(r.Context())}
	t.sendSelections(r.Context(), &k.selected, func(s selection.Selection) (a Selected, err error) {
		err = k.use(false, func(w *World) error {
			is, err := w.Read()
			if err == nil {
				a = describe(s, is.Source)
			}
			return err
		})
		return a, err
	})
}
