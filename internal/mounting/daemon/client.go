package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Client is a mounted world, used through its daemon.
type Client struct {
	Record
	dir      *worlddir.Dir
	http     http.Client
	protocol int // the daemon's

	allowLoss bool // what is asked for may be a great loss
}

// dial returns the daemon that serves the world, or ErrNoDaemon. It has it
// answer: a process that is being killed, or is unmounting, still takes
// connections.
func dial(dir *worlddir.Dir) (*Client, error) {
	record, err := readRecord(dir)
	if err != nil {
		return nil, err
	}
	if mounts.Killed(record.Pid) {
		mounts.Abort(record.Mount)
		return nil, fmt.Errorf("%w: its daemon (process %d) was killed", ErrNoDaemon, record.Pid)
	}
	c := newClient(dir, record)
	if err := c.greetWithRetry(); err != nil {
		return nil, err
	}
	return c, nil
}

// greetWithRetry is greet that tries again where the daemon hangs up, as it does on
// the connection that has waited longest where it has too many. One that ends does not
// take another.
func (c *Client) greetWithRetry() error {
	for start := time.Now(); ; time.Sleep(30 * time.Millisecond) {
		err := c.greet()
		switch {
		case !hungUp(err) || !mounts.Lives(c.Pid) || mounts.Killed(c.Pid):
			return err
		case time.Since(start) > busyTimeout:
			return fmt.Errorf("the daemon (process %d) hangs up before it answers: it has more than %d connections at a time; "+
				"end the programs that hold them open, and try again", c.Pid, maxConnections)
		}
	}
}

// hungUp reports whether an error says that a daemon took a connection and closed it.
// net/http has no name for what it says of one that was closed before the call was sent;
// where its write of the call fails first, it closes its end and may say net.ErrClosed,
// of the read that waited for the answer.
func hungUp(err error) bool {
	if err != nil && strings.HasSuffix(err.Error(), "server closed idle connection") {
		return true
	}
	for _, says := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, says) {
			return true
		}
	}
	return false
}

func newClient(dir *worlddir.Dir, record Record) *Client {
	c := &Client{Record: record, dir: dir}
	c.http.Transport = socket.Showing(record.Token, &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if record.Address != "" {
				return new(net.Dialer).DialContext(ctx, "tcp", record.Address)
			}
			return socket.Dial(ctx, record.Socket)
		},
	})
	return c
}

// controlURL is what the address of every call begins with.
const controlURL = "http://worldfs/v1/"

// gone reports whether an error says that there is no daemon any more.
func gone(err error) bool {
	return hungUp(err) || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED)
}

// ask makes one call.
func ask[A any](c *Client, call string, in any) (a A, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return a, fmt.Errorf("control call: %w", err)
	}
	return post[A](context.Background(), c, call, bytes.NewReader(body))
}

// post makes one call, which ends with ctx.
func post[A any](ctx context.Context, c *Client, call string, body io.Reader) (a A, err error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	defer c.attend(giveUp)()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, controlURL+call, body)
	if err != nil {
		return a, fmt.Errorf("control call: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return a, c.unanswered(context.Cause(ctx), err)
	}
	defer resp.Body.Close()
	decoder := json.NewDecoder(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return a, c.refusal(resp)
	}
	if err := decoder.Decode(&a); err != nil {
		return a, cmp.Or(context.Cause(ctx), fmt.Errorf("read the daemon's answer: %w", err))
	}
	return a, nil
}

// unanswered returns why a call got no answer: because this process gave it up,
// or else err.
func (c *Client) unanswered(givenUp, err error) error {
	if givenUp != nil {
		return givenUp
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if gone(err) {
		err = fmt.Errorf("%w any more: %w", ErrNoDaemon, err)
	}
	return fmt.Errorf("ask the daemon (process %d): %w", c.Pid, err)
}

// refusal returns why the daemon did not do what it was asked.
func (c *Client) refusal(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusServiceUnavailable:
		return fmt.Errorf("%w any more; try again", ErrNoDaemon)
	case http.StatusNotFound:
		return c.earlier("the call " + path.Base(resp.Request.URL.Path))
	}
	failure := &Failure{Exit: ExitFailed}
	if json.NewDecoder(resp.Body).Decode(failure) != nil || failure.Message == "" {
		failure.Message = fmt.Sprintf("the daemon (process %d) answers %s", c.Pid, resp.Status)
	}
	if c.protocol < Protocol && failure.Exit == ExitFailed {
		failure.Message += fmt.Sprintf(" (the daemon, process %d, is of an earlier build than this command; where that is why: worldfs unmount, then worldfs mount)", c.Pid)
	}
	return failure
}

// allow says whether what is asked for may be a great loss.
func (c *Client) allow(loss bool) error {
	if c.allowLoss = loss; loss {
		return c.needs(3, "--allow-loss")
	}
	return nil
}

// Unmount ends the mount; the world is whole when it returns.
func (c *Client) Unmount() (Ended, error) {
	return ask[Ended](c, "unmount", unmountCall{mounts.Ancestors(), c.allowLoss})
}

// Close does nothing: the world is the daemon's.
func (c *Client) Close() error { return nil }

// Unmount ends a world's mount, whichever process serves it, or cleans up after one that
// was killed, and says which it was. Where a great loss waits it does so only if that is
// allowed.
func Unmount(dir *worlddir.Dir, allowLoss bool) (was string, how Ended, err error) {
	client, err := Mounted(dir)
	if err != nil {
		return "", how, err
	}
	if client != nil {
		if err := client.allow(allowLoss); err != nil {
			return "", how, err
		}
		if err := os.Chdir("/"); err != nil { // this process may stand in the mount
			return "", how, err
		}
		how, err = client.Unmount()
		return "unmounted", how, err
	}
	dead := mounts.Mounted(dir.EntitiesPath())
	if _, err := os.Lstat(dir.PlainPath()); err != nil && !dead {
		return "", how, fmt.Errorf("%s: %w", dir.Root, ErrNoDaemon)
	}
	if err := dir.CheckFormat(); err != nil {
		return "", how, err
	}
	how, err = cleanUp(dir, allowLoss)
	return "cleaned up after a mount whose process is gone", how, err
}

// cleanUp ends the mount of a process that was killed.
func cleanUp(dir *worlddir.Dir, allowLoss bool) (how Ended, err error) {
	client, unlock, err := acquire(dir, nil)
	if err != nil {
		return how, err
	}
	if client != nil { // it was mounted anew meanwhile
		if err := client.allow(allowLoss); err != nil {
			return how, err
		}
		return client.Unmount()
	}
	defer unlock()
	err = dir.Reserve().Spend(func() error {
		world, err := openLocal(dir, func() {}, nil, allowLoss)
		if err != nil {
			return err
		}
		how.Beneath = world.beneath
		err = world.sync()
		return errors.Join(err, world.Close())
	})
	return how, err
}
