package module

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// surveyModules are the modules that a survey makes, in the order of pages.
var surveyModules = []Name{GPU, Datastore, Cluster, Pool, Snapshot, Hardware, Firmware, VSAN, Tags, Attribute}

// demo is a session with the demo fleet.
func demo(t *testing.T, c simfleet.Config) *session.Session {
	t.Helper()
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	c.Now = func() time.Time { return at }
	f, err := simfleet.Start(c)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	s, err := session.Dial(t.Context(), session.Endpoint{
		URL: f.URL(), User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.WithoutCancel(t.Context())) })
	return s
}

// survey reads the needed facts and links them.
func surveyFor(t *testing.T, s *session.Session, needs inventory.Needs) *inventory.VCenter {
	t.Helper()
	v, err := read.Inventory(t.Context(), s, tree.Scope{}, needs, nil)
	require.NoError(t, err)
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{v}}).Link()
	return v
}

func moduleOf(t *testing.T, m Name) Surveyed {
	t.Helper()
	s, ok := Survey(m, []string{"cost-centre"})
	require.True(t, ok, m)
	require.Equal(t, m, s.Name)
	return s
}

// page returns a writer's output, checked like with promtool.
func page(t *testing.T, write func(*exposition.Writer)) string {
	t.Helper()
	var b bytes.Buffer
	w := exposition.NewWriter(&b, exposition.Text)
	write(w)
	require.NoError(t, w.Close())
	requireClean(t, b.String())
	return b.String()
}

// tellsSource is a HELP that says in brackets where its figures come from.
var (
	tellsSource = regexp.MustCompile(`^# HELP \S+ .+\(.+\).*\.\n$`)
	labelName   = regexp.MustCompile(`[{,]([a-z0-9_]+)="`)
)

// ourLabels are the names that labels may have, besides those of tags.
var ourLabels = strings.Fields(`host moid tier vm datastore sensor pnic adapter kind driver driver_version firmware model version build guest uuid bios_uuid host_moid
	vsphere_cluster vsphere_datacenter drs_automation evc_mode resource_pool parent parent_moid pci_id vendor type device profile rule severity outcome object`)

// requireClean checks a page: Prometheus's linter has no complaints, each HELP has its source, all labels are known,
// and no series is duplicated.
func requireClean(t *testing.T, page string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	seen := map[string]bool{}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "# HELP") {
			require.Regexp(t, tellsSource, line)
			require.NotContains(t, line, "percent")
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		series := line[:strings.LastIndexByte(line, ' ')]
		require.False(t, seen[series], "twice: %s", series)
		seen[series] = true
		for _, m := range labelName.FindAllStringSubmatch(series, -1) {
			if !strings.HasPrefix(m[1], "tag_") && !strings.HasPrefix(m[1], "attribute_") {
				require.Contains(t, ourLabels, m[1])
			}
		}
	}
}

// TestModulesOfTheDemoFleet: each module is written from the facts that it needs, and from no others.
func TestModulesOfTheDemoFleet(t *testing.T) {
	t.Parallel()
	s := demo(t, simfleet.Config{})
	for _, m := range surveyModules {
		module := moduleOf(t, m)
		v := surveyFor(t, s, module.Needs)
		if module.PerHost {
			require.NoError(t, read.Fill(t.Context(), s, v.Hosts, module.Needs, nil))
		}
		got := page(t, func(w *exposition.Writer) { module.Write(w, v) })
		if m != Tags { // they have no series of their own
			golden.Equal(t, "testdata/"+string(m)+".prom", []byte(got))
		}
		expected, collected, trouble := module.Coverage(v)
		require.NotZero(t, expected, m)
		require.Equal(t, expected, collected, "%s: %s", m, trouble)
		require.Empty(t, trouble, m)

		_, collected, trouble = module.Coverage(surveyFor(t, s, inventory.Needs{})) // the survey read no facts
		require.Zero(t, collected, m)
		if m != Datastore && m != Snapshot { // these two have no coverage without objects
			require.NotEmpty(t, trouble, m)
		}
	}
}

// TestNoOtherModuleIsSurveyed: measured modules are not surveyed.
func TestNoOtherModuleIsSurveyed(t *testing.T) {
	for _, m := range []Name{Basic, Disk, Net, VCPU, NUMA, Esxtop, Audit, Findings, "other"} {
		_, ok := Survey(m, nil)
		require.False(t, ok, m)
	}
}

// allNeeds returns the needs of all modules.
func allNeeds(t *testing.T) (n inventory.Needs) {
	for _, m := range surveyModules {
		n.Add(moduleOf(t, m).Needs)
	}
	return n
}

// TestRoundTripsOfASurvey: their number does not grow with hosts, but for the pages of an answer.
func TestRoundTripsOfASurvey(t *testing.T) {
	t.Parallel()
	calls := func(hosts int) map[string]int {
		s := demo(t, simfleet.Config{Hosts: hosts})
		before := s.Calls()
		v := surveyFor(t, s, allNeeds(t))
		require.Len(t, v.Hosts, hosts)
		made := map[string]int{}
		for method, n := range s.Calls() {
			if n -= before[method]; n > 0 && method != "ContinueRetrievePropertiesEx" {
				made[method] = n
			}
		}
		return made
	}
	few := calls(16)
	require.Equal(t, few, calls(64))
	require.Equal(t, 4, few["RetrievePropertiesEx"], "the index, hosts, VMs, the files of those with snapshots: %v", few)
	require.Zero(t, few["ExecuteSoap"])
}

// auditedSession reads as the audit wants it.
type auditedSession struct{ *session.Session }

func (s auditedSession) Read(ctx context.Context, _ inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	v, err := read.Inventory(ctx, s.Session, tree.Scope{}, needs, nil)
	if err != nil {
		return nil, err
	}
	all := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	all.Link()
	return all, nil
}

func library(t *testing.T, o advice.Selection) *advice.Ruleset {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(o)
	require.NoError(t, err)
	return set
}

func TestFindingsOfTheDemoFleet(t *testing.T) {
	t.Parallel()
	s := demo(t, simfleet.Config{})
	set := library(t, advice.Selection{})
	r, err := audit.Run(t.Context(), auditedSession{s}, audit.Request{Rules: set})
	require.NoError(t, err)
	golden.Equal(t, "testdata/audit.prom", []byte(page(t, func(w *exposition.Writer) { WriteRuleFindings(w, r.Result, set) })))
	golden.Equal(t, "testdata/findings.prom", []byte(page(t, func(w *exposition.Writer) { WriteFindings(w, r.Result) })))
}
