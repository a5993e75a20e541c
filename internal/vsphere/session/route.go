package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

// Route is how the first connection of a [Dial] was made, as far as it came.
type Route struct {
	Proxy     string   // the host of the proxy from HTTPS_PROXY; "" for a direct connection
	Addresses []string // of the looked-up name; empty for a literal address
	LookupErr error
	Lookup    time.Duration

	Dialled    bool   // a connection was tried
	Address    string // of the open connection, with its port
	Connect    time.Duration
	ConnectErr error // of the last address that was tried

	TLSBegun    bool
	Secure      bool              // the handshake was completed and the certificate is trusted
	Certificate *x509.Certificate // of the server; nil before the handshake
}

// routeWatch fills a Route. The transport calls it from goroutines of its own, also after the request has ended.
type routeWatch struct {
	mu                  sync.Mutex
	route               Route
	lookedUp, connected time.Time
}

// WatchRoute returns a context for Dial, and a function that returns the route so far.
func WatchRoute(ctx context.Context, server *url.URL) (context.Context, func() Route) {
	w := &routeWatch{}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: server}); err == nil && proxy != nil {
		w.route.Proxy = proxy.Host
	}
	return httptrace.WithClientTrace(ctx, w.hooks()), func() Route {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.route
	}
}

func (w *routeWatch) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { w.change(func(*Route) { w.lookedUp = time.Now() }) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			w.change(func(r *Route) {
				r.LookupErr, r.Lookup, r.Addresses = i.Err, time.Since(w.lookedUp), nil
				for _, a := range i.Addrs {
					r.Addresses = append(r.Addresses, a.String())
				}
			})
		},
		ConnectStart: func(string, string) { w.change(func(r *Route) { r.Dialled, w.connected = true, time.Now() }) },
		ConnectDone: func(_, address string, err error) {
			w.change(func(r *Route) {
				if r.ConnectErr = err; err == nil {
					r.Address, r.Connect = address, time.Since(w.connected)
				}
			})
		},
		TLSHandshakeStart: func() { w.change(func(r *Route) { r.TLSBegun = true }) },
		TLSHandshakeDone:  func(s tls.ConnectionState, err error) { w.change(func(r *Route) { r.secured(s, err) }) },
	}
}

// change applies a hook to the route, until the first connection is secure: later connections do not count.
func (w *routeWatch) change(apply func(*Route)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.route.Secure {
		apply(&w.route)
	}
}

func (r *Route) secured(s tls.ConnectionState, err error) {
	r.Secure = err == nil
	if len(s.PeerCertificates) > 0 {
		r.Certificate = s.PeerCertificates[0]
	}
}

// Trusted returns why the endpoint trusts a certificate that it accepted, and whether that is verification at all.
func (e Endpoint) Trusted(leaf *x509.Certificate) (why string, verified bool) {
	known, _ := knownThumbprint(e.KnownHostsFile, withPort(e.URL.Host)) // Dial has read it
	switch {
	case len(e.CertificatePEM) > 0:
		return "it is the certificate of this fleet", true
	case e.Thumbprint != "":
		return "its thumbprint is pinned", true
	case known != "" && matches(leaf, known):
		return "its thumbprint is in the known hosts file", true
	case e.Insecure:
		return "any certificate is accepted", false
	case len(e.CAFiles) > 0:
		return "signed by an authority of the CA file", true
	}
	return "signed by an authority of this system", true
}
