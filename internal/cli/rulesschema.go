package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/docs/schema"
	"github.com/vperf/vperf/internal/config"
)

func newRulesSchema(f *Factory) *cobra.Command {
	out := stdoutName
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of rule files, for editors",
		Long: `Prints the JSON Schema (draft 2020-12) of rule files. An editor with
yaml-language-server checks and completes a rule whose first line names it:

  # yaml-language-server: $schema=rule.schema.json

Exit status: 0 done, 1 the file cannot be written.`,
		Example: `  vperf rules schema --out rule.schema.json`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return save(f, "the schema of rules", out, func(w io.Writer) error {
				_, err := w.Write(schema.Rule)
				return err
			})
		},
	}
	c.Flags().StringVar(&out, "out", stdoutName, "write to `FILE` (- is standard output)")
	config.OwnName(c.Flags(), "out")
	return c
}

// save writes a text to a file, or to standard output.
func save(f *Factory, what, path string, write func(io.Writer) error) error {
	to, err := openDestination(path, f.IO.Out)
	if err == nil {
		defer to.discard()
		err = to.save(write)
	}
	if err != nil {
		return fmt.Errorf("writing %s to %s: %w", what, path, err)
	}
	return nil
}
