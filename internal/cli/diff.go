package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/comparison"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/kept"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/diffreport"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// diffOptions are the options of `vperf diff`.
type diffOptions struct {
	Source    sourceOptions
	Files     []string
	Since     comparison.Age
	List      bool
	RuleFiles []string
	Profile   string
	Waive     waiverOptions
	For       time.Duration
	FailOn    string
	All       bool
	Output    outputs
}

func newDiff(f *Factory) *cobra.Command {
	o := &diffOptions{Output: outputs{offered: []format{{name: "table"}, {name: "json"}, {name: "yaml"}, {name: "md"}}}}
	c := &cobra.Command{
		Use:   "diff [OLD [NEW]]",
		Short: "Show what changed between two snapshots, or since one",
		Long: `Compares an old state with a new one: settings that changed, hardware and
versions, placement and state, objects that came and went, and findings that are
new, gone, or still there.

OLD and NEW are snapshots (vperf snapshot --out FILE), RVTools exports or audit
results (vperf audit -o json=FILE). Without NEW, OLD is compared with the live
server. --since takes the old side from the snapshots that vperf audit --keep
stores: the newest that is at least that old. An audit result has no facts, so
only findings are compared with it.

A changed setting names the run of vperf that wrote it. On a live server, other
changes show the server's events about the object, with their users; an event
does not prove that it made the change. A fact that one side did not read could
not be compared: it counts neither as changed nor as the same. If both sides
have counters, their medians are shown; that is before/after, not a proof.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, file, rule, waiver or
config, 3 new findings at or above --fail-on, 130 interrupted.`,
		Example: `  vperf diff monday.json friday.json
  vperf diff monday.json
  vperf diff --since 7d --fail-on high
  vperf diff --list
  vperf diff monday.json friday.json -o md=changes.md`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Files = args
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			if o.List {
				return listKept(f, o.Output)
			}
			return runDiff(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, false)
	o.Source.addRealtimeFlag(c)
	o.Waive.addFlags(c)
	flags := c.Flags()
	flags.Var(&o.Since, "since", "compare with the newest kept snapshot that is at least this `AGE`, such as 7d or 12h")
	flags.BoolVar(&o.List, "list", false, "list the kept snapshots")
	addRuleFiles(c, &o.RuleFiles)
	flags.StringVar(&o.Profile, "profile", "", "use this `PROFILE` for all objects (default: the profile of each object)")
	flags.DurationVar(&o.For, "for", 0, "also compare counters, measured for this `DURATION`, such as 5m")
	flags.StringVar(&o.FailOn, "fail-on", "", "exit with status 3 if a new finding has this `SEVERITY` or worse")
	flags.BoolVar(&o.All, "all", false, "do not shorten lists, and show findings that are still there")
	config.OnlyTyped(flags, "since", "list")
	completeWords(c, map[string][]string{"fail-on": stringsOf(advice.Severities()), "profile": stringsOf(advice.Profiles())})
	o.Output.addFlag(c)
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return []cobra.Completion{"json", "gz", "xlsx"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return c
}

func (o *diffOptions) check() error {
	if err := o.Source.check(); err != nil {
		return err
	}
	if o.FailOn != "" {
		if _, err := advice.ParseSeverity(o.FailOn); err != nil {
			return fmt.Errorf("--fail-on: %w", err)
		}
	}
	if err := o.checkSides(); err != nil {
		return err
	}
	live := ""
	if !o.readsServer() {
		live = "a file"
	}
	return errors.Join(checkFor(o.For, live), checkProfile(o.Profile), o.Waive.check())
}

// checkSides refuses everything that does not name two sides.
func (o *diffOptions) checkSides() error {
	n := len(o.Files)
	uses := make([][2]string, 0, n)
	for _, path := range o.Files {
		uses = append(uses, [2]string{"the file", path})
	}
	switch {
	case o.List && (n > 0 || o.Since.Given):
		return errors.New("--list takes no files and no --since")
	case o.List:
		return nil
	case n > 2:
		return fmt.Errorf("%d files: name an old and a new one", n)
	case o.Since.Given && n == 2:
		return errors.New("--since is the old side: name the new file alone, or none for the live server")
	case n == 0 && !o.Since.Given:
		return errors.New("nothing to compare: name two files, one file for the live server, or --since AGE for a kept snapshot")
	case !o.readsServer() && len(sourceOf(o.Source.command).Server) > 0:
		return errors.New("both sides are files: --demo, --context, --all-contexts and --url choose a live server as the new side")
	}
	return oneReader(uses...)
}

// readsServer reports whether the new side is a live server.
func (o *diffOptions) readsServer() bool {
	return len(o.Files) == 0 || len(o.Files) == 1 && !o.Since.Given
}

func runDiff(ctx context.Context, f *Factory, o *diffOptions) error {
	request, err := o.request(f)
	if err != nil {
		return err
	}
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	d, err := o.compare(ctx, f, request)
	if err != nil {
		return err
	}
	if err := sinks.write(f, diffIn(d, o.All)); err != nil && !iostreams.IsBrokenPipe(err) {
		return err
	}
	if o.FailOn != "" && d.Findings.Worst(advice.Severity(o.FailOn)) {
		return &findingsError{atLeast: advice.Severity(o.FailOn), new: true, of: "the new side"}
	}
	return nil
}

func diffIn(d *diff.Diff, all bool) render {
	return func(f format, w io.Writer, t report.Terminal) error {
		switch f.name {
		case "json":
			return diffreport.JSON(w, d)
		case "md":
			return diffreport.Document(d, all).Markdown(w)
		}
		return t.Show(w, diffreport.Document(d, all))
	}
}

func (o *diffOptions) request(f *Factory) (audit.Request, error) {
	library, err := f.Library(o.RuleFiles, false)
	if err != nil {
		return audit.Request{}, err
	}
	r := audit.Request{Everything: true, Counters: true, Options: advice.Options{Profile: advice.Profile(o.Profile)}}
	table, err := optionTable()
	if err != nil {
		return r, err
	}
	r.Options.OptionTable = table
	if r.Rules, err = library.Select(advice.Selection{}); err != nil {
		return r, err
	}
	if o.Profile == "" {
		if r.Options.Assignments, err = config.Profiles(); err != nil {
			return r, usage(err, o.Source.command)
		}
	}
	r.Waivers, err = o.Waive.load(library, f.Today())
	return r, err
}

// compare reads both sides, and adds who made the changes.
func (o *diffOptions) compare(ctx context.Context, f *Factory, request audit.Request) (*diff.Diff, error) {
	var files []*comparison.Side
	for _, path := range o.Files {
		c, err := loadComparand(ctx, f.IO, path)
		if err != nil {
			return nil, err
		}
		files = append(files, c)
	}
	if !o.readsServer() {
		return o.compareFiles(ctx, f, files, request)
	}
	o.Source.replayLast(o.For)
	from, err := o.Source.open(ctx, f)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if len(files) == 0 {
		old, err := keptSide(ctx, f.IO, from, o.Since.Before(time.Now()))
		if err != nil {
			return nil, err
		}
		files = append(files, old)
	}
	request.For = o.For
	return o.compareLive(ctx, f, files[0], from, request)
}

// compareLive compares an old side with a live server.
func (o *diffOptions) compareLive(ctx context.Context, f *Factory, old *comparison.Side, from source.Source, request audit.Request) (*diff.Diff, error) {
	a, err := audit.Run(ctx, from, request)
	if err != nil {
		return nil, err
	}
	kind := "live server"
	if o.Source.Demo {
		kind = "demo fleet"
	}
	live := comparison.Audited(a, request, kind)
	d, err := comparison.Sides(ctx, old, live, request)
	if err != nil {
		return nil, err
	}
	if !o.Source.Demo {
		creditRuns(f.IO, d)
	}
	comparison.CreditEvents(ctx, d, from)
	return d, nil
}

func (o *diffOptions) compareFiles(ctx context.Context, f *Factory, files []*comparison.Side, request audit.Request) (*diff.Diff, error) {
	if o.Since.Given {
		to := files[0]
		if to.Snapshot == nil {
			return nil, fileError("%s is an audit result: --since compares snapshots", to.Name)
		}
		old, err := keptSide(ctx, f.IO, source.SavedOf(to.Snapshot), o.Since.Before(to.Snapshot.TakenAt()))
		if err != nil {
			return nil, err
		}
		files = []*comparison.Side{old, to}
	}
	d, err := comparison.Sides(ctx, files[0], files[1], request)
	if err != nil {
		return nil, err
	}
	creditRuns(f.IO, d)
	return d, nil
}

// creditRuns names the runs of vperf that made changes. Journals that cannot be read are no reason to show no difference.
func creditRuns(streams *iostreams.IO, d *diff.Diff) {
	runs, err := listRuns()
	if err != nil {
		fmt.Fprintf(streams.Err, "vperf: warning: no runs are named for changes: %s\n", iostreams.Sanitize(err.Error()))
	}
	d.CreditRuns(runs)
}

// loadComparand reads a snapshot, an export or an audit result.
func loadComparand(ctx context.Context, streams *iostreams.IO, path string) (*comparison.Side, error) {
	if source.IsExport(path) {
		s, err := source.LoadFile(ctx, path, nil)
		if err != nil {
			return nil, fileError("%w", err)
		}
		return &comparison.Side{Snapshot: s, Side: diff.Side{Name: path, Kind: "RVTools export"}}, nil
	}
	in, name := userfile.Stream(ctx, streams.In), source.StdinName
	if path == source.Stdin {
		if err := piped(streams, "the file"); err != nil {
			return nil, fileError("%w", err)
		}
	} else {
		file, err := userfile.Open(path)
		if err != nil {
			return nil, fileError("reading a file to compare: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in, name = file, path
	}
	plain, err := source.Unzipped(ctx, in)
	if err != nil {
		return nil, fileError("%s: %w", name, err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		return nil, fileError("%s: %w", name, err)
	}
	c, err := comparison.Parse(text)
	if err != nil {
		return nil, fileError("%s: %w", name, err)
	}
	c.Name = name
	return c, nil
}

// keptStore is the folder of the kept snapshots.
func keptStore() (kept.Store, error) {
	dir, err := stateDir()
	if err != nil {
		return kept.Store{}, fmt.Errorf("finding the kept snapshots: %w", err)
	}
	return kept.Store{Dir: filepath.Join(dir, "snapshots"), Simulated: filepath.Join(dir, simulatedDir, "snapshots")}, nil
}

// keep stores the snapshot of each server that was read.
func keep(ctx context.Context, streams *iostreams.IO, s *inventory.Snapshot, from source.Source) error {
	store, err := keptStore()
	if err != nil {
		return err
	}
	return comparison.Keep(ctx, streams, store, s, from)
}

// keptSide returns the kept snapshots of a source's servers that are of a time or older.
func keptSide(ctx context.Context, streams *iostreams.IO, from source.Source, at time.Time) (*comparison.Side, error) {
	store, err := keptStore()
	if err != nil {
		return nil, err
	}
	return comparison.Kept(ctx, streams, store, from, at)
}

// keptSchema is the version of the JSON form of the list of kept snapshots.
const keptSchema = "vperf.kept/v1"

type keptJSON struct {
	Server  string    `json:"server"`
	UUID    string    `json:"uuid"`
	TakenAt time.Time `json:"takenAt"`
	Path    string    `json:"path"`
	Bytes   int64     `json:"bytes"`
}

// listKept shows the kept snapshots.
func listKept(f *Factory, to outputs) error {
	store, err := keptStore()
	if err != nil {
		return err
	}
	all, err := store.List()
	if err != nil {
		return err
	}
	sinks, err := to.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	return sinks.write(f, func(form format, w io.Writer, _ report.Terminal) error {
		if form.name == "json" {
			rows := make([]keptJSON, len(all))
			for i, k := range all {
				rows[i] = keptJSON{k.Server.Name, k.Server.UUID, k.TakenAt, k.Path, k.Bytes}
			}
			return writeJSON(w, map[string]any{"schema": keptSchema, "snapshots": rows})
		}
		return keptTable(w, all, f.typed)
	})
}

func keptTable(w io.Writer, all []kept.Snapshot, from typed.Source) error {
	if len(all) == 0 {
		_, err := fmt.Fprintf(w, "no snapshots are kept yet; %s stores one\n", from.Command("audit", "--keep"))
		return err
	}
	if err := writeRows(w, func(row func(...string)) {
		row("SERVER", "TAKEN", "SIZE", "FILE")
		for _, k := range all {
			row(wording.Marked(k.Server.Name, k.Server.Simulated), k.TakenAt.Format(time.RFC3339), iostreams.Bytes(k.Bytes), k.Path)
		}
	}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s; of each server, vperf keeps %s\n", plural.Count(len(all), "snapshot"), kept.Rule)
	return err
}
