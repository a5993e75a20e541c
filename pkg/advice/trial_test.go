package advice_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestTrialOfEveryRule: every rule has a design with a reason; the design of a rule without a remedy is none, and a
// switchback changes live settings only, which vperf writes itself.
func TestTrialOfEveryRule(t *testing.T) {
	l := library(t)
	designs := map[inventory.Design]int{}
	for _, r := range l.Rules() {
		got := r.Trial()
		designs[got.Design]++
		require.Contains(t, inventory.SettingDesigns(), got.Design, r.ID)
		require.True(t, strings.HasSuffix(got.Reason, "."), "%s: %q", r.ID, got.Reason)
		require.NotContains(t, got.Reason, "not documented how soon", "%s: the design depends on the key, and the rule knows it", r.ID)
		require.Equal(t, len(r.Remedy) == 0, got.Reason == advice.NothingToSwitch, r.ID)
		if got.Design != inventory.DesignNone {
			require.Contains(t, advice.TrialUnits(), got.Unit, r.ID)
		}
		require.Equal(t, got.Design.Switches(), got.Block > 0, r.ID)
		for _, m := range r.Remedy {
			if got.Design.Switches() && m.Consent != advice.ConsentNever {
				require.Equal(t, inventory.ActivationLive, m.Activation, r.ID)
				require.Equal(t, inventory.InverseExact, m.Setting().Kind.Inverse, r.ID)
			}
		}
	}
	for _, d := range inventory.SettingDesigns() {
		require.NotZero(t, designs[d], d)
	}
}

// TestTrialOfRules has the rules that the specification of trials names.
func TestTrialOfRules(t *testing.T) {
	for id, want := range map[string]struct {
		design inventory.Design
		unit   inventory.Scope
		block  time.Duration
		reason string
	}{
		"power-policy":              {inventory.DesignSwitchback, inventory.ScopeHost, 3 * time.Minute, "within seconds"},
		"power-custom-policy":       {inventory.DesignSwitchback, inventory.ScopeHost, 5 * time.Minute, "Custom"},
		"numa-io":                   {inventory.DesignSwitchback, inventory.ScopeHost, 5 * time.Minute, "network threads"},
		"nic-sched-mq":              {inventory.DesignSwitchback, inventory.ScopeHost, 5 * time.Minute, "queues"},
		"lro":                       {inventory.DesignSwitchback, inventory.ScopeHost, 5 * time.Minute, "KB 2055140"},
		"host-coalescing":           {inventory.DesignSwitchback, inventory.ScopeHost, 5 * time.Minute, "no effect"},
		"vnic-coalescing":           {inventory.DesignSwitchback, inventory.ScopeVM, 5 * time.Minute, "running adapter"},
		"tso":                       {inventory.DesignRandomised, inventory.ScopeHost, 0, "reboot"},
		"cpu-limit":                 {inventory.DesignSwitchback, inventory.ScopeVM, 3 * time.Minute, "seconds"},
		"pool-cpu-limit":            {inventory.DesignSwitchback, inventory.ScopePool, 3 * time.Minute, "seconds"},
		"disk-dsnro":                {inventory.DesignSwitchback, inventory.ScopeLUN, 3 * time.Minute, "together"},
		"disk-iops-limit":           {inventory.DesignSwitchback, inventory.ScopeVM, 3 * time.Minute, "seconds"},
		"queue-full-host":           {inventory.DesignSwitchback, inventory.ScopeCluster, 3 * time.Minute, "together"},
		"netioc":                    {inventory.DesignSwitchback, inventory.ScopeSwitch, 10 * time.Minute, "minutes"},
		"vsan-advanced":             {inventory.DesignSlowSwitchback, inventory.ScopeCluster, 30 * time.Minute, "caches"},
		"numa-options-default":      {inventory.DesignSlowSwitchback, inventory.ScopeHost, 30 * time.Minute, "NUMA nodes"},
		"numa-prefer-ht-host":       {inventory.DesignSlowSwitchback, inventory.ScopeHost, 30 * time.Minute, "NUMA nodes"},
		"drs-automation":            {inventory.DesignSlowSwitchback, inventory.ScopeCluster, 30 * time.Minute, "understates"},
		"mem-large-pages":           {inventory.DesignRandomised, inventory.ScopeHost, 0, "pages stay"},
		"mem-tps-salting":           {inventory.DesignRandomised, inventory.ScopeHost, 0, "pages stay"},
		"mem-compression-default":   {inventory.DesignRandomised, inventory.ScopeHost, 0, "pages stay"},
		"rss":                       {inventory.DesignRandomised, inventory.ScopeHost, 0, "links flap"},
		"pnic-ring":                 {inventory.DesignRandomised, inventory.ScopeHost, 0, "draws no lot"},
		"pnic-interrupt-moderation": {inventory.DesignRandomised, inventory.ScopeHost, 0, "draws no lot"},
		"hyperthreading":            {inventory.DesignRandomised, inventory.ScopeHost, 0, "reboot"},
		"latency-sensitivity":       {inventory.DesignRandomised, inventory.ScopeVM, 0, "powered off and on"},
		"numa-affinity":             {inventory.DesignRandomised, inventory.ScopeVM, 0, "powered off and on"},
		"cpu-affinity":              {inventory.DesignRandomised, inventory.ScopeVM, 0, "NUMA nodes"},
		"vnuma-cores-per-socket":    {inventory.DesignRandomised, inventory.ScopeVM, 0, "powered off"},
		"vmotion-stream-helpers":    {inventory.DesignNone, inventory.ScopeHost, 0, "only during a vMotion"},
		"vmotion-advanced-default":  {inventory.DesignNone, inventory.ScopeHost, 0, "only during a vMotion"},
		"path-policy":               {inventory.DesignNone, inventory.ScopeLUN, 0, "cannot be undone"},
		"net-tune-mode":             {inventory.DesignNone, inventory.ScopeHost, 0, "not published"},
		"snapshots":                 {inventory.DesignNone, inventory.ScopeVM, 0, "manual"},
		"cpu-ready":                 {inventory.DesignNone, inventory.ScopeVM, 0, "nothing to switch"},
	} {
		r := ruleOf(t, id)
		got := r.Trial()
		require.Equal(t, want.design, got.Design, id)
		require.Equal(t, want.unit, got.Unit, id)
		require.Equal(t, want.block, got.Block, id)
		require.Contains(t, got.Reason, want.reason, id)
	}
}

// TestTrialOfChanges: the settings of a finding decide, not all that its rule could change.
func TestTrialOfChanges(t *testing.T) {
	change := func(address string) advice.Change {
		s, err := inventory.LookupSetting(address)
		require.NoError(t, err)
		return advice.Change{Setting: s, Activation: s.Activation(), Consent: s.Consent()}
	}
	netqueue := ruleOf(t, "netqueue-enabled")
	require.Equal(t, inventory.DesignRandomised, netqueue.Trial().Design)
	require.Equal(t, inventory.DesignSwitchback, netqueue.TrialOf([]advice.Change{change("host-option/Net.NetNetqRxDynamicLB")}).Design)

	vsan := ruleOf(t, "vsan-advanced")
	require.Equal(t, inventory.DesignNone, vsan.TrialOf([]advice.Change{change("host-option/VSAN.ClomRepairDelay")}).Design)
	require.Equal(t, inventory.DesignSlowSwitchback, vsan.TrialOf([]advice.Change{change("host-option/LSOM.enableLargeWb")}).Design)
	require.Equal(t, advice.NothingToSwitch, vsan.TrialOf(nil).Reason)
}

// TestTrialInRules: a rule may give a slower design with its reason, and nothing else.
func TestTrialInRules(t *testing.T) {
	const head = "id: %s\ntitle: t\ncategory: cpu\nscope: host\nseverity: low\nwant: 'true'\nwhy: w\n"
	load := func(body string) error {
		text := strings.Replace(head, "%s", "my-rule", 1) + body
		_, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
		return err
	}
	policy := "remedy: [{set: power-policy, to: '\"static\"'}]\n"
	require.NoError(t, load(policy+"trial: {design: slow-switchback, reason: The room needs minutes to warm up.}\n"))
	require.NoError(t, load("remedy: [{set: host-option/*, each: host.offDefault, to: host.defaultOf(key)}]\ntrial: {design: switchback, unit: cluster, reason: Known.}\n"))
	for body, want := range map[string]string{
		policy + "trial: {design: switchback, reason: r}":                                     "have design switchback themselves",
		policy + "trial: {design: slow-switchback}":                                           "trial needs reason",
		policy + "trial: {design: before-after, reason: r}":                                   `no design "before-after"`,
		policy + "trial: {design: none, unit: datacenter, reason: r}":                         `no unit of trials "datacenter"`,
		policy + "trial: {design: none, reason: r, blocks: 5m}":                               "blocks",
		"trial: {design: none, reason: r}":                                                    "rules with a remedy",
		"remedy: [{set: hyperthreading, to: 'true'}]\ntrial: {design: switchback, reason: r}": "never a quicker one",
		"remedy: [{set: power-policies, to: 'true'}]\ntrial: {design: switchback, reason: r}": "no kind of setting",
		policy + "trial: {design: [none], reason: r}":                                         "design",
	} {
		require.ErrorContains(t, load(body), want, body)
	}
}
