package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/pkg/advice"
)

// waiversFile is where waivers are looked for unless a flag names another file.
const waiversFile = ".vperf-waivers.yaml"

// waiverOptions say which waivers count; every command that judges has them.
type waiverOptions struct {
	Waivers   string
	NoWaivers bool
}

func (o *waiverOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Waivers, "waivers", "", "read waivers from this `FILE` (default "+waiversFile+", if it is there)")
	f.BoolVar(&o.NoWaivers, "no-waivers", false, "waive nothing, whatever files and custom attributes say")
}

func (o *waiverOptions) check() error {
	if o.NoWaivers && o.Waivers != "" {
		return errors.New("--waivers and --no-waivers exclude each other")
	}
	return nil
}

// load reads the waivers of the file, beside which those count that objects carry; nil waives nothing.
func (o *waiverOptions) load(l *advice.Library, today advice.Date, help *cobra.Command) (*advice.Waivers, error) {
	if o.NoWaivers {
		return nil, nil //nolint:nilnil // an audit without waivers is no mistake
	}
	w := l.Waivers(today)
	w.Hint("vperf rules list shows them")
	path := cmp.Or(o.Waivers, waiversFile)
	text, err := os.ReadFile(path)
	switch {
	case o.Waivers == "" && errors.Is(err, fs.ErrNotExist):
		return w, nil
	case err != nil:
		return nil, usage(fmt.Errorf("reading waivers: %w", err), help)
	}
	return w, w.Parse(path, text)
}

// acceptance is what an audit was told to take as it is: waivers and a baseline.
type acceptance struct {
	waiverOptions

	Baseline      string
	WriteBaseline string
}

func (a *acceptance) addFlags(c *cobra.Command) {
	a.waiverOptions.addFlags(c)
	f := c.Flags()
	f.StringVar(&a.Baseline, "baseline", "", "show, and let --fail-on count, only what is not in this baseline `FILE`")
	f.StringVar(&a.WriteBaseline, "write-baseline", "", "keep the present fails as a baseline in this `FILE`")
}

func (a *acceptance) check(others outputs) error {
	if err := a.waiverOptions.check(); err != nil {
		return err
	}
	if a.WriteBaseline == stdoutName {
		return errors.New("--write-baseline wants a file: standard output is the audit's")
	}
	for _, out := range others.chosen() {
		if place := (output{file: a.WriteBaseline}).place(); a.WriteBaseline != "" && out.place() == place {
			return fmt.Errorf("%s and the baseline would both go to %s", out.format.name, a.WriteBaseline)
		}
	}
	return nil
}

// baseline is what the findings are held against; nil means that all are new.
func (a *acceptance) baseline() (*advice.Baseline, error) {
	if a.Baseline == "" {
		return nil, nil //nolint:nilnil // an audit without a baseline is no mistake
	}
	f, err := os.Open(a.Baseline)
	if err != nil {
		return nil, &usageError{fmt.Errorf("reading baseline: %w", err), "vperf audit --help"}
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := advice.LoadBaseline(f)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s: %w", a.Baseline, err), "vperf audit --help"}
	}
	return b, nil
}

// open makes sure that a baseline can be written; nil where none is asked for.
func (a *acceptance) open() (*destination, error) {
	if a.WriteBaseline == "" {
		return nil, nil //nolint:nilnil // nothing to write is no mistake
	}
	to, err := openDestination(a.WriteBaseline, nil)
	if err != nil {
		return nil, a.failed(err)
	}
	return to, nil
}

func (a *acceptance) save(to *destination, r *advice.Result) error {
	if to == nil {
		return nil
	}
	if err := to.save(advice.NewBaseline(r).Save); err != nil {
		return a.failed(err)
	}
	return nil
}

func (a *acceptance) failed(err error) error {
	return fmt.Errorf("writing the baseline to %s: %w", a.WriteBaseline, err)
}
