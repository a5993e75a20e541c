package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/inventory"
)

// snapshotOptions are the options of `vperf snapshot`.
type snapshotOptions struct {
	Source  sourceOptions
	Targets inventory.Targets
	For     time.Duration
	Redact  bool
	Out     string
}

func newSnapshot(f *Factory) *cobra.Command {
	o := new(snapshotOptions)
	c := &cobra.Command{
		Use:   "snapshot [HOST...] --out FILE",
		Short: "Save all facts to a file, to audit them anywhere",
		Long: `Reads all facts about hosts and VMs and saves them as JSON. The file contains
names, addresses and settings but no secrets: of the extra configuration of VMs
only tuning keys are read. Only you can read the file. --for adds measured
counters: median, 95th percentile and worst value. --from saves what a saved
snapshot or an RVTools export has.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or config, 130 interrupted.`,
		Example: `  vperf snapshot --demo --out fleet.json
  vperf snapshot host01 --for 5m --out host01.json
  vperf snapshot --redact --out for-a-colleague.json
  vperf snapshot --from rvtools.xlsx --out fleet.json
  vperf audit --from fleet.json`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if o.Out == "" {
				return usage(errors.New("--out FILE is missing: where to save the snapshot (- is standard output)"), c)
			}
			if err := o.Source.check(); err != nil {
				return usage(err, c)
			}
			if err := checkFor(o.For, o.Source.file()); err != nil {
				return usage(err, c)
			}
			return runSnapshot(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, true)
	o.Source.addRealtimeFlag(c)
	flags := c.Flags()
	flags.StringVar(&o.Out, "out", "", "save to `FILE` (- is standard output)")
	config.OwnName(flags, "out")
	flags.StringSliceVar(&o.Targets.Clusters, "cluster", nil, "only the hosts of these `CLUSTERS`")
	completeTargets(c, &o.Source)
	flags.DurationVar(&o.For, "for", 0, "also save counters, measured for this `DURATION`, such as 5m")
	flags.BoolVar(&o.Redact, "redact", false, "replace names, paths, ids and addresses with invented ones")
	return c
}

func runSnapshot(ctx context.Context, f *Factory, o *snapshotOptions) error {
	to, err := iostreams.OpenDestination(o.Out, f.IO.Out)
	if err != nil {
		return fmt.Errorf("saving snapshot to %s: %w", o.Out, err)
	}
	defer to.Discard()
	o.Source.replayLast(o.For)
	from, err := o.Source.open(ctx, f)
	if err != nil {
		return err
	}
	defer from.Close()
	s, err := audit.Everything(ctx, from, o.Targets)
	if err != nil {
		return err
	}
	if err := audit.Measure(ctx, from, s, o.For, nil); err != nil {
		return err
	}
	if o.Redact {
		if s, err = inventory.Redact(s); err != nil {
			return fmt.Errorf("redacting the snapshot: %w", err)
		}
	}
	if err := to.Save(func(w io.Writer) error { return inventory.Save(iostreams.JSONWriter(w), s) }); err != nil {
		return fmt.Errorf("saving snapshot to %s: %w", o.Out, err)
	}
	if o.Out != iostreams.Stdout {
		reportSaved(f.IO, s, o.Out)
	}
	return nil
}

func reportSaved(io *iostreams.IO, s *inventory.Snapshot, path string) {
	for _, v := range s.VCenters {
		fmt.Fprintf(io.Err, "saved %d hosts and %d VMs of %s to %s\n", len(v.Hosts), len(v.VMs), v.Name, path)
	}
}
