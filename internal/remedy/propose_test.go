package remedy_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/remedy"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
	"github.com/vperf/vperf/rules"
)

func known[T any](v T) inventory.Fact[T] { return inventory.Known(v) }

func text(s string) inventory.Fact[inventory.Value] { return known(inventory.StringValue(s)) }
func long(n int64) inventory.Fact[inventory.Value]  { return known(inventory.LongValue(n)) }

// fleet is a host with three ports of two drivers and a disk, and a VM with two NICs and a disk.
func fleet() *inventory.Snapshot {
	h := &inventory.Host{
		Cloud: inventory.Known(""), CloudEvidence: inventory.Known(""),
		PNICs: known([]*inventory.PNIC{
			{Device: "vmnic0", Driver: known("ixgben")},
			{Device: "vmnic4", Driver: known("nmlx5_core"), DriverOptions: known("")},
			{Device: "vmnic5", Driver: known("nmlx5_core"), DriverOptions: known("")},
		}),
		LUNs: known([]*inventory.LUN{{Device: "naa.60"}}),
	}
	h.ID, h.Name, h.Path = "host-1", "host01", "/dc/host/host01"
	vm := &inventory.VM{
		HostID: known("host-1"), PowerState: known("poweredOn"),
		VNICs: known([]*inventory.VNIC{{Key: 4000, Label: "Network adapter 1"}, {Key: 4003, Label: "Network adapter 2"}}),
		Disks: known([]*inventory.VDisk{{Key: 2001, Label: "Hard disk 2"}}),
	}
	vm.ID, vm.Name, vm.Path = "vm-1", "web-01", "/dc/vm/web-01"
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter, Hosts: []*inventory.Host{h}, VMs: []*inventory.VM{vm}}
	v.Name = "vc"
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func host(s *inventory.Snapshot) *inventory.Host { return s.VCenters[0].Hosts[0] }
func vm(s *inventory.Snapshot) *inventory.VM     { return s.VCenters[0].VMs[0] }
func vnic(s *inventory.Snapshot, n int) *inventory.VNIC {
	all, _ := vm(s).VNICs.Value()
	return all[n]
}

func pnic(s *inventory.Snapshot, n int) *inventory.PNIC {
	all, _ := host(s).PNICs.Value()
	return all[n]
}

// change is approved: consent free, from one value to another.
func change(t *testing.T, o inventory.Object, setting string, to inventory.Fact[inventory.Value]) advice.Change {
	t.Helper()
	s, err := inventory.LookupSetting(setting)
	require.NoError(t, err)
	return advice.Change{
		Object: o.Ref(), Setting: s, From: text("before"), To: to, Activation: s.Activation(), Consent: advice.ConsentFree,
	}
}

func rule() *advice.Rule {
	return &advice.Rule{
		ID: "my-rule", Title: "Something is off", Tradeoff: "It\n  costs.",
		Benefit: []advice.Benefit{{Text: "20 %\nfaster", When: "on a 40GbE host"}, {Text: "No published measurement"}},
		Params:  map[string]advice.Param{"level": {Value: 3, About: "how much"}},
	}
}

func fail(o inventory.Object, changes ...advice.Change) *advice.Finding {
	return &advice.Finding{Evaluated: &advice.Evaluated{Object: o.Ref()}, Rule: rule(), Outcome: advice.Fail, Severity: advice.High, Remedies: changes}
}

func propose(s *inventory.Snapshot, named []string, all ...*advice.Finding) ([]tuning.Proposal, []tuning.Skipped) {
	return remedy.Propose(&advice.Result{Findings: all}, s, remedy.Request{Rules: named})
}

func TestConsentDecides(t *testing.T) {
	s := fleet()
	for name, c := range map[string]struct {
		alter   func(*advice.Change)
		named   bool
		why     string // "" is proposed
		refused bool
	}{
		"free":                            {func(*advice.Change) {}, false, "", false},
		"named and named":                 {func(c *advice.Change) { c.Consent = advice.ConsentNamed }, true, "", false},
		"named and not named":             {func(c *advice.Change) { c.Consent = advice.ConsentNamed }, false, "must be named: --rule my-rule", false},
		"never, although named":           {func(c *advice.Change) { c.Consent = advice.ConsentNever }, true, "manual: vperf has too little information for this change; see vperf explain my-rule", true},
		"never, and nobody asked":         {func(c *advice.Change) { c.Consent = advice.ConsentNever }, false, "manual: vperf has too little information for this change; see vperf explain my-rule", false},
		"value, given and named":          {func(c *advice.Change) { value(c); c.Given = true }, true, "", false},
		"value, given and not named":      {func(c *advice.Change) { value(c); c.Given = true }, false, "must be named, with a value from you: --rule my-rule --set my-rule.level=VALUE", false},
		"value, named and not given":      {value, true, "needs a value from you: --set my-rule.level=VALUE (how much)", true},
		"value not given, and so already": {func(c *advice.Change) { value(c); c.From, c.To = text(""), text("") }, true, "needs a value from you: --set my-rule.level=VALUE (how much)", true},
		"value without a parameter":       {func(c *advice.Change) { c.Consent, c.Given = advice.ConsentValue, true }, true, "manual: the rule needs a value from you but has no parameter for it; see vperf explain my-rule", true},
		"value given, and empty":          {func(c *advice.Change) { value(c); c.Given, c.To = true, text(" ") }, true, "the value is empty: --set my-rule.level=VALUE (how much)", true},
		"a kind that is never written": {func(c *advice.Change) {
			never := *c.Setting.Kind
			never.Consent, c.Setting.Kind = inventory.ConsentNever, &never
		}, true, "manual: vperf explains power-policy but never writes it; see vperf explain my-rule", true},
		"an activation that is a person": {func(c *advice.Change) { c.Activation = inventory.ActivationManual }, true, "manual: it is not a change that vperf can write; see vperf explain my-rule", true},
		"no such value here":             {func(c *advice.Change) { c.To = inventory.Absent[inventory.Value]() }, true, "the value that the rule asks for does not exist on this release or device", true},
		"a value nobody could work out": {func(c *advice.Change) { c.To = inventory.Unread[inventory.Value]("Host.cpuMHz: no permission") }, false,
			"the value that the rule asks for could not be computed: Host.cpuMHz: no permission", false},
	} {
		t.Run(name, func(t *testing.T) {
			ch := change(t, host(s), "power-policy", text("static"))
			c.alter(&ch)
			var named []string
			if c.named {
				named = []string{"other", "my-rule"}
			}
			proposals, left := propose(s, named, fail(host(s), ch))
			if c.why == "" {
				require.Len(t, proposals, 1)
				require.Empty(t, left)
				return
			}
			require.Empty(t, proposals)
			require.Equal(t, []tuning.Skipped{{
				Target:  tuning.Target{Kind: inventory.ScopeHost, ID: "host-1", Name: "host01", Path: "/dc/host/host01"},
				Address: tuning.Address{Setting: "power-policy"}, Rules: []string{"my-rule"}, Why: c.why, Refused: c.refused,
			}}, left)
		})
	}
}

// Findings below the severity that was asked for are skipped, each with what to type; one line an object and rule.
func TestSeverityDecides(t *testing.T) {
	s := fleet()
	low := fail(host(s), change(t, host(s), "power-policy", text("dynamic")), change(t, host(s), "hyperthreading", text("true")))
	low.Severity = advice.Low
	for name, c := range map[string]struct {
		asked     remedy.Request
		proposals int
		why       string
	}{
		"no bound":       {remedy.Request{}, 2, ""},
		"as severe":      {remedy.Request{Severity: advice.Low}, 2, ""},
		"below":          {remedy.Request{Severity: advice.Medium}, 0, "severity low is below medium (include it with --severity low), or name the rule: --rule my-rule"},
		"below, by name": {remedy.Request{Severity: advice.High, Rules: []string{"my-rule"}}, 0, "severity low is below high (include it with --severity low)"},
	} {
		t.Run(name, func(t *testing.T) {
			proposals, left := remedy.Propose(&advice.Result{Findings: []*advice.Finding{low}}, s, c.asked)
			require.Len(t, proposals, c.proposals)
			if c.why == "" {
				require.Empty(t, left)
				return
			}
			require.Len(t, left, 1)
			require.Equal(t, c.why, left[0].Why)
			require.Equal(t, "host01", left[0].Target.Name)
			require.False(t, left[0].Refused)
		})
	}
	same := fail(host(s), change(t, host(s), "power-policy", text("before")))
	same.Severity = advice.Info
	_, left := remedy.Propose(&advice.Result{Findings: []*advice.Finding{same}}, s, remedy.Request{Severity: advice.Medium})
	require.Empty(t, left, "there is nothing to change")
}

func value(c *advice.Change) { c.Consent, c.Params = advice.ConsentValue, []string{"level"} }

func TestOnlyFailsAreProposed(t *testing.T) {
	s := fleet()
	for name, c := range map[string]struct {
		alter func(*advice.Finding)
		want  int
	}{
		"a fail":             {func(*advice.Finding) {}, 1},
		"an old fail":        {func(f *advice.Finding) { f.InBaseline = true }, 1},
		"waived":             {func(f *advice.Finding) { f.Outcome = advice.Waived }, 0},
		"manual":             {func(f *advice.Finding) { f.Outcome = advice.Manual }, 0},
		"unknown":            {func(f *advice.Finding) { f.Outcome = advice.Unknown }, 0},
		"written, and waits": {func(f *advice.Finding) { f.Pending = "host reboot" }, 0},
		"so already":         {func(f *advice.Finding) { f.Remedies[0].From = f.Remedies[0].To }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := fail(host(s), change(t, host(s), "power-policy", text("static")))
			c.alter(f)
			proposals, left := propose(s, []string{"my-rule"}, f)
			require.Len(t, proposals, c.want)
			require.Empty(t, left)
		})
	}
}

// Unknown findings with a fix are returned as skipped, so that they are not mistaken for passes.
func TestWhatCouldNotBeJudgedIsSaid(t *testing.T) {
	s := fleet()
	lib, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	find := func(id string) *advice.Rule {
		for _, r := range lib.Rules() {
			if r.ID == id {
				return r
			}
		}
		t.Fatal("no rule " + id)
		return nil
	}
	unknown := func(id string, gaps ...advice.Gap) *advice.Finding {
		return &advice.Finding{Evaluated: &advice.Evaluated{Object: host(s).Ref()}, Rule: find(id), Outcome: advice.Unknown, Reason: "the host was not asked", Gaps: gaps}
	}
	proposals, left := propose(s, []string{"numa-io"},
		unknown("numa-io", advice.Gap{Fact: "Host.pnics", Reason: "no permission"}, advice.Gap{Fact: "Host.numaNodes"}), unknown("lro"), unknown("sioc"))
	require.Empty(t, proposals)
	require.Len(t, left, 2, "of sioc only a person can do something")
	require.Equal(t, "could not be evaluated: Host.pnics was not read (no permission)", left[0].Why)
	require.True(t, left[0].Refused)
	require.Equal(t, "host-1", left[0].Target.ID)
	require.Equal(t, []string{"lro"}, left[1].Rules)
	require.Equal(t, "could not be evaluated: the host was not asked", left[1].Why)
	require.False(t, left[1].Refused)

	// A wholly unread object is listed once with the reason, without a fact.
	gap := advice.Gap{Object: host(s).Ref(), Fact: "Host.pnics", Reason: "not responding"}
	_, left = remedy.Propose(&advice.Result{Findings: []*advice.Finding{unknown("numa-io", gap)}, UnreadObjects: []advice.Gap{{Object: host(s).Ref(), Fact: "all facts"}}}, s, remedy.Request{})
	require.Equal(t, "could not be evaluated: not responding", left[0].Why)

	// All rules that are unknown on an object for the same reason are one line.
	_, left = propose(s, nil, unknown("numa-io"), unknown("lro"))
	require.Len(t, left, 1)
	require.Equal(t, []string{"numa-io", "lro"}, left[0].Rules)
}

func TestARuleThatWasNamedAndHasNoRemedySaysSo(t *testing.T) {
	s := fleet()
	_, left := propose(s, nil, fail(host(s)))
	require.Empty(t, left)
	_, left = propose(s, []string{"my-rule"}, fail(host(s)))
	require.Len(t, left, 1)
	require.Equal(t, "manual: the rule has no setting to change here; see vperf explain my-rule", left[0].Why)
	require.True(t, left[0].Refused)
}

func TestAddressesAreThoseOfManagedObjects(t *testing.T) {
	s := fleet()
	disks, _ := vm(s).Disks.Value()
	luns, _ := host(s).LUNs.Value()
	onHost := tuning.Target{Kind: inventory.ScopeHost, ID: "host-1", Name: "host01", Path: "/dc/host/host01"}
	onVM := tuning.Target{Kind: inventory.ScopeVM, ID: "vm-1", Name: "web-01", Path: "/dc/vm/web-01"}
	cluster := &inventory.Cluster{}
	cluster.ID, cluster.Name, cluster.Path = "domain-c1", "lowlat", "/dc/host/lowlat"
	for name, c := range map[string]struct {
		object  inventory.Object
		setting string
		to      inventory.Fact[inventory.Value]
		target  tuning.Target
		want    tuning.Assignment
	}{
		"a host's option": {host(s), "host-option/Net.UseHwTSO", long(1), onHost,
			tuning.Assignment{Address: tuning.Address{Setting: "host-option/Net.UseHwTSO"}, Value: long(1)}},
		"a key of a virtual NIC": {vnic(s, 1), "vnic-vmx/pnicFeatures", text("4"), onVM,
			tuning.Assignment{Address: tuning.Address{Setting: "vm-vmx/ethernet3.pnicFeatures", Label: "Network adapter 2"}, Value: text("4")}},
		"a key of a virtual NIC that goes": {vnic(s, 0), "vnic-vmx/udpRSS", text(""), onVM,
			tuning.Assignment{Address: tuning.Address{Setting: "vm-vmx/ethernet0.udpRSS", Label: "Network adapter 1"}, Value: inventory.Absent[inventory.Value]()}},
		"a key of a VM that goes": {vm(s), "vm-vmx/numa.autosize", text(""), onVM,
			tuning.Assignment{Address: tuning.Address{Setting: "vm-vmx/numa.autosize"}, Value: inventory.Absent[inventory.Value]()}},
		"no affinity is a value": {vm(s), "vm-cpu-affinity", text(""), onVM,
			tuning.Assignment{Address: tuning.Address{Setting: "vm-cpu-affinity"}, Value: text("")}},
		"a disk's limit": {disks[0], "vdisk-iops-limit", long(-1), onVM,
			tuning.Assignment{Address: tuning.Address{Setting: "vdisk-iops-limit", Device: "2001", Label: "Hard disk 2"}, Value: long(-1)}},
		"a driver's option": {pnic(s, 1), "driver-options/RSS", text("4,4"), onHost,
			tuning.Assignment{Address: tuning.Address{Setting: "driver-options/RSS", Device: "nmlx5_core"}, Value: text("4,4")}},
		"a driver's option that goes": {pnic(s, 0), "driver-options/DRSS", text(""), onHost,
			tuning.Assignment{Address: tuning.Address{Setting: "driver-options/DRSS", Device: "ixgben"}, Value: inventory.Absent[inventory.Value]()}},
		"a disk that a host sees": {luns[0], "lun-outstanding-ios", long(64), onHost,
			tuning.Assignment{Address: tuning.Address{Setting: "lun-outstanding-ios", Device: "naa.60"}, Value: long(64)}},
		"a cluster": {cluster, "cluster-drs-rate", long(3), tuning.Target{Kind: inventory.ScopeCluster, ID: "domain-c1", Name: "lowlat", Path: "/dc/host/lowlat"},
			tuning.Assignment{Address: tuning.Address{Setting: "cluster-drs-rate"}, Value: long(3)}},
	} {
		t.Run(name, func(t *testing.T) {
			proposals, left := propose(s, nil, fail(c.object, change(t, c.object, c.setting, c.to)))
			require.Empty(t, left)
			require.Len(t, proposals, 1)
			require.Equal(t, c.target, proposals[0].Target)
			require.Equal(t, c.want, proposals[0].Want)
		})
	}
}

func TestDevicesThatCannotBeFoundAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *inventory.Snapshot) advice.Change
		why    string
	}{
		"a driver that is not known": {func(s *inventory.Snapshot) advice.Change {
			c := change(t, pnic(s, 1), "driver-options/RSS", text("4"))
			pnic(s, 1).Driver = inventory.Unread[string]("no permission")
			return c
		}, "the driver of vmnic4 is not known"},
		"two NICs of one name": {func(s *inventory.Snapshot) advice.Change {
			vnic(s, 1).Label = "Network adapter 1"
			return change(t, vnic(s, 0), "vnic-vmx/udpRSS", text("0"))
		}, "two devices of the vnic kind are called web-01/Network adapter 1"},
		"a NIC that is gone": {func(s *inventory.Snapshot) advice.Change {
			c := change(t, vnic(s, 0), "vnic-vmx/udpRSS", text("0"))
			vm(s).VNICs = known([]*inventory.VNIC{})
			return c
		}, "the device was not read"},
		"a disk of an unknown VM": {func(s *inventory.Snapshot) advice.Change {
			disks, _ := vm(s).Disks.Value()
			c := change(t, disks[0], "vdisk-iops-limit", long(-1))
			s.VCenters[0].VMs = nil
			return c
		}, "its VM was not read"},
		"a port of an unknown host": {func(s *inventory.Snapshot) advice.Change {
			c := change(t, pnic(s, 1), "driver-options/RSS", text("4"))
			value(&c)
			c.Given = true
			s.VCenters[0].Hosts = nil
			return c
		}, "its host was not read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet()
			ch := c.change(s)
			proposals, left := propose(s, []string{"my-rule"}, fail(vm(fleet()), ch))
			require.Empty(t, proposals)
			require.Len(t, left, 1)
			require.Equal(t, c.why, left[0].Why)
		})
	}
}

// A plan has no room for a figure that a rule quotes beside words of its own, nor for these words twice.
func TestACauseLeavesContextOut(t *testing.T) {
	library, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	s := fleet()
	f := fail(host(s), change(t, host(s), "power-policy", text("static")))
	all := library.Rules()
	f.Rule = all[slices.IndexFunc(all, func(r *advice.Rule) bool { return r.ID == "mem-large-pages" })]
	proposals, _ := propose(s, nil, f)
	require.Equal(t, []string{"No published measurement for the host's pages, which were always large"}, proposals[0].Cause.Benefit)
}

func TestACauseSaysWhatTheRuleSays(t *testing.T) {
	s := fleet()
	proposals, _ := propose(s, nil,
		fail(host(s), change(t, host(s), "power-policy", text("static"))),
		fail(pnic(s, 2), change(t, pnic(s, 2), "driver-options/RSS", text("4,4"))))
	require.Equal(t, tuning.Cause{
		Rule: "my-rule", Title: "Something is off", Severity: "high", Risk: "It costs.",
		Benefit: []string{"20 % faster (on a 40GbE host)", "No published measurement"},
	}, proposals[0].Cause)
	require.Equal(t, inventory.ActivationLive, proposals[0].Activation)
	require.Equal(t, "/dc/host/host01/vmnic5", proposals[1].Cause.Object, "what failed is not what is changed")
	require.Equal(t, inventory.ActivationDriverReload, proposals[1].Activation)
}

// The changes of a rule on one VM are one change, within one kind of approval.
func TestARulesChangesOfAVMGoTogether(t *testing.T) {
	s := fleet()
	unread := inventory.Unread[inventory.Value]("no permission")
	for name, c := range map[string]struct {
		alter func(latency, lock *advice.Change)
		named []string
		want  []string
	}{
		"all of them":                   {func(_, _ *advice.Change) {}, nil, []string{"vm-latency", "vm-memory-lock"}},
		"a value nobody could work out": {func(_, lock *advice.Change) { lock.To = unread }, nil, nil},
		"such a value in another grade": {func(latency, _ *advice.Change) {
			latency.Consent, latency.To = advice.ConsentNamed, unread
		}, []string{"my-rule"}, []string{"vm-memory-lock"}},
		"left to a person":        {func(_, lock *advice.Change) { lock.Activation = inventory.ActivationManual }, nil, []string{"vm-latency"}},
		"left for want of a name": {func(latency, _ *advice.Change) { latency.Consent = advice.ConsentNamed }, nil, []string{"vm-memory-lock"}},
	} {
		t.Run(name, func(t *testing.T) {
			latency, lock := change(t, vm(s), "vm-latency", text("high")), change(t, vm(s), "vm-memory-lock", known(inventory.BoolValue(true)))
			c.alter(&latency, &lock)
			proposals, left := propose(s, c.named, fail(vm(s), latency, lock))
			var got []string
			for _, p := range proposals {
				got = append(got, p.Want.Setting)
			}
			require.Equal(t, c.want, got)
			require.Len(t, left, 2-len(got))
		})
	}
	t.Run("why", func(t *testing.T) {
		lock := change(t, vm(s), "vm-memory-lock", unread)
		_, left := propose(s, nil, fail(vm(s), change(t, vm(s), "vm-latency", text("high")), lock))
		require.Contains(t, left[0].Why, "goes together with vm-memory-lock, which is skipped: the value that")
	})
	t.Run("settings of a host stand alone", func(t *testing.T) {
		proposals, _ := propose(s, nil, fail(host(s),
			change(t, host(s), "host-option/Net.UseHwTSO", long(1)), change(t, host(s), "host-option/Net.UseHwTSO6", unread)))
		require.Len(t, proposals, 1)
	})
}

// rss is our own rule: one setting for all ports of a driver, with a number for each.
func TestSlotsOfPorts(t *testing.T) {
	for name, c := range map[string]struct {
		options string
		alter   func(*inventory.Host)
		why     string
	}{
		"a number for each":      {"4,8", nil, ""},
		"too few":                {"4", nil, `"4" does not match: nmlx5_core drives vmnic4, vmnic5 on host01, and each port needs a number: --set rss.options=N,N`},
		"too many":               {"4,4,4", nil, `"4,4,4" does not match: nmlx5_core drives vmnic4, vmnic5 on host01, and each port needs a number: --set rss.options=N,N`},
		"an empty slot":          {"4,", nil, `"4," does not match: nmlx5_core drives vmnic4, vmnic5 on host01, and each port needs a number: --set rss.options=N,N`},
		"another option with it": {"4,4 DRSS=1", nil, `"4,4 DRSS=1" does not match: nmlx5_core drives vmnic4, vmnic5 on host01, and each port needs a number: --set rss.options=N,N`},
		"nothing":                {"", nil, "the value is empty: --set rss.options=VALUE (value of the driver's RSS option, one number for each port; only you and the driver's vendor know a good one)"},
		"drivers nobody read": {"4,4", func(h *inventory.Host) {
			all, _ := h.PNICs.Value()
			all[0].Driver = inventory.Unread[string]("no permission")
		}, "the driver of vmnic0 was not read, so the number of ports of nmlx5_core is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet()
			h := host(s)
			h.Kind, h.Version = known(inventory.HostPhysical), known(version(t, "7.0.3"))
			for _, n := range []int{1, 2} { // the second port has no cable: it takes a slot all the same
				p := pnic(s, n)
				p.Uplink, p.LinkMbps, p.EDP, p.RSS = known(n == 1), known(int64(100000)), known(false), known(false)
			}
			pnic(s, 0).Uplink = known(false)
			if c.alter != nil {
				c.alter(h)
			}
			library, err := advice.Load(advice.Source{FS: rules.FS})
			require.NoError(t, err)
			require.NoError(t, library.Set("rss", "options", c.options))
			set, err := library.Select(advice.Selection{Rules: []string{"rss"}})
			require.NoError(t, err)
			result, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
			require.NoError(t, err)
			proposals, left := remedy.Propose(result, s, remedy.Request{Rules: []string{"rss"}})
			if c.why == "" {
				require.Len(t, proposals, 1)
				require.Equal(t, "nmlx5_core driver-options/RSS", proposals[0].Want.Key())
				require.Equal(t, text(c.options), proposals[0].Want.Value)
				return
			}
			require.Empty(t, proposals)
			require.Len(t, left, 1)
			require.Equal(t, c.why, left[0].Why)
		})
	}
}

// A reason that concerns all ports of a driver is reported once.
func TestPortsShareAReason(t *testing.T) {
	s := fleet()
	var all []*advice.Finding
	for _, n := range []int{1, 2} {
		c := change(t, pnic(s, n), "driver-options/RSS", text("4,4"))
		c.Consent = advice.ConsentNamed
		all = append(all, fail(pnic(s, n), c))
	}
	proposals, left := propose(s, nil, all...)
	require.Empty(t, proposals)
	require.Len(t, left, 1)
	proposals, _ = propose(s, []string{"my-rule"}, all...)
	require.Len(t, proposals, 2, "the plan joins them")
}

func version(t *testing.T, s string) inventory.Version {
	t.Helper()
	v, err := inventory.ParseVersion(s)
	require.NoError(t, err)
	return v
}

// TestWaiverThatCouldNotBeChecked: nobody knows whether a waiver accepts the finding, so that nothing is proposed until --no-waivers is typed.
func TestWaiverThatCouldNotBeChecked(t *testing.T) {
	library, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := library.Select(advice.Selection{Rules: []string{"cpu-limit"}})
	require.NoError(t, err)
	const byTag = `waivers: [{rule: cpu-limit, tag: gold, reason: r, until: 2027-01-01}]`
	none, unread := known(map[string]string{}), inventory.Unread[map[string]string]("no permission")
	for name, c := range map[string]struct {
		attributes inventory.Fact[map[string]string]
		waivers    string
		unwaived   bool   // --no-waivers
		fact       string // unread; "" is proposed
	}{
		"read":                   {none, "", false, ""},
		"attributes, named":      {unread, "", false, "VM.attributes"},
		"attributes, no waivers": {unread, "", true, ""},
		"tags":                   {none, byTag, false, "VM.tags"},
	} {
		s := fleet()
		v := vm(s)
		v.CPULimitMHz, v.VCPUs, v.Attributes = known(int64(500)), known(int64(2)), c.attributes
		v.Tags = inventory.Unread[[]string]("no permission")
		r, err := advice.Evaluate(t.Context(), s, set, advice.Options{Profile: advice.ProfileGeneral})
		require.NoError(t, err)
		w := library.Waivers("2026-06-10")
		if c.waivers != "" {
			require.NoError(t, w.Parse("w.yaml", []byte(c.waivers)))
		}
		if !c.unwaived {
			w.Apply(r, s, set)
		}
		proposals, left := remedy.Propose(r, s, remedy.Request{Rules: []string{"cpu-limit"}})
		if c.fact == "" {
			require.Len(t, proposals, 1, name)
			require.Empty(t, left, name)
			continue
		}
		require.Empty(t, proposals, name)
		require.Len(t, left, 1, name)
		require.True(t, left[0].Refused, name)
		require.Equal(t, "it could not be checked whether a waiver accepts it, because "+c.fact+" was not read (no permission); use --no-waivers to change it anyway", left[0].Why, name)
	}
}
