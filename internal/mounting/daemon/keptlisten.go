package daemon

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"github.com/worldfs/worldfs/internal/mounting/connlimit"
)

// listenKept opens a control socket for the world at root, of a process that has not mounted it.
// Where there are no such sockets, as in Windows before version 10, it listens on the loopback interface,
// which every user of the machine reaches: there a call has to show a token.
func listenKept(root string) (*connlimit.Listener, Record, error) {
	path, err := keptSocketPath(root)
	if err == nil {
		var l *connlimit.Listener
		if l, err = listen(path); err == nil {
			return l, Record{Socket: path}, nil
		}
	}
	l, r, loopbackErr := listenLoopback()
	if loopbackErr != nil {
		return nil, r, errors.Join(err, loopbackErr)
	}
	return l, r, nil
}

// keptSocketPath is socketPath of a process that has not mounted the world.
func keptSocketPath(root string) (string, error) {
	return runtimePath(socketName(root) + ".keep" + socketSuffix)
}

// isLoopback reports whether an address is of this machine's loopback interface.
func isLoopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().IsLoopback()
}

// listenLoopback listens on a port that is free.
func listenLoopback() (*connlimit.Listener, Record, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, Record{}, fmt.Errorf("control socket: %w", err)
	}
	return connlimit.New(l, maxConnections), Record{Address: l.Addr().String(), Token: rand.Text()}, nil
}

// authorization is the header that shows a token.
func authorization(token string) string { return "Bearer " + token }

// requireToken has only calls answered that show the token; "" has all answered.
func requireToken(token string, calls http.Handler) http.Handler {
	if token == "" {
		return calls
	}
	want := []byte(authorization(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "a call has to show the token of .worldfs/keeper.json", http.StatusUnauthorized)
			return
		}
		calls.ServeHTTP(w, r)
	})
}
