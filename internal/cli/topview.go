package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/tui"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
	"github.com/vperf/vperf/pkg/inventory"
)

func runTop(ctx context.Context, f *Factory, o *topOptions) error {
	settings, err := o.settings(f)
	if err != nil {
		return err
	}
	entities, err := o.entities()
	if err != nil {
		return err
	}
	if !f.IO.Screen() {
		o.Plain = !o.Batch
	}
	counters, err := o.open(ctx, f, esxtop.Request{Interval: settings.Delay, Objects: o.objects()})
	if err != nil {
		return err
	}
	defer counters.Close()
	wanted := counters.Source
	if entities != nil {
		wanted = entities.Only(wanted)
	}
	switch {
	case o.Batch:
		return writeBatch(ctx, f, wanted, o)
	case o.Plain:
		r := newRounds(wanted, f.IO, o.Samples)
		r.originPrinted = true // the first line says it
		return tui.Plain(ctx, o.screen(f, r, settings), 0)
	}
	screen := o.screen(f, wanted, settings.ByLoad())
	screen.Message = counters.Printed
	return tui.Run(ctx, screen)
}

// objects returns the objects of a batch; views request their own.
func (o *topOptions) objects() esxtop.Objects {
	if o.Batch {
		return batch.Objects(batch.Options{All: o.AllFields})
	}
	return 0
}

func (o *topOptions) screen(f *Factory, s esxtop.Source, settings tui.Settings) tui.Options {
	return tui.Options{
		Source: s, In: f.IO.In, Out: f.IO.Out, Width: f.IO.Width(), Color: f.IO.ColorEnabled(), Settings: settings,
		Rules: rulesOf(f), Save: func(s tui.Settings) (string, error) { return o.save(s) },
	}
}

// rulesOf finds the rules that use a metric. It reads the library on first use.
func rulesOf(f *Factory) func(string) []string {
	var library *advice.Library
	return func(metric string) []string {
		if library == nil {
			l, err := f.Library(nil, false)
			if err != nil {
				return nil
			}
			library = l
		}
		var ids []string
		for _, r := range library.Rules() {
			for _, name := range r.Live() {
				if live.Reads(name, esxtop.Lookup(metric)) && !slices.Contains(ids, r.ID) {
					ids = append(ids, r.ID)
				}
			}
		}
		return ids
	}
}

// rcName is the default file that W saves the settings to and that vperf top reads at startup.
const rcName = "top.rc"

func (o *topOptions) rcPath() (string, error) {
	if o.RC != "" {
		return o.RC, nil
	}
	file, err := config.Path()
	return filepath.Join(filepath.Dir(file), rcName), err
}

// settings are those of the file that the user names, or that W has saved; flags beat them.
func (o *topOptions) settings(f *Factory) (tui.Settings, error) {
	path, err := o.rcPath()
	if err != nil {
		return tui.Settings{}, err
	}
	var s tui.Settings
	text, err := os.ReadFile(filepath.Clean(path))
	switch {
	case err == nil:
		rc, err := esxtop.ParseRC(string(text))
		if err != nil {
			fmt.Fprintf(f.IO.Err, "vperf: warning: %s: %s\n", path, iostreams.Sanitize(err.Error()))
		}
		s = tui.Settings{Fields: rc.Fields, Delay: rc.Delay, Panel: rc.Panel}
	case o.RC != "" || !errors.Is(err, os.ErrNotExist):
		return s, usage(fmt.Errorf("reading the settings of top: %w", err), o.Source.command)
	}
	if o.given("panel") || s.Panel == 0 {
		s.Panel = o.Panel[0]
	}
	if o.given("delay") || s.Delay == 0 {
		s.Delay = time.Duration(o.Delay)
	}
	return s, nil
}

func (o *topOptions) given(flag string) bool {
	return config.Given(o.Source.command.Flags().Lookup(flag))
}

// save writes what W keeps.
func (o *topOptions) save(s tui.Settings) (string, error) {
	path, err := o.rcPath()
	if err != nil {
		return "", err
	}
	rc := esxtop.RC{Fields: s.Fields, Delay: s.Delay, Panel: s.Panel}
	for _, p := range esxtop.Panels() {
		if rc.Fields[p.Key] == "" {
			rc.Fields[p.Key] = p.DefaultFields()
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("saving the settings of top: %w", err)
	}
	if err := os.WriteFile(path, []byte(rc.String()), 0o600); err != nil {
		return "", fmt.Errorf("saving the settings of top: %w", err)
	}
	return path, nil
}

// entities are those of the file that the user names; nil: all.
func (o *topOptions) entities() (esxtop.Entities, error) {
	if o.Entities == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Clean(o.Entities))
	if err != nil {
		return nil, usage(fmt.Errorf("reading the entity file: %w", err), o.Source.command)
	}
	e, err := esxtop.ParseEntities(string(text))
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", o.Entities, err), o.Source.command)
	}
	return e, nil
}

// topOptions are the options of `vperf top`.
type topOptions struct {
	Source  sourceOptions
	Targets inventory.Targets

	From    string // auto, esxtop or performance
	Delay   seconds
	Samples int

	Replay    []string
	Batch     bool
	AllFields bool
	Plain     bool
	Panel     string
	RC        string
	Entities  string
}

// open opens the selected counters: captures, or hosts of one or several servers.
func (o *topOptions) open(ctx context.Context, f *Factory, r esxtop.Request) (*source.Counters, error) {
	if len(o.Replay) > 0 {
		files, err := openCaptures(ctx, f.IO, o.Replay, "--replay", o.Source.command)
		if err != nil {
			return nil, usage(err, o.Source.command)
		}
		counters, err := files.Replay(r)
		return counters, usage(err, o.Source.command)
	}
	from, err := o.Source.open(ctx, f)
	if err != nil {
		return nil, err
	}
	return source.CounterRequest{
		Targets: o.Targets, From: source.CounterSource(o.From), Request: r, History: o.history(), Local: o.Source.Demo,
	}.OpenCounters(ctx, f.IO, from)
}

// history returns the duration of past samples to read first, so that the screen starts with samples and sparklines.
func (o *topOptions) history() time.Duration {
	if o.Batch || o.Plain {
		return 0
	}
	return source.Recent
}

const (
	fromAuto        = string(source.CountersAuto)
	fromService     = string(source.CountersEsxtop)
	fromPerformance = string(source.CountersPerformance)
)
