package simfleet

import (
	"io"
	"log"
	"net/http"
	"strings"
	"time"
)

// maxRequest is the maximum size of a request: the simulator reads it completely before it checks the login.
const maxRequest = 16 << 20

// newServer returns a server that does not log failed TLS handshakes.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
}

// allowPaths serves only the paths of the API.
func allowPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowedPath(r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		next.ServeHTTP(w, r)
	})
}

// reachable drops connections to a host that is restarting.
func (d *dispatcher) reachable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.alone != nil && d.alone.Away.Load() {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func allowedPath(path string) bool {
	if strings.Contains(path, "..") {
		return false
	}
	if path == "/sdk" {
		return true
	}
	for _, prefix := range []string{"/sdk/", "/rest/", "/api/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
