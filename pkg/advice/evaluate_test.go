package advice_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// smallFleet has one readable host with a readable and an unreadable VM, and one host that does not respond.
func smallFleet() *inventory.Snapshot {
	h := &inventory.Host{
		ClusterID: inventory.Absent[string](), Cores: inventory.Known(int64(28)), CPUMHz: inventory.Known(int64(2600)),
		NUMANodes: inventory.Known([]*inventory.NUMANode{{ID: 0}, {ID: 1}}),
		PNICs:     inventory.Known([]*inventory.PNIC{}), VSAN: inventory.Known(false),
	}
	h.ID, h.Name, h.Path = "host-1", "host01", "/dc/host/host01"
	h.Tags, h.Attributes = inventory.Known([]string{}), inventory.Known(map[string]string{})
	h.Cloud, h.CloudEvidence = inventory.Known(""), inventory.Known("")
	gone := &inventory.Host{}
	gone.ID, gone.Name, gone.Path, gone.Unread = "host-2", "host02", "/dc/host/host02", "host does not respond"
	limited := &inventory.VM{
		Appliance: inventory.Known(""),
		HostID:    inventory.Known("host-1"), VCPUs: inventory.Known(int64(4)), CPULimitMHz: inventory.Known(int64(1000)),
		LatencySensitivity: inventory.Known("normal"), PowerState: inventory.Known("poweredOn"), Template: inventory.Known(false),
		VNICs: inventory.Known([]*inventory.VNIC{{Key: 4000, Label: "Network adapter 1", Type: inventory.Known("e1000")}}),
	}
	limited.ID, limited.Name, limited.Path = "vm-1", "web-01", "/dc/vm/web-01"
	limited.Tags, limited.Attributes = inventory.Known([]string{}), inventory.Known(map[string]string{})
	dark := &inventory.VM{HostID: inventory.Known("host-2")}
	dark.ID, dark.Name, dark.Path, dark.Unread = "vm-2", "web-02", "/dc/vm/web-02", "on a host that does not respond"
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter, Hosts: []*inventory.Host{h, gone}, VMs: []*inventory.VM{limited, dark}}
	v.Name = "vc"
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func evaluate(t *testing.T, s *inventory.Snapshot, o advice.Options, ids ...string) *advice.Result {
	t.Helper()
	set, err := library(t).Select(advice.Selection{Rules: ids})
	require.NoError(t, err)
	r, err := advice.Evaluate(t.Context(), s, set, o)
	require.NoError(t, err)
	return r
}

func TestEvaluateCountsAndOrders(t *testing.T) {
	r := evaluate(t, smallFleet(), advice.Options{}, "cpu-limit", "vnic-vmxnet3")
	require.Equal(t, 2, r.Hosts)
	require.Equal(t, 2, r.VMs)
	require.Equal(t, 4, r.Checks)
	require.Equal(t, map[advice.Outcome]int{advice.Fail: 2, advice.Unknown: 2}, r.Counts)
	var got []string
	for _, f := range r.Findings {
		got = append(got, string(f.Outcome)+" "+string(f.Severity)+" "+f.Rule.ID+" "+f.Object.Name)
	}
	require.Equal(t, []string{
		"fail medium cpu-limit web-01",
		"fail medium vnic-vmxnet3 web-01/Network adapter 1",
		"unknown medium cpu-limit web-02",
		"unknown medium vnic-vmxnet3 web-02",
	}, got)
}

func TestUnreadObjectsAreNamedOnce(t *testing.T) {
	r := evaluate(t, smallFleet(), advice.Options{}, "cpu-limit", "vnic-vmxnet3")
	require.Len(t, r.UnreadObjects, 2)
	require.Len(t, r.Unread, 2, "one entry an object, not one a fact")
	require.Equal(t, "all facts", r.Unread[0].Fact)
	require.Equal(t, "host does not respond", r.Unread[0].Reason)
	require.Contains(t, r.Incomplete(advice.Medium), "host host02 was not read: host does not respond")
	require.Contains(t, r.Incomplete(advice.Medium), "rule cpu-limit is unknown on over a tenth of its objects")
}

func TestAnIncompleteListIsNoCleanFleet(t *testing.T) {
	s := smallFleet()
	s.VCenters[0].Hosts, s.VCenters[0].VMs = nil, nil
	s.VCenters[0].Unread = "its list of virtual machines is incomplete"
	r := evaluate(t, s, advice.Options{}, "cpu-limit")
	require.Equal(t, []string{"vcenter vc was not read: its list of virtual machines is incomplete"}, r.Incomplete(advice.Medium))
}

func TestGates(t *testing.T) {
	r := evaluate(t, smallFleet(), advice.Options{}, "vnic-vmxnet3")
	require.False(t, r.Worst(advice.High))
	require.True(t, r.Worst(advice.Medium))
	require.True(t, r.Worst(advice.Info))
}

func TestAllKeepsPasses(t *testing.T) {
	s := smallFleet()
	s.VCenters[0].VMs[0].CPULimitMHz = inventory.Known(int64(inventory.NoLimit))
	require.Len(t, evaluate(t, s, advice.Options{}, "cpu-limit").Findings, 1)
	r := evaluate(t, s, advice.Options{All: true}, "cpu-limit")
	require.Len(t, r.Findings, 2)
	require.Equal(t, advice.Pass, r.Findings[1].Outcome)
	require.NotEmpty(t, r.Findings[1].Evidence, "a pass shows its evidence")
}

// TestKeepLeavesObjectsOut: skipped objects are not counted, not even as unread ones; others are evaluated as before.
func TestKeepLeavesObjectsOut(t *testing.T) {
	keep := func(o inventory.Ref) bool { return o.ID != "vm-2" && o.ID != "host-2" }
	r := evaluate(t, smallFleet(), advice.Options{Keep: keep}, "cpu-limit", "vnic-vmxnet3")
	require.Equal(t, []int{1, 1, 2}, []int{r.Hosts, r.VMs, r.Checks})
	require.Equal(t, map[advice.Outcome]int{advice.Fail: 2}, r.Counts)
	require.Empty(t, r.UnreadObjects)
	require.Equal(t, &advice.RuleCount{Rule: r.Rules["cpu-limit"].Rule, Checked: 1}, r.Rules["cpu-limit"])
	require.Len(t, r.Findings, 2)
}

func TestForcedProfileDecidesTheSeverity(t *testing.T) {
	r := evaluate(t, smallFleet(), advice.Options{Profile: advice.ProfileDatabase}, "vnic-vmxnet3")
	require.Equal(t, advice.Medium, r.Findings[0].Severity)
	require.Equal(t, "asked for", r.Findings[0].ProfileWhy)
}

func TestVMWithoutItsHostIsUnknown(t *testing.T) {
	s := smallFleet()
	s.VCenters[0].Hosts = nil
	s.VCenters[0].VMs[0].LatencySensitivity = inventory.Known("high")
	s.Link()
	r := evaluate(t, s, advice.Options{}, "latency-reservation")
	require.Equal(t, advice.Unknown, r.Findings[0].Outcome)
	require.Contains(t, reasons(r.Findings[0].Gaps), "its host was not read")
}

func TestEvaluateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set, err := library(t).Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	_, err = advice.Evaluate(ctx, smallFleet(), set, advice.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestFirstCertainRemedyCounts: if a remedy's condition is unknown, the next one for the same setting counts, which may
// need a stricter approval.
func TestFirstCertainRemedyCounts(t *testing.T) {
	text := goodRule + `remedy:
  - {set: power-policy, to: '"dynamic"', when: host.cpuMHz > 1, consent: free}
  - {set: power-policy, to: '"static"', consent: value}
`
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	for clock, want := range map[int64]advice.Consent{2600: advice.ConsentFree, 0: advice.ConsentValue, -1: advice.ConsentValue} {
		s := smallFleet()
		h := s.VCenters[0].Hosts[0]
		h.Cores, h.CPUMHz = inventory.Known(int64(2)), inventory.Known(clock)
		if clock < 0 {
			h.CPUMHz = inventory.Unread[int64]("no permission")
		}
		r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
		require.NoError(t, err)
		require.Len(t, r.Findings[0].Remedies, 1)
		require.Equal(t, want, r.Findings[0].Remedies[0].Consent)
	}
}

func reasons(gaps []advice.Gap) []string {
	var all []string
	for _, g := range gaps {
		all = append(all, g.Reason)
	}
	return all
}

// TestAGateGoesByRulesThatCanReachIt: unread facts of a rule that is never severe enough for the gate do not close the
// gate.
func TestAGateGoesByRulesThatCanReachIt(t *testing.T) {
	rule := func(id, severity, more string) string {
		return "id: " + id + "\ntitle: T\ncategory: cpu\nscope: host\nseverity: " + severity + "\nwant: host.memoryMB > 3\nwhy: W.\n" + more
	}
	set := rulesOf(t, advice.Selection{}, rule("mild", "info", ""), rule("middling", "medium", "profiles: {latency: low}\n"),
		rule("by-profile", "low", "profiles: {latency: high, network: medium}\n"), rule("by-case", "low", "cases: [{when: host.cores > 3, severity: critical}]\n"))
	r, err := advice.Evaluate(t.Context(), crowd(1, 1), set, advice.Options{})
	require.NoError(t, err)
	for gate, want := range map[advice.Severity][]string{
		advice.Critical: {"by-case"}, advice.High: {"by-case", "by-profile"}, advice.Medium: {"by-case", "by-profile", "middling"},
		advice.Info: {"by-case", "by-profile", "middling", "mild"},
	} {
		var lines []string
		for _, id := range want {
			lines = append(lines, "rule "+id+" is unknown on over a tenth of its objects")
		}
		require.Equal(t, lines, r.Incomplete(gate), gate)
	}
}

// TestUnnamedChanges: a change is part of an apply without --rule only if it is live and restores a documented default,
// whatever its rule says.
func TestWhatIsFree(t *testing.T) {
	for remedy, want := range map[string]advice.Consent{
		`{set: power-policy, to: '"dynamic"'}`:                          advice.ConsentFree,
		`{set: power-policy, to: '"dynamic"', consent: named}`:          advice.ConsentNamed,
		`{set: power-policy, to: '"dynamic"', activation: host-reboot}`: advice.ConsentNamed,
		`{set: power-policy, to: '"static"'}`:                           advice.ConsentNamed,
		`{set: power-policy, to: '"static"', consent: never}`:           advice.ConsentNever,
		`{set: hyperthreading, to: "true"}`:                             advice.ConsentNamed,
	} {
		l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(goodRule + "remedy:\n  - " + remedy + "\n")}}, User: true})
		require.NoError(t, err)
		set, err := l.Select(advice.Selection{})
		require.NoError(t, err)
		s := smallFleet()
		s.VCenters[0].Hosts[0].Cores = inventory.Known(int64(2))
		r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
		require.NoError(t, err)
		require.Equal(t, want, r.Findings[0].Remedies[0].Consent, remedy)
	}
}

// TestDetailsThatNobodyKeepsAreNotEvaluated: evidence and remedies of vperf's own rules take a third of an evaluation. They are not
// evaluated for a result of outcomes only, in which severities of cases are the same.
func TestDetailsThatNobodyKeepsAreNotEvaluated(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Rules: []string{"cpu-limit", "vnic-vmxnet3"}})
	require.NoError(t, err)
	s := crowd(8, 100)
	allocations := map[bool]float64{}
	for _, brief := range []bool{false, true} {
		allocations[brief] = testing.AllocsPerRun(3, func() {
			r, err := advice.Evaluate(t.Context(), s, set, advice.Options{OutcomesOnly: brief})
			require.NoError(t, err)
			require.Len(t, r.Findings, 200)
		})
	}
	t.Log(allocations)
	require.Less(t, allocations[true], allocations[false]*4/5)
}
