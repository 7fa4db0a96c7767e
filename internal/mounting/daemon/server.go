package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// The calls, what they take and what they answer. All but import's document
// and ship's pack are JSON.
type (
	formatCall struct {
		IDs     []entity.ID `json:"ids"` // null: all
		Upgrade bool        `json:"upgrade"`
	}
	textCall   struct{ ID entity.ID }
	textAnswer struct{ Text []byte }

	historyCall struct{ ID entity.ID }
	undoCall    struct {
		ID entity.ID
		At time.Time // zero: only what happened last
	}
	syncCall struct {
		AllowLoss bool `json:"allow_loss,omitempty"`
	}
	unmountCall struct {
		Callers   []int // the processes that the asking one was started from
		AllowLoss bool  `json:"allow_loss,omitempty"`
	}
	unmountAnswer struct{ Standing []mounts.Holder }
	readAnswer    struct{ Pack []byte }

	unpackCall   struct{ To string }
	unpackAnswer struct{ Written int }

	shipAnswer struct {
		Pack     []byte
		Findings []entity.Finding
		Refused  string
	}
	nothing struct{}
)

// routes are the control socket's.
func (d *daemon) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/alive", func(http.ResponseWriter, *http.Request) {}) // waits for nothing, ping for the end of an unmount
	mux.HandleFunc("POST /v1/ping", call(d, func(nothing) (pong, error) { return pong{Protocol, oldestProtocol}, nil }))
	mux.HandleFunc("POST /v1/status", call(d, func(nothing) (Status, error) { return d.status() }))
	mux.HandleFunc("POST /v1/sync", call(d, d.sync))
	mux.HandleFunc("POST /v1/read", call(d, func(nothing) (readAnswer, error) { return d.readable() }))
	mux.HandleFunc("POST /v1/format", changing(d, awaiting(d, func(c formatCall) (cache.Report, error) { return d.Format(c.IDs, c.Upgrade) })))
	mux.HandleFunc("POST /v1/kept", call(d, func(nothing) ([]packstore.Kept, error) { return d.Kept() }))
	mux.HandleFunc("POST /v1/restore", changing(d, func(t cache.Target) (cache.Restored, error) { return d.Restore(t) }))
	mux.HandleFunc("POST /v1/text", call(d, func(c textCall) (a textAnswer, err error) {
		a.Text, err = d.Text(c.ID)
		return a, err
	}))
	mux.HandleFunc("POST /v1/watch", d.handleWatch)
	mux.HandleFunc("POST /v1/history", call(d, func(c historyCall) ([]Event, error) { return d.History(c.ID) }))
	mux.HandleFunc("POST /v1/undo", changing(d, func(c undoCall) (Undone, error) { return d.Undo(c.ID, c.At) }))
	mux.HandleFunc("POST /v1/unpack", call(d, func(c unpackCall) (a unpackAnswer, err error) {
		a.Written, err = d.unpack(c.To)
		return a, err
	}))
	mux.HandleFunc("POST /v1/check", call(d, awaiting(d, func(nothing) ([]entity.Finding, error) { return d.check() })))
	mux.HandleFunc("POST /v1/ship", call(d, awaiting(d, func(nothing) (shipAnswer, error) { return d.ship() })))
	mux.HandleFunc("POST /v1/import", d.handleIntake(func(q url.Values, body io.Reader) (cache.Report, error) {
		return d.Import(body, q.Get("file"), ImportOptions{Whole: q.Get("whole") == "true", UnknownTypes: q.Get("unknown-types") == "true", AllowLoss: q.Get("allow-loss") == "true"})
	}, "file", "whole", "unknown-types", "allow-loss"))
	mux.HandleFunc("POST /v1/apply", d.handleIntake(func(q url.Values, body io.Reader) (cache.Report, error) {
		return d.Apply(body, q.Get("file"), ApplyOptions{
			Reverse: q.Get("reverse") == "true", Policy: q.Get("policy"), UnknownTypes: q.Get("unknown-types") == "true",
			AllowLoss: q.Get("allow-loss") == "true",
		})
	}, "file", "reverse", "policy", "unknown-types", "allow-loss"))
	mux.HandleFunc("POST /v1/unmount", d.handleUnmount)
	return mux
}

// handleUnmount ends the mount, which takes calls itself.
func (d *daemon) handleUnmount(w http.ResponseWriter, r *http.Request) {
	var c unmountCall
	if err := readCall(http.MaxBytesReader(w, r.Body, 1<<20), &c); err != nil {
		answer(w, nothing{}, err)
		return
	}
	var a unmountAnswer
	err := d.resolveLoss(c.AllowLoss)
	if err == nil {
		err = d.unmount(false)
	}
	if err == nil {
		a.Standing = mounts.MarkOurs(c.Callers, d.standing)
	}
	answer(w, a, err)
}

// call makes a handler of a function that uses the world.
func call[C, A any](d *daemon, do func(C) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var c C
		if err := readCall(http.MaxBytesReader(w, r.Body, maxCall), &c); err != nil {
			answer(w, nothing{}, err)
			return
		}
		a, err := with(d, func() (A, error) { return do(c) })
		answer(w, a, err)
	}
}

// changing is call for what changes the world.
func changing[C, A any](d *daemon, do func(C) (A, error)) http.HandlerFunc {
	return call(d, func(c C) (a A, err error) {
		if err := d.newer(); err != nil {
			return a, err
		}
		return do(c)
	})
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
		if errors.Is(err, ErrNoDaemon) {
			status = http.StatusServiceUnavailable
		}
		w.WriteHeader(status)
		a = &Failure{Message: err.Error(), Exit: Exit(err), Loss: isLoss(err), NoRoom: disk.IsNoRoom(err)}
	}
	_ = json.NewEncoder(w).Encode(a) // the client may be gone: there is nothing to tell then
}

func (d *daemon) status() (Status, error) {
	st, err := d.Status()
	st.Failure = d.dir.Plainly(st.Failure)
	st.Mounted, st.Shape, st.Mount = true, d.record.Shape, d.record.Mount
	st.Pid, st.Started = d.record.Pid, d.record.Started
	st.Counters = d.counters()
	if err != nil {
		return st, err
	}
	if newer := d.newer(); newer != nil {
		st.Findings = append(st.Findings, newerFinding(newer))
	}
	misplaced, err := d.mount.Misplaced()
	for _, at := range slices.Sorted(maps.Keys(misplaced)) {
		found := d.world.Layout().Misplaced(misplaced[at], path.Join(worlddir.EntitiesName, at))
		st.Findings = append(st.Findings, found)
	}
	scratch, scratchErr := d.mount.Scratch()
	left, leftErr := d.leftovers(scratch, st.Findings)
	st.Findings = append(st.Findings, left...)
	return st, errors.Join(err, scratchErr, leftErr)
}

// unpack writes nothing into the mount: it shows the files already, and a
// daemon that uses its own mount can wait for itself.
func (d *daemon) unpack(to string) (int, error) {
	if to == "" || mounts.Within(to, filepath.Join(d.dir.Root, worlddir.EntitiesName)) {
		return 0, fmt.Errorf("the world is mounted: %s shows its files already; unmount it, or name another directory with --to", d.record.Mount)
	}
	beneath, ok := d.beneathMount(to)
	if !ok {
		return d.Unpack(to)
	}
	n, err := d.Unpack(beneath)
	inMount, _ := filepath.Rel(d.beneath.root, to) // both are absolute
	return n, errors.Join(err, d.mount.InvalidateBeneath(inMount, unpackedDepth))
}

// unpackedDepth is how many levels of directories unpack writes to: its target,
// and the shards in it.
const unpackedDepth = 2

// check returns the findings that would stop a ship build, with that of a world
// that needs a newer build.
func (d *daemon) check() ([]entity.Finding, error) {
	found, err := d.Check()
	if newer := d.newer(); newer != nil {
		found = append(found, newerFinding(newer))
	}
	return found, err
}

// ship answers with the findings that stop a ship build as a result, so that
// they reach the caller whole.
func (d *daemon) ship() (a shipAnswer, err error) {
	if err := d.newer(); err != nil {
		return a, err
	}
	a.Pack, a.Findings, err = d.Ship()
	if errors.Is(err, cache.ErrShip) {
		a.Refused, err = err.Error(), nil
	}
	return a, err
}

// handleIntake has the world take in what is in the body: the caller opens the
// file, with its own rights and in its own directory. The options are those in
// the call's address.
func (d *daemon) handleIntake(take func(q url.Values, body io.Reader) (cache.Report, error), options ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		report, err := with(d, func() (cache.Report, error) {
			if err := errors.Join(checkQuery(q, options...), d.newer()); err != nil {
				return cache.Report{}, err
			}
			d.world.AwaitNames(d.ended)
			return take(q, r.Body)
		})
		_, _ = io.Copy(io.Discard, r.Body) // a caller that cannot write on would not see the answer
		answer(w, report, err)
	}
}
