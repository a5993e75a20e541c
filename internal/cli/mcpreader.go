package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/comparison"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/kept"
	"github.com/vperf/vperf/internal/mcp"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/guide"
	"github.com/vperf/vperf/internal/report/trialreport"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// mcpReader reads for the tools of an assistant as the commands of the same names do.
type mcpReader struct {
	f    *Factory // without standard input and output, which carry the protocol
	o    *mcpOptions
	life context.Context    //nolint:containedctx // of the command: the connection outlives the call that opened it
	end  context.CancelFunc // ends it

	mu      sync.Mutex
	opening *opening
}

// opening is a source that is opened, or was. Opening settles how commands name the server, in a factory of its own: tools run at
// the same time, and one may have given up before its server answers.
type opening struct {
	done chan struct{} // is closed when the fields below are set
	from source.Source
	f    Factory
	err  error
}

// newMCPReader checks everything that needs no server, so that mistakes are found when the assistant starts.
func newMCPReader(ctx context.Context, f *Factory, o *mcpOptions) (*mcpReader, error) {
	quiet := *f
	quiet.IO = f.IO.MessagesOnly()
	m := &mcpReader{f: &quiet, o: o}
	m.life, m.end = context.WithCancel(ctx)
	if _, err := m.request(); err != nil {
		return nil, err
	}
	for _, path := range o.Snapshots {
		if _, err := loadComparand(ctx, m.f.IO, path); err != nil {
			return nil, err
		}
	}
	if len(o.Source.From) > 0 {
		_, err := m.open(ctx)
		return m, err
	}
	if !o.Source.Demo {
		_, err := o.Source.servers()
		return m, err
	}
	return m, nil
}

// reading returns what the tools may do. A file has no counters and no connection.
func (m *mcpReader) reading() mcp.Reading {
	r := mcp.Reading{
		Library: m.library, Explain: m.explain, Guide: m.guide, Runs: m.runs, Run: m.run, Snapshots: m.snapshots,
		Audit: m.audit, Advise: m.advise, Diff: m.diff,
	}
	if len(m.o.Source.From) == 0 {
		r.Sample, r.Doctor, r.PlanTrial = m.sample, m.doctor, m.planTrial
	}
	return r
}

// open opens the source on first use. A call that ends earlier leaves it to the next one.
func (m *mcpReader) open(ctx context.Context) (source.Source, error) {
	from, _, err := m.opened(ctx)
	return from, err
}

// opened returns the factory of the commands that name the source, too.
func (m *mcpReader) opened(ctx context.Context) (source.Source, *Factory, error) {
	m.mu.Lock()
	o := m.opening
	if o == nil {
		o = &opening{done: make(chan struct{}), f: *m.f}
		m.opening = o
		go func() {
			defer close(o.done)
			asked := m.o.Source
			o.from, o.err = asked.open(m.life, &o.f)
		}()
	}
	m.mu.Unlock()
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if o.err != nil {
		m.mu.Lock()
		if m.opening == o {
			m.opening = nil // the next call tries again
		}
		m.mu.Unlock()
	}
	return o.from, &o.f, o.err
}

// close logs out. It does not wait for a server that does not answer.
func (m *mcpReader) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.end()
	if m.opening == nil {
		return
	}
	select {
	case <-m.opening.done:
	default:
		m.end()
	}
	if <-m.opening.done; m.opening.err == nil {
		m.opening.from.Close()
	}
}

func (m *mcpReader) library() (*advice.Library, error) { return m.f.Library(m.o.RuleFiles, false) }

// request is that of vperf audit.
func (m *mcpReader) request() (audit.Request, error) {
	library, err := m.library()
	if err != nil {
		return audit.Request{}, err
	}
	s := selection{RuleFiles: m.o.RuleFiles, Profile: m.o.Profile, Include: m.o.Include}
	r, err := s.request(library, m.o.Source.command)
	if err != nil {
		return r, err
	}
	r.Waivers, err = m.o.Waive.load(library, m.f.Today())
	return r, err
}

func (m *mcpReader) audit(ctx context.Context) (*audit.Audit, error) {
	r, err := m.request()
	if err != nil {
		return nil, err
	}
	from, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	if !m.o.Source.Demo {
		r.Options.Waiting = pending(m.f, from.Servers(ctx)...)
	}
	return audit.Run(ctx, from, r)
}

// advise reads the samples that hosts keep: nobody waits while counters are measured.
func (m *mcpReader) advise(ctx context.Context) (*view.View, error) {
	o := adviceRequest{
		Source: m.o.Source, RuleFiles: m.o.RuleFiles, Profile: m.o.Profile, Include: m.o.Include, Waive: m.o.Waive, For: usualFor, From: fromPerformance,
	}
	request, err := o.request(m.f)
	if err != nil {
		return nil, err
	}
	from, f, err := m.opened(ctx)
	if err != nil {
		return nil, err
	}
	data, err := o.read(ctx, f, from, request)
	if err != nil {
		return nil, err
	}
	if !o.Source.Demo {
		data.MeasuredHere = measuredHere(m.f.IO, serverOf(data.Snapshot))
	}
	return view.New(data), nil
}

func (m *mcpReader) explain(id string) (string, error) {
	var b bytes.Buffer
	err := runExplain(m.life, m.writingTo(&b), m.o.RuleFiles, id)
	return b.String(), err
}

// writingTo is the factory of a command whose output is kept.
func (m *mcpReader) writingTo(b *bytes.Buffer) *Factory {
	f := *m.f
	f.IO = m.f.IO.MessagesOnly()
	f.IO.Out = b
	return &f
}

func (m *mcpReader) guide(id string) (string, error) {
	library, err := m.library()
	if err != nil {
		return "", err
	}
	return guide.Section(library, read.Origins(), id)
}

func (m *mcpReader) runs() ([]mcp.Run, error) {
	all, err := listRuns()
	if err != nil {
		return nil, err
	}
	var document struct {
		Runs []mcp.Run `json:"runs"`
	}
	err = asWritten(func(w io.Writer) error { return report.HistoryJSON(w, all) }, &document)
	return document.Runs, err
}

func (m *mcpReader) run(id string) (*mcp.Run, error) {
	all, err := listRuns()
	if err != nil {
		return nil, err
	}
	one, err := pickRun(all, id)
	if err != nil {
		return nil, err
	}
	document := new(mcp.Run)
	return document, asWritten(func(w io.Writer) error { return report.RunJSON(w, one) }, document)
}

// asWritten decodes what a report writes as JSON, so that tools and commands have the same form.
func asWritten(write func(io.Writer) error, into any) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return json.Unmarshal(b.Bytes(), into)
}

// topInterval is the length of a sample of the Esxtop service; that of the PerformanceManager is 20 seconds.
const topInterval = 5 * time.Second

func (m *mcpReader) sample(ctx context.Context, hosts []string, objects esxtop.Objects) (*mcp.Sample, error) {
	from, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	counters, err := source.CounterRequest{
		Targets: inventory.Targets{Hosts: hosts}, From: source.CountersAuto, Request: esxtop.Request{Interval: topInterval, Objects: objects}, Local: m.o.Source.Demo,
	}.Open(ctx, m.f.IO, from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.CloseSource(ctx, counters) }()
	return oneSample(ctx, counters)
}

// mostRounds is the number of rounds that are read at most: the first one of the Esxtop service has no rates.
const mostRounds = 3

func oneSample(ctx context.Context, counters esxtop.Source) (*mcp.Sample, error) {
	newest := map[string]*esxtop.Frame{}
	s := new(mcp.Sample)
	for range mostRounds {
		round, err := counters.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.Troubles = nil
		for _, t := range round.Troubles {
			s.Troubles = append(s.Troubles, troubleText(t))
		}
		whole := len(round.Frames) > 0
		for _, f := range round.Frames {
			newest[cmp.Or(f.MoID, f.Host)] = f
			whole = whole && f.Interval > 0
		}
		if whole {
			break
		}
	}
	if len(newest) == 0 {
		return nil, errors.New(strings.Join(append([]string{mcp.ErrNoSample.Error()}, s.Troubles...), "; "))
	}
	for _, f := range newest {
		s.Frames = append(s.Frames, f)
	}
	slices.SortFunc(s.Frames, func(a, b *esxtop.Frame) int {
		return cmp.Or(esxtop.CompareIDs(a.Host, b.Host), cmp.Compare(a.MoID, b.MoID))
	})
	about := counters.About()
	s.Origin, s.Note = about.Origin.String(), about.Note
	return s, nil
}

func troubleText(t esxtop.Trouble) string {
	if t.Err == nil {
		return t.Host + ": no answer yet"
	}
	return t.Host + ": " + t.Err.Error()
}

func (m *mcpReader) doctor(ctx context.Context) (*doctor.Report, error) {
	o := doctorOptions{Source: m.o.Source, Timeout: min(m.o.Timeout, doctor.DefaultLimit)}
	r, err := o.examine(ctx, m.f)
	return &r, err
}

// planTrial does as vperf trial plan.
func (m *mcpReader) planTrial(ctx context.Context, ask mcp.TrialAsk) (string, error) {
	o := trialPlanOptions{trialOptions: trialOptions{
		changeOptions: changeOptions{
			selection: selection{
				Targets: inventory.Targets{Hosts: hostArgs(ask.Hosts)}, Rules: []string{ask.Rule}, RuleFiles: m.o.RuleFiles, Profile: m.o.Profile, Include: m.o.Include,
			},
			Source: m.o.Source, Waivers: m.o.Waive,
		},
		Outcome: ask.Outcome, MinEffect: cmp.Or(ask.MinEffect, usualEffect),
	}}
	if err := o.check(); err != nil {
		return "", err
	}
	request, err := o.load(m.f, o.Source.command)
	if err != nil {
		return "", err
	}
	f := *m.f // opens a source, which settles how commands name it
	p, err := o.input(ctx, &f, request, ask.Hosts)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = trialreport.Plan(p, true).Markdown(&b)
	return b.String(), err
}

// saved is a snapshot that can be compared.
type saved struct {
	mcp.Snapshot

	load func() (*comparison.Side, error)
}

// savedOf lists the kept snapshots of the servers that are read, and the files of the command line.
func (m *mcpReader) savedOf(ctx context.Context) (all []saved, err error) {
	for _, path := range m.o.Snapshots {
		all = append(all, saved{mcp.Snapshot{ID: filepath.Base(path)}, func() (*comparison.Side, error) { return loadComparand(ctx, m.f.IO, path) }})
	}
	from, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := comparison.Identities(ctx, from)
	if err != nil && len(all) > 0 {
		return all, nil // files can be compared without
	}
	if err != nil {
		return nil, err
	}
	store, err := keptStore()
	if err != nil {
		return nil, err
	}
	var dated []saved
	for _, server := range servers {
		list, err := store.Of(server)
		if err != nil {
			return nil, err
		}
		for _, k := range list {
			dated = append(dated, savedAs(ctx, server, k))
		}
	}
	slices.SortStableFunc(dated, func(a, b saved) int { return b.TakenAt.Compare(a.TakenAt) })
	return append(all, dated...), nil
}

func savedAs(ctx context.Context, server kept.Server, k kept.Snapshot) saved {
	id := k.TakenAt.UTC().Format("20060102-150405") + "-" + server.UUID[max(0, len(server.UUID)-4):]
	return saved{mcp.Snapshot{ID: id, Server: server.Name, TakenAt: k.TakenAt.UTC()}, func() (*comparison.Side, error) {
		s, err := kept.Open(ctx, k.Path)
		if err != nil {
			return nil, fmt.Errorf("reading a kept snapshot: %w", err)
		}
		return &comparison.Side{Snapshot: s, Side: diff.Side{Name: id, Kind: "kept snapshot"}}, nil
	}}
}

func (m *mcpReader) snapshots(ctx context.Context) ([]mcp.Snapshot, error) {
	all, err := m.savedOf(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]mcp.Snapshot, len(all))
	for i, s := range all {
		list[i] = s.Snapshot
	}
	return list, nil
}

// loadSaved loads a snapshot of the list by its id.
func loadSaved(all []saved, id string) (*comparison.Side, error) {
	i := slices.IndexFunc(all, func(s saved) bool { return s.ID == id })
	if i < 0 {
		var ids []string
		for _, s := range all {
			ids = append(ids, s.ID)
		}
		return nil, oneOf("snapshot", id, ids)
	}
	return all[i].load()
}

func (m *mcpReader) diff(ctx context.Context, from, to string) (*diff.Diff, error) {
	o := diffOptions{Source: m.o.Source, RuleFiles: m.o.RuleFiles, Profile: m.o.Profile, Waive: m.o.Waive}
	request, err := o.request(m.f)
	if err != nil {
		return nil, err
	}
	all, err := m.savedOf(ctx)
	if err != nil {
		return nil, err
	}
	before, err := loadSaved(all, from)
	if err != nil {
		return nil, err
	}
	if to == "" {
		live, err := m.open(ctx)
		if err != nil {
			return nil, err
		}
		d, err := o.compareLive(ctx, m.f, before, live, request)
		if err == nil && len(m.o.Source.From) > 0 {
			d.New.Kind = "snapshot"
		}
		return d, err
	}
	after, err := loadSaved(all, to)
	if err != nil {
		return nil, err
	}
	d, err := comparison.Sides(ctx, before, after, request)
	if err != nil {
		return nil, err
	}
	creditRuns(m.f.IO, d)
	return d, nil
}
