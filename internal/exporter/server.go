package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exposition"
)

// DefaultPort is where the exporter listens. Nobody has registered it: the list of ports that exporters have agreed on is kept
// by hand, and this is the first number above those that are known to be taken.
const DefaultPort = 10048

// DefaultListen is every address of this machine at [DefaultPort].
var DefaultListen = fmt.Sprintf(":%d", DefaultPort)

// Defaults of the server.
const (
	DefaultTelemetryPath = "/metrics"
	// DefaultTimeoutOffset is how much earlier than Prometheus we give up, so that the answer still reaches it.
	DefaultTimeoutOffset = 250 * time.Millisecond
)

// ServerOptions are what the exporter serves, and how.
type ServerOptions struct {
	Exporter *Exporter
	// Listen are addresses like :10048, 127.0.0.1:10048 or vsock://:10048; none: DefaultListen.
	Listen []string
	// Systemd takes the sockets that systemd has opened instead of listening.
	Systemd bool
	// ConfigFile is the web configuration that all exporters share: TLS, users, client certificates, limits. Empty: none of that.
	ConfigFile string
	// TelemetryPath is where the exporter tells of itself; empty: DefaultTelemetryPath.
	TelemetryPath string
	// RoutePrefix is put before every path, for a proxy that passes paths on as they are; empty: none.
	RoutePrefix string
	// TimeoutOffset is taken off the time that a scrape gives us.
	TimeoutOffset time.Duration
	// Reload reads the configuration again. A nil one says that there is none.
	Reload func(context.Context) ([]TargetConfig, error)
	// Hangup asks for a reload, as SIGHUP does. Signals are the program's, so it hands the channel over.
	Hangup <-chan os.Signal
	// Version and Revision are the binary's own, as `vperf version` says them.
	Version, Revision string
	// Listening hears each address that is listened on, with the port that a 0 became. It may be nil.
	Listening func(net.Addr)
	Log       *slog.Logger
}

// fleet is what the server asks of an [Exporter].
type fleet interface {
	targets() []sampled
	target(name string) (sampled, bool)
	configure(targets []TargetConfig) error
}

// sampled is what the server asks of a [Target].
type sampled interface {
	Config() TargetConfig
	Status() Status
	Page(ctx context.Context, modules []Module, f exposition.Format, gzip bool) (*Page, error)
	Trace(last time.Duration) []string
	Discover() []Group
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

// server answers over HTTP from what was sampled. It never asks a target's server itself.
type server struct {
	ServerOptions
	fleet   fleet
	now     func() time.Time
	history history
	metrics *selfMetrics
	reloads *reloader
	// slots bound how many pages are being made or waited for at once.
	slots chan struct{}
	// writeLimit is how long a client may take to read its answer.
	writeLimit time.Duration
	// shutdownLimit is how long scrapes that have begun may take to finish.
	shutdownLimit time.Duration
}

// Limits of the server. What is waited for is in memory already: they are for trouble, not for every day.
const (
	maxProbes     = 256              // at once; each is a waiting goroutine
	maxTimeout    = 2 * time.Minute  // that a probe may ask for
	noTimeout     = 10 * time.Second // of a probe that asks for none: Prometheus's own default
	writeLimit    = time.Minute
	readLimit     = 10 * time.Second // of a request with its headers
	idleLimit     = 5 * time.Minute  // longer than people scrape apart, so that connections are kept
	shutdownLimit = 5 * time.Second
	maxHeaders    = 64 << 10
)

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
			return fmt.Errorf("the %s %q is none: write a plain path that begins with /, such as /metrics", p.flag, p.path)
		}
	}
	if len(o.TelemetryPath) > 1 && strings.HasSuffix(o.TelemetryPath, "/") {
		return fmt.Errorf("the telemetry path %q ends in /: leave that out", o.TelemetryPath)
	}
	for _, taken := range paths {
		if o.TelemetryPath == taken {
			return fmt.Errorf("the telemetry path %s is taken: the exporter answers something else there", taken)
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

// guarded tells browsers what they may do with our answers, unless the web configuration has said so already.
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

// healthy says that we answer, whatever the targets do.
func (s *server) healthy(w http.ResponseWriter, _ *http.Request) {
	sayText(w, http.StatusOK, "vperf is healthy.")
}

// ready says that each target has been asked once: it has answered or failed. Until then a scrape could find less than there is.
func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	var waiting []string
	for _, t := range s.fleet.targets() {
		if st := t.Status(); !asked(st) {
			waiting = append(waiting, st.Name)
		}
	}
	if len(waiting) > 0 {
		sayText(w, http.StatusServiceUnavailable, "vperf is not ready: it waits for the first answer of "+quoted(waiting)+".")
		return
	}
	sayText(w, http.StatusOK, "vperf is ready.")
}

// asked reports whether a target has answered or failed once.
func asked(st Status) bool { return st.Trouble != notYet }

// sayText answers with a line of text. No browser takes it for anything else.
func sayText(w http.ResponseWriter, code int, line string) {
	http.Error(w, line, code) // which sets text/plain and nosniff, and drops what belonged to a page
}

// quoted lists names that others chose, the first few dozen of them.
func quoted(names []string) string {
	const most = 50
	var b strings.Builder
	for i, name := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", shortened(name))
	}
	return b.String()
}

// shortened is what we keep and repeat of a text that anybody may send.
func shortened(s string) string {
	const most = 100
	if r := []rune(s); len(s) > most && len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
