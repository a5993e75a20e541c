package exporter

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

var ownRules = sync.OnceValues(func() (*advice.Ruleset, error) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	if err != nil {
		return nil, err
	}
	return l.Select(advice.Selection{Rules: []string{ // enough of them to have findings of each kind of object; all take a while
		"host-drift", "pnic-link", "path-policy", "vmfs-version", "resource-pool-shares", "drs-automation", "power-policy-consistency", "netioc",
	}})
})

// judged is a target's Audit: some of our own rules.
func judged(t *testing.T) func() (audit.Request, error) {
	t.Helper()
	set, err := ownRules()
	require.NoError(t, err)
	return func() (audit.Request, error) { return audit.Request{Rules: set}, nil }
}

func collector(target *Target, name string) CollectorStatus {
	return target.snapshot().collectors[name]
}

// survey makes the next survey as surveyOften does.
func (s *stepper) survey() {
	s.t.Helper()
	began := s.clock()
	if err := s.surveyNow(s.t.Context(), began); err != nil {
		s.surveyFailed(began, err)
	}
}

// TestSurvey: surveyed facts are shown with the measurements, until they are too old.
func TestSurvey(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{
		Modules: []module.Name{module.Basic, module.Datastore, module.Cluster, module.Snapshot, module.Hardware, module.VSAN, module.Audit, module.Tags}, Audit: judged(t), TagCategories: []string{"tier"},
	})
	st := s.drive(t, target)
	require.NotContains(t, textOf(t, target), "esxi_datastore_info", "there was no survey yet")
	reads := s.fleet.Calls()["RetrievePropertiesEx"]
	st.survey()
	require.Less(t, s.fleet.Calls()["RetrievePropertiesEx"]-reads, 40, "one read for rules and modules")
	page := series(t, textOf(t, target))
	families := map[string]int{}
	for name := range page {
		family, _, _ := strings.Cut(name, "{")
		families[family]++
	}
	for _, family := range []string{
		"esxi_host_info", "esxi_vm_info", "esxi_datastore_info", "esxi_cluster_info", "esxi_vm_snapshots", "esxi_pnic_info",
		"vperf_rule_findings", "vperf_audit_timestamp_seconds",
	} {
		require.Positive(t, families[family], family)
	}
	require.NotContains(t, families, "vperf_finding", "on request only")
	require.Contains(t, textOf(t, target, module.Findings), "vperf_finding{")
	for _, name := range []string{"datastore", "cluster", "snapshot", "audit"} {
		c := collector(target, name)
		require.False(t, c.Ran.IsZero(), name)
		require.Positive(t, c.Expected, name)
	}
	status := target.Status()
	require.NotEmpty(t, status.Findings)
	require.NotZero(t, status.Judged)

	s.breaks(func(method string) bool { return strings.HasPrefix(method, "RetrieveProperties") })
	s.clock.forward(DefaultSurveyEvery)
	st.survey()
	require.False(t, collector(target, "datastore").Success, "it is reported at once")
	require.NotEmpty(t, collector(target, "audit").Err)
	require.Contains(t, textOf(t, target), "esxi_datastore_info", "the previous results are shown for a while")
	s.clock.forward(2*DefaultSurveyEvery - 1)
	require.Contains(t, textOf(t, target), "vperf_rule_findings{")
	s.clock.forward(1)
	late := textOf(t, target)
	require.NotContains(t, late, "esxi_datastore_info", "and no longer")
	require.NotContains(t, late, "vperf_rule_findings{")
	require.Nil(t, target.Status().Findings)
}

// TestSurveyKeepsToTheFilter: only exported objects are evaluated, and clusters have all of their hosts.
func TestSurveyKeepsToTheFilter(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{
		Modules: []module.Name{module.Basic, module.Cluster, module.Hardware, module.Audit}, Audit: judged(t), Filter: Filter{Include: []Pattern{{Name: "host01.*"}}},
	})
	st := s.drive(t, target)
	st.survey()
	clusters := 0.0
	for name, v := range series(t, textOf(t, target, module.Basic, module.Cluster, module.Hardware, module.Findings)) {
		switch family, labels, _ := strings.Cut(name, "{"); {
		case family == "esxi_cluster_hosts":
			clusters += v
		case strings.HasPrefix(family, "esxi_host_"), strings.HasPrefix(family, "esxi_pnic_"):
			require.Contains(t, labels, `host="host01.demo.local"`)
		case family == "vperf_finding" && strings.Contains(labels, `moid="host-`):
			require.Regexp(t, `moid="`+st.snapshot().here.hosts[0].MoID+`["/]`, labels)
		case family == "vperf_finding":
			require.NotContains(t, labels, `moid="vm-`)
		}
	}
	require.Greater(t, clusters, 10.0)
}

// TestTagsDecide once they are known.
func TestTagsDecide(t *testing.T) {
	s := onStage(t)
	all := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, TagCategories: []string{"*"}, Filter: Filter{Exclude: []Pattern{{Tag: "none:none"}}}})
	st := s.drive(t, all)
	require.Empty(t, all.snapshot().here.hosts, "tags are unknown")
	st.survey()
	tags := all.snapshot().tags
	require.NotEmpty(t, tags)
	s.clock.forward(interval)
	require.NoError(t, st.refresh(t.Context()))
	require.Len(t, all.snapshot().here.hosts, 16)

	var id, tag string
	for moid, list := range tags {
		if len(list) > 0 && strings.HasPrefix(moid, "vm-") {
			id, tag = moid, strings.Replace(list[0], "/", ":", 1)
		}
	}
	require.NotEmpty(t, id)
	some := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: Filter{Include: []Pattern{{Tag: tag}}}})
	st = s.drive(t, some)
	require.Empty(t, some.snapshot().here.asked)
	st.survey()
	s.clock.forward(interval)
	require.NoError(t, st.refresh(t.Context()))
	require.NoError(t, st.round(t.Context(), st.source))
	require.Contains(t, byMoID(series(t, textOf(t, some)), "esxi_vm_cpu_ready_seconds_total"), id, "hosts are taken in that were not asked at first")
}

func TestSurveyThatNobodyNeeds(t *testing.T) {
	require.False(t, idle(t, TargetConfig{Modules: []module.Name{module.Basic, module.Net}}).surveys())
	require.True(t, idle(t, TargetConfig{Modules: []module.Name{module.Basic, module.Cluster}}).surveys())
	require.False(t, idle(t, TargetConfig{Modules: []module.Name{module.Basic, module.Audit}}).surveys(), "there are no rules")
	require.True(t, idle(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: Filter{Include: []Pattern{{Tag: "a:b"}}}}).surveys())
}

func TestSurveysAreSpreadAndKeepTheirTime(t *testing.T) {
	target := idle(t, TargetConfig{})
	target.jitter = func(d time.Duration) time.Duration { return d / 2 }
	first := target.surveyDue()
	require.WithinDuration(t, time.Now().Add(time.Second), first, time.Second)
	require.Equal(t, first, target.surveyDue(), "another session does not put it off")
}

// TestRulesJudgeWhatIsToldOf: objects that the filter excludes are not evaluated, nor are their parts; objects that are
// not part of a host or VM always are.
func TestRulesJudgeWhatIsToldOf(t *testing.T) {
	keep, err := newFilter(Filter{Exclude: []Pattern{{Name: "*-test"}}})
	require.NoError(t, err)
	vm := new(inventory.VM)
	vm.ID, vm.Name = "vm-1", "web-test"
	v := &inventory.VCenter{Hosts: []*inventory.Host{{}, {}}, VMs: []*inventory.VM{vm}}
	v.Hosts[0].ID, v.Hosts[0].Name = "host-a", "a"
	v.Hosts[1].ID, v.Hosts[1].Name = "host-b-test", "b-test"
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{v}}).Link()
	target := &Target{filter: keep}
	judged := target.judged(&surveySource{read: v, kept: target.exportedOnly(v, nil)})
	for id, want := range map[string]bool{
		"host-a": true, "host-a/vmnic0": true, "host-b-test": false, "host-b-test/vmnic0": false, "vm-1": false, "vm-1/Hard disk 1": false,
		"domain-c1": true, "datastore-1": true,
	} {
		require.Equal(t, want, judged(inventory.Ref{ID: id}), id)
	}
	require.Nil(t, new(Target).judged(nil), "everything")
}
