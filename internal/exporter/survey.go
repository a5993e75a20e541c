package exporter

import (
	"cmp"
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// survey is the result of reading the configuration. It is immutable. The facts are not kept: they are many times as
// large as the exported data.
type survey struct {
	at       time.Time // when it was done, by our clock
	judged   time.Time // when it was begun, by the server's
	modules  map[module.Name]*exposition.Tape
	labels   map[string]map[string]string // from tags, by the object's id and the label's name
	findings []FindingCount               // of exported objects; nil: there is no audit
	outcomes map[advice.Outcome]int
}

// until is when the survey is too old to be shown; zero: there is none.
func (s *survey) until(every time.Duration) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.at.Add(surveysShown * every)
}

// surveysShown is how many times the time between surveys the last one is shown, where no other succeeded since.
const surveysShown = 3

// surveyPatience is the least that a survey may take.
const surveyPatience = time.Minute

// surveyed are the modules of surveys that the target collects, in the order of pages.
func (t *Target) surveyed() (list []module.Surveyed) {
	for _, name := range module.All {
		if m, is := module.Survey(name, t.config.CustomAttributes); is && t.serves(name) {
			list = append(list, m)
		}
	}
	return list
}

// surveys reports whether there is anything to read in surveys.
func (t *Target) surveys() bool { return len(t.surveyed()) > 0 || t.judges() || t.readsTags() }

// surveyOften surveys again and again. When it is due does not depend on sessions.
func (l *link) surveyOften(ctx context.Context) {
	for {
		l.wait(ctx, l.surveyDue().Sub(l.clock()))
		if ctx.Err() != nil {
			return
		}
		began := l.clock()
		err := l.surveyNow(ctx, began)
		debug.FreeOSMemory() // facts and findings take several times the memory of everything that is kept
		if ctx.Err() != nil {
			return
		}
		pause := l.config.SurveyEvery
		if err != nil {
			pause = min(pause, watchEvery)
			l.surveyFailed(began, err)
		}
		l.mu.Lock()
		l.now.due = began.Add(pause + l.jitter(pause/10))
		l.mu.Unlock()
	}
}

// surveyDue is when the next survey is made: the first one soon, but not of all targets at once.
func (t *Target) surveyDue() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.due.IsZero() {
		t.now.due = t.clock().Add(t.jitter(2 * time.Second))
	}
	return t.now.due
}

// surveyFailed reports a failure at once. The previous survey's results are still shown for a while.
func (t *Target) surveyFailed(began time.Time, err error) {
	for _, name := range t.surveyCollectors() {
		t.failed(name, began, err)
	}
	t.trace.warn("survey: %v", err)
}

func (t *Target) surveyCollectors() (list []string) {
	for _, m := range t.surveyed() {
		list = append(list, string(m.Name))
	}
	if t.judges() {
		list = append(list, collectorAudit)
	}
	if t.readsTags() {
		list = append(list, collectorTags)
	}
	return list
}

// surveyNow is one survey.
func (l *link) surveyNow(ctx context.Context, began time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, max(surveyPatience, l.config.SurveyEvery))
	defer cancel()
	from := &surveySource{target: l.Target, session: l.session, more: l.surveyNeeds()}
	result, rules, err := l.judge(ctx, from)
	if err != nil {
		return err
	}
	l.reportMissingAttributes(from.read)
	tags := tagsRead(from.read)
	judged := from.read.TakenAt
	if judged.IsZero() { // the server's clock is unread: it is where it was
		judged = began.Add(l.snapshot().ahead)
	}
	s := &survey{at: l.clock(), judged: judged, labels: module.TagLabels(from.read, l.config.TagCategories), modules: map[module.Name]*exposition.Tape{}}
	for _, m := range l.surveyed() {
		s.modules[m.Name] = exposition.Record(func(w *exposition.Writer) { m.Write(w, from.kept) })
	}
	if result != nil {
		s.judge(result, rules)
	}
	l.surveyedAll(s, from, result, began, tags)
	return nil
}

// judge stores the results of rules. Findings can be requested if there is an audit.
func (s *survey) judge(result *advice.Result, rules *advice.Ruleset) {
	s.findings, s.outcomes = counted(result), maps.Clone(result.Counts)
	s.modules[module.Audit] = exposition.Record(func(w *exposition.Writer) {
		module.WriteRuleFindings(w, result, rules)
		w.Family(exposition.Family{Name: "vperf_audit_timestamp_seconds", Help: "Time at which the audited configuration was read, by the server's clock."})
		w.Sample("", exposition.Seconds(s.judged))
	})
	s.modules[module.Findings] = exposition.Record(func(w *exposition.Writer) { module.WriteFindings(w, result) })
}

// judge reads the facts for modules and rules, and evaluates the rules if there are any.
func (l *link) judge(ctx context.Context, from *surveySource) (*advice.Result, *advice.Ruleset, error) {
	if !l.judges() {
		_, err := from.Read(ctx, inventory.Targets{}, inventory.Needs{})
		return nil, nil, err
	}
	request, err := l.config.Audit()
	if err != nil {
		return nil, nil, err
	}
	request.For = 0 // counters are sampled apart
	request.Options.Keep, request.Options.OutcomesOnly = l.judged(from), true
	a, err := audit.Run(ctx, from, request)
	if err != nil {
		return nil, nil, err
	}
	return a.Result, request.Rules, nil
}

// surveyNeeds returns the facts for modules, without those for rules.
func (t *Target) surveyNeeds() (needs inventory.Needs) {
	for _, m := range t.surveyed() {
		needs.Add(m.Needs)
	}
	if t.readsTags() {
		needs.Add(tagsModule().Needs)
	}
	if _, asks := t.perHostNeeds(); asks || t.judges() {
		needs.AddFact("Host.bootTime", "Host.build") // whether a host is the one that was asked before
	}
	return needs
}

// perHostNeeds returns the facts for modules that take calls to each host, and whether there are any.
func (t *Target) perHostNeeds() (needs inventory.Needs, asks bool) {
	for _, m := range t.surveyed() {
		if m.PerHost {
			needs.Add(m.Needs)
			asks = true
		}
	}
	return needs, asks
}

// surveyedAll takes a survey in.
func (l *link) surveyedAll(s *survey, from *surveySource, result *advice.Result, began time.Time, tags tagsOf) {
	took, read := l.clock().Sub(began), from.read
	if l.modules[module.Pool] {
		l.ready.Survey(read)
	}
	l.change(func(now *state) {
		now.survey, now.ahead = s, now.ahead+driftOf(s, began, now.ahead)
		if tags != nil {
			now.tags = tags
		}
		for _, m := range l.surveyed() {
			of := read
			if m.PerHost { // no other hosts were asked
				of = from.kept
			}
			now.collectors[string(m.Name)] = moduleStatus(m, of, began, took)
		}
		if l.judges() {
			now.collectors[collectorAudit] = auditStatus(result, began, took)
		}
		if l.readsTags() {
			now.collectors[collectorTags] = moduleStatus(tagsModule(), read, began, took)
		}
	})
	l.trace.debug("survey: %d hosts, %d VMs, in %s", len(read.Hosts), len(read.VMs), took.Round(time.Millisecond))
}

// driftOf is how far the server's clock has gone from where we thought it was. Seconds are the line's as much as the clock's.
func driftOf(s *survey, began time.Time, ahead time.Duration) time.Duration {
	const line = 5 * time.Second
	if drift := s.judged.Sub(began) - ahead; drift.Abs() > line {
		return drift
	}
	return 0
}

func auditStatus(r *advice.Result, began time.Time, took time.Duration) CollectorStatus {
	unread := slices.DeleteFunc(slices.Clone(r.UnreadObjects), func(g advice.Gap) bool {
		_, planned := inventory.PlannedAbsence(g.Reason)
		return planned
	})
	expected := r.Hosts + r.VMs - (len(r.UnreadObjects) - len(unread))
	c := CollectorStatus{
		Name: collectorAudit, Ran: began, Took: took, Success: len(unread) == 0, Expected: expected, Collected: max(0, expected-len(unread)),
	}
	if !c.Success {
		c.Err = string(unread[0].Object.Kind) + " " + unread[0].Object.Name + " was not read: " + unread[0].Reason
	}
	return c
}

// tagsRead are the tags of all objects whose tags were read; nil: of none.
func tagsRead(v *inventory.VCenter) tagsOf {
	var tags tagsOf
	note := func(id string, f inventory.Fact[[]string]) {
		list, state, _ := f.Get()
		if state == inventory.StateUnread {
			return
		}
		if tags == nil {
			tags = tagsOf{}
		}
		tags[id] = list
	}
	for _, h := range v.Hosts {
		note(h.ID, h.Tags)
	}
	for _, vm := range v.VMs {
		note(vm.ID, vm.Tags)
	}
	return tags
}

// exportedOnly returns a snapshot with only the exported hosts and VMs, and everything else unchanged.
func (t *Target) exportedOnly(v *inventory.VCenter, tags tagsOf) *inventory.VCenter {
	if t.filter.all() {
		return v
	}
	kept := t.filter.exported(v, tags)
	t.withoutEstate(kept)
	return kept
}

// exported returns a snapshot with only the hosts and VMs that the filter keeps, and everything else unchanged.
func (f filter) exported(v *inventory.VCenter, tags tagsOf) *inventory.VCenter {
	kept := *v
	kept.Hosts, kept.VMs = nil, nil
	for _, h := range v.Hosts {
		if f.host(rosterHost(h), tags) {
			kept.Hosts = append(kept.Hosts, h)
		}
	}
	for _, vm := range v.VMs {
		if f.vm(&source.VM{MoID: vm.ID, Name: vm.Name, Path: vm.Path}, rosterHost(vm.Host()), tags) {
			kept.VMs = append(kept.VMs, vm)
		}
	}
	return &kept
}

// rosterHost is a host as filters know it.
func rosterHost(h *inventory.Host) *source.Host {
	if h == nil {
		return &source.Host{}
	}
	return &source.Host{MoID: h.ID, Name: h.Name, Path: h.Path}
}

// judged returns a function that selects the objects to evaluate, after they are read: exported hosts and VMs with
// their parts, and all other objects. nil means everything. The audit is about the hosts and VMs of all shards.
func (t *Target) judged(from *surveySource) func(inventory.Ref) bool {
	names := t.filter.names()
	if names.all() {
		return nil
	}
	left := sync.OnceValue(func() map[string]bool { return notExported(from.read, names.exported(from.read, tagsRead(from.read))) })
	return func(o inventory.Ref) bool {
		id, _, _ := strings.Cut(o.ID, "/") // ids of devices begin with their owner's
		return !left()[id]
	}
}

// notExported returns the ids of the hosts and VMs that are not exported.
func notExported(whole, kept *inventory.VCenter) map[string]bool {
	left := map[string]bool{}
	for _, h := range whole.Hosts {
		left[h.ID] = true
	}
	for _, vm := range whole.VMs {
		left[vm.ID] = true
	}
	for _, h := range kept.Hosts {
		delete(left, h.ID)
	}
	for _, vm := range kept.VMs {
		delete(left, vm.ID)
	}
	return left
}

// surveySource reads for audits what modules need, too, so that one read serves both.
type surveySource struct {
	target  *Target
	session *session.Session
	more    inventory.Needs
	read    *inventory.VCenter
	kept    *inventory.VCenter // what is exported of it
}

// Read implements audit.Source.
func (s *surveySource) Read(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	var all inventory.Needs
	all.Add(needs)
	all.Add(s.more)
	if len(targets.Hosts) == 0 {
		targets.Hosts = s.target.ownHosts()
	}
	read, err := source.Facts(ctx, s.session, targets, all, nil)
	if err != nil {
		return nil, err
	}
	s.read = read.VCenters[0]
	s.kept = s.target.exportedOnly(s.read, tagsRead(s.read))
	if needs, asks := s.target.perHostNeeds(); asks {
		err = s.fill(ctx, &s.target.modular, s.kept.Hosts, needs)
	}
	return read, err
}

// Fill implements audit.Filler. Hosts that were asked lately are not asked again.
func (s *surveySource) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	return s.fill(ctx, &s.target.answers, hosts, needs)
}

// fill reads facts with calls to hosts. Audits and modules have answers of their own, because audits ask some hosts for some
// facts, and modules always the same.
func (s *surveySource) fill(ctx context.Context, kept *answers, hosts []*inventory.Host, needs inventory.Needs) error {
	now := s.target.clock()
	ask := kept.fill(hosts, needs, now)
	s.target.trace.debug("survey: %d of %d hosts read with per-host calls; the others were read less than %s ago", len(ask), len(hosts), answersKept)
	gaps := make([]map[string]inventory.Reader, len(ask))
	for i, h := range ask {
		gaps[i] = open(h)
	}
	if err := read.Fill(ctx, s.session, ask, needs, nil); err != nil {
		return err
	}
	for i, h := range ask {
		kept.keep(h, gaps[i], needs, now)
	}
	return nil
}

// moduleStatus is how a module came out of a survey.
func moduleStatus(m module.Surveyed, v *inventory.VCenter, ran time.Time, took time.Duration) CollectorStatus {
	c := CollectorStatus{Name: string(m.Name), Ran: ran, Took: took}
	c.Expected, c.Collected, c.Err = m.Coverage(v)
	c.Success = c.Err == "" && c.Collected >= c.Expected
	return c
}

// tagsModule reads tags, also for targets that do not export them.
func tagsModule() module.Surveyed {
	m, _ := module.Survey(module.Tags, nil)
	return m
}

// reportMissingAttributes logs attributes of which no object has a value, once: a misspelt name looks like that.
func (t *Target) reportMissingAttributes(v *inventory.VCenter) {
	var missing []string
	for _, name := range module.MissingAttributes(v, t.config.CustomAttributes) {
		missing = append(missing, strconv.Quote(name))
	}
	if words := strings.Join(missing, ", "); words != t.missingAttributes {
		if t.missingAttributes = words; words != "" {
			t.trace.warn("survey: no host and no VM has a value of the custom attribute %s: the names in custom-attributes must match exactly", words)
		}
	}
}

// counted counts findings by rule, severity and outcome: the worst severity first.
func counted(r *advice.Result) []FindingCount {
	type kind struct {
		rule     string
		severity advice.Severity
		outcome  advice.Outcome
	}
	at, list := map[kind]int{}, []FindingCount{}
	for _, f := range r.Findings {
		k := kind{f.Rule.ID, f.Severity, f.Outcome}
		place, there := at[k]
		if !there {
			place = len(list)
			at[k] = place
			list = append(list, FindingCount{Rule: f.Rule.ID, Title: f.Rule.Title, Severity: f.Severity, Outcome: f.Outcome})
		}
		list[place].Count++
	}
	slices.SortStableFunc(list, func(a, b FindingCount) int {
		return cmp.Or(
			cmp.Compare(slices.Index(advice.Severities(), a.Severity), slices.Index(advice.Severities(), b.Severity)),
			strings.Compare(a.Rule, b.Rule),
			cmp.Compare(slices.Index(advice.Outcomes(), a.Outcome), slices.Index(advice.Outcomes(), b.Outcome)),
		)
	})
	return list
}
