package change

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// wishes proposes for each VM that may be changed a key that no VM has.
func wishes(t testing.TB, s *session.Session) []tuning.Proposal {
	t.Helper()
	vc, err := read.Inventory(t.Context(), s, tree.Scope{}, vspheretest.NeedsOf("VM.vcpus"), nil)
	require.NoError(t, err)
	var all []tuning.Proposal
	for _, v := range vc.VMs {
		all = append(all, tuning.Proposal{
			Target: tuning.Target{Kind: inventory.ScopeVM, ID: v.ID, Name: v.Name, Path: v.Path}, Cause: tuning.Cause{Rule: "r", Title: "R"},
			Want: assign("vm-vmx/numa.vcpu.preferHT", "", "TRUE"),
		})
	}
	slices.SortFunc(all, func(a, b tuning.Proposal) int { return cmp.Compare(a.Target.ID, b.Target.ID) })
	return all
}

// estateOf returns an estate with its server, as plans need it.
func estateOf(t testing.TB, s *estate) tuning.Estate {
	t.Helper()
	e := s.tuning()
	var err error
	e.Server, err = Server(t.Context(), s.Session)
	require.NoError(t, err)
	return e
}

// BenchmarkPlanOfManyVMs plans one change to each of 2,000 VMs and makes 50 of them. The results include the simulator's work.
func BenchmarkPlanOfManyVMs(b *testing.B) {
	f, err := simfleet.Start(simfleet.Config{Hosts: 64, VMs: 2000})
	require.NoError(b, err)
	defer f.Close()
	s, err := session.Dial(b.Context(), session.Endpoint{
		URL: f.URL(), User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute,
	})
	require.NoError(b, err)
	defer func() { _ = s.Close(b.Context()) }()
	e := estateOf(b, estateOn(s))
	all := wishes(b, s)
	require.GreaterOrEqual(b, len(all), 2000)
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			var p *tuning.Plan
			calls := vspheretest.CallsOf(s, func() { p, err = tuning.NewPlan(b.Context(), e.Settings, e.Server, all, time.Now()) })
			require.NoError(b, err)
			b.ReportMetric(float64(vspheretest.Sum(calls)), "calls/plan")
			b.ReportMetric(float64(len(p.Steps)), "steps/plan")
		}
	})
	b.Run("apply", func(b *testing.B) {
		p, err := tuning.NewPlan(b.Context(), e.Settings, e.Server, all[:50], time.Now())
		require.NoError(b, err)
		for b.Loop() {
			runs, err := tuning.OpenRuns(b.TempDir() + "/runs")
			require.NoError(b, err)
			var o *tuning.Outcome
			calls := vspheretest.CallsOf(s, func() { o, err = tuning.Apply(b.Context(), e, runs, p, tuning.Options{}) })
			require.NoError(b, err)
			b.Log(calls)
			b.ReportMetric(float64(vspheretest.Sum(calls))/float64(len(p.Steps)), "calls/step")
			b.StopTimer()
			_, err = tuning.Rollback(b.Context(), e, runs, o.Run, tuning.Options{})
			require.NoError(b, err)
			b.StartTimer()
		}
	})
}

// The number of calls of a plan and a run is a fixed part plus a constant for each step.
func TestCallsOfAPlanAndARun(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	e := estateOf(t, s)
	vms := slices.DeleteFunc(wishes(t, s.Session), func(p tuning.Proposal) bool { return !strings.HasPrefix(p.Target.Name, "web-") })
	require.GreaterOrEqual(t, len(vms), 3)
	planned, run := map[int]map[string]int{}, map[int]map[string]int{}
	for _, n := range []int{1, 3} {
		var p *tuning.Plan
		var err error
		planned[n] = vspheretest.CallsOf(s.Session, func() { p, err = tuning.NewPlan(t.Context(), e.Settings, e.Server, vms[:n], time.Now()) })
		require.NoError(t, err)
		require.Len(t, p.Steps, n)
		runs, err := tuning.OpenRuns(t.TempDir() + "/runs")
		require.NoError(t, err)
		var o *tuning.Outcome
		run[n] = vspheretest.CallsOf(s.Session, func() { o, err = tuning.Apply(t.Context(), e, runs, p, tuning.Options{Batch: 100}) })
		require.NoError(t, err)
		_, err = tuning.Rollback(t.Context(), e, runs, o.Run, tuning.Options{})
		require.NoError(t, err)
	}
	require.Equal(t, planned[1], planned[3], "a plan reads all VMs at once")
	require.Equal(t, 3, run[3]["ReconfigVM_Task"])
	require.LessOrEqual(t, (vspheretest.Sum(run[3])-vspheretest.Sum(run[1]))/2, 25, "calls a step: %v", run)
}
