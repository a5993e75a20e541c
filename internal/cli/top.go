package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/tui"
	"github.com/vperf/vperf/internal/tui/rounds"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
	"github.com/vperf/vperf/pkg/inventory"
)

// shortestDelay is the minimum delay, as in esxtop.
const shortestDelay = 2 * time.Second

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

const (
	fromAuto        = string(source.CountersAuto)
	fromService     = string(source.CountersEsxtop)
	fromPerformance = string(source.CountersPerformance)
)

func newTop(f *Factory) *cobra.Command {
	o := &topOptions{From: fromAuto, Delay: seconds(5 * time.Second), Panel: "c"}
	c := &cobra.Command{
		Use:   "top [HOST...]",
		Short: "Show what hosts and VMs do right now, as esxtop does",
		Long: `Shows esxtop's counters of one host or many, through vCenter or ESXi and without
SSH: live, in esxtop's panels, or from a capture. The view opens on VMs, the
busiest first, with the last minutes that the hosts have kept. Press ? for the
keys, Enter to explain a value and show its history, H for the hosts.

For up to 4 hosts, counters come from their Esxtop service. It has all counters
and needs the privilege Global.ServiceManagers. For more hosts, or without the
privilege, they come from the PerformanceManager: every 20 seconds, with fewer
counters. The screen names the source. --source esxtop reads up to 16 hosts and
first prints how many megabytes per second this takes. Values that a source does
not provide are shown as -, never as 0; the view hides columns without values
and says why.

-b writes esxtop's batch CSV, -R reads one written by esxtop, resxtop or vperf,
plain or gzipped. -R with -b rewrites it. If input or output is not a terminal,
or with --plain, every sample is printed as one table: all groups by id.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or not a capture file,
130 interrupted; in the view Ctrl-C quits, as q does.`,
		Example: `  vperf top --demo
  vperf top host01
  vperf top --cluster lowlat -d 10
  vperf top host01 -b -d 5 -n 60 > host01.csv
  vperf top host01 -b -a -d 5 -n 60 | gzip > host01-all.csv.gz
  vperf top -R host01-all.csv.gz
  vperf top -R capture.csv --plain --panel m`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := o.check(c); err != nil {
				return usage(err, c)
			}
			return runTop(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	return c
}

func (o *topOptions) addFlags(c *cobra.Command) {
	o.Source.addFlags(c, false)
	o.Source.live = true
	f := c.Flags()
	f.StringSliceVar(&o.Targets.Clusters, "cluster", nil, "the hosts of these `CLUSTERS`")
	f.StringVar(&o.From, "source", o.From, "the `SOURCE` that counters come from: auto, esxtop or performance")
	f.VarP(&o.Delay, "delay", "d", "seconds between samples, at least 2")
	f.IntVarP(&o.Samples, "samples", "n", 0, "end after `COUNT` samples (default: until Ctrl-C)")
	f.StringArrayVarP(&o.Replay, "replay", "R", nil, "replay this capture `FILE` (- is standard input); several are joined by time")
	f.BoolVarP(&o.Batch, "batch", "b", false, "write esxtop's batch CSV")
	f.BoolVarP(&o.AllFields, "all-fields", "a", false, "with -b: write every counter, not those that esxtop shows by default")
	f.BoolVar(&o.Plain, "plain", false, "print one table per sample, for pipes and screen readers")
	f.StringVar(&o.Panel, "panel", o.Panel, "begin with this `PANEL`: "+panelList())
	f.StringVarP(&o.RC, "config", "c", "", "take fields, order and delay from this rc `FILE`, vperf's or esxtop's")
	f.StringVar(&o.Entities, "import-entity", "", "only the entities that this esxtop entity `FILE` names")
	config.OwnName(f, "config", "batch") // VPERF_CONFIG is another file, and batches are of changes elsewhere
	c.ValidArgsFunction = noFiles
	completeFlag(c, "cluster", noFiles)
	completeWords(c, map[string][]string{"source": {fromAuto, fromService, fromPerformance}, "panel": panelKeys()})
}

func (o *topOptions) check(c *cobra.Command) error {
	if err := o.Source.check(); err != nil {
		return err
	}
	if err := oneOf("source", o.From, []string{fromAuto, fromService, fromPerformance}); err != nil {
		return fmt.Errorf("--source: %w", err)
	}
	if err := oneOf("panel", o.Panel, panelKeys()); err != nil {
		return fmt.Errorf("--panel: %w", err)
	}
	switch {
	case o.Batch && o.Plain:
		return errors.New("--batch and --plain cannot be used together: choose one format")
	case o.AllFields && !o.Batch:
		return errors.New("--all-fields needs --batch")
	case o.Samples < 0:
		return errors.New("--samples must be 1 or more; without it, vperf samples until Ctrl-C")
	case time.Duration(o.Delay) < shortestDelay:
		return fmt.Errorf("--delay: %s is too short: hosts gather their counters every 2 seconds", time.Duration(o.Delay))
	}
	return o.checkReplay(c)
}

// checkReplay refuses what makes no sense beside a file.
func (o *topOptions) checkReplay(c *cobra.Command) error {
	if len(o.Replay) == 0 {
		return nil
	}
	if len(o.Targets.Hosts) > 0 {
		return fmt.Errorf("--replay and HOST cannot be used together: remove %q. Name each further capture with its own -R; in a terminal, / finds a host", o.Targets.Hosts[0])
	}
	for _, flag := range []string{"demo", "context", "all-contexts", "url", "cluster", "source"} {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--replay and --%s cannot be used together: a capture needs no server", flag)
		}
	}
	return nil
}

// seconds is a time as esxtop takes it, in seconds, or as Go writes it.
type seconds time.Duration

func (s *seconds) String() string {
	return strconv.FormatFloat(time.Duration(*s).Seconds(), 'f', -1, 64)
}

func (*seconds) Type() string { return "SECONDS" }

// longestDelay is the maximum delay: a delay in the wrong unit would look like a hang.
const longestDelay = time.Hour

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != n {
			return fmt.Errorf("%q is not a duration: write seconds such as 5, or 1m", text)
		}
		d = time.Duration(max(min(n, 2*longestDelay.Seconds()), -1) * float64(time.Second))
	}
	if d > longestDelay {
		return fmt.Errorf("%q is over an hour: write seconds such as 5, or 1m", text)
	}
	*s = seconds(d)
	return nil
}

func panelKeys() (keys []string) {
	for _, p := range esxtop.Panels() {
		keys = append(keys, string(p.Key))
	}
	return keys
}

func panelList() string {
	var list []string
	for _, p := range esxtop.Panels() {
		list = append(list, string(p.Key)+" "+p.Title)
	}
	return strings.Join(list, ", ")
}

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
		return rounds.WriteBatch(ctx, f.IO, wanted, o.Samples, batch.Options{All: o.AllFields})
	case o.Plain:
		r := rounds.New(wanted, f.IO, o.Samples)
		r.OriginIsPrinted() // in the first line
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
		Rules: rulesOf(f), Save: o.save,
	}
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
	s, mistakes, err := tui.LoadSettings(path)
	if mistakes != nil {
		fmt.Fprintf(f.IO.Err, "vperf: warning: %s: %s\n", path, iostreams.Sanitize(mistakes.Error()))
	}
	if err != nil && (o.RC != "" || !errors.Is(err, os.ErrNotExist)) {
		return s, usage(err, o.Source.command)
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
	return path, s.Save(path)
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

// entities are those of the file that the user names; nil: all.
func (o *topOptions) entities() (esxtop.Entities, error) {
	if o.Entities == "" {
		return nil, nil
	}
	text, err := userfile.Entities.Read(o.Entities)
	if err != nil {
		return nil, usage(fmt.Errorf("reading the entity file: %w", err), o.Source.command)
	}
	e, err := esxtop.ParseEntities(string(text))
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", o.Entities, err), o.Source.command)
	}
	return e, nil
}
