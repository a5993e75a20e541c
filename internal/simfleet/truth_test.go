package simfleet_test

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// The verdicts in testdata/truth.csv for a symptom of an object.
const (
	planted = "planted"  // an intended fault: its cause must be the first diagnosis
	atTimes = "at times" // the same for a fault that does not show at every hour
	also    = "also"     // a further fault of the same object: proven, but not first
	follows = "follows"  // not intended but true: if the symptom shows, this is its cause
	clean   = "clean"    // a healthy counterpart: it must not have the symptom
)

// truth is a line of the expected results. Objects, and the symptoms of faults that were not intended, are patterns of
// path.Match.
type truth struct{ what, symptom, object, diagnosis, at, fault, why string }

func readTruth(t *testing.T) (list []truth) {
	t.Helper()
	for _, l := range readTable(t, "truth.csv", 7) {
		list = append(list, truth{what: l[0], symptom: l[1], object: l[2], diagnosis: l[3], at: l[4], fault: l[5], why: l[6]})
	}
	return list
}

// readTable reads lines with the given number of fields, without the header. The last field is text and may contain commas.
func readTable(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	r := csv.NewReader(file)
	r.Comment, r.TrimLeadingSpace, r.FieldsPerRecord = '#', true, -1
	lines, err := r.ReadAll()
	require.NoError(t, err)
	for n, l := range lines {
		for i := range l {
			l[i] = strings.TrimSpace(l[i])
		}
		require.GreaterOrEqual(t, len(l), fields, "%s: %v", name, l)
		lines[n] = slices.Concat(l[:fields-1], []string{strings.Join(l[fields-1:], ", ")})
	}
	return lines[1:]
}

// fits is path.Match that matches a NIC's host and name separately.
func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// short returns an object's name without the domain of its host.
func short(o inventory.Ref) string { return strings.ReplaceAll(o.Name, ".demo.local", "") }

// known holds all facts of the whole fleet, read once by vperf's own reader: configuration faults do not depend on the hour.
var known = sync.OnceValues(func() (*inventory.Snapshot, error) {
	f, err := simfleet.Common()
	if err != nil {
		return nil, err
	}
	return audit.Everything(context.Background(), sitesOf{Fleet: f}, inventory.Targets{})
})

// sitesOf reads all endpoints of a fleet.
type sitesOf struct{ *simfleet.Fleet }

func (s sitesOf) Read(ctx context.Context, _ inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	out := &inventory.Snapshot{Schema: inventory.SnapshotSchema}
	for _, e := range s.Endpoints() {
		err := s.session(ctx, e, func(session *session.Session) error {
			v, err := read.Inventory(ctx, session, tree.Scope{}, needs, nil)
			out.VCenters = append(out.VCenters, v)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	out.Link()
	return out, nil
}

func (s sitesOf) Fill(ctx context.Context, snapshot *inventory.Snapshot, _ []*inventory.Host, needs inventory.Needs) error {
	for i, e := range s.Endpoints() {
		hosts := snapshot.VCenters[i].Hosts
		if err := s.session(ctx, e, func(session *session.Session) error { return read.Fill(ctx, session, hosts, needs, nil) }); err != nil {
			return err
		}
	}
	return nil
}

func (sitesOf) session(ctx context.Context, e simfleet.Endpoint, do func(*session.Session) error) error {
	session, err := session.Dial(ctx, session.Endpoint{
		Name: e.Name, URL: e.URL, User: e.User, Password: session.Secret(e.Password), CertificatePEM: e.CertificatePEM,
	})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close(ctx) }()
	return do(session)
}

// watched holds the facts, and counters of a time in a zone.
type watched struct {
	fleet *simfleet.Fleet
	facts *inventory.Snapshot
	from  time.Time
	zone  time.Duration
	every time.Duration
	speed float64
}

func (w watched) Read(context.Context, inventory.Targets, inventory.Needs) (*inventory.Snapshot, error) {
	return w.facts, nil
}

// Measure samples every host as often as the duration allows.
func (w watched) Measure(_ context.Context, s *inventory.Snapshot, long time.Duration, _ []string) error {
	windows := make([]live.Window, len(s.VCenters))
	for _, h := range w.fleet.Watch(w.zone, w.speed) {
		at := slices.IndexFunc(w.fleet.Endpoints(), func(e simfleet.Endpoint) bool { return e.Name == h.Site })
		if err := w.look(h, s.VCenters[at], &windows[at], long); err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
	for i, v := range s.VCenters {
		windows[i].Put(v)
	}
	return nil
}

func (w watched) look(h simfleet.Watched, v *inventory.VCenter, to *live.Window, long time.Duration) error {
	schema, err := esxtop.ParseSchema(h.Schema)
	if err != nil {
		return err
	}
	var d esxtop.Deriver
	for past := time.Duration(0); past <= long; past += w.every {
		text, ok := h.Text(w.from.Add(past))
		if !ok {
			return errors.New("it says nothing")
		}
		sample, err := schema.Parse(text, live.Needs())
		if err != nil {
			return err
		}
		sample.Host, sample.MoID = h.Name, h.MoID
		f := d.Frame(sample, live.Needs())
		name(f, v)
		to.Add(f)
	}
	return nil
}

// name sets the ids of VMs' rows, as the reader of the service does: names are unique on hosts of the fleet.
func name(f *esxtop.Frame, v *inventory.VCenter) {
	ids := map[string]string{}
	for _, vm := range v.VMs {
		if id, _ := vm.HostID.Value(); id == f.MoID {
			ids[vm.Name] = vm.ID
		}
	}
	each := func(o esxtop.Object, id func(*esxtop.Row) string) {
		for i := range f.Rows(o) {
			f.Rows(o)[i].MoID = id(&f.Rows(o)[i])
		}
	}
	each(esxtop.Host, func(*esxtop.Row) string { return f.MoID })
	each(esxtop.Group, func(r *esxtop.Row) string { return ids[r.Name] })
	each(esxtop.Port, func(r *esxtop.Row) string {
		vm, _, _ := strings.Cut(r.Name, ".eth")
		return ids[vm]
	})
	each(esxtop.DiskVM, func(r *esxtop.Row) string { return ids[r.Name] })
	each(esxtop.VDisk, func(r *esxtop.Row) string { return f.Rows(esxtop.DiskVM)[r.Parent].MoID })
}

// judged holds vperf's findings and advice.
type judged struct {
	*audit.Audit
	advice    *advice.Advice
	explained []string // rules
}

var library = sync.OnceValues(func() (*advice.Ruleset, error) {
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	if err != nil {
		return nil, err
	}
	return l.Select(advice.Selection{Diagnoses: true})
})

func (w watched) judge(t *testing.T, long time.Duration) judged {
	t.Helper()
	set, err := library()
	require.NoError(t, err)
	got, err := audit.Run(t.Context(), w, audit.Request{For: long, Rules: set})
	require.NoError(t, err)
	var explained []string
	for _, r := range set.Rules() {
		explained = append(explained, r.Explains...)
	}
	return judged{Audit: got, advice: advice.Advise(got.Snapshot, got.Result), explained: explained}
}

// first returns the first proven diagnosis of a symptom, or nil.
func (j judged) first(symptom *advice.Finding) (best *advice.Diagnosis) {
	for _, d := range j.Result.Diagnoses {
		if d.Finding.Outcome != advice.Fail || !slices.ContainsFunc(d.Symptoms, func(s *advice.Finding) bool { return same(s, symptom) }) {
			continue
		}
		if best == nil || d.Finding.Rule.Order < best.Finding.Rule.Order {
			best = d
		}
	}
	return best
}

func same(a, b *advice.Finding) bool { return a.Rule.ID == b.Rule.ID && a.Object == b.Object }

// symptoms returns findings of rules over live counters that some diagnosis explains, or that are watched.
func (j judged) symptoms() (list []*advice.Finding) {
	for _, f := range j.Result.Findings {
		watches := f.Rule.Category == "monitoring" && len(f.Rule.Live()) > 0
		if f.Outcome == advice.Fail && (watches || slices.Contains(j.explained, f.Rule.ID)) {
			list = append(list, f)
		}
	}
	return list
}

// score compares the findings with the expected results.
type score struct {
	planted, found, proven, right int
	noise                         int      // symptoms of healthy objects
	wrong                         []string // as text
}

func (s *score) miss(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

func (s *score) recall() float64    { return float64(s.found) / float64(max(s.planted, 1)) }
func (s *score) precision() float64 { return float64(s.right) / float64(max(s.proven, 1)) }

func (j judged) score(sheet []truth) *score {
	s := new(score)
	symptoms := j.symptoms()
	for _, row := range sheet {
		j.hold(s, row, symptoms)
	}
	for _, f := range symptoms {
		d := j.first(f)
		if d == nil || d.Finding.Rule.Verdict == advice.VerdictHarmless {
			continue
		}
		s.proven++
		at := slices.IndexFunc(sheet, func(row truth) bool { return row.what != clean && row.what != also && row.says(f, d) })
		if at >= 0 {
			s.right++
			continue
		}
		s.miss("not on the sheet: %s of %s by %s at %s", f.Rule.ID, short(f.Object), d.Finding.Rule.ID, short(d.Cause))
	}
	return s
}

// says reports whether a row expects this diagnosis for this symptom.
func (row truth) says(f *advice.Finding, d *advice.Diagnosis) bool {
	return fits(row.symptom, f.Rule.ID) && fits(row.object, short(f.Object)) && row.diagnosis == d.Finding.Rule.ID && fits(row.at, short(d.Cause))
}

// hold compares one row with the findings.
func (j judged) hold(s *score, row truth, symptoms []*advice.Finding) {
	meant := slices.DeleteFunc(slices.Clone(symptoms), func(f *advice.Finding) bool {
		return !fits(row.object, short(f.Object)) || !fits(row.symptom, f.Rule.ID)
	})
	switch row.what {
	case clean:
		for _, f := range meant {
			s.noise++
			s.miss("%s is clean, and has %s", short(f.Object), f.Rule.ID)
		}
		if len(j.objects(row.object)) == 0 {
			s.noise++
			s.miss("nothing clean is called %s", row.object)
		}
	case also:
		s.planted++
		if j.proven(row) {
			s.found++
		} else {
			s.miss("%s of %s is not by %s at %s, too", row.symptom, row.object, row.diagnosis, row.at)
		}
	case planted:
		objects := j.objects(row.object)
		s.planted += max(1, len(objects))
		for _, o := range objects {
			at := slices.IndexFunc(meant, func(f *advice.Finding) bool { return f.Object == o })
			if at < 0 {
				s.miss("%s has no %s", short(o), row.symptom)
			} else if d := j.first(meant[at]); d == nil || !d.First {
				s.miss("%s of %s has no cause, of which %s is one", row.symptom, short(o), row.diagnosis)
			} else if !row.says(meant[at], d) {
				s.miss("%s of %s is by %s at %s, not by %s at %s", row.symptom, short(o), d.Finding.Rule.ID, short(d.Cause), row.diagnosis, row.at)
			} else {
				s.found++
			}
		}
		if len(objects) == 0 {
			s.miss("nothing is called %s", row.object)
		}
	}
}

// proven reports whether the diagnosis of a row is proven for its symptom, first or not.
func (j judged) proven(row truth) bool {
	return slices.ContainsFunc(j.Result.Diagnoses, func(d *advice.Diagnosis) bool {
		return d.Finding.Outcome == advice.Fail && slices.ContainsFunc(d.Symptoms, func(f *advice.Finding) bool { return row.says(f, d) })
	})
}

// objects returns the objects of the fleet that match a pattern.
func (j judged) objects(pattern string) (list []inventory.Ref) {
	for _, v := range j.Snapshot.VCenters {
		all := refs(v.Hosts)
		for _, h := range v.Hosts {
			nics, _ := h.PNICs.Value()
			luns, _ := h.LUNs.Value()
			all = slices.Concat(all, refs(nics), refs(luns))
		}
		all = slices.Concat(all, refs(v.VMs))
		for _, vm := range v.VMs {
			disks, _ := vm.Disks.Value()
			all = slices.Concat(all, refs(disks))
		}
		list = slices.Concat(list, slices.DeleteFunc(all, func(o inventory.Ref) bool { return !fits(pattern, short(o)) }))
	}
	return list
}

func refs[O inventory.Object](objects []O) (list []inventory.Ref) {
	for _, o := range objects {
		list = append(list, o.Ref())
	}
	return list
}

func at(t *testing.T, from time.Time, zone time.Duration) watched {
	t.Helper()
	f, err := simfleet.Common()
	require.NoError(t, err)
	facts, err := known()
	require.NoError(t, err)
	return watched{fleet: f, facts: facts, from: from, zone: zone, every: 20 * time.Second, speed: 1}
}

// timeOfAdvice is the shortest measurement that the documentation recommends.
const timeOfAdvice = time.Minute

// TestProveTruthAtAnyHour: the demo shows its faults at any hour, even at night, with the shortest recommended measurement.
func TestProveTruthAtAnyHour(t *testing.T) {
	sheet := readTruth(t)
	for _, now := range proof.Sample(t, 1, []time.Time{
		time.Date(2026, 11, 21, 3, 2, 11, 0, time.UTC), time.Date(2027, 1, 1, 17, 59, 58, 0, time.UTC), time.Date(2028, 2, 29, 23, 31, 5, 0, time.UTC),
	}) {
		t.Log(now)
		at(t, now, simfleet.MidMorning(now)).judge(t, timeOfAdvice).score(sheet).require(t)
	}
}

// TestProveTruthOfADay: a fleet in another time zone, or with a higher speed, is idle at some hours. Symptoms still have the same
// causes, healthy objects stay healthy, and each intermittent fault shows at some hour.
func TestProveTruthOfADay(t *testing.T) {
	sheet := readTruth(t)
	seen := map[truth]bool{}
	var sum score
	for hour := range 8 {
		now := simfleet.Noon().AddDate(0, 0, hour).Add(time.Duration(37*hour) * time.Second)
		w := at(t, now, simfleet.MidMorning(now)+time.Duration(3*hour)*time.Hour)
		w.speed = []float64{1, 60}[hour%2]
		j := w.judge(t, timeOfAdvice)
		s := j.score(sheet)
		for _, row := range sheet {
			if row.what == atTimes {
				seen[row] = seen[row] || slices.ContainsFunc(j.symptoms(), func(f *advice.Finding) bool {
					d := j.first(f)
					return d != nil && row.says(f, d)
				})
			}
		}
		for _, m := range s.wrong {
			t.Logf("hour %d: %s", hour, m)
		}
		sum.planted, sum.found, sum.right = sum.planted+s.planted, sum.found+s.found, sum.right+s.right
		sum.proven, sum.noise = sum.proven+s.proven, sum.noise+s.noise
	}
	t.Logf("of a day: %d of %d planted faults; %d of %d causes are on the sheet", sum.found, sum.planted, sum.right, sum.proven)
	require.GreaterOrEqual(t, sum.precision(), leastPrecision)
	require.Zero(t, sum.noise, "healthy objects have symptoms")
	for row, shown := range seen {
		require.True(t, shown, "%s of %s shows at none of these hours", row.symptom, row.object)
	}
}

// TestTruth: intended faults are the first diagnosis, and healthy objects have none.
func TestTruth(t *testing.T) {
	proof.NotRaced(t)
	now := simfleet.Noon()
	j := at(t, now, simfleet.MidMorning(now)).judge(t, 2*time.Minute)
	sheet := readTruth(t)
	j.dump(t)
	j.score(sheet).require(t)
}

// Minimum scores. All intended faults must be found; a new rule may add a cause that is not on the list yet, and then either the
// list or the rule is wrong.
const (
	leastRecall    = 1.0
	leastPrecision = 0.98
)

func (s *score) require(t *testing.T) {
	t.Helper()
	t.Logf("recall %.2f: %d of %d planted faults; precision %.2f: %d of %d causes are on the sheet",
		s.recall(), s.found, s.planted, s.precision(), s.right, s.proven)
	for _, w := range s.wrong {
		t.Log(w)
	}
	require.GreaterOrEqual(t, s.recall(), leastRecall)
	require.GreaterOrEqual(t, s.precision(), leastPrecision)
	require.Zero(t, s.noise, "healthy objects have symptoms")
}

// dump prints the findings for review: go test -v.
func (j judged) dump(t *testing.T) {
	t.Helper()
	var b strings.Builder
	for i, r := range j.advice.Recommendations {
		lost := "?"
		if v, ok := r.Impact.Lost.Value(); ok {
			lost = fmt.Sprintf("%.3g", v)
		}
		fmt.Fprintf(&b, "%3d %-8s %-28s %-24s lost %-7s vms %-3d objects %-3d effort %-6s diagnoses %d findings %d\n",
			i+1, r.Severity, r.Rule.ID, short(r.Object), lost, r.Impact.VMs, r.Impact.Objects, r.Effort, len(r.Diagnoses), len(r.Findings))
	}
	for _, d := range j.advice.Harmless {
		fmt.Fprintf(&b, "harmless %s %s\n", d.Finding.Rule.ID, short(d.Finding.Object))
	}
	for _, f := range j.symptoms() {
		line := fmt.Sprintf("%-20s %-40s", f.Rule.ID, short(f.Object))
		if d := j.first(f); d != nil {
			line += fmt.Sprintf(" <- %s at %s", d.Finding.Rule.ID, short(d.Cause))
		}
		line += "   " + evidence(f)
		fmt.Fprintln(&b, line)
	}
	t.Log("\n" + b.String())
}

func evidence(f *advice.Finding) string {
	var parts []string
	for _, e := range f.Evidence {
		v, state, _ := e.Value.Raw()
		parts = append(parts, fmt.Sprintf("%s=%s", e.Name, cmp.Or(map[bool]string{true: fmt.Sprint(v)}[state == inventory.StateKnown], "-")))
	}
	return strings.Join(parts, " ")
}
