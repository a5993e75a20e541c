package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/page"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// reportOptions are the options of `vperf report`.
type reportOptions struct {
	adviceRequest

	Out string
}

func newReport(f *Factory) *cobra.Command {
	o := new(reportOptions)
	c := &cobra.Command{
		Use:   "report [HOST...] --out FILE",
		Short: "Write findings and advice as one HTML file",
		Long: `Writes the results of vperf advise and vperf audit as one HTML file for readers
who do not have vperf: what to do first, findings, host layout, counters over
time, changes made from this machine, and data that could not be read. The page
needs no network and no script, can be printed, and follows light and dark mode.
It contains the names of hosts and VMs; only you can read the file. With --since
it begins with what changed since a snapshot that vperf audit --keep stored.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, rule, waiver or config,
130 interrupted.`,
		Example: `  vperf report --demo --out fleet.html
  vperf report --from fleet.json --out fleet.html
  vperf report host01 host02 --for 5m --out two-hosts.html
  vperf report --since 7d --out week.html
  vperf report --capture esxtop.csv.gz --from fleet.json --out night.html`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if o.Out == "" {
				return usage(errors.New("--out FILE is missing: where to write the report (- is standard output)"), c)
			}
			if err := o.check(c); err != nil {
				return usage(err, c)
			}
			if o.since.Given && (len(o.Captures) > 0 || !o.Targets.Everything()) {
				return usage(errors.New("--since compares the whole server: leave out HOST, --cluster and --capture"), c)
			}
			return runReport(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	c.Flags().StringVar(&o.Out, "out", "", "write to `FILE` (- is standard output)")
	config.OwnName(c.Flags(), "out")
	c.Flags().Var(&o.since, "since", "begin with the changes since the newest kept snapshot of at least this `AGE`, such as 7d")
	config.OnlyTyped(c.Flags(), "since")
	return c
}

func runReport(ctx context.Context, f *Factory, o *reportOptions) error {
	defer o.saveMemory()()
	to, err := iostreams.OpenDestination(o.Out, f.IO.Out)
	if err != nil {
		return fmt.Errorf("writing the report to %s: %w", o.Out, err)
	}
	defer to.Discard()
	data, err := o.run(ctx, f)
	if err != nil {
		return err
	}
	if !o.Source.Demo {
		data.Changes = changesOf(f, data.Snapshot)
		data.MeasuredHere = measuredHere(f.IO, serverOf(data.Snapshot))
	}
	if err := saveTo(f.IO, to, "the report", o.Out, func(w io.Writer) error { return page.Write(w, view.New(data)) }); err != nil {
		return err
	}
	printWarnings(f.IO, data)
	return nil
}

// saveFile writes a file, and says how large it is. "-" is standard output.
func saveFile(streams *iostreams.IO, what, path string, write func(io.Writer) error) error {
	to, err := iostreams.OpenDestination(path, streams.Out)
	if err != nil {
		return fmt.Errorf("writing %s to %s: %w", what, path, err)
	}
	defer to.Discard()
	return saveTo(streams, to, what, path, write)
}

func saveTo(streams *iostreams.IO, to *iostreams.Destination, what, path string, write func(io.Writer) error) error {
	size := new(byteCounter)
	if err := to.Save(func(w io.Writer) error { return write(io.MultiWriter(w, size)) }); err != nil {
		return fmt.Errorf("writing %s to %s: %w", what, path, err)
	}
	if path != iostreams.Stdout {
		fmt.Fprintf(streams.Err, "wrote %s (%s)\n", iostreams.Sanitize(path), iostreams.Bytes(int64(*size)))
	}
	return nil
}

// byteCounter is a writer that counts bytes.
type byteCounter int64

// Write implements io.Writer.
func (s *byteCounter) Write(b []byte) (int, error) {
	*s += byteCounter(len(b))
	return len(b), nil
}

// changesOf are the runs that changed a snapshot's servers, as far as this machine knows. Journals that cannot be read are no
// reason to write no report.
func changesOf(f *Factory, s *inventory.Snapshot) []*tuning.Run {
	all, err := listRuns()
	if err != nil {
		fmt.Fprintf(f.IO.Err, "vperf: warning: the report does not show the changes made by vperf: %s\n", iostreams.Sanitize(err.Error()))
	}
	known := serverOf(s)
	return slices.DeleteFunc(all, func(r *tuning.Run) bool { return !known(r.Server) })
}
