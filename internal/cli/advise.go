package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
)

// adviseOptions is what `vperf advise` was asked for.
type adviseOptions struct {
	consultation

	All    bool
	Output outputs
}

func newAdvise(f *Factory) *cobra.Command {
	o := &adviseOptions{Output: outputs{offered: []format{{name: "table"}, {name: "json"}, {name: "yaml"}, {name: "md"}}}}
	c := &cobra.Command{
		Use:   "advise [HOST...]",
		Short: "Say what to do first, and on what evidence",
		Long: `Reads hosts and their VMs, watches their counters, ties what shows in them to its
causes, and says what to do first: what it costs now, why we think so, what a
change should bring and where that was measured, what it takes, and what could
not be seen.

A HOST is an inventory name, a DNS name, a short name, an IP address or an id;
none means everything the server has.

Up to 4 hosts are watched through their Esxtop service, as esxtop does; of more
the samples are taken that hosts keep, which lack some of it, such as remote
memory. --source esxtop asks up to 16. Ctrl-C ends the watch; from 40 seconds on
what was seen until then is the answer. With --capture the counters come from
batch CSVs of esxtop (esxtop -b -a); --from, --context or --url beside it says
how those hosts and VMs are configured, else counters alone have to do.

A terminal is told what it takes to decide. --all adds prices, further proof,
what else shows a cause, and long lists whole; -o md and -o json have them too.

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
	c.Flags().BoolVar(&o.All, "all", false, "show all there is to say, and long lists whole")
	o.Output.addFlag(c)
	return c
}

func runAdvise(ctx context.Context, f *Factory, o *adviseOptions) error {
	defer o.spare()()
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	data, err := o.ask(ctx, f)
	if err != nil {
		return err
	}
	data.Whole = o.All
	if err := sinks.write(f.IO, adviceIn(view.New(data))); err != nil && !iostreams.IsBrokenPipe(err) {
		return err
	}
	tellWarnings(f.IO, data)
	return nil
}

// adviceIn writes advice in one of its formats.
func adviceIn(v *view.View) render {
	return func(f format, w io.Writer, t report.Terminal) error {
		switch f.name {
		case "json":
			return report.AdviceJSON(w, v)
		case "md":
			return report.AdviceMarkdown(w, v)
		}
		return report.AdviceTable(w, v, t)
	}
}
