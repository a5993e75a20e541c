package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/probing"
	"github.com/vperf/vperf/pkg/inventory"
)

// probeOptions are the options of `vperf probe`.
type probeOptions struct {
	Source  sourceOptions
	Hosts   []string
	Out     string
	AllRows bool
}

// Limits of a probe.
const (
	probeHostLimit = 2 * time.Minute
	mostProbed     = 16 // hosts
)

func newProbe(f *Factory) *cobra.Command {
	o := new(probeOptions)
	c := &cobra.Command{
		Use:   "probe [HOST...] --out FILE",
		Short: "Save what a release offers, without names, to support it in vperf",
		Long: `Asks a server and its hosts what their release offers: definitions of advanced
options, counters, the schema of the Esxtop service, esxcli commands, drivers
and their parameters, and which calls are answered, with fault names and times.
It changes nothing. Without HOST it asks one host of each build.

The file contains no names, addresses, serial numbers or ids, and no values of
options. Read it before you send it: vperf probe show FILE describes it.
vperf rules tables import FILE adds its release to your tables.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or config, 130 interrupted.`,
		Example: `  vperf probe --demo --out probe.json
  vperf probe host01 --out probe.json
  vperf probe show probe.json
  vperf rules tables import probe.json`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Hosts = hostArgs(args)
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runProbe(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, false)
	completeTargets(c, &o.Source)
	c.Flags().StringVar(&o.Out, "out", iostreams.Stdout, "save to `FILE` (- is standard output)")
	c.Flags().BoolVar(&o.AllRows, "all-rows", false, "keep all rows of the Esxtop service's answer, which may be megabytes")
	config.OwnName(c.Flags(), "out", "all-rows")
	c.AddCommand(newProbeShow(f))
	return c
}

func (o *probeOptions) check() error {
	if len(o.Source.Contexts) > 1 || o.Source.AllContexts {
		return errors.New("a probe is of one server: choose it with --context NAME")
	}
	return o.Source.check()
}

func runProbe(ctx context.Context, f *Factory, o *probeOptions) error {
	to, err := iostreams.OpenDestination(o.Out, f.IO.Out)
	if err != nil {
		return fmt.Errorf("saving the probe to %s: %w", o.Out, err)
	}
	defer to.Discard()
	from, err := o.Source.open(ctx, f)
	if err != nil {
		return err
	}
	defer from.Close()
	server, ok := from.(*source.Server)
	if !ok {
		return usage(errors.New("a probe is of one server: choose it with --context NAME"), o.Source.command)
	}
	hosts, err := o.targets(ctx, f, server)
	if err != nil {
		return err
	}
	p := f.IO.StartProgress("probing")
	file, err := probing.Probe(ctx, server.Session, hosts, probing.Options{
		Version: thisVersion().Version, Day: string(f.Today()), AllRows: o.AllRows, Notify: p.Update, Limit: probeHostLimit,
	})
	p.Done()
	if err != nil {
		return err
	}
	if err := to.Save(func(w io.Writer) error { return probe.Write(iostreams.JSONWriter(w), file) }); err != nil {
		return fmt.Errorf("saving the probe to %s: %w", o.Out, err)
	}
	if o.Out != iostreams.Stdout {
		fmt.Fprintf(f.IO.Err, "saved a probe of %s to %s; vperf probe show %s describes it\n", plural.Count(len(file.Hosts), "host"), o.Out, iostreams.Shown(o.Out))
	}
	return nil
}

// targets chooses the hosts: those that the user named, or one of each build that responds.
func (o *probeOptions) targets(ctx context.Context, f *Factory, server *source.Server) ([]probing.Target, error) {
	var needs inventory.Needs
	needs.AddFact("Host.version", "Host.build")
	s, err := server.Read(ctx, inventory.Targets{Hosts: o.Hosts}, needs)
	if err != nil {
		return nil, err
	}
	var all []probing.Target
	seen := map[string]bool{}
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			version, _ := h.Version.Value()
			build, _ := h.Build.Value()
			key := version.String() + " " + build
			switch {
			case h.Unread != "":
				if len(o.Hosts) > 0 {
					fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Sanitize("skipped "+h.Name+": "+h.Unread))
				}
			case len(o.Hosts) == 0 && seen[key]:
			default:
				seen[key] = true
				all = append(all, probing.Target{ID: h.ID, Name: h.Name})
			}
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("no host responds, so there is nothing to probe")
	case len(all) > mostProbed && len(o.Hosts) > 0:
		return nil, usage(fmt.Errorf("%d hosts are too many for one probe: name up to %d, one of each build", len(all), mostProbed), o.Source.command)
	}
	return all[:min(len(all), mostProbed)], nil
}

func newProbeShow(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Describe a probe file in words",
		Long: `Describes a probe file in words: releases, hardware, what it contains and which
calls were refused. The file itself is JSON with one entry per line.

Exit status: 0 done, 2 wrong usage, or the file is no probe.`,
		Example: "  vperf probe show probe.json",
		Args:    oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := loadProbe(c.Context(), f.IO, args[0])
			if err != nil {
				return err
			}
			for _, line := range probe.Summary(file) {
				printWrapped(f.IO, line)
			}
			return nil
		},
		ValidArgsFunction: completeJSON,
	}
}

// printWrapped prints a line; on a terminal, what does not fit continues below, indented.
func printWrapped(streams *iostreams.IO, line string) {
	const below = "             "
	line = iostreams.Sanitize(line)
	if width := streams.Width(); width > 0 && doc.Width(line) > width {
		line = doc.Wrap(line, below, width)
	}
	fmt.Fprintln(streams.Out, line)
}

func completeJSON(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

// loadProbe reads a probe file; - is standard input.
func loadProbe(ctx context.Context, streams *iostreams.IO, path string) (*probe.Loaded, error) {
	in := userfile.Stream(ctx, streams.In)
	if path == source.Stdin {
		if err := piped(streams, "FILE"); err != nil {
			return nil, fileError("%w", err)
		}
	} else {
		file, err := userfile.Open(path)
		if err != nil {
			return nil, fileError("reading probe: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	loaded, err := probe.Load(userfile.Watched(ctx, userfile.Text(userfile.Probe.Bound(in))), path)
	if err != nil {
		return nil, fileError("%w", err)
	}
	return loaded, nil
}
