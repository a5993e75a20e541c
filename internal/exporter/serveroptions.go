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

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
)

// ServerOptions configure the HTTP server.
type ServerOptions struct {
	Exporter *Exporter
	// Listen are addresses like :10048, 127.0.0.1:10048 or vsock://:10048; none: DefaultListen.
	Listen []string
	// Systemd takes the sockets that systemd has opened instead of listening.
	Systemd bool
	// ConfigFile is the web configuration that all exporters share: TLS, users, client certificates, limits. Empty: none of that.
	ConfigFile string
	// TelemetryPath is the path of the exporter's own metrics; empty: DefaultTelemetryPath.
	TelemetryPath string
	// RoutePrefix is put before every path, for a proxy that passes paths on as they are; empty: none.
	RoutePrefix string
	// TimeoutOffset is taken off the time that a scrape gives us.
	TimeoutOffset time.Duration
	// Reload reads the configuration again. A nil one says that there is none.
	Reload func(context.Context) ([]TargetConfig, error)
	// Hangup asks for a reload, as SIGHUP does. Signals are the program's, so it hands the channel over.
	Hangup <-chan os.Signal
	// Push pushes the exporter's own metrics, too, every PushEvery; nil: they are only scraped.
	Push      Pusher
	PushEvery time.Duration
	// Version and Revision are the binary's own, as `vperf version` says them.
	Version, Revision string
	// Listening hears each address that is listened on, with the port that a 0 became. It may be nil.
	Listening func(net.Addr)
	Log       *slog.Logger
}

// fleet is the part of [Exporter] that the server uses.
type fleet interface {
	targets() []sampled
	target(name string) (sampled, bool)
	configure(targets []TargetConfig) error
}

// sampled is the part of [Target] that the server uses.
type sampled interface {
	Config() TargetConfig
	Status() Status
	Page(ctx context.Context, modules []module.Name, f exposition.Format, gzip bool) (*Page, error)
	Trace(last time.Duration) []string
	Discover() []Group
}

// Limits of the server. Responses come from memory, so the limits matter only for failures.
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

// DefaultPort is the exporter's port. It is not registered: the list of exporters' ports is maintained manually, and
// this is the first number above those known to be in use.
const DefaultPort = 10048

// DefaultListen is every address of this machine at [DefaultPort].
var DefaultListen = fmt.Sprintf(":%d", DefaultPort)

// Defaults of the server.
const (
	DefaultTelemetryPath = "/metrics"
	// DefaultTimeoutOffset is subtracted from Prometheus's timeout, so that the response still arrives.
	DefaultTimeoutOffset = 250 * time.Millisecond
)

// sayText answers with a line of text. No browser takes it for anything else.
func sayText(w http.ResponseWriter, code int, line string) {
	http.Error(w, line, code) // which sets text/plain and nosniff, and drops what belonged to a page
}

// asked reports whether a target has answered or failed once.
func asked(st Status) bool { return st.Trouble != notYet }

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

// shortened limits the length of untrusted text that is stored and repeated.
func shortened(s string) string {
	const most = 100
	if r := []rune(s); len(s) > most && len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
