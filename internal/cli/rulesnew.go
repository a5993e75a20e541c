package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// newRuleOptions is what `vperf rules new` was asked for.
type newRuleOptions struct {
	ID       string
	Category string
	Scope    string
	Out      string
}

func newRulesNew(f *Factory) *cobra.Command {
	o := new(newRuleOptions)
	c := &cobra.Command{
		Use:   "new ID",
		Short: "Write a rule to begin with",
		Long: `Writes a small rule of a scope that is whole and works, to be changed into your own.
A file that is there already is left alone.

Exit status: 0 done, 1 the file is there already or cannot be written, 2 wrong usage,
or an id that vperf's own rules have.`,
		Example: `  vperf rules new owner-tag --scope vm --out owner-tag.yaml
  vperf rules new slow-uplink --scope pnic --category network`,
		Args: oneArg("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			o.ID = args[0]
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return asUsage(runRulesNew(c.Context(), f, o), c)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := c.Flags()
	flags.StringVar(&o.Scope, "scope", string(inventory.ScopeHost), "the `SCOPE`: what the rule looks at")
	flags.StringVar(&o.Category, "category", "", "the `CATEGORY` (default: where rules of the scope usually are)")
	flags.StringVar(&o.Out, "out", stdoutName, "write to `FILE`, which must not be there yet (- is standard output)")
	config.OwnName(flags, "category", "scope", "out")
	completeWords(c, map[string][]string{"scope": stringsOf(advice.Scopes()), "category": stringsOf(advice.Categories())})
	return c
}

func (o *newRuleOptions) check() error {
	if err := advice.CheckID(o.ID); err != nil {
		return err
	}
	if err := allOf("scope", []string{o.Scope}, advice.Scopes()); err != nil {
		return err
	}
	if o.Category != "" {
		if err := allOf("category", []string{o.Category}, advice.Categories()); err != nil {
			return err
		}
	}
	if o.Out != stdoutName && filepath.Ext(o.Out) != ".yaml" {
		return fmt.Errorf("--out %s: rules are files that end in .yaml", o.Out)
	}
	return nil
}

func runRulesNew(_ context.Context, f *Factory, o *newRuleOptions) error {
	library, err := f.Library(nil, false)
	if err != nil {
		return err
	}
	if slices.Contains(library.IDs(), o.ID) {
		return mistake(fmt.Errorf("%s is a rule of vperf's own: choose another id (vperf explain %s shows what it does)", o.ID, o.ID))
	}
	text, err := advice.Starter(o.ID, advice.Category(o.Category), inventory.Scope(o.Scope))
	if err != nil {
		return mistake(err)
	}
	if o.Out == stdoutName {
		fmt.Fprint(f.IO.Out, text)
		return nil
	}
	if err := writeNew(o.Out, text); err != nil {
		return fmt.Errorf("writing the rule to %s: %w", o.Out, err)
	}
	fmt.Fprintf(f.IO.Err, "wrote %s; check it with vperf rules lint %s\n", o.Out, o.Out)
	return nil
}

// writeNew writes a file that must not be there yet: what somebody wrote is not ours to replace.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return errors.New("it is there already")
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
