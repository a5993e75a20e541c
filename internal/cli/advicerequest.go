package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/internal/comparison"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// adviceRequest holds the options that vperf advise and vperf report share.
type adviceRequest struct {
	Source    sourceOptions
	Targets   inventory.Targets
	RuleFiles []string
	Profile   string
	Include   includeVMs
	Waive     waiverOptions
	Captures  []string
	For       time.Duration
	From      string

	forTyped bool           // --for was typed
	since    comparison.Age // of vperf report: also show what changed since then
}

// usualFor is the default duration to watch counters: a few samples, and an acceptable wait.
const usualFor = 2 * time.Minute

func (o *adviceRequest) addFlags(c *cobra.Command) {
	o.Source.addFlags(c, true)
	o.Source.addRealtimeFlag(c)
	o.Waive.addFlags(c)
	o.Include.addFlag(c)
	f := c.Flags()
	f.StringSliceVar(&o.Targets.Clusters, "cluster", nil, "only the hosts of these `CLUSTERS`")
	addRuleFiles(c, &o.RuleFiles)
	f.StringVar(&o.Profile, "profile", "", "use this `PROFILE` for all objects (default: the profile of each object)")
	f.StringArrayVar(&o.Captures, "capture", nil, "read counters from this `FILE`, a batch CSV of esxtop, may be compressed (- is standard input); may be repeated")
	f.DurationVar(&o.For, "for", usualFor, "measure counters for this `DURATION`; 0s checks only the configuration")
	f.StringVar(&o.From, "source", string(source.CountersAuto), "`SOURCE` of live counters: auto, esxtop or performance")
	completeWords(c, map[string][]string{"profile": stringsOf(advice.Profiles()), "source": counterSources()})
	completeTargets(c, &o.Source)
	for flag, ends := range map[string][]string{"capture": {"csv", "gz", "bz2"}, "from": {"json"}, "rules": {"yaml"}, "waivers": {"yaml"}} {
		if err := c.MarkFlagFilename(flag, ends...); err != nil {
			panic(err) // a misspelt flag, which any test finds
		}
	}
}

// checkFor refuses a time to watch that is too short, too long, or beside a file.
func checkFor(long time.Duration, file string) error {
	switch {
	case long == 0:
		return nil
	case file != "":
		return errors.New("--for and --from cannot be used together: counters are measured on a server")
	case long < source.ShortestWatch:
		return fmt.Errorf("--for: %s is too short for reliable results: use at least %s", iostreams.Brief(long), iostreams.Brief(source.ShortestWatch))
	case long > source.Kept:
		return fmt.Errorf("--for: %s is too long: use at most 1h, because hosts keep their samples for one hour", iostreams.Brief(long))
	}
	return nil
}

func counterSources() []string {
	return []string{string(source.CountersAuto), string(source.CountersEsxtop), string(source.CountersPerformance)}
}

// check rejects contradictory options.
func (o *adviceRequest) check(c *cobra.Command) error {
	o.forTyped = c.Flags().Changed("for")
	if err := o.Source.check(); err != nil {
		return err
	}
	if err := o.checkStdin(); err != nil {
		return err
	}
	if err := o.checkCounters(c.Flags().Changed("source")); err != nil {
		return err
	}
	if err := checkProfile(o.Profile); err != nil {
		return err
	}
	return errors.Join(o.Include.check(), o.Waive.check())
}

// checkStdin refuses to read standard input more than once.
func (o *adviceRequest) checkStdin() error {
	uses := append(o.Source.files(), [2]string{"--password-file", o.Source.Connection.PasswordFile})
	for _, path := range o.Captures {
		uses = append(uses, [2]string{"--capture", path})
	}
	return oneReader(uses...)
}

func (o *adviceRequest) checkCounters(chosen bool) error {
	if err := oneOf("source", o.From, counterSources()); err != nil {
		return fmt.Errorf("--source: %w", err)
	}
	switch {
	case !o.measures() && chosen && len(o.Captures) == 0:
		return errors.New("--source and --from cannot be used together: counters are measured on a server")
	case !o.measures() && (o.forTyped && o.For != 0 || chosen) && len(o.Captures) > 0:
		return errors.New("--capture cannot be used with --for or --source: the counters come from the capture")
	case o.measures():
		return checkFor(o.For, "")
	case o.forTyped:
		return checkFor(o.For, o.Source.file())
	}
	return nil
}

// measures reports whether counters come from a server.
func (o *adviceRequest) measures() bool { return len(o.Captures) == 0 && len(o.Source.From) == 0 }

// hasConfigSource reports whether the user named a source for the configuration of the hosts in a capture. A source from a file or
// the environment does not count: the sender of a capture has another server.
func (o *adviceRequest) hasConfigSource() bool {
	s := &o.Source
	return s.Demo || len(s.From) > 0 || s.Connection.URL != "" || len(s.Contexts) > 0 || s.AllContexts
}

// run reads, measures and judges, and puts what there is to do in order.
func (o *adviceRequest) run(ctx context.Context, f *Factory) (view.Advice, error) {
	request, err := o.request(f)
	if err != nil {
		return view.Advice{}, err
	}
	if len(o.Captures) > 0 {
		return o.runCaptures(ctx, f, request)
	}
	collectAt(auditGarbage)
	o.Source.replayLast(o.For)
	from, err := o.Source.open(ctx, f)
	if err != nil {
		return view.Advice{}, err
	}
	defer from.Close()
	return o.read(ctx, f, from, request)
}

// read reads, measures and judges what a source has.
func (o *adviceRequest) read(ctx context.Context, f *Factory, from source.Source, request audit.Request) (view.Advice, error) {
	if !o.Source.Demo {
		request.Options.Waiting = pending(f, from.Servers(ctx)...)
	}
	seen := new(source.Watched)
	var old *comparison.Side
	var err error
	if o.since.Given {
		if old, err = o.oldSide(ctx, f, from); err != nil {
			return view.Advice{}, err
		}
		request.Everything = true
	}
	from.Watch(source.Watch{From: source.CounterSource(o.From), Local: o.Source.nearby(), Frames: seen.AddFrame, Note: seen.AddNote})
	request.Measured = func() { seen.Finish(mostSpots) }
	a, err := audit.Run(ctx, from, request)
	if err != nil {
		return view.Advice{}, err
	}
	if at, _ := source.MeasuredSpan(a.Snapshot); len(o.Source.From) > 0 && !at.IsZero() {
		seen.AddNote(summariesAlone)
	}
	data := o.advise(f, a, request.Rules, seen)
	if old == nil {
		return data, nil
	}
	data.Since, err = o.compare(ctx, f, old, a, request, from)
	return data, err
}

// oldSide returns the kept snapshot that --since names.
func (o *adviceRequest) oldSide(ctx context.Context, f *Factory, from source.Source) (*comparison.Side, error) {
	now := time.Now()
	if saved, ok := from.(source.Saved); ok {
		s, err := saved.Read(ctx, inventory.Targets{}, inventory.Needs{})
		if err != nil {
			return nil, err
		}
		now = s.TakenAt()
	}
	return keptSide(ctx, f.IO, from, o.since.Before(now))
}

// compare compares a kept snapshot with the audit.
func (o *adviceRequest) compare(ctx context.Context, f *Factory, old *comparison.Side, a *audit.Audit, request audit.Request, from source.Source) (*diff.Diff, error) {
	d, err := comparison.Sides(ctx, old, comparison.Audited(a, request, "live server"), request)
	if err != nil {
		return nil, err
	}
	if !o.Source.Demo {
		creditRuns(f.IO, d)
	}
	comparison.CreditEvents(ctx, d, from)
	return d, nil
}

// summariesAlone describes the data that is missing from a saved snapshot.
const summariesAlone = "a snapshot keeps only the median, 95th percentile and worst value of each counter: " +
	"each stated number of samples is a minimum"

// Reading captures produces almost no garbage: a collector that waits until garbage equals the live heap saves no time and doubles
// the memory. captureGarbage is in percent of the live heap. Beyond captureMemory bytes the collector works harder; rules, program
// and the data of a 400 MB capture then need less than 128 MiB in total.
const (
	captureGarbage = 30
	captureMemory  = 72 << 20
)

// saveMemory makes the garbage collector save memory until restore is called, most of all if captures are read.
func (o *adviceRequest) saveMemory() (restore func()) {
	if len(o.Captures) == 0 {
		collectAt(compilingGarbage)
		return func() {}
	}
	percent, limit := debug.SetGCPercent(captureGarbage), debug.SetMemoryLimit(captureMemory)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// runCaptures takes the counters from files, and the configuration from the source that the user named.
func (o *adviceRequest) runCaptures(ctx context.Context, f *Factory, request audit.Request) (view.Advice, error) {
	p := f.IO.StartProgress("reading captures")
	defer p.Done()
	files, err := openCaptures(ctx, f.IO, o.Captures, "--capture", o.Source.command)
	if err != nil {
		return view.Advice{}, err
	}
	defer files.Close()
	captures := &capture.Source{Paths: files.Paths, OnProgress: p.Update}
	if o.hasConfigSource() {
		from, err := o.Source.open(ctx, f)
		if err != nil {
			return view.Advice{}, err
		}
		defer from.Close()
		captures.ReadConfiguration = from.Read
		if filler, ok := from.(audit.Filler); ok {
			captures.ReadPerHost = filler.Fill
		}
	}
	a, err := audit.Run(ctx, captures, request)
	if wrong, ok := errors.AsType[*capture.FileError](err); ok {
		wrong.Path = files.Named(wrong.Path)
	}
	if err != nil {
		return view.Advice{}, err
	}
	seen := &source.Watched{Spots: captures.Spots(), Notes: captures.Notes()}
	seen.From, seen.To = captures.Span()
	seen.Finish(mostSpots)
	return o.advise(f, a, request.Rules, seen), nil
}

func (o *adviceRequest) request(f *Factory) (audit.Request, error) {
	library, err := f.Library(o.RuleFiles, false)
	if err != nil {
		return audit.Request{}, err
	}
	r := audit.Request{Targets: o.Targets, Options: advice.Options{Profile: advice.Profile(o.Profile)}}
	if r.Options.OptionTable, err = optionTable(); err != nil {
		return r, err
	}
	if r.Rules, err = library.Select(advice.Selection{Diagnoses: true}); err != nil {
		return r, err
	}
	if o.measures() {
		r.For, r.Counters = o.For, true
	}
	r.Options.Include = o.Include.states(false)
	if o.Profile == "" {
		if r.Options.Assignments, err = config.Profiles(); err != nil {
			return r, usage(err, o.Source.command)
		}
	}
	r.Waivers, err = o.Waive.load(library, f.Today())
	return r, err
}

// mostSpots is the maximum number of hot spots listed per metric.
const mostSpots = 5

func (o *adviceRequest) advise(f *Factory, a *audit.Audit, rules *advice.Ruleset, seen *source.Watched) view.Advice {
	from, to := seen.From, seen.To
	if from.IsZero() {
		from, to = source.MeasuredSpan(a.Snapshot)
	}
	return view.Advice{
		Source: a.Snapshot.Source, TakenAt: a.Snapshot.TakenAt(), From: from, To: to, Profile: advice.Profile(o.Profile),
		Snapshot: a.Snapshot, Result: a.Result, Advice: advice.Advise(a.Snapshot, a.Result),
		Efficiency: efficiency.Of(a.Snapshot), Spots: seen.Top, Notes: seen.Notes, Rules: rules.Rules(), Version: thisVersion().Version,
		Captured: len(o.Captures) > 0, Replayed: o.Source.replay > 0, Typed: f.typed,
	}
}

// printWarnings says on stderr what people wrote about objects that does not work.
func printWarnings(streams *iostreams.IO, a view.Advice) {
	for _, w := range slices.Concat(a.Result.Warnings, a.Notes) {
		fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(w))
	}
}
