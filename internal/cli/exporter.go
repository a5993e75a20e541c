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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
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
	collectOften()
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
	for _, to := range o.Push.Addresses() {
		fmt.Fprintf(io.Out, "pushes by %s\n", iostreams.Sanitize(to))
	}
	return nil
}

// historyOptions are the options of `vperf exporter history`.
type historyOptions struct {
	exporterOptions

	Target string
	For    time.Duration
	Labels []string
	Out    string
}

func newExporterHistory(f *Factory) *cobra.Command {
	o := new(historyOptions)
	c := &cobra.Command{
		Use:   "history",
		Short: "Write the last hour as OpenMetrics, to backfill Prometheus",
		Long: `Writes the samples of the last hour that hosts keep as OpenMetrics with time
stamps, for

  promtool tsdb create-blocks-from openmetrics FILE DIRECTORY

It writes the measured metrics of the target's modules. Counters start at 0 at
the beginning of the history. All samples are in memory until they are written:
130 MB for one hour of 1,000 VMs. Write larger fleets in parts, with filters.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or config, 130 interrupted.`,
		Example: `  vperf exporter history --demo --out history.om
  vperf exporter history --target prod --for 30m --out history.om
  vperf exporter history --label job=vperf --label instance=prod --out history.om`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runHistory(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, false)
	flags := c.Flags()
	flags.StringVar(&o.Target, "target", "", "`NAME` of the target, if the config has several")
	flags.DurationVar(&o.For, "for", source.Kept, "`DURATION` to go back, at most 1h")
	flags.StringArrayVar(&o.Labels, "label", nil, "add the label `NAME=VALUE` to each series (default: job=vperf and instance=TARGET, as in deploy/prometheus)")
	flags.StringVar(&o.Out, "out", iostreams.Stdout, "write to this `FILE` (- is standard output)")
	config.OwnName(flags, "out", "for")
	return c
}

func (o *historyOptions) check() error {
	if o.For < source.ShortestWatch || o.For > source.Kept {
		return fmt.Errorf("--for: %s is out of range: from %s to 1h, because hosts keep their samples for one hour", iostreams.Brief(o.For), iostreams.Brief(source.ShortestWatch))
	}
	for _, l := range o.Labels {
		if name, value, ok := strings.Cut(l, "="); !ok || name == "" || value == "" {
			return fmt.Errorf("--label: %q is not a label: write NAME=VALUE, such as instance=prod", l)
		}
	}
	return o.Source.check()
}

func runHistory(ctx context.Context, f *Factory, o *historyOptions) error {
	targets, err := o.targets(ctx, f, newConsole(f.IO))
	if err != nil {
		return err
	}
	target, err := o.choose(targets)
	if err != nil {
		return usage(err, o.Source.command)
	}
	to, err := iostreams.OpenDestination(o.Out, f.IO.Out)
	if err != nil {
		return fmt.Errorf("writing the history to %s: %w", o.Out, err)
	}
	defer to.Discard()
	stop, err := o.demo.start(ctx, f, o.Source)
	if err != nil {
		return err
	}
	defer stop()
	p := f.IO.StartProgress("reading " + iostreams.Brief(o.For) + " of " + target.Name)
	defer p.Done()
	return to.Save(func(w io.Writer) error { return exporter.TargetHistory(ctx, target, o.For, o.labels(target.Name), w) })
}

// choose is the target that is meant.
func (o *historyOptions) choose(targets []exporter.TargetConfig) (exporter.TargetConfig, error) {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	switch i := slices.Index(names, o.Target); {
	case i >= 0:
		return targets[i], nil
	case o.Target != "":
		return exporter.TargetConfig{}, fmt.Errorf("--target: there is no target %s; the targets are %s", o.Target, strings.Join(names, ", "))
	case len(targets) > 1:
		return exporter.TargetConfig{}, errors.New("there are several targets: name one with --target: " + strings.Join(names, ", "))
	}
	return targets[0], nil
}

// labels are names and values in turn.
func (o *historyOptions) labels(target string) []string {
	if len(o.Labels) == 0 {
		return []string{"job", "vperf", "instance", target}
	}
	var pairs []string
	for _, l := range o.Labels {
		name, value, _ := strings.Cut(l, "=")
		pairs = append(pairs, name, value)
	}
	return pairs
}
