package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/vsphere/read"
)

// docsOptions is what `vperf rules docs` was asked for.
type docsOptions struct {
	Files []string
	Out   string
}

func newRulesDocs(f *Factory, run func(context.Context, *Factory, *docsOptions) error) *cobra.Command {
	o := new(docsOptions)
	if run == nil {
		run = runRulesDocs
	}
	c := &cobra.Command{
		Use:   "docs",
		Short: "Print the guide that the rules make",
		Long: `Prints the guide to best practices as Markdown: every rule with why it matters, what
it was measured to bring, how vperf looks and how it is fixed. Rules of your own
stand in it like vperf's.

Exit status: 0 done, 1 a file cannot be read or written, 2 wrong usage or rule.`,
		Example: `  vperf rules docs --out best-practices.md
  vperf rules docs --rules ./my-rules --out ours.md`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return run(c.Context(), f, o)
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&o.Files, "rules", nil, "add rules of your own from a `FILE` or folder")
	flags.StringVar(&o.Out, "out", stdoutName, "write to `FILE` (- is standard output)")
	return c
}

func runRulesDocs(_ context.Context, f *Factory, o *docsOptions) error {
	library, err := f.Library(o.Files, false)
	if err != nil {
		return err
	}
	return save(f, "the guide", o.Out, func(w io.Writer) error { return report.Guide(w, library, read.Origins()) })
}
