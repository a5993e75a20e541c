package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// consultation is what advice is asked about: by vperf advise, and by vperf report, which says the same on paper.
type consultation struct {
	Source    sourceOptions
	Targets   inventory.Targets
	RuleFiles []string
	Profile   string
	Include   includeVMs
	Waive     waiverOptions
	Captures  []string
	For       time.Duration
	From      string

	long bool // --for was typed
}

// usualFor is how long counters are watched unless somebody says otherwise: a few samples, and a wait that people bear.
const usualFor = 2 * time.Minute

func (o *consultation) addFlags(c *cobra.Command) {
	o.Source.addFlags(c, true)
	o.Waive.addFlags(c)
	o.Include.addFlag(c)
	f := c.Flags()
	f.StringSliceVar(&o.Targets.Clusters, "cluster", nil, "the hosts of these `CLUSTERS`")
	f.StringArrayVar(&o.RuleFiles, "rules", nil, "add rules of your own from a `FILE` or folder")
	f.StringVar(&o.Profile, "profile", "", "judge every object as this `PROFILE` (default: each object's own)")
	f.StringArrayVar(&o.Captures, "capture", nil, "take the counters from this `FILE`, a batch CSV of esxtop, packed or not (- is standard input); may be repeated")
	f.DurationVar(&o.For, "for", usualFor, "watch counters for so `LONG`; 0s looks at the configuration alone")
	f.StringVar(&o.From, "source", string(measure.CountersAuto), "where live counters come from: `SOURCE` is auto, esxtop or performance")
	completeWords(c, map[string][]string{"profile": stringsOf(advice.Profiles()), "source": counterSources()})
	completeTargets(c, &o.Source)
	for flag, ends := range map[string][]string{"capture": {"csv", "gz", "bz2"}, "from": {"json"}, "rules": {"yaml"}, "waivers": {"yaml"}} {
		if err := c.MarkFlagFilename(flag, ends...); err != nil {
			panic(err) // a misspelt flag, which any test finds
		}
	}
}

func counterSources() []string {
	return []string{string(measure.CountersAuto), string(measure.CountersEsxtop), string(measure.CountersPerformance)}
}

// check refuses what cannot be meant.
func (o *consultation) check(c *cobra.Command) error {
	o.long = c.Flags().Changed("for")
	if err := o.Source.check(); err != nil {
		return err
	}
	if err := o.checkStdin(); err != nil {
		return err
	}
	if err := o.checkCounters(c.Flags().Changed("source")); err != nil {
		return err
	}
	if o.Profile != "" {
		if _, err := advice.ParseProfile(o.Profile); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
	}
	return errors.Join(o.Include.check(), o.Waive.check())
}

// checkStdin refuses to read standard input more than once.
func (o *consultation) checkStdin() error {
	uses := [][2]string{{"--from", o.Source.From}, {"--password-file", o.Source.Connection.PasswordFile}}
	for _, path := range o.Captures {
		uses = append(uses, [2]string{"--capture", path})
	}
	return oneReader(uses...)
}

func (o *consultation) checkCounters(chosen bool) error {
	if err := oneOf("source", o.From, counterSources()); err != nil {
		return fmt.Errorf("--source: %w", err)
	}
	switch {
	case !o.measures() && chosen && len(o.Captures) == 0:
		return errors.New("--source and --from exclude each other: counters are measured on a server")
	case !o.measures() && (o.long && o.For != 0 || chosen) && len(o.Captures) > 0:
		return errors.New("--capture goes without --for and --source: the counters are in the capture")
	case o.measures():
		return checkFor(o.For, "")
	case o.long:
		return checkFor(o.For, o.Source.From)
	}
	return nil
}

// measures reports whether counters come from a server.
func (o *consultation) measures() bool { return len(o.Captures) == 0 && o.Source.From == "" }

// beside reports whether somebody named a place that says how hosts in a capture are configured. One that a file or the
// environment names is not meant: whoever mailed the capture has another server.
func (o *consultation) beside() bool {
	s := &o.Source
	return s.Demo || s.From != "" || s.Connection.URL != "" || len(s.Contexts) > 0 || s.AllContexts
}

// ask reads, measures and judges, and puts what there is to do in order.
func (o *consultation) ask(ctx context.Context, f *Factory) (report.Advice, error) {
	request, err := o.request(f)
	if err != nil {
		return report.Advice{}, err
	}
	if len(o.Captures) > 0 {
		return o.askCaptures(ctx, f, request)
	}
	source, err := o.Source.open(ctx, f)
	if err != nil {
		return report.Advice{}, err
	}
	defer source.close()
	if !o.Source.Demo {
		request.Options.Waiting = waiting(f, serversOf(ctx, source.Source)...)
	}
	seen := new(watched)
	from := watching(source.Source, counterWatch{from: measure.CounterSource(o.From), near: o.Source.Demo, also: seen.add, tell: seen.note})
	a, err := audit.Run(ctx, from, request)
	if err != nil {
		return report.Advice{}, err
	}
	if from, _ := savedSpan(a.Snapshot); o.Source.From != "" && !from.IsZero() {
		seen.note(summariesAlone)
	}
	return o.advise(a, request.Rules, seen, seen.notes), nil
}

// summariesAlone is what a saved snapshot lacks.
const summariesAlone = "of counters a snapshot keeps the median, the 95th percentile and the worst: " +
	"what shows was there in at least as many samples as is said"

// While captures are read there is next to no garbage: a collector that waits until there is as much as is in use saves no time, and
// takes the room once more. captureGarbage is in percent of what is in use. Beyond captureMemory bytes the collector works harder;
// with rules, program and what a capture of 400 MB leaves that is less than 128 MiB in all.
const (
	captureGarbage = 30
	captureMemory  = 72 << 20
)

// spare makes the collector spare memory where captures are read, until what it gives is called.
func (o *consultation) spare() (restore func()) {
	if len(o.Captures) == 0 {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(captureGarbage), debug.SetMemoryLimit(captureMemory)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// askCaptures takes the counters from files, and the configuration from where somebody said.
func (o *consultation) askCaptures(ctx context.Context, f *Factory, request audit.Request) (report.Advice, error) {
	p := f.IO.StartProgress("reading captures")
	defer p.Done()
	paths, remove, err := o.capturePaths(ctx, f)
	if err != nil {
		return report.Advice{}, err
	}
	defer remove()
	captures := &capture.Source{Paths: paths, Tell: p.Update}
	if o.beside() {
		source, err := o.Source.open(ctx, f)
		if err != nil {
			return report.Advice{}, err
		}
		defer source.close()
		captures.Beside = source.Read
		if filler, ok := source.Source.(audit.Filler); ok {
			captures.Again = filler.Fill
		}
	}
	a, err := audit.Run(ctx, captures, request)
	if err != nil {
		return report.Advice{}, byItsName(err, o.Captures, paths)
	}
	seen := &watched{spots: captures.Spots()}
	seen.from, seen.to = captures.Span()
	return o.advise(a, request.Rules, seen, captures.Notes()), nil
}

// capturePaths are the files of the captures. Standard input is one until remove is called.
func (o *consultation) capturePaths(ctx context.Context, f *Factory) (paths []string, remove func(), err error) {
	i := slices.Index(o.Captures, stdinName)
	if i < 0 {
		return o.Captures, func() {}, nil
	}
	if err := piped(f.IO, "--capture"); err != nil {
		return nil, nil, usage(err, o.Source.command)
	}
	spooled, remove, err := spool(ctx, f.IO.In)
	if err != nil {
		return nil, nil, err
	}
	paths = slices.Clone(o.Captures)
	paths[i] = spooled
	return paths, remove, nil
}

// byItsName has an error of a capture say what the user named: standard input by that name.
func byItsName(err error, named, paths []string) error {
	if wrong, ok := errors.AsType[*capture.FileError](err); ok {
		if i := slices.Index(named, stdinName); i >= 0 {
			wrong.Path = strings.ReplaceAll(wrong.Path, paths[i], stdinFile)
		}
	}
	return err
}

func (o *consultation) request(f *Factory) (audit.Request, error) {
	library, err := f.Library(o.RuleFiles, false)
	if err != nil {
		return audit.Request{}, err
	}
	r := audit.Request{Targets: o.Targets, Options: advice.Options{Profile: advice.Profile(o.Profile)}}
	if r.Rules, err = library.Select(advice.Selection{Diagnoses: true}); err != nil {
		return r, err
	}
	if o.measures() {
		r.For, r.Counters = o.For, true
	}
	if r.Options.Include, err = o.Include.states(false); err != nil {
		return r, usage(err, o.Source.command)
	}
	if o.Profile == "" {
		if r.Options.Assignments, err = config.Profiles(); err != nil {
			return r, usage(err, o.Source.command)
		}
	}
	r.Waivers, err = o.Waive.load(library, f.Today(), o.Source.command)
	return r, err
}

// mostSpots is how many hot spots of a metric are told.
const mostSpots = 5

func (o *consultation) advise(a *audit.Audit, rules *advice.Ruleset, seen *watched, notes []string) report.Advice {
	from, to := seen.from, seen.to
	if from.IsZero() {
		from, to = savedSpan(a.Snapshot)
	}
	return report.Advice{
		Source: a.Snapshot.Source, TakenAt: a.Snapshot.TakenAt(), From: from, To: to, Profile: advice.Profile(o.Profile),
		Snapshot: a.Snapshot, Result: a.Result, Advice: advice.Advise(a.Snapshot, a.Result),
		Efficiency: efficiency.Of(a.Snapshot), Spots: seen.top(), Notes: notes, Rules: rules.Rules(), Version: thisVersion().Version,
		Captured: len(o.Captures) > 0,
	}
}

// savedSpan is when the counters of a snapshot were measured; zero: it has none.
func savedSpan(s *inventory.Snapshot) (from, to time.Time) {
	for _, v := range s.VCenters {
		if v.LiveFrom.IsZero() {
			continue
		}
		if from.IsZero() || v.LiveFrom.Before(from) {
			from = v.LiveFrom
		}
		if v.LiveTo.After(to) {
			to = v.LiveTo
		}
	}
	return from, to
}

// watched is what frames told beside what rules ask for. Several servers are watched at once.
type watched struct {
	mu       sync.Mutex
	spots    *hotspot.Spots
	from, to time.Time
	notes    []string
}

func (w *watched) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.notes, s) {
		w.notes = append(w.notes, s)
	}
}

func (w *watched) add(f *esxtop.Frame) {
	if f.Interval <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spots == nil {
		w.spots = new(hotspot.Spots)
	}
	w.spots.Add(f)
	if begin := f.Time.Add(-f.Interval); w.from.IsZero() || begin.Before(w.from) {
		w.from = begin
	}
	if f.Time.After(w.to) {
		w.to = f.Time
	}
}

func (w *watched) top() []hotspot.Spot {
	if w.spots == nil {
		return nil
	}
	return w.spots.Top(mostSpots)
}

// tellWarnings says on stderr what people wrote about objects that does not work.
func tellWarnings(streams *iostreams.IO, a report.Advice) {
	for _, w := range slices.Concat(a.Result.Warnings, a.Notes) {
		fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(w))
	}
}
