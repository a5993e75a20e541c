package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/doc"
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
	target, err := chooseTarget(targets, o.Target)
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

// chooseTarget is the target that is meant, by its name if there are several.
func chooseTarget(targets []exporter.TargetConfig, name string) (exporter.TargetConfig, error) {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	switch i := slices.Index(names, name); {
	case i >= 0:
		return targets[i], nil
	case name != "":
		return exporter.TargetConfig{}, fmt.Errorf("--target: there is no target %s; the targets are %s", name, strings.Join(names, ", "))
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

// shardsOptions are the options of `vperf exporter plan`.
type shardsOptions struct {
	exporterOptions

	Target    string
	Replicas  int
	Addresses []string
	Output    outputs
}

func newExporterPlan(f *Factory) *cobra.Command {
	o := &shardsOptions{Output: outputs{offered: []format{{name: "table"}, {name: "json"}, {name: "yaml"}, {name: "prometheus", open: true}}}}
	c := &cobra.Command{
		Use:   "plan",
		Short: "Divide the hosts of a target among several exporters",
		Long: `Shows how --shard divides the hosts of a target among exporters, with the
series, the memory and the calls per sampling interval that each should need. It
reads the list of hosts and VMs, and changes nothing. A hash of the host's
managed object id decides about each host; its VMs follow it.

The forecast multiplies numbers of hosts, VMs and CPUs by what the demo fleet
needs for each: your hosts may have more or fewer devices.

-o prometheus=FILE writes the scrape configuration of these exporters.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or config, 130 interrupted.`,
		Example: `  vperf exporter plan --demo --replicas 3
  vperf exporter plan --target prod --replicas 3 -o table -o prometheus=shards.yml
  vperf exporter --shard 2/3`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runExporterPlan(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, false)
	flags := c.Flags()
	flags.StringVar(&o.Target, "target", "", "`NAME` of the target, if the config has several")
	flags.IntVar(&o.Replicas, "replicas", 2, "`NUMBER` of exporters that share the target")
	flags.StringSliceVar(&o.Addresses, "address", nil, "`ADDRESS` of each exporter, in the order of the shards (default vperf-1.example.com:10048 and so on)")
	o.Output.addFlag(c)
	return c
}

func (o *shardsOptions) check() error {
	switch {
	case o.Replicas < 1 || o.Replicas > shard.Most:
		return fmt.Errorf("--replicas: %d is out of range: from 1 to %d", o.Replicas, shard.Most)
	case len(o.Addresses) > 0 && len(o.Addresses) != o.Replicas:
		return fmt.Errorf("--address: %d addresses for %d replicas: give one for each, separated by commas", len(o.Addresses), o.Replicas)
	}
	return errors.Join(o.Source.check(), o.Waivers.check())
}

func runExporterPlan(ctx context.Context, f *Factory, o *shardsOptions) error {
	targets, err := o.targets(ctx, f, newConsole(f.IO))
	if err != nil {
		return err
	}
	target, err := chooseTarget(targets, o.Target)
	if err != nil {
		return usage(err, o.Source.command)
	}
	to, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer to.discard()
	stop, err := o.demo.start(ctx, f, o.Source)
	if err != nil {
		return err
	}
	defer stop()
	p := f.IO.StartProgress("listing the hosts of " + target.Name)
	hosts, err := exporter.ReadHosts(ctx, target)
	p.Done()
	if err != nil {
		return err
	}
	parts := shard.Plan(hosts, stringsOf(target.Modules), o.Replicas)
	return to.write(f, func(f format, w io.Writer, _ report.Terminal) error {
		switch f.name {
		case "json":
			return writeJSON(w, map[string]any{"target": target.Name, "maxSeries": target.MaxSeries, "shards": parts})
		case "prometheus":
			return shard.Scrape{Target: target.Name, Addresses: o.addresses(), Most: mostSeriesOf(parts)}.Write(w)
		}
		return writeShards(w, target, parts)
	})
}

// addresses are those that are typed, or examples.
func (o *shardsOptions) addresses() []string {
	if len(o.Addresses) > 0 {
		return o.Addresses
	}
	var all []string
	for n := range o.Replicas {
		all = append(all, fmt.Sprintf("vperf-%d.example.com:%d", n+1, exporter.DefaultPort))
	}
	return all
}

func mostSeriesOf(parts []shard.Part) (most int) {
	for _, p := range parts {
		most = max(most, p.Series)
	}
	return most
}

// writeShards writes the plan for a person.
func writeShards(w io.Writer, t exporter.TargetConfig, parts []shard.Part) error {
	table := doc.Table{Head: []string{"SHARD", "HOSTS", "VMS", "SERIES", "MEMORY", "CALLS"}}
	for _, p := range parts {
		table.Add(p.Shard, strconv.Itoa(p.Hosts), strconv.Itoa(p.VMs), strconv.Itoa(p.Series), fmt.Sprintf("%d MiB", p.Memory>>20), strconv.Itoa(p.Calls))
	}
	notes := []doc.Block{
		doc.P("Series, memory and calls per 20 s are forecasts for ", t.Name, "."),
		doc.P("Shard 1 also serves clusters, datastores and the audit, whose surveys need more memory for a while."),
	}
	limit := t.MaxSeries
	if limit == 0 {
		limit = exporter.DefaultMaxSeries
	}
	if most := mostSeriesOf(parts); most > limit {
		notes = append(notes, doc.P(fmt.Sprintf("A shard has more series than max-series allows (%d): use more replicas, or set max-series to %d or more.", limit, (most*5/4+9_999)/10_000*10_000)))
	}
	return doc.Of(table.Block(), doc.Group(notes...)).Terminal(w, 0, iostreams.Style{})
}
