package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// watchBatch is how many bytes of the history are sent at once.
const watchBatch = 1 << 20

// lastWriteTimeout is how long a watcher has, once the world is unmounted, to take what
// it has not read yet.
const lastWriteTimeout = 2 * time.Second

// handleWatch sends what happens to the world, a line an event, from the
// position asked for, or from now on, until the world is unmounted. Each watcher
// reads the history at its own pace: one that is slow delays no other, and is told
// to begin anew when the history does not reach back to where it is.
func (d *daemon) handleWatch(w http.ResponseWriter, r *http.Request) {
	from, err := d.watchFrom(r.URL.Query().Get("from"))
	if err != nil {
		answer(w, nothing{}, err)
		return
	}
	log := d.world.Log()
	t := eventStream{w: w, out: http.NewResponseController(w), types: d.world.Types, done: d.done}
	t.serve(r.Context(), &ownHistory{log, log.From(from)}, d.log)
}

func (d *daemon) watchFrom(position string) (uint64, error) {
	release, err := d.use()
	if err != nil {
		return 0, err
	}
	defer release()
	if position == "" {
		return d.world.Log().Last()
	}
	return parsePosition(position)
}

func parsePosition(position string) (uint64, error) {
	from, err := strconv.ParseUint(position, 10, 64)
	if err != nil {
		return 0, &Failure{Message: fmt.Sprintf("%q is not a position", position), Exit: ExitUsage}
	}
	return from, nil
}

// growing is a history that is read as it grows.
type growing interface {
	// next returns what came since; gap: not all of that is there any more.
	next(most int) (entries []history.Entry, gap bool, err error)
	// skip goes on from now, and returns the position.
	skip() (uint64, error)
	// wait returns when there may be more. The error is os.ErrClosed when there will be none.
	wait(context.Context) error
}

// ownHistory is the history of a world that this process has open.
type ownHistory struct {
	log    *history.Log
	reader *history.Reader
}

func (h *ownHistory) next(most int) ([]history.Entry, bool, error) { return h.reader.Next(most) }

func (h *ownHistory) skip() (uint64, error) {
	last, err := h.log.Last()
	h.reader = h.log.From(last)
	return last, err
}

func (h *ownHistory) wait(ctx context.Context) error { return h.log.Wait(ctx, h.reader.Position()) }

// eventStream sends events to one watcher.
type eventStream struct {
	w     http.ResponseWriter
	out   *http.ResponseController
	types func() *entity.Types
	done  <-chan struct{} // closed when there will be no more
}

// serve sends what comes, until the history ends or the watcher goes.
func (t *eventStream) serve(ctx context.Context, from growing, log *slog.Logger) {
	t.w.Header().Set("Content-Type", "application/jsonl")
	if t.out.Flush() != nil {
		return // gone already
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go t.limitLastWrite(ctx)
	if err := t.run(ctx, from); err != nil && ctx.Err() == nil {
		log.Warn("a watcher is told no more", "error", err)
	}
}

// limitLastWrite has a watcher that does not read time out, so that it cannot delay
// the end of the mount.
func (t *eventStream) limitLastWrite(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-t.done:
		_ = t.out.SetWriteDeadline(time.Now().Add(lastWriteTimeout)) // a connection that is gone needs none
	}
}

// run sends what comes, until the history ends.
func (t *eventStream) run(ctx context.Context, from growing) error {
	for {
		entries, gap, err := from.next(watchBatch)
		if err != nil {
			return err
		}
		if gap {
			if err = t.resync(from); err != nil {
				return err
			}
			continue
		}
		if err := t.send(t.events(entries)); err != nil {
			return err
		}
		if len(entries) > 0 {
			continue
		}
		if err := from.wait(ctx); errors.Is(err, os.ErrClosed) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// resync says that the history does not reach back far enough, and goes on from
// now.
func (t *eventStream) resync(from growing) error {
	last, err := from.skip()
	if err != nil {
		return err
	}
	return t.send([]events.Event{{
		Position: last, Time: time.Now().UTC(), Event: events.Resync,
		Note: "the history does not reach back to that position; read the world anew",
	}})
}

// events returns entries as events, without what changed nothing.
func (t *eventStream) events(entries []history.Entry) []events.Event {
	types, out := t.types(), make([]events.Event, 0, len(entries))
	for _, e := range entries {
		if e.Kind != history.Lost {
			out = append(out, events.Of(e, types))
		}
	}
	return out
}

// send writes events, a line each.
func (t *eventStream) send(some []events.Event) error {
	if len(some) == 0 {
		return nil
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, e := range some {
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
	if _, err := t.w.Write(lines.Bytes()); err != nil {
		return err
	}
	return t.out.Flush()
}

// Watch calls line with each event that happens to the world, from a position on, or
// from now on for "". It returns nil when the world is unmounted, and the
// context's error when that ends first.
func (c *Client) Watch(ctx context.Context, from string, line func([]byte) error) error {
	q := url.Values{}
	if from != "" {
		q.Set("from", from)
	}
	return c.stream(ctx, "watch?"+q.Encode(), line)
}

// stream makes a call whose answer has lines, and has no end until the world is unmounted.
func (c *Client) stream(ctx context.Context, call string, line func([]byte) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, controlURL+call, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(request)
	if err != nil {
		return c.lost(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.refusal(resp)
	}
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			return nil
		}
		if err != nil {
			return c.lost(ctx, err)
		}
		if err := line(text); err != nil {
			return err
		}
	}
}

// lost says that the daemon went away, unless the caller ended the call.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("watch through the daemon (process %d): %w", c.Pid, err)
}
