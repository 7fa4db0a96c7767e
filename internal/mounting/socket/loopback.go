package socket

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
)

// Loopback listens on a port of the loopback interface that is free, for systems without Unix
// sockets, such as Windows before version 10. Every user of the machine reaches it, so a call has
// to show a token.
func Loopback() (l net.Listener, token string, err error) {
	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, "", fmt.Errorf("control socket: %w", err)
	}
	return l, rand.Text(), nil
}

// IsLoopback reports whether an address is of this machine's loopback interface.
func IsLoopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().IsLoopback()
}

// authorization is the header that shows a token.
func authorization(token string) string { return "Bearer " + token }

// RequireToken has only calls answered that show a token; "" has all answered.
func RequireToken(token string, calls http.Handler) http.Handler {
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

// Showing returns a transport whose calls show a token; "" shows none.
func Showing(token string, by http.RoundTripper) http.RoundTripper {
	if token == "" {
		return by
	}
	return &showing{token, by}
}

type showing struct {
	token string
	http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s *showing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", authorization(s.token))
	return s.RoundTripper.RoundTrip(r)
}
