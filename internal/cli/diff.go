package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/diffreport"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// diffOptions are the options of `vperf diff`.
type diffOptions struct {
	Source    sourceOptions
	Files     []string
	Since     age
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

OLD and NEW are snapshots (vperf snapshot --out FILE) or audit results (vperf
audit -o json=FILE). Without NEW, OLD is compared with the live server. --since
takes the old side from the snapshots that vperf audit --keep stores: the newest
that is at least that old. An audit result has no facts, so only findings are
compared with it.

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
		return []cobra.Completion{"json", "gz"}, cobra.ShellCompDirectiveFilterFileExt
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
	case o.List && (n > 0 || o.Since.set):
		return errors.New("--list takes no files and no --since")
	case o.List:
		return nil
	case n > 2:
		return fmt.Errorf("%d files: name an old and a new one", n)
	case o.Since.set && n == 2:
		return errors.New("--since is the old side: name the new file alone, or none for the live server")
	case n == 0 && !o.Since.set:
		return errors.New("nothing to compare: name two files, one file for the live server, or --since AGE for a kept snapshot")
	case !o.readsServer() && o.Source.typed()+o.Source.Connection.URL != "":
		return errors.New("both sides are files: --demo, --context, --all-contexts and --url choose a live server as the new side")
	}
	return oneReader(uses...)
}

// readsServer reports whether the new side is a live server.
func (o *diffOptions) readsServer() bool {
	return len(o.Files) == 0 || len(o.Files) == 1 && !o.Since.set
}

// comparand is one side of a comparison.
type comparand struct {
	diff.Side

	snapshot  *inventory.Snapshot // nil for an audit result
	judgement *diff.Judgement
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
	if err := sinks.write(f.IO, diffIn(d, o.All)); err != nil && !iostreams.IsBrokenPipe(err) {
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
			return diffreport.Markdown(w, d, all)
		}
		return diffreport.Table(w, d, t, all)
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
	var files []*comparand
	for _, path := range o.Files {
		c, err := loadComparand(f.IO, path)
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
		old, err := keptSide(ctx, f.IO, from, o.Since.before(time.Now()))
		if err != nil {
			return nil, err
		}
		files = append(files, old)
	}
	request.For = o.For
	a, err := audit.Run(ctx, from, request)
	if err != nil {
		return nil, err
	}
	kind := "live server"
	if o.Source.Demo {
		kind = "demo fleet"
	}
	live := newSide(a, request, kind)
	d, err := compareSides(ctx, files[0], live, request)
	if err != nil {
		return nil, err
	}
	if !o.Source.Demo {
		creditRuns(f.IO, d)
	}
	creditEvents(ctx, d, from)
	return d, nil
}

// newSide is the side of an audit that was just made.
func newSide(a *audit.Audit, request audit.Request, kind string) *comparand {
	return &comparand{
		Side: diff.Side{Name: a.Snapshot.Source, Kind: kind}, snapshot: a.Snapshot, judgement: diff.Judge(a.Result, a.Snapshot, request.Rules),
	}
}

func (o *diffOptions) compareFiles(ctx context.Context, f *Factory, files []*comparand, request audit.Request) (*diff.Diff, error) {
	if o.Since.set {
		to := files[0]
		if to.snapshot == nil {
			return nil, fileError("%s is an audit result: --since compares snapshots", to.Name)
		}
		old, err := keptSide(ctx, f.IO, source.SavedOf(to.snapshot), o.Since.before(to.snapshot.TakenAt()))
		if err != nil {
			return nil, err
		}
		files = []*comparand{old, to}
	}
	d, err := compareSides(ctx, files[0], files[1], request)
	if err != nil {
		return nil, err
	}
	creditRuns(f.IO, d)
	return d, nil
}

// compareSides compares facts and findings, or only findings if one side has no facts.
func compareSides(ctx context.Context, from, to *comparand, request audit.Request) (*diff.Diff, error) {
	for _, c := range []*comparand{from, to} {
		if err := c.judge(ctx, request); err != nil {
			return nil, err
		}
	}
	if from.snapshot == nil || to.snapshot == nil {
		d, err := diff.Judgements(from.judgement, to.judgement)
		if err != nil {
			return nil, err
		}
		d.Old, d.New = from.Side, to.Side
		d.Notes = append(d.Notes, "an audit result has no facts: only findings are compared")
		return d, nil
	}
	d, err := diff.Facts(from.snapshot, to.snapshot)
	if err != nil {
		return nil, err
	}
	d.Old.Name, d.Old.Kind, d.New.Name, d.New.Kind = from.Name, from.Kind, to.Name, to.Kind
	if d.New.TakenAt.Before(d.Old.TakenAt) {
		d.Notes = append(d.Notes, "the old side is newer than the new one: are the files in the right order?")
	}
	d.Compare(from.judgement, to.judgement)
	return d, nil
}

// judge evaluates the rules on a snapshot, unless that is done.
func (c *comparand) judge(ctx context.Context, request audit.Request) error {
	if c.judgement == nil {
		request.For = 0
		a, err := audit.Run(ctx, source.SavedOf(c.snapshot), request)
		if err != nil {
			return err
		}
		c.judgement = diff.Judge(a.Result, a.Snapshot, request.Rules)
	}
	if c.snapshot != nil {
		c.TakenAt = c.snapshot.TakenAt()
	}
	return nil
}

// creditRuns names the runs of vperf that made changes. Journals that cannot be read are no reason to show no difference.
func creditRuns(streams *iostreams.IO, d *diff.Diff) {
	runs, err := listRuns()
	if err != nil {
		fmt.Fprintf(streams.Err, "vperf: warning: no runs are named for changes: %s\n", iostreams.Sanitize(err.Error()))
	}
	d.CreditRuns(runs)
}

// changeLogger is a source that has the events of its servers.
type changeLogger interface {
	ChangeLogs(ctx context.Context, from, to time.Time) []source.ChangeLog
}

// creditEvents adds the servers' events about changed objects. It asks only if something changed.
func creditEvents(ctx context.Context, d *diff.Diff, from source.Source) {
	log, ok := from.(changeLogger)
	if !ok || len(d.Changes)+len(d.Came)+len(d.Went) == 0 {
		return
	}
	about := map[any]inventory.Role{
		source.Configured: inventory.RoleSetting, source.Placed: inventory.RolePlacement, source.Operated: inventory.RoleState, source.Existence: inventory.RoleMembers,
	}
	var events []diff.Event
	for _, l := range log.ChangeLogs(ctx, d.Old.TakenAt, d.New.TakenAt) {
		for _, e := range l.Entries {
			events = append(events, diff.Event{Server: l.Server, ID: e.Object, About: about[e.Subject], When: e.When, User: e.User, Class: e.Class, Text: e.Text})
		}
		if !l.Whole {
			d.Notes = append(d.Notes, l.Server+" has more events than vperf reads: newer ones are not shown")
		}
	}
	d.CreditEvents(events)
}

// loadComparand reads a snapshot or an audit result.
func loadComparand(streams *iostreams.IO, path string) (*comparand, error) {
	in, name := streams.In, source.StdinName
	if path == source.Stdin {
		if err := piped(streams, "the file"); err != nil {
			return nil, fileError("%w", err)
		}
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, fileError("reading a file to compare: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in, name = file, path
	}
	plain, err := source.Unzipped(in)
	if err != nil {
		return nil, fileError("%s: %w", name, err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		return nil, fileError("%s: %w", name, err)
	}
	c, err := parseComparand(text)
	if err != nil {
		return nil, fileError("%s: %w", name, err)
	}
	c.Name = name
	return c, nil
}

// schemaNames are the kinds of files that users may take for one that can be compared.
var schemaNames = map[string]string{
	"baseline": "a baseline", "plan": "a plan", "advice": "advice", "history": "a list of runs", "run": "a run", "diff": "a difference", "trial": "a trial",
}

func parseComparand(text []byte) (*comparand, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	const wanted = "vperf diff compares snapshots (vperf snapshot --out FILE) and audit results (vperf audit -o json=FILE)"
	err := json.Unmarshal(text, &head)
	syntax, broken := errors.AsType[*json.SyntaxError](err)
	kind, _, _ := strings.Cut(strings.TrimPrefix(head.Schema, "vperf."), "/")
	switch {
	case bytes.Contains(text[:min(len(text), 16)], []byte("(PDH-CSV")):
		return nil, errors.New("it is an esxtop capture; " + wanted)
	case broken && len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("it is empty; " + wanted)
	case broken && syntax.Offset >= int64(len(text)):
		return nil, fmt.Errorf("the file ends in the middle (after %d bytes); save it again", len(text))
	case err != nil:
		return nil, fmt.Errorf("it is no JSON (%w); %s", err, wanted)
	case kind == "snapshot":
		s, err := inventory.Load(bytes.NewReader(text))
		return &comparand{snapshot: s, Side: diff.Side{Kind: "snapshot"}}, err
	case head.Schema == diff.AuditSchema:
		j, side, err := diff.LoadAudit(bytes.NewReader(text))
		return &comparand{judgement: j, Side: side}, err
	case kind == "audit":
		return nil, fmt.Errorf("it is %s, this vperf reads %s; use the vperf that wrote it, or a newer one", head.Schema, diff.AuditSchema)
	case schemaNames[kind] != "" && strings.HasPrefix(head.Schema, "vperf."):
		return nil, fmt.Errorf("it is %s (%s); %s", schemaNames[kind], head.Schema, wanted)
	}
	return nil, fmt.Errorf("its schema is %q; %s", head.Schema, wanted)
}
