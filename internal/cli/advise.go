package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
)

// adviseOptions are the options of `vperf advise`.
type adviseOptions struct {
	adviceRequest

	All    bool
	Output outputs
}

func newAdvise(f *Factory) *cobra.Command {
	o := &adviseOptions{Output: outputs{offered: []format{{name: "table"}, {name: "json"}, {name: "yaml"}, {name: "md"}}}}
	c := &cobra.Command{
		Use:   "advise [HOST...]",
		Short: "Recommend what to fix first, with measured evidence",
		Long: `Reads hosts and VMs, measures their counters, finds the causes of what they
show, and recommends what to fix first: the cost now, the evidence, the expected
benefit and where it was measured, the effort, and the data that was missing.

HOST is an inventory name, DNS name, short name, IP address or id, or a shell
pattern; commas separate several. The default is all hosts of the server.

Counters of up to 4 hosts come from their Esxtop service, as in esxtop. For more
hosts vperf uses the samples that the hosts keep. They do not include some
counters, such as remote memory; --source esxtop reads up to 16 hosts from
their Esxtop service. Ctrl-C ends the
measurement; after 40 seconds it is long enough for advice. --capture reads
counters from batch CSVs of esxtop (esxtop -b -a) instead; --from, --context or
--url beside it provide the configuration of those hosts and VMs.

The table shows the most important facts. --all, -o md and -o json show all.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, rule, waiver or config,
130 interrupted.`,
		Example: `  vperf advise --demo --for 1m
  vperf advise host01 --for 5m
  vperf advise --cluster general --profile database
  vperf advise --capture esxtop.csv.gz
  ssh host01 esxtop -b -a -d 5 -n 12 | vperf advise --capture -
  vperf advise --capture host01.csv --capture host02.csv --from fleet.json -o md=ticket.md`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := o.check(c); err != nil {
				return usage(err, c)
			}
			return runAdvise(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.All, "all", false, "show everything: evidence, benefits, efficiency, hot spots, whole lists")
	o.Output.addFlag(c)
	return c
}

func runAdvise(ctx context.Context, f *Factory, o *adviseOptions) error {
	defer o.saveMemory()()
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	data, err := o.run(ctx, f)
	if err != nil {
		return err
	}
	data.Whole = o.All
	if !o.Source.Demo {
		data.MeasuredHere = measuredHere(f.IO, serverOf(data.Snapshot))
	}
	if err := sinks.write(f, adviceIn(view.New(data))); err != nil && !iostreams.IsBrokenPipe(err) {
		return err
	}
	printWarnings(f.IO, data)
	return nil
}

// adviceIn writes advice in one of its formats.
func adviceIn(v *view.View) render {
	return func(f format, w io.Writer, t report.Terminal) error {
		switch f.name {
		case "json":
			return report.AdviceJSON(w, v)
		case "md":
			return report.AdviceTicket(v).Markdown(w)
		}
		return t.Show(w, report.Advice(v, t))
	}
}
