package simfleet

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Fleet is a running demo fleet.
type Fleet struct {
	cert       *certificate
	calls      *callCounter
	servers    []*server // the vCenter first
	scene      scene
	dir        string
	last       atomic.Int64  // Unix nanoseconds of the last request
	inProgress atomic.Int64  // requests in progress
	gone       chan struct{} // closed with the fleet
	close      sync.Once
}

// server serves one endpoint of the fleet.
type server struct {
	site     site
	url      *url.URL
	password string
	http     *http.Server
	built    *builder

	timetable *timetable
}

// Endpoint is one URL of the fleet with its account.
type Endpoint struct {
	Name           string // vcenter, or the short name of an ESXi host
	URL            *url.URL
	User, Password string
	CertificatePEM []byte
	// Thumbprint is the SHA-256 of the certificate in vSphere's form: AA:BB:….
	Thumbprint string
}

// Start builds the fleet and serves it over HTTPS on loopback: a vCenter and three ESXi hosts that it does not manage.
func Start(cfg Config) (*Fleet, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	f := &Fleet{calls: newCallCounter(), scene: newScene(cfg.Scenarios), gone: make(chan struct{})}
	if err := f.start(cfg); err != nil {
		f.Close()
		return nil, fmt.Errorf("starting the demo fleet: %w", err)
	}
	return f, nil
}

func (f *Fleet) start(cfg Config) (err error) {
	if err := cfg.Check(); err != nil {
		return err
	}
	if f.cert, err = newCertificate(cfg.Now()); err != nil {
		return err
	}
	if f.dir, err = os.MkdirTemp("", "vperf-demo-"); err != nil {
		return fmt.Errorf("making a directory for datastores: %w", err)
	}
	f.last.Store(time.Now().UnixNano())
	for _, s := range sites(cfg) {
		if err := f.startSite(cfg, s); err != nil {
			return err
		}
		cfg.Listen = "" // the others use any free port
	}
	return nil
}

func (f *Fleet) startSite(cfg Config, s site) error {
	dir := filepath.Join(f.dir, s.name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("making a directory for datastores: %w", err)
	}
	built, err := build(cfg, s, dir)
	srv := &server{site: s, password: randomPassword(), built: built}
	f.servers = append(f.servers, srv)
	if err != nil {
		return err
	}
	return f.serve(cfg, srv)
}

// serve starts an HTTP server in front of the simulator's SOAP handler.
//
// govmomi v0.56.0 simulator: its own server offers datastore files and guest transfers without a login.
func (f *Fleet) serve(cfg Config, s *server) error {
	address := cmp.Or(cfg.Listen, "127.0.0.1:0")
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("listening on loopback: %w", err)
	}
	s.url = &url.URL{Scheme: "https", Host: listener.Addr().String(), Path: "/sdk"}
	login := *s.url
	login.User = url.UserPassword(s.site.user, s.password)

	service := s.built.model.Service
	service.Listen = &login // the session manager compares each login with it
	d := newDispatcher(s.built, f.calls, cfg.Now, f.gone)
	s.timetable = d.timetable
	service.RegisterSDK(service.Context.Map, "/sdk/vimService")
	service.ServeMux.HandleFunc("/sdk/vimServiceVersions.xml", service.ServiceVersions)
	if rest := s.built.rest; rest != nil {
		rest.register(service.ServeMux, s.site.user, s.password)
	}
	service.Context.Map.SessionManager().ServiceHostName = s.url.Host

	s.http = newServer(f.noticed(allowPaths(d.reachable(d.Serve(service.ServeMux)))))
	go func() { _ = s.http.Serve(f.cert.listen(listener)) }() // ends with ErrServerClosed when Close is called
	return nil
}

// noticed records when the last request ended.
func (f *Fleet) noticed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.inProgress.Add(1)
		defer func() {
			f.last.Store(time.Now().UnixNano())
			f.inProgress.Add(-1)
		}()
		next.ServeHTTP(w, r)
	})
}

// Idle returns for how long no endpoint has had a request.
func (f *Fleet) Idle() time.Duration {
	if f.inProgress.Load() > 0 {
		return 0
	}
	return time.Since(time.Unix(0, f.last.Load()))
}

// Endpoints returns the fleet's endpoints, the vCenter first.
func (f *Fleet) Endpoints() []Endpoint {
	list := make([]Endpoint, 0, len(f.servers))
	for _, s := range f.servers {
		u := *s.url
		list = append(list, Endpoint{
			Name: s.site.name, URL: &u, User: s.site.user, Password: s.password,
			CertificatePEM: f.cert.pem, Thumbprint: f.cert.thumbprint,
		})
	}
	return list
}

func (f *Fleet) vcenter() *server { return f.servers[0] }

// URL returns the URL of the vCenter's SOAP service, without user information.
func (f *Fleet) URL() *url.URL {
	u := *f.vcenter().url
	return &u
}

// User returns the name of the vCenter's only account.
func (f *Fleet) User() string { return f.vcenter().site.user }

// Password returns the account's password, random at each start.
func (f *Fleet) Password() string { return f.vcenter().password }

// CertificatePEM returns the self-signed certificate that a client of any endpoint must trust.
func (f *Fleet) CertificatePEM() []byte { return f.cert.pem }

// Calls returns the number of SOAP calls so far to all endpoints by method name.
func (f *Fleet) Calls() map[string]int { return f.calls.all() }

// Close stops the fleet and removes its files. It does not wait for requests in progress: an abandoned long wait would delay it
// for ever.
func (f *Fleet) Close() {
	f.close.Do(func() {
		close(f.gone)
		for _, s := range f.servers {
			s.stop()
		}
		if f.dir != "" {
			_ = os.RemoveAll(f.dir)
		}
	})
}

func (s *server) stop() {
	if s.http != nil {
		_ = s.http.Close()
	}
	if m := s.built.model; m != nil && m.Service != nil {
		m.Remove()
	}
}

// StatsKept returns the number of statistics that the fleet's hosts keep for clients of the Esxtop service: one for each session
// that has fetched from a host and has not freed them.
func (f *Fleet) StatsKept() (n int) {
	for _, s := range f.servers {
		n += s.built.kept.Count()
	}
	return n
}
