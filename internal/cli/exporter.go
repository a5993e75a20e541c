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
)

func newExporter(f *Factory) *cobra.Command {
	o := new(exporterOptions)
	c := &cobra.Command{
		Use:   "exporter",
		Short: "Export metrics and findings to Prometheus",
		Long: `Samples vCenters and ESXi hosts every 20 seconds, the interval of their own
counters, and serves the samples to Prometheus. Several scrapers cause no extra
load on a server.

  /probe?target=NAME  the counters, inventory and findings of a target
  /metrics            the exporter's own metrics
  /sd/hosts           the hosts, for Prometheus's HTTP service discovery
  /                   a page of targets, ages and findings
  /-/healthy, /-/ready, /-/reload (POST; SIGHUP does the same)

The targets are those under exporter in the config file, else its contexts, else
the server of VPERF_URL or GOVC_URL. The exporter connects to no other address.
If a reload finds a mistake in the config, the old targets stay.

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
			return runExporter(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	c.AddCommand(newExporterHistory(f))
	return c
}

func (o *exporterOptions) addFlags(c *cobra.Command) {
	o.Source.addFlags(c, false)
	o.Waivers.addFlags(c)
	f := c.Flags()
	f.StringSliceVar(&o.Server.Listen, "web.listen-address", []string{exporter.DefaultListen}, "listen at this `ADDRESS`; may be repeated")
	f.StringVar(&o.Server.ConfigFile, "web.config.file", "", "TLS, users, client certificates and limits, as Prometheus's exporter-toolkit reads them from this `FILE`")
	f.BoolVar(&o.Server.Systemd, "web.systemd-socket", false, "listen on the sockets that systemd passes")
	f.StringVar(&o.Server.TelemetryPath, "web.telemetry-path", exporter.DefaultTelemetryPath, "`PATH` of the exporter's own metrics")
	f.StringVar(&o.Server.RoutePrefix, "web.route-prefix", "", "`PATH` in front of all others, for a proxy that does not strip it")
	f.DurationVar(&o.Server.TimeoutOffset, "probe.timeout-offset", exporter.DefaultTimeoutOffset, "answer a probe this `DURATION` before the scrape times out")
	f.BoolVar(&o.Check, "config.check", false, "check the config, print the targets, and exit")
	f.StringVar(&o.LogLevel, "log.level", "info", "log messages of this `LEVEL` and above: debug, info, warn or error")
	f.StringVar(&o.LogFormat, "log.format", "logfmt", "logfmt or json")
	config.OnlyTyped(f, "config.check")
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
		return o.printTargets(f.IO, targets)
	}
	stop, err := o.demo.start(ctx, f, o.Source)
	if err != nil {
		return err
	}
	defer stop()
	collectOften()
	log := o.logger(f.IO.Err)
	e := exporter.New(exporter.Options{Log: log})
	if err := e.Configure(targets); err != nil {
		return err
	}
	server := o.Server
	server.Exporter, server.Log, server.Hangup = e, log, hangups()
	server.Version, server.Revision = thisVersion().Version, thisVersion().Revision
	server.Reload = func(ctx context.Context) ([]exporter.TargetConfig, error) {
		// Values for flags count at the start, but a mistake in them is one of the file whenever it is read.
		if _, err := config.LoadFlags(flagNames(o.Source.command.Root())); err != nil {
			return nil, err
		}
		return o.targets(ctx, f, new(config.Console))
	}
	err = serveAndSample(ctx, e, server)
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return errEnded
	}
	return err
}

// collectOften has garbage collected sooner than Go does by itself: an interval of 8,000 VMs leaves more behind than is kept of them. It
// takes a few hundredths of a second of an interval, and a third off the memory; GOGC decides where it is set.
func collectOften() {
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

// logger returns a logger in the format of other exporters. It quotes untrusted names.
func (o *exporterOptions) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.LogLevel)) // it was checked
	options := &slog.HandlerOptions{Level: level}
	if o.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// printTargets prints what the exporter would sample.
func (o *exporterOptions) printTargets(io *iostreams.IO, targets []exporter.TargetConfig) error {
	for _, t := range targets {
		fmt.Fprintf(io.Out, "%s at %s: %s\n", iostreams.Sanitize(t.Name), iostreams.Sanitize(t.Address), join(t.Modules))
	}
	return nil
}
