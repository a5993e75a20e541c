package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/pkg/inventory"
)

// snapshotOptions is what `vperf snapshot` was asked for.
type snapshotOptions struct {
	Source  sourceOptions
	Targets []string
	Out     string
}

func newSnapshot(f *Factory, run func(context.Context, *Factory, *snapshotOptions) error) *cobra.Command {
	o := new(snapshotOptions)
	if run == nil {
		run = runSnapshot
	}
	c := &cobra.Command{
		Use:   "snapshot [HOST...] --out FILE",
		Short: "Save the facts, to be judged anywhere",
		Long: `Reads every fact vperf knows of hosts and their VMs and saves it as JSON. The file
holds names, addresses and settings, and no secrets: of a VM's extra configuration
only tuning keys are read. It is readable by you alone.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or config, 130 interrupted.`,
		Example: `  vperf snapshot --demo --out fleet.json
  vperf audit --from fleet.json`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets = args
			if o.Out == "" {
				return usage(errors.New("--out FILE is missing: where to save the snapshot (- is standard output)"), c)
			}
			if err := o.Source.check(); err != nil {
				return usage(err, c)
			}
			return run(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, false)
	c.Flags().StringVar(&o.Out, "out", "", "save to `FILE` (- is standard output)")
	return c
}

func runSnapshot(ctx context.Context, f *Factory, o *snapshotOptions) error {
	source, err := o.Source.open(ctx, f)
	if err != nil {
		return err
	}
	defer source.close()
	s, err := source.Read(ctx, o.Targets, inventory.Everything())
	if err != nil {
		return err
	}
	if o.Out == "-" {
		return inventory.Save(f.IO.Out, s)
	}
	if err := saveSnapshot(o.Out, s); err != nil {
		return err
	}
	for _, v := range s.VCenters {
		fmt.Fprintf(f.IO.Err, "saved %d hosts and %d VMs of %s to %s\n", len(v.Hosts), len(v.VMs), v.Name, o.Out)
	}
	return nil
}

// saveSnapshot replaces the file only when all of it is written: an old snapshot survives a full disk.
func saveSnapshot(path string, s *inventory.Snapshot) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".vperf-*")
	if err != nil {
		return fmt.Errorf("saving snapshot to %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // best effort: the error that matters is the first
			err = fmt.Errorf("saving snapshot to %s: %w", path, err)
		}
	}()
	err = errors.Join(inventory.Save(tmp, s), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
