package advice_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

const coverHead = "title: T\ncategory: vm\nseverity: low\nwhy: W.\n"

// ruleText returns a rule that fails if its condition is false.
func ruleText(id, scope, want, more string) string {
	return "id: " + id + "\nscope: " + scope + "\nwant: '" + want + "'\n" + coverHead + more
}

func outcomes(r *advice.Result) map[string]string {
	all := map[string]string{}
	for _, f := range r.Findings {
		all[f.Rule.ID+" "+f.Object.Name] = string(f.Outcome) + " " + f.Reason
	}
	return all
}

func coverResult(t *testing.T, s *inventory.Snapshot, o advice.Options, texts ...string) *advice.Result {
	t.Helper()
	r, err := advice.Evaluate(t.Context(), s, rulesOf(t, advice.Selection{}, texts...), o)
	require.NoError(t, err)
	return r
}

func TestAFindingCoversOthersOfItsObject(t *testing.T) {
	lead := ruleText("lead", "vm", "vm.vcpus > 99", "covers: [{rule: same}, {rule: device}]\n")
	same, device := ruleText("same", "vm", "vm.vcpus > 98", ""), ruleText("device", "vnic", `vnic.type == "vmxnet3"`, "")
	for _, all := range []bool{false, true} {
		r := coverResult(t, withPower("poweredOn", false), advice.Options{All: all}, lead, same, device)
		want := map[string]string{"lead web-01": "fail "}
		if all {
			want["same web-01"], want["device web-01/Network adapter 1"] = "not-applicable covered by lead", "not-applicable covered by lead of web-01"
		}
		require.Equal(t, want, outcomes(r))
		require.Equal(t, map[advice.Outcome]int{advice.Fail: 1, advice.NotApplicable: 2}, r.Counts)
		require.Equal(t, 3, r.Checks)
		require.Equal(t, &advice.RuleCount{Rule: r.Rules["same"].Rule, Checked: 1, Skipped: 1}, r.Rules["same"])
		require.Len(t, r.Findings[0].Covers, 2)
		require.ElementsMatch(t, []string{"same web-01", "device web-01/Network adapter 1"},
			[]string{r.Findings[0].Covers[0].Rule + " " + r.Findings[0].Covers[0].Object.Name, r.Findings[0].Covers[1].Rule + " " + r.Findings[0].Covers[1].Object.Name})
	}
}

func TestWhatCoversNothing(t *testing.T) {
	same := ruleText("same", "vm", "vm.vcpus > 98", "")
	both := map[string]string{"lead web-01": "fail ", "same web-01": "fail "}
	for name, c := range map[string]struct {
		lead string
		want map[string]string
	}{
		"its condition does not hold": {ruleText("lead", "vm", "vm.vcpus > 99", "covers: [{rule: same, when: vm.vcpus > 50}]\n"), both},
		"its condition is not known":  {ruleText("lead", "vm", "vm.vcpus > 99", "covers: [{rule: same, when: vm.memoryMB > 50}]\n"), both},
		"its condition holds":         {ruleText("lead", "vm", "vm.vcpus > 99", "covers: [{rule: same, when: vm.vcpus == 4}]\n"), map[string]string{"lead web-01": "fail "}},
		"it is milder":                {strings.Replace(ruleText("lead", "vm", "vm.vcpus > 99", "covers: [{rule: same}]\n"), "severity: low", "severity: info", 1), map[string]string{"lead web-01": "fail ", "same web-01": "fail "}},
		"it passes":                   {ruleText("lead", "vm", "vm.vcpus < 99", "covers: [{rule: same}]\n"), map[string]string{"same web-01": "fail "}},
		"it is another VM's":          {ruleText("lead", "host", "host.cores > 99", ""), map[string]string{"lead host01": "fail ", "same web-01": "fail "}},
	} {
		t.Run(name, func(t *testing.T) {
			s := withPower("poweredOn", false)
			s.VCenters[0].Hosts = s.VCenters[0].Hosts[:1]
			require.Equal(t, c.want, outcomes(coverResult(t, s, advice.Options{}, c.lead, same)))
		})
	}
}

// TestCoversChain: a covered rule passes the rules that it covers on to the covering one.
func TestCoversChain(t *testing.T) {
	r := coverResult(t, withPower("poweredOn", false), advice.Options{},
		ruleText("first", "vm", "vm.vcpus > 99", "covers: [{rule: second}]\n"),
		ruleText("second", "vm", "vm.vcpus > 99", "covers: [{rule: third}]\n"), ruleText("third", "vm", "vm.vcpus > 99", ""))
	require.Equal(t, map[string]string{"first web-01": "fail "}, outcomes(r))
	require.Len(t, r.Findings[0].Covers, 2)
}

func TestCoversIsChecked(t *testing.T) {
	host := ruleText("host-rule", "host", "host.cores > 1", "")
	for text, message := range map[string]string{
		ruleText("lead", "vm", "vm.vcpus > 1", "covers: [{rule: host-rul}]\n"):                      `no rule "host-rul" (did you mean "host-rule"?)`,
		ruleText("lead", "vm", "vm.vcpus > 1", "covers: [{rule: host-rule}]\n"):                     "host-rule evaluates each host, which is neither a vm, nor a device of it",
		ruleText("lead", "vm", "vm.vcpus > 1", "covers: [{rule: lead}]\n"):                          "lead covers this rule, directly or indirectly",
		ruleText("lead", "pnic", "pnic.uplink", "covers: [{rule: host-rule}, {rule: host-rule}]\n"): "host-rule is listed twice",
		ruleText("lead", "vm", "vm.vcpus > 1", "covers: [{when: vm.vcpus > 1}]\n"):                  "no rule",
		ruleText("lead", "vm", "vm.vcpus > 1", "once: '\"x\"'\n"):                                   "once is only for manual rules",
		"id: lead\nscope: vm\nmanual: Look.\n" + coverHead + "covers: [{rule: host-rule}]\n":        "a manual rule cannot cover others",
	} {
		require.ErrorContains(t, loadAll(text, host), message)
	}
	require.ErrorContains(t, loadAll(ruleText("one", "vm", "vm.vcpus > 1", "covers: [{rule: two}]\n"), ruleText("two", "vm", "vm.vcpus > 1", "covers: [{rule: one}]\n")),
		"two covers this rule, directly or indirectly: only one of two rules can cover the other")
}

// TestCoveredFindingsAndWhatIsAccepted: a covered finding is not fixed, and its waiver is not unused.
func TestCoveredFindingsAndWhatIsAccepted(t *testing.T) {
	s := withPower("poweredOn", false)
	vm := s.VCenters[0].VMs[0]
	vm.ToolsStatus, vm.MemoryMB, vm.MemoryReservationMB = inventory.Known("guestToolsNotInstalled"), inventory.Known(int64(8192)), inventory.Known(int64(0))
	vm.MemoryReservationLocked, vm.VMX = inventory.Known(false), inventory.Known(map[string]string{})
	b := advice.NewBaseline(evaluate(t, s, advice.Options{}, "balloon-disabled"))
	require.Len(t, b.Findings, 1)
	require.Equal(t, &advice.BaselineCount{Unseen: 1}, compared(t, b, s, advice.Options{}, "balloon-disabled", "tools-version").Baseline)
	require.Empty(t, waived(t, s, "- {rule: balloon-disabled, object: web-01, reason: known, until: 2026-06-10}\n", "balloon-disabled", "tools-version").Warnings)

	vm.VMX = inventory.Known(map[string]string{"sched.mem.maxmemctl": "0"})
	require.Len(t, evaluate(t, s, advice.Options{}, "balloon-disabled", "tools-version").Findings, 2, "the key is another cause")
}

// TestOneFindingForASideChannelAwareScheduler: the side-channel aware scheduler leaves second threads unused: that is
// one finding.
func TestOneFindingForASideChannelAwareScheduler(t *testing.T) {
	s := smallFleet()
	s.VCenters[0].Hosts = s.VCenters[0].Hosts[:1]
	h := s.VCenters[0].Hosts[0]
	h.Kind, h.CPUVendor, h.Version = inventory.Known("physical"), inventory.Known("intel"), inventory.Known(inventory.Version{Major: 7})
	h.HyperThreadingActive, h.HyperThreadingAvailable, h.HyperThreadingConfigured = inventory.Known(false), inventory.Known(true), inventory.Known(true)
	h.Options = inventory.Known(map[string]inventory.Option{"VMkernel.Boot.hyperthreadingMitigation": {Value: inventory.BoolValue(true)}})
	r := evaluate(t, s, advice.Options{}, "cpu-scheduler-mitigation", "hyperthreading")
	require.Equal(t, map[string]string{"cpu-scheduler-mitigation host01": "fail "}, outcomes(r))
	require.Equal(t, []advice.Covered{{Rule: "hyperthreading", Object: h.Ref()}}, r.Findings[0].Covers)

	h.HyperThreadingConfigured = inventory.Known(false)
	require.Len(t, evaluate(t, s, advice.Options{}, "cpu-scheduler-mitigation", "hyperthreading").Findings, 2, "somebody turned it off as well")
}

// TestACheckIsMadeOnce: similar objects of a cluster, or of a standalone host, need one manual check.
func TestACheckIsMadeOnce(t *testing.T) {
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	for _, c := range []string{"east", "west"} {
		cluster := &inventory.Cluster{}
		cluster.ID, cluster.Name = c, c
		v.Clusters = append(v.Clusters, cluster)
	}
	for name, cluster := range map[string]inventory.Fact[string]{"h1": inventory.Known("east"), "h2": inventory.Known("east"), "h3": inventory.Known("west"), "h4": inventory.Absent[string]()} {
		h := &inventory.Host{ClusterID: cluster}
		h.ID, h.Name, h.Path = name, name, "/"+name
		v.Hosts = append(v.Hosts, h)
		for _, guest := range []string{"windows", "linux", "linux"} {
			vm := &inventory.VM{HostID: inventory.Known(name), PowerState: inventory.Known("poweredOn"), GuestID: inventory.Known(guest)}
			vm.ID = name + "-" + guest + string(rune('a'+len(v.VMs)))
			vm.Name, vm.Path = vm.ID, "/"+name+"/"+vm.ID
			v.VMs = append(v.VMs, vm)
		}
	}
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{v}}
	s.Link()
	look := "id: look\nscope: vm\nmanual: Look.\nonce: vm.guestId\n" + coverHead
	r := coverResult(t, s, advice.Options{}, look)
	require.Equal(t, map[advice.Outcome]int{advice.Manual: 6, advice.NotApplicable: 6}, r.Counts)
	covered := 0
	for _, f := range r.Findings {
		covered += len(f.Covers)
	}
	require.Equal(t, 6, covered)
	v.VMs[0].GuestID = inventory.Unread[string]("no permission")
	require.GreaterOrEqual(t, coverResult(t, s, advice.Options{}, look).Counts[advice.Manual], 6, "objects with an unknown key have their own check")
}

// TestScopeLimitsAreNotApplicable: an outcome that only a wider scope could decide is not applicable; one with unread
// facts is unknown.
func TestScopeLimitsAreNotApplicable(t *testing.T) {
	s := smallFleet()
	v := s.VCenters[0]
	v.Hosts, v.VMs = v.Hosts[:1], v.VMs[:1]
	c := &inventory.Cluster{HostIDs: inventory.Known([]string{"host-1", "host-9"})}
	c.ID, c.Name = "c", "lowlat"
	v.Clusters = []*inventory.Cluster{c}
	s.Link()
	rule := ruleText("few", "cluster", "cluster.hosts.size() > 99", "")
	r := coverResult(t, s, advice.Options{All: true}, rule)
	require.Equal(t, map[string]string{"few lowlat": "not-applicable not in scope: 1 of the cluster's 2 hosts were not asked for"}, outcomes(r))
	require.Empty(t, r.Unread)
	require.Empty(t, r.Incomplete(advice.Info))
	fails := coverResult(t, s, advice.Options{}, rule)
	require.Empty(t, fails.Findings)

	v.Whole = true
	s.Link()
	r = coverResult(t, s, advice.Options{}, rule)
	require.Equal(t, map[advice.Outcome]int{advice.Unknown: 1}, r.Counts)
	require.Equal(t, "1 of the cluster's 2 hosts were not read", r.Findings[0].Gaps[0].Reason)
}

// loadAll loads rules whose ids are in their first lines.
func loadAll(texts ...string) error {
	files := fstest.MapFS{}
	for _, text := range texts {
		id, _, _ := strings.Cut(strings.TrimPrefix(text, "id: "), "\n")
		files[id+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err := advice.Load(advice.Source{FS: files, User: true})
	return err
}
