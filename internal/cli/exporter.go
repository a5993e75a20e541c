package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// exporterOptions is what `vperf exporter` was asked for.
type exporterOptions struct {
	Source    sourceOptions
	Waivers   waiverOptions
	Server    exporter.ServerOptions
	Check     bool
	LogLevel  string
	LogFormat string

	demo demoServer
}

func newExporter(f *Factory, run func(context.Context, *Factory, *exporterOptions) error) *cobra.Command {
	o := new(exporterOptions)
	if run == nil {
		run = runExporter
	}
	c := &cobra.Command{
		Use:   "exporter",
		Short: "Tell Prometheus: counters of hosts and VMs, and findings",
		Long: `Samples vCenters and ESXi hosts every 20 seconds, as often as they measure, and
serves what it has to Prometheus. A server is asked once, however many scrape.

  /probe?target=NAME  the counters, inventory and findings of a target
  /metrics            the exporter's own metrics
  /sd/hosts           the hosts, for Prometheus's HTTP service discovery
  /                   targets, ages and findings, for people
  /-/healthy, /-/ready, /-/reload (POST; SIGHUP does the same)

Targets are those under exporter in the config file; where it lists none, its
contexts; where there are none, the server of VPERF_URL or GOVC_URL. Only they are
ever asked. A reload that finds a mistake keeps the targets as they were.

Exit status: 0 ended by a signal, 1 vperf failed, 2 wrong usage or config.`,
		Example: `  vperf exporter --demo
  curl 'http://localhost:10048/probe?target=demo'
  vperf exporter --context prod --context lab
  vperf exporter --web.config.file web.yaml --web.listen-address :10048
  vperf exporter --config.check`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return run(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	c.AddCommand(newExporterHistory(f, nil))
	return c
}

func (o *exporterOptions) addFlags(c *cobra.Command) {
	o.Source.addFlags(c, false)
	o.Waivers.addFlags(c)
	f := c.Flags()
	f.StringSliceVar(&o.Server.Listen, "web.listen-address", []string{exporter.DefaultListen}, "listen at this `ADDRESS`; may be repeated")
	f.StringVar(&o.Server.ConfigFile, "web.config.file", "", "TLS, users, client certificates and limits, as Prometheus's exporter-toolkit reads them from this `FILE`")
	f.BoolVar(&o.Server.Systemd, "web.systemd-socket", false, "listen at the sockets that systemd hands over")
	f.StringVar(&o.Server.TelemetryPath, "web.telemetry-path", exporter.DefaultTelemetryPath, "`PATH` of the exporter's own metrics")
	f.StringVar(&o.Server.RoutePrefix, "web.route-prefix", "", "put this `PATH` before all others, for a proxy that passes paths on as they are")
	f.DurationVar(&o.Server.TimeoutOffset, "probe.timeout-offset", exporter.DefaultTimeoutOffset, "answer so `LONG` before Prometheus gives up")
	f.BoolVar(&o.Check, "config.check", false, "read the config, say what would be sampled, and end")
	f.StringVar(&o.LogLevel, "log.level", "info", "tell this and worse: debug, info, warn or error")
	f.StringVar(&o.LogFormat, "log.format", "logfmt", "logfmt or json")
	completeWords(c, map[string][]string{"log.level": logLevels, "log.format": logFormats})
}

var (
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"logfmt", "json"}
)

func (o *exporterOptions) check() error {
	return errors.Join(
		o.Source.check(), o.Waivers.check(),
		flagWord("log.level", "level", o.LogLevel, logLevels), flagWord("log.format", "format", o.LogFormat, logFormats),
	)
}

func flagWord(flag, kind, word string, all []string) error {
	if err := oneOf(kind, word, all); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}

func runExporter(ctx context.Context, f *Factory, o *exporterOptions) error {
	if err := o.Server.Check(); err != nil {
		return usage(err, o.Source.command)
	}
	targets, err := o.targets(ctx, f, newConsole(f.IO))
	if err != nil {
		return err
	}
	if o.Check {
		return o.tell(f.IO, targets)
	}
	stop, err := o.demo.start(ctx, f, o.Source)
	if err != nil {
		return err
	}
	defer stop()
	keepSmall()
	log := o.logger(f.IO.Err)
	e := exporter.New(exporter.Options{Log: log})
	if err := e.Configure(targets); err != nil {
		return err
	}
	server := o.Server
	server.Exporter, server.Log, server.Hangup = e, log, hangups()
	server.Version, server.Revision = thisVersion().Version, thisVersion().Revision
	server.Reload = func(ctx context.Context) ([]exporter.TargetConfig, error) {
		return o.targets(ctx, f, new(config.Console))
	}
	err = serveAndSample(ctx, e, server)
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return errEnded
	}
	return err
}

// keepSmall has garbage collected sooner than Go does by itself: an interval of 8,000 VMs leaves more behind than is kept of them. It
// takes a few hundredths of a second of an interval, and a third off the memory; GOGC decides where it is set.
func keepSmall() {
	const percent = 40
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// serveAndSample ends when either does, and leaves no session behind.
func serveAndSample(ctx context.Context, e *exporter.Exporter, o exporter.ServerOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	sampled := make(chan error, 1)
	go func() {
		err := e.Run(ctx)
		cancel(err)
		sampled <- err
	}()
	err := exporter.Serve(ctx, o)
	cancel(err)
	if other := <-sampled; err == nil {
		err = other
	}
	return err
}

// hangups are the SIGHUPs from now on: they no longer end the process.
func hangups() <-chan os.Signal {
	signal.Reset(syscall.SIGHUP)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c
}

// logger writes as other exporters do. What names hosts say is quoted by it.
func (o *exporterOptions) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.LogLevel)) // it was checked
	options := &slog.HandlerOptions{Level: level}
	if o.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// tell says what would be sampled.
func (o *exporterOptions) tell(io *iostreams.IO, targets []exporter.TargetConfig) error {
	for _, t := range targets {
		fmt.Fprintf(io.Out, "%s at %s: %s\n", iostreams.Sanitize(t.Name), iostreams.Sanitize(t.Address), join(t.Modules))
	}
	return nil
}

// demoServer is the demo fleet, once it runs.
type demoServer struct{ endpoint session.Endpoint }

func (d *demoServer) start(ctx context.Context, f *Factory, o sourceOptions) (stop func(), err error) {
	if !o.Demo {
		return func() {}, nil
	}
	p := f.IO.StartProgress("starting the demo fleet")
	defer p.Done()
	d.endpoint, stop, err = f.Demo(ctx, o.Scenarios)
	return stop, err
}

func (d *demoServer) dial(ctx context.Context) (*session.Session, error) {
	return session.Dial(ctx, d.endpoint)
}
