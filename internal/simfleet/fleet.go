package simfleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
)

// userName is the one account of the fleet.
const userName = "demo@vsphere.local"

// Config says what fleet to start. The zero value is the built-in fleet on the real clock.
type Config struct {
	// Now is the fleet's clock; nil is time.Now.
	Now func() time.Time
	// Hosts and VMs ask for more than the built-in fleet has: clones follow it up to that many. 0 asks for none.
	Hosts, VMs int
}

// Fleet is a running demo fleet.
type Fleet struct {
	url      *url.URL
	password string
	cert     *certificate
	calls    *callCounter
	server   *http.Server
	model    *simulator.Model
	dir      string
	close    sync.Once
}

// Start builds the fleet and serves it over HTTPS on a free port of 127.0.0.1.
func Start(cfg Config) (*Fleet, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	f := &Fleet{calls: newCallCounter()}
	if err := f.start(cfg); err != nil {
		f.Close()
		return nil, fmt.Errorf("starting the demo fleet: %w", err)
	}
	return f, nil
}

func (f *Fleet) start(cfg Config) (err error) {
	f.password = randomPassword()
	if f.cert, err = newCertificate(cfg.Now()); err != nil {
		return err
	}
	if f.dir, err = os.MkdirTemp("", "vperf-demo-"); err != nil {
		return fmt.Errorf("making a directory for datastores: %w", err)
	}
	if f.model, err = build(cfg, f.dir); err != nil {
		return err
	}
	return f.serve(cfg)
}

// serve puts our own HTTP server before the simulator's SOAP handler. The simulator's server is not used: it offers
// datastore files and guest transfers without a login.
func (f *Fleet) serve(cfg Config) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening on loopback: %w", err)
	}
	f.url = &url.URL{Scheme: "https", Host: listener.Addr().String(), Path: "/sdk"}
	login := *f.url
	login.User = url.UserPassword(userName, f.password)

	service := f.model.Service
	service.Listen = &login // the session manager compares each login with it
	d := newDispatcher(service.Context.Map, f.calls, cfg.Now)
	service.RegisterSDK(service.Context.Map, "/sdk/vimService")
	service.ServeMux.HandleFunc("/sdk/vimServiceVersions.xml", service.ServiceVersions)
	service.Context.Map.SessionManager().ServiceHostName = f.url.Host

	f.server = newServer(allowPaths(d.handler(service.ServeMux)))
	go func() { _ = f.server.Serve(f.cert.listen(listener)) }() // ends with ErrServerClosed when Close is called
	return nil
}

// URL is where the fleet's SOAP service is, without user information.
func (f *Fleet) URL() *url.URL {
	u := *f.url
	return &u
}

// User is the name of the fleet's one account.
func (f *Fleet) User() string { return userName }

// Password is the account's password, random at each start.
func (f *Fleet) Password() string { return f.password }

// CertificatePEM is the self-signed certificate that a client must trust.
func (f *Fleet) CertificatePEM() []byte { return f.cert.pem }

// Thumbprint is the SHA-256 of the certificate, as vSphere writes it: AA:BB:….
func (f *Fleet) Thumbprint() string { return f.cert.thumbprint }

// Calls counts the SOAP calls so far by method name.
func (f *Fleet) Calls() map[string]int { return f.calls.all() }

// Close stops the fleet and removes its files. It does not wait for requests that are under way: a client that left
// in the middle of a long wait would hold it up for ever.
func (f *Fleet) Close() {
	f.close.Do(func() {
		if f.server != nil {
			_ = f.server.Close()
		}
		if f.model != nil && f.model.Service != nil {
			f.model.Remove()
		}
		if f.dir != "" {
			_ = os.RemoveAll(f.dir)
		}
	})
}

// errRefused is wrapped when the simulator refuses a step of the fleet's construction.
var errRefused = errors.New("the simulator refused")
