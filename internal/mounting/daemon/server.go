package daemon

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

type (
	unmountCall struct {
		Callers   []int // the processes that the asking one was started from
		AllowLoss bool  `json:"allow_loss,omitempty"`
	}

	// Ended is how a mount ended.
	Ended struct {
		Standing []mounts.Holder   // the processes that stand in what it was
		Beneath  plaintree.Beneath // what it had covered
	}

	// nothing is what a call takes or answers that has nothing to say.
	nothing struct{}
)

// routes are the control socket's: those of the commands, and of what only a daemon does.
func (d *daemon) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/alive", func(http.ResponseWriter, *http.Request) {}) // waits for nothing, ping for the end of an unmount
	mux.HandleFunc("POST /v1/ping", handle(d, func(nothing) (pong, error) { return pong{Protocol, oldestProtocol}, nil }))
	mux.HandleFunc("POST /v1/watch", d.handleWatch)
	mux.HandleFunc("POST /v1/select", handle(d, d.selectEntities))
	mux.HandleFunc("POST /v1/selections", d.handleSelections)
	mux.HandleFunc("POST /v1/unmount", d.handleUnmount)
	mux.HandleFunc("POST /v1/resolve", d.handleResolve)
	for _, r := range commandRoutes {
		mux.HandleFunc("POST /v1/"+r.name, r.handle(d))
	}
	return mux
}

// handleUnmount ends the mount, which takes calls itself.
func (d *daemon) handleUnmount(w http.ResponseWriter, r *http.Request) {
	var c unmountCall
	if err := readCall(http.MaxBytesReader(w, r.Body, 1<<20), &c); err != nil {
		answer(w, nothing{}, err)
		return
	}
	var a Ended
	err := d.resolveLoss(c.AllowLoss)
	if err == nil {
		err = d.unmount(false)
	}
	if err == nil {
		a = Ended{mounts.MarkOurs(c.Callers, d.how.Standing), d.how.Beneath}
	}
	answer(w, a, err)
}

// handle makes a handler of a function that uses the world.
func handle[C, A any](d *daemon, do func(C) (A, error)) http.HandlerFunc {
	return handleCall(func(c C) (A, error) {
		return with(d, func() (A, error) { return do(c) })
	})
}

// handleCall makes a handler of what answers a call.
func handleCall[C, A any](do func(C) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var c C
		if err := readCall(http.MaxBytesReader(w, r.Body, maxCall), &c); err != nil {
			answer(w, nothing{}, err)
			return
		}
		a, err := do(c)
		answer(w, a, err)
	}
}

// unread is why a call could not be read.
func unread(err error) error {
	if errors.Is(err, ErrNoDaemon) { // the mount ends: the caller opens the world itself
		return err
	}
	return &Failure{Message: "control call: " + err.Error(), Exit: ExitFailed}
}

// use keeps the world open until release is called.
func (d *daemon) use() (release func(), err error) {
	select {
	case <-d.ended: // from outside: the world is about to be closed
		return nil, ErrNoDaemon
	default:
	}
	d.calls.RLock()
	if !d.closed {
		if err := d.followSettings(); err != nil {
			d.log.Error("follow world.toml", "error", err)
		}
		return d.calls.RUnlock, nil
	}
	d.calls.RUnlock()
	return nil, ErrNoDaemon
}

func answer(w http.ResponseWriter, a any, err error) {
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(callTimeout)) // the socket's can
	if err != nil {
		status := http.StatusUnprocessableEntity
		if errors.Is(err, ErrNoDaemon) || errors.Is(err, errMountedNow) {
			status = http.StatusServiceUnavailable
		}
		w.WriteHeader(status)
		a = &Failure{Message: err.Error(), Exit: Exit(err), Loss: isLoss(err), NoRoom: disk.IsNoRoom(err)}
	}
	_ = json.NewEncoder(w).Encode(a) // the client may be gone: there is nothing to tell then
}
