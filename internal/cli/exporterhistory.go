package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
)

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
