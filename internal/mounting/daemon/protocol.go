package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// Protocol is the version of the calls on the control socket that this build
// makes and answers. Command and daemon may be of different builds, so a daemon
// answers a ping with its own.
//
//	1  the builds that name none
//	2  the daemon refuses an option that it does not know; import and apply refuse
//	   entities of a type that is declared nowhere, unless told otherwise
//	3  allow_loss, of the calls that can be a great loss
//	4  by, of apply
//	5  the options of ship, and its map
//
// A new call needs no new protocol: a daemon without it answers 404. A new option
// of a call does, since a daemon of protocol 1 ignores it in silence: the client
// asks needs first, and leaves the option out of calls that do not use it. What
// changes its meaning becomes a call of another name.
const Protocol = 5

// oldestProtocol is the oldest protocol whose calls this build still answers.
const oldestProtocol = 1

// pong answers a ping.
type pong struct {
	Protocol int `json:"protocol"` // the daemon's; 0 is 1
	Oldest   int `json:"oldest"`   // the oldest whose calls it answers
}

// greet has the daemon answer, and learns its protocol.
func (c *Client) greet() error {
	ctx, giveUp := context.WithCancelCause(context.Background())
	defer giveUp(nil)
	defer c.watchLiveness(giveUp)()
	p, err := post[pong](ctx, c, "ping", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	if p.Oldest > Protocol {
		return c.mismatch("is of a later build, which does not answer this one any more: use that build's worldfs")
	}
	c.protocol = max(p.Protocol, 1)
	return nil
}

// needs returns an error where the daemon's protocol is older than the one in
// which an option began.
func (c *Client) needs(protocol int, option string) error {
	if c.protocol >= protocol {
		return nil
	}
	return c.earlier("the option " + option)
}

// needsRefusal returns an error where the daemon would take in an entity of a type
// that is declared nowhere, without its fields, though the caller did not allow it.
func (c *Client) needsRefusal(allowed bool) error {
	if allowed || c.protocol >= 2 {
		return nil
	}
	return c.mismatch("is of an earlier build, which does not refuse misspelt types: worldfs unmount, then worldfs mount (or --allow-unknown-types)")
}

// earlier is the error of asking a daemon for what came after its build.
func (c *Client) earlier(what string) error {
	return c.mismatch("is of an earlier build, which does not know " + what + ": worldfs unmount, then worldfs mount")
}

func (c *Client) mismatch(why string) error {
	return &Failure{Exit: ExitFailed, Message: fmt.Sprintf("the daemon (process %d) %s", c.Pid, why)}
}

// readCall reads a call that is JSON, and refuses an option that is not known.
func readCall(body io.Reader, call any) error {
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	err := d.Decode(call)
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return unknownOption(name)
	}
	return unread(err)
}

// checkQuery refuses options in a call's address that are not known.
func checkQuery(q url.Values, known ...string) error {
	for key := range q {
		if !slices.Contains(known, key) {
			return unknownOption(key)
		}
	}
	return nil
}

func unknownOption(name string) error {
	return &Failure{Exit: ExitFailed, Message: "the daemon does not know the option " + name +
		"; where it is of an earlier build than the command: worldfs unmount, then worldfs mount"}
}
