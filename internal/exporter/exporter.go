package exporter

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/vperf/vperf/internal/exposition"
)

// Options are the exporter's own.
type Options struct {
	Log *slog.Logger
}

// Exporter samples targets.
type Exporter struct{}

// New is an exporter without targets.
func New(o Options) *Exporter { return &Exporter{} }

// Run samples until ctx ends, and then logs out everywhere.
func (e *Exporter) Run(ctx context.Context) error { return ctx.Err() }

// Configure makes these the targets, before Run or while it goes on: those whose fingerprints are as they were go on, others end or begin.
func (e *Exporter) Configure(targets []TargetConfig) error { return nil }

// Targets are the targets by name.
func (e *Exporter) Targets() []*Target { return nil }

// Target finds a target; nil where none has that name.
func (e *Exporter) Target(name string) *Target { return nil }

// Target is a server that is sampled.
type Target struct{}

// Config is what the target was configured with.
func (t *Target) Config() TargetConfig { return TargetConfig{} }

// Status is how it is now.
func (t *Target) Status() Status { return Status{} }

// Page is what a scrape is answered with.
type Page struct {
	ContentType string
	Gzip        bool
	Length      int64 // of the body; -1: not known
	Body        io.Reader
}

// Page makes the page of some modules; none means all that are collected and not for request only. Pages of one state of the
// target are rendered once, whoever asks. Modules that the target does not collect are an error.
func (t *Target) Page(ctx context.Context, modules []Module, f exposition.Format, gzip bool) (*Page, error) {
	return nil, ctx.Err()
}

// Trace hears what the target does while ctx lasts, beginning with what it did last: for debug=true. It holds no secrets.
func (t *Target) Trace(last time.Duration) []string { return nil }

// Group is an entry of Prometheus's HTTP service discovery.
type Group struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// Discover are the target's hosts for service discovery, with __meta_vsphere_* labels.
func (t *Target) Discover() []Group { return nil }
