package daemon

import (
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/connlimit"
)

// What a caller may take of the daemon, and for how long. Only the daemon's own
// user can call, but a program of theirs that hangs or runs wild must not keep
// the world from being used and unmounted.
const (
	maxConnections = 512              // for one more, that which has been quiet longest is closed
	headerTimeout  = 3 * time.Second  // for the header of a call
	callTimeout    = 30 * time.Second // for the next bytes of a call, and for taking the answer
	maxHeader      = 64 << 10         // bytes
	maxCall        = 64 << 20         // bytes of a call that is JSON
	maxIntake      = 16 << 30         // bytes of an import or a change set
)

func newServer(calls http.Handler, l *connlimit.Listener, ended <-chan struct{}, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           withTimeouts(calls, ended),
		ReadHeaderTimeout: headerTimeout, IdleTimeout: callTimeout, MaxHeaderBytes: maxHeader,
		ConnState: l.Note,
		ErrorLog:  slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// withTimeouts gives each call a time in which its next bytes must come. Once the
// world is not served any more none are taken: ending that waits for the calls.
func withTimeouts(next http.Handler, ended <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			r.Body = &timeoutBody{http.MaxBytesReader(w, r.Body, maxIntake), http.NewResponseController(w), ended}
		}
		next.ServeHTTP(w, r)
	})
}

type timeoutBody struct {
	io.ReadCloser
	conn  *http.ResponseController
	ended <-chan struct{}
}

// Read implements io.Reader.
func (p *timeoutBody) Read(b []byte) (int, error) {
	select {
	case <-p.ended:
		return 0, ErrNoDaemon
	default:
	}
	_ = p.conn.SetReadDeadline(time.Now().Add(callTimeout)) // a connection that cannot is none of the socket's
	n, err := p.ReadCloser.Read(b)
	_ = p.conn.SetReadDeadline(time.Time{}) // or it would end the call while it is worked on
	return n, err
}

// with does something with the world, which stays open meanwhile; not longer,
// lest a caller that does not take its answer keep it open.
func with[A any](d *daemon, do func() (A, error)) (a A, err error) {
	release, err := d.use()
	if err != nil {
		return a, err
	}
	defer release()
	defer func() { err = d.inWords(err) }()
	defer d.mount.WaitNotified() // the client that gets the answer sees what was done
	return do()
}
