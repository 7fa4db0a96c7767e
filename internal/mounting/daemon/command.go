package daemon

import (
	"cmp"
	"net/http"
)

// command is something that can be done with a world, wherever that is open: its
// daemon does it, or this process. A command is declared once, in a file of its own,
// with define; its method of World runs it.
type command[C, A any] struct {
	name    string       // of the call on the socket: /v1/NAME; what it takes (C) and answers (A) is JSON
	changes bool         // it changes the world
	writes  func(C) bool // it writes to the world's disk though it changes nothing; nil: it does not
	waits   bool         // the daemon waits first for names of which most are missing to come back

	do func(service, C) (A, error)

	// What is done instead of do, where that is not nil.
	ask      func(*Client, C) (A, error)   // by a command that has a daemon; nil: it makes the call
	inDaemon func(*daemon, C) (A, error)   // by the daemon
	alone    func(*local, C) (A, error)    // by a command that has the world open itself
	fromPack func(*readOnly, C) (A, error) // where the world needs a newer build; nil: it is refused
}

// route is a call on the socket.
type route struct {
	name       string
	handle     func(*daemon) http.HandlerFunc
	handleKept func(*Kept) http.HandlerFunc // where nothing is mounted
}

// commandRoutes are the calls of all commands that were declared.
var commandRoutes []route

// define declares a command, and with that its call on the socket.
func define[C, A any](c command[C, A]) *command[C, A] {
	commandRoutes = append(commandRoutes, route{c.name, c.handler, c.keptHandler})
	return &c
}

// on runs the command on a world, the way that the world is open.
func (c *command[C, A]) on(w *World, call C) (a A, err error) {
	switch o := w.open.(type) {
	case *Client:
		if c.ask != nil {
			return c.ask(o, call)
		}
		return ask[A](o, c.name, call)
	case *readOnly:
		if c.fromPack == nil {
			return a, o.newer
		}
		return c.fromPack(o, call)
	case *local:
		return c.runAlone(o, call)
	}
	panic("a world that is open in no known way")
}

func (c *command[C, A]) runAlone(l *local, call C) (a A, err error) {
	if l.full != nil && (c.changes || c.writes != nil && c.writes(call)) {
		return a, cmp.Or(l.waitingLoss(), l.full)
	}
	if c.alone != nil {
		return c.alone(l, call)
	}
	return c.do(l.service, call)
}

// handler answers the command's call.
func (c *command[C, A]) handler(d *daemon) http.HandlerFunc {
	return handle(d, func(call C) (a A, err error) {
		if c.changes {
			if err := d.newer(); err != nil {
				return a, err
			}
		}
		if c.waits {
			d.world.AwaitNames(d.ended)
		}
		if c.inDaemon != nil {
			return c.inDaemon(d, call)
		}
		return c.do(d.service, call)
	})
}

// keptHandler answers the command's call as the command alone does.
func (c *command[C, A]) keptHandler(k *Kept) http.HandlerFunc {
	return handleCall(func(call C) (a A, err error) {
		loss, ok := any(call).(interface{ allowsLoss() bool })
		err = k.use(ok && loss.allowsLoss(), func(w *World) (err error) { a, err = c.on(w, call); return err })
		return a, err
	})
}
