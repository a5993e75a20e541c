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

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/push"
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
the server of VPERF_URL or GOVC_URL. If a reload finds a mistake in the config,
the old targets stay. Where nothing may scrape, --remote-write and --otlp push
the same series. The exporter connects to no other address.

Exit status: 0 ended by a signal, 1 vperf failed, 2 wrong usage or config.`,
		Example: `  vperf exporter --demo
  curl 'http://localhost:10048/probe?target=demo'
  vperf exporter --context prod --context lab
  vperf exporter --web.config.file web.yaml --web.listen-address :10048
  vperf exporter --remote-write https://prometheus.example.com/api/v1/write
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
	c.AddCommand(newExporterHistory(f), newExporterPlan(f))
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
	f.StringVar(&o.Shard, "shard", "", "export only the `N/M` shard of each target's hosts, such as 2/3, with their VMs")
	f.StringVar(&o.Counters, "counters.dir", "", "keep counters in this `FOLDER`, so that they continue after a restart")
	f.BoolVar(&o.Check, "config.check", false, "check the config, print the targets, and exit")
	f.StringVar(&o.LogLevel, "log.level", "info", "log messages of this `LEVEL` and above: debug, info, warn or error")
	f.StringVar(&o.LogFormat, "log.format", "logfmt", "logfmt or json")
	o.addPushFlags(c)
	config.OnlyTyped(f, "config.check")
	completeWords(c, map[string][]string{"log.level": logLevels, "log.format": logFormats})
}

var (
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"logfmt", "json"}
)

func (o *exporterOptions) check() error {
	_, err := shard.Parse(o.Shard)
	if err != nil {
		err = fmt.Errorf("--shard: %w", err)
	}
	return errors.Join(
		err, o.checkFolder(), o.Source.check(), o.Waivers.check(),
		flagWord("log.level", "level", o.LogLevel, logLevels), flagWord("log.format", "format", o.LogFormat, logFormats),
	)
}

// checkFolder reports a folder that is not there: vperf would notice when it saves counters for the first time.
func (o *exporterOptions) checkFolder() error {
	if o.Counters == "" {
		return nil
	}
	info, err := os.Stat(o.Counters)
	switch {
	case err != nil:
		return fmt.Errorf("--counters.dir: %w: create the folder, writable for vperf only", err)
	case !info.IsDir():
		return fmt.Errorf("--counters.dir: %s is not a folder", o.Counters)
	}
	return nil
}

func flagWord(flag, kind, word string, all []string) error {
	if err := oneOf(kind, word, all); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}

func runExporter(ctx context.Context, f *Factory, o *exporterOptions) error {
	if err := errors.Join(o.Server.Check(), o.Push.Check()); err != nil {
		return usage(err, o.Source.command)
	}
	targets, err := o.targets(ctx, f, newConsole(f.IO))
	if err != nil {
		return err
	}
	if err := exporter.Check(targets); err != nil {
		return usage(err, o.Source.command)
	}
	if o.Check {
		return o.printTargets(f.IO, targets)
	}
	stop, err := o.demo.start(ctx, f, o.Source)
	if err != nil {
		return err
	}
	defer stop()
	collectAt(exporterGarbage)
	log := o.logger(f.IO.Err)
	pusher, err := o.pusher(log)
	if err != nil {
		return err
	}
	e := exporter.New(exporter.Options{Log: log, Push: pusher.pages(), PushEvery: o.Push.Interval})
	if err := e.Configure(targets); err != nil {
		return err
	}
	server := o.Server
	server.Exporter, server.Log, server.Hangup = e, log, hangups()
	server.Push, server.PushEvery = pusher.pages(), o.Push.Interval
	server.Version, server.Revision = thisVersion().Version, thisVersion().Revision
	server.Reload = func(ctx context.Context) ([]exporter.TargetConfig, error) {
		// Values for flags count at the start, but a mistake in them is one of the file whenever it is read.
		if _, err := config.LoadFlags(inforce.FlagNames(o.Source.command.Root())); err != nil {
			return nil, err
		}
		return o.targets(ctx, f, new(config.Console))
	}
	err = pusher.during(ctx, func(ctx context.Context) error { return serveAndSample(ctx, e, server) })
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return errEnded
	}
	return err
}

// exporterGarbage is in percent of the live heap. An interval of 8,000 VMs leaves more behind than is kept of them: it takes a few
// hundredths of a second of an interval, and a third off the memory.
const exporterGarbage = 40

// collectAt has garbage collected when it reaches this percentage of the live heap; GOGC decides where it is set.
func collectAt(percent int) {
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
	for _, to := range o.Push.Addresses() {
		fmt.Fprintf(io.Out, "pushes by %s\n", iostreams.Sanitize(to))
	}
	return nil
}

func (o *exporterOptions) addPushFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Push.RemoteWrite.URL, "remote-write", "", "push the series to this `URL` by Prometheus remote write")
	f.StringVar(&o.Push.RemoteWrite.ConfigFile, "remote-write.config.file", "", "credentials and TLS of --remote-write: a `FILE` in Prometheus's format http_config")
	f.StringVar(&o.Push.OTLP.URL, "otlp", "", "push the series to this `URL` by OpenTelemetry's protocol (OTLP over HTTP)")
	f.StringVar(&o.Push.OTLP.ConfigFile, "otlp.config.file", "", "credentials and TLS of --otlp: a `FILE` in Prometheus's format http_config")
	f.DurationVar(&o.Push.Interval, "push.interval", push.DefaultInterval, "push each series once per `DURATION`, from 20s to 5m")
	f.IntVar(&o.Push.BufferMiB, "push.buffer", push.DefaultBufferMiB, "keep up to this many `MIB` of samples in memory while a receiver does not answer")
	f.StringArrayVar(&o.Push.Labels, "push.label", nil, "add the label `NAME=VALUE` to each pushed series; may be repeated")
}

// pusher is the pusher of the exporter; nil: nothing is pushed.
type pusher struct{ *push.Pusher }

func (o *exporterOptions) pusher(log *slog.Logger) (pusher, error) {
	if !o.Push.Enabled() {
		return pusher{}, nil
	}
	options := o.Push
	options.Log, options.Version = log, thisVersion().Version
	p, err := push.New(options)
	return pusher{p}, err
}

// pages returns what takes the pages of the exporter; nil: nothing does.
func (p pusher) pages() exporter.Pusher {
	if p.Pusher == nil {
		return nil
	}
	return p.Pusher
}

// during runs do and pushes samples meanwhile. When do has ended, it pushes the samples that are left.
func (p pusher) during(ctx context.Context, do func(context.Context) error) error {
	if p.Pusher == nil {
		return do(ctx)
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(sending)
	}()
	err := do(ctx)
	stop()
	<-ended
	return err
}
