package exporter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/vperf/vperf/internal/userfile"
)

// serve listens until ctx ends or one of the addresses fails. Each address has a server of its own: the toolkit wraps the
// handler of the one it is given, and several addresses at once would wrap each other's.
func (s *server) serve(ctx context.Context) error {
	if err := s.Check(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Scrapes that have begun outlive ctx: they end when they are done, or when we stop waiting for them.
	requests, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()

	handler := s.handler()
	var all []*http.Server
	var listeners sync.WaitGroup
	failed := make(chan error, 1)
	for _, flags := range s.flags() {
		h := s.newHTTP(requests, handler)
		all = append(all, h)
		listeners.Go(func() {
			if err := web.ListenAndServe(h, &flags, s.Log); !errors.Is(err, http.ErrServerClosed) {
				select {
				case failed <- cannotServe(err, flags):
				default: // only the first error is returned
				}
				stop()
			}
		})
	}
	go s.reloads.follow(ctx, s.Hangup)
	go s.pushOwn(ctx)
	<-ctx.Done()
	s.shutdown(all)
	abandon()
	listeners.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// Check returns errors in the options before anything is started.
func (o *ServerOptions) Check() error {
	if err := checkPaths(*o); err != nil {
		return err
	}
	if o.TimeoutOffset < 0 {
		return fmt.Errorf("the timeout offset %s is negative: the answer would arrive after the scrape timeout", o.TimeoutOffset)
	}
	for _, address := range o.Listen {
		if strings.Contains(address, "://") { // such as vsock://, which the toolkit knows
			continue
		}
		_, port, err := net.SplitHostPort(address)
		if err == nil {
			_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port) // a list in a file, no server is asked
		}
		if err != nil {
			return fmt.Errorf("cannot listen at %q: write HOST:PORT, or %s for all addresses of this machine", address, DefaultListen)
		}
	}
	if o.ConfigFile == "" {
		return nil
	}
	if _, err := userfile.WebConfig.Read(o.ConfigFile); err != nil { // the toolkit reads it whole, whatever its size
		return fmt.Errorf("reading the web configuration %s: %w", o.ConfigFile, err)
	}
	if err := web.Validate(o.ConfigFile); err != nil {
		return fmt.Errorf("reading the web configuration %s: %w", o.ConfigFile, err)
	}
	return nil
}

// flags returns the toolkit's options, one for each address.
func (s *server) flags() []web.FlagConfig {
	systemd, config := s.Systemd, s.ConfigFile
	if systemd {
		return []web.FlagConfig{{WebSystemdSocket: &systemd, WebConfigFile: &config}}
	}
	listen := s.Listen
	if len(listen) == 0 {
		listen = []string{DefaultListen}
	}
	var all []web.FlagConfig
	for _, address := range listen {
		all = append(all, web.FlagConfig{WebListenAddresses: &[]string{address}, WebSystemdSocket: &systemd, WebConfigFile: &config})
	}
	return all
}

func (s *server) newHTTP(requests context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readLimit,
		ReadTimeout:       readLimit,
		WriteTimeout:      maxTimeout + s.writeLimit, // a probe sets a closer one when its page is there
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // errors caused by clients are only of interest for debugging
		BaseContext: func(l net.Listener) context.Context {
			s.logLandingURL(l.Addr())
			if s.Listening != nil {
				s.Listening(l.Addr())
			}
			return requests
		},
	}
}

// shutdown ends listening, lets scrapes finish for a while, and then ends those, too.
func (s *server) shutdown(all []*http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), s.shutdownLimit)
	defer cancel()
	var ends sync.WaitGroup
	for _, h := range all {
		ends.Go(func() {
			if err := h.Shutdown(ctx); err != nil {
				s.Log.Warn("scrapes were cut off", "after", s.shutdownLimit.String())
				_ = h.Close() // Shutdown has returned the error
			}
		})
	}
	ends.Wait()
}

// cannotServe says what to do about an address that cannot be had.
func cannotServe(err error, flags web.FlagConfig) error {
	if flags.WebListenAddresses == nil {
		return fmt.Errorf("serving on the sockets of systemd: %w", err)
	}
	address := (*flags.WebListenAddresses)[0]
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program already listens on %s: choose another address with --web.listen-address: %w", address, err)
	}
	return fmt.Errorf("serving on %s: %w", address, err)
}

// Serve answers until ctx ends; scrapes that have begun are finished then.
func Serve(ctx context.Context, o ServerOptions) error {
	s, err := newServer(o, exported{o.Exporter})
	if err != nil {
		return err
	}
	return s.serve(ctx)
}

func newServer(o ServerOptions, f fleet) (*server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.TelemetryPath == "" {
		o.TelemetryPath = DefaultTelemetryPath
	}
	o.RoutePrefix = strings.TrimSuffix(o.RoutePrefix, "/")
	if err := checkPaths(o); err != nil {
		return nil, err
	}
	s := &server{ServerOptions: o, fleet: f, now: time.Now, slots: make(chan struct{}, maxProbes), writeLimit: writeLimit, shutdownLimit: shutdownLimit}
	s.reloads = newReloader(o.Reload, f, o.Log, func() time.Time { return s.now() })
	s.metrics = newSelfMetrics(o, f, s.reloads)
	return s, nil
}

// paths are the server's own, beside that of its metrics.
var paths = []string{"/probe", "/sd/hosts", "/-/healthy", "/-/ready", "/-/reload"}

// checkPaths refuses paths that would hide others, or mean something else to the router.
func checkPaths(o ServerOptions) error {
	for _, p := range []struct{ flag, path string }{{"telemetry path", o.TelemetryPath}, {"route prefix", o.RoutePrefix}} {
		if p.path != "" && (!strings.HasPrefix(p.path, "/") || strings.ContainsAny(p.path, " {}?#%\\") || strings.Contains(p.path, "//") || strings.Contains(p.path, "/.")) {
			return fmt.Errorf("the %s %q is not valid: write a plain path that begins with /, such as /metrics", p.flag, p.path)
		}
	}
	if len(o.TelemetryPath) > 1 && strings.HasSuffix(o.TelemetryPath, "/") {
		return fmt.Errorf("the telemetry path %q ends in /: remove it", o.TelemetryPath)
	}
	for _, taken := range paths {
		if o.TelemetryPath == taken {
			return fmt.Errorf("the telemetry path %s is in use: the exporter serves another page there", taken)
		}
	}
	return nil
}

// handler is all that is served.
func (s *server) handler() http.Handler {
	routes := http.NewServeMux()
	routes.Handle("GET "+s.metricsPattern(), s.metrics.handler(s.Log))
	if s.TelemetryPath != "/" {
		routes.HandleFunc("GET /{$}", s.landing)
	}
	routes.HandleFunc("GET /probe", s.probe)
	routes.HandleFunc("GET /sd/hosts", s.discover)
	routes.HandleFunc("GET /-/healthy", s.healthy)
	routes.HandleFunc("GET /-/ready", s.ready)
	// A page in somebody's browser may not make us reload; programs that post are no browsers.
	reload := http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.reload))
	routes.Handle("POST /-/reload", reload)
	routes.Handle("PUT /-/reload", reload)
	return guarded(s.prefixed(routes))
}

func (s *server) metricsPattern() string {
	if s.TelemetryPath == "/" {
		return "/{$}"
	}
	return s.TelemetryPath
}

// prefixed puts all routes below the prefix, and leads there from above.
func (s *server) prefixed(routes http.Handler) http.Handler {
	if s.RoutePrefix == "" {
		return routes
	}
	home := http.RedirectHandler(s.RoutePrefix+"/", http.StatusFound)
	outer := http.NewServeMux()
	outer.Handle(s.RoutePrefix+"/", http.StripPrefix(s.RoutePrefix, routes))
	outer.Handle("GET "+s.RoutePrefix, home)
	outer.Handle("GET /{$}", home)
	return outer
}

// guarded sets security headers for browsers, unless the web configuration has set them.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy": contentPolicy,
			"X-Content-Type-Options":  "nosniff",
			"X-Frame-Options":         "deny",
			"Referrer-Policy":         "no-referrer",
		} {
			if w.Header().Get(name) == "" {
				w.Header().Set(name, value)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// exported is an exporter as the server sees it.
type exported struct{ *Exporter }

func (e exported) configure(targets []TargetConfig) error { return e.Configure(targets) }

func (e exported) target(name string) (sampled, bool) {
	t := e.Target(name)
	return t, t != nil
}

func (e exported) targets() []sampled {
	all := e.Targets()
	out := make([]sampled, len(all))
	for i, t := range all {
		out[i] = t
	}
	return out
}
