// Package connlimit limits how many connections a server has at a time, so that one
// program that hangs or runs wild keeps no other from being answered.
package connlimit

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Listener is a listener that has at most so many connections at a time. Where there are as many,
// that which has been without a call for longest is closed for the next; only where all
// of them have calls the next waits.
type Listener struct {
	net.Listener
	free    chan struct{} // takes one element for each connection
	quieted chan struct{} // has one element when a connection has become quiet
	ended   chan struct{}
	once    sync.Once

	mu    sync.Mutex
	quiet map[net.Conn]time.Time // since when these have no call; guarded by mu
}

// New returns l with at most so many connections at a time. The server is to have Note as
// its ConnState.
func New(l net.Listener, most int) *Listener {
	return &Listener{
		Listener: l, free: make(chan struct{}, most), quieted: make(chan struct{}, 1), ended: make(chan struct{}),
		quiet: make(map[net.Conn]time.Time),
	}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	if !l.takeFree() {
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: conn, done: func() { <-l.free }}, nil
}

// takeFree returns when there may be one more connection, false when there will be none.
func (l *Listener) takeFree() bool {
	for {
		select {
		case l.free <- struct{}{}:
			return true
		default:
		}
		if l.closeQuiet() {
			continue
		}
		select {
		case l.free <- struct{}{}:
			return true
		case <-l.quieted:
		case <-l.ended:
			return false
		}
	}
}

// closeQuiet closes the connection that has been quiet longest, and reports whether
// one was.
func (l *Listener) closeQuiet() bool {
	l.mu.Lock()
	var oldest net.Conn
	for conn, since := range l.quiet {
		if oldest == nil || since.Before(l.quiet[oldest]) {
			oldest = conn
		}
	}
	delete(l.quiet, oldest)
	l.mu.Unlock()
	if oldest == nil {
		return false
	}
	_ = oldest.Close() // the other end may have done so
	return true
}

// Note is the http.Server's ConnState.
func (l *Listener) Note(conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state != http.StateNew && state != http.StateIdle {
		delete(l.quiet, conn)
		return
	}
	l.quiet[conn] = time.Now()
	select {
	case l.quieted <- struct{}{}:
	default:
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.ended) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	once sync.Once
	done func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.once.Do(c.done)
	return c.Conn.Close()
}
