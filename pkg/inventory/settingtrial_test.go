package inventory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trialOf returns the trial of a setting with its own activation and approval.
func trialOf(t *testing.T, address string) Trial {
	t.Helper()
	s, err := LookupSetting(address)
	require.NoError(t, err)
	return s.Trial(s.Activation(), s.Consent())
}

func TestTrialOfSettings(t *testing.T) {
	for address, want := range map[string]struct {
		design        Design
		unit          Scope
		block, settle time.Duration
		reason        string
	}{
		"power-policy": {DesignSwitchback, ScopeHost, 3 * time.Minute, time.Minute, "within seconds"},
		"host-option/Net.NetNetqNumaIOCpuPinThreshold": {DesignSwitchback, ScopeHost, 5 * time.Minute, time.Minute, "queues"},
		"host-option/Net.Vmxnet3SwLRO":                 {DesignSwitchback, ScopeHost, 5 * time.Minute, time.Minute, "KB 2055140"},
		"host-option/Net.UseHwTSO":                     {DesignRandomised, ScopeHost, 0, 0, "reboot of the host"},
		"host-option/Net.TcpipDefLROEnabled":           {DesignRandomised, ScopeHost, 0, 0, "new connections"},
		"host-option/Numa.PreferHT":                    {DesignSlowSwitchback, ScopeHost, 30 * time.Minute, 10 * time.Minute, "over many minutes"},
		"host-option/Mem.AllocGuestLargePage":          {DesignRandomised, ScopeHost, 0, 0, "pages stay"},
		"host-option/Mem.ShareForceSalting":            {DesignRandomised, ScopeHost, 0, 0, "pages stay"},
		"host-option/Disk.QFullSampleSize":             {DesignSwitchback, ScopeCluster, 3 * time.Minute, time.Minute, "together"},
		"host-option/VSAN.ClomRepairDelay":             {DesignNone, ScopeHost, 0, 0, "repairs"},
		"host-option/LSOM.enableLargeWb":               {DesignSlowSwitchback, ScopeCluster, 30 * time.Minute, 10 * time.Minute, "together"},
		"host-option/Migrate.VMotionStreamHelpers":     {DesignNone, ScopeHost, 0, 0, "only during a vMotion"},
		"host-option/VMkernel.Boot.netNetqueueEnabled": {DesignRandomised, ScopeHost, 0, 0, "reboot of the host"},
		"host-option/Misc.EnablePSPLatencyPolicy":      {DesignRandomised, ScopeHost, 0, 0, "not documented"},
		"driver-options/RSS":                           {DesignRandomised, ScopeHost, 0, 0, "driver reload"},
		"pnic-ring-rx":                                 {DesignRandomised, ScopeHost, 0, 0, "draws no lot"},
		"lun-outstanding-ios":                          {DesignSwitchback, ScopeLUN, 3 * time.Minute, time.Minute, "All hosts of the LUN"},
		"lun-path-policy":                              {DesignNone, ScopeLUN, 0, 0, "cannot be undone"},
		"lun-round-robin-ios":                          {DesignNone, ScopeLUN, 0, 0, "never makes it"},
		"vm-latency":                                   {DesignRandomised, ScopeVM, 0, 0, "powered off and on"},
		"vm-vmx/numa.nodeAffinity":                     {DesignRandomised, ScopeVM, 0, 0, "powered off and on"},
		"vnic-vmx/pnicFeatures":                        {DesignRandomised, ScopeVM, 0, 0, "powered off and on"},
		"vnic-vmx/coalescingScheme":                    {DesignSwitchback, ScopeVM, 5 * time.Minute, time.Minute, "running adapter"},
		"vm-vmx/ethernet0.coalescingScheme":            {DesignSwitchback, ScopeVM, 5 * time.Minute, time.Minute, "running VM"},
		"vm-cpu-limit":                                 {DesignSwitchback, ScopeVM, 3 * time.Minute, time.Minute, "within seconds"},
		"vm-memory-lock":                               {DesignRandomised, ScopeVM, 0, 0, "balloon"},
		"vm-hardware-version":                          {DesignNone, ScopeVM, 0, 0, "manual"},
		"vdisk-iops-limit":                             {DesignSwitchback, ScopeVM, 3 * time.Minute, time.Minute, "within seconds"},
		"pool-cpu-limit":                               {DesignSwitchback, ScopePool, 3 * time.Minute, time.Minute, "within seconds"},
		"cluster-drs-rate":                             {DesignSlowSwitchback, ScopeCluster, 30 * time.Minute, 10 * time.Minute, "understates"},
		"cluster-swap-placement":                       {DesignNone, ScopeCluster, 0, 0, "swap files"},
		"switch-nioc":                                  {DesignSwitchback, ScopeSwitch, 10 * time.Minute, 3 * time.Minute, "all hosts of the switch"},
		"switch-limit/vmotion":                         {DesignNone, ScopeSwitch, 0, 0, "never makes it"},
		"datastore-unmap":                              {DesignNone, ScopeDatastore, 0, 0, "in the background"},
	} {
		got := trialOf(t, address)
		require.Equal(t, want.design, got.Design, address)
		require.Equal(t, want.unit, got.Unit, address)
		require.Equal(t, want.block, got.Block, address)
		require.Equal(t, want.settle, got.Settle, address)
		require.Contains(t, got.Reason, want.reason, address)
	}
}

// TestEverySettingHasATrial: each kind of setting and each known host option has a design with a reason; a switchback
// has blocks, changes a setting that is live and undoes it exactly.
func TestEverySettingHasATrial(t *testing.T) {
	check := func(s Setting) {
		got := s.Trial(s.Activation(), s.Consent())
		require.Contains(t, SettingDesigns(), got.Design, s)
		require.NotEmpty(t, got.Unit, s)
		require.True(t, strings.HasSuffix(got.Reason, "."), "%s: %q", s, got.Reason)
		switching := got.Design == DesignSwitchback || got.Design == DesignSlowSwitchback
		require.Equal(t, switching, got.Block > 0, s)
		if switching {
			require.Equal(t, ActivationLive, s.Activation(), s)
			require.Equal(t, InverseExact, s.Kind.Inverse, s)
			require.True(t, s.Kind.Applicable(), s)
			require.GreaterOrEqual(t, got.Block, 3*got.Settle, s)
		}
		rebooted := s.Trial(ActivationHostReboot, s.Consent())
		require.Contains(t, []Design{DesignRandomised, DesignNone}, rebooted.Design, s)
		never := s.Trial(s.Activation(), ConsentNever)
		require.NotContains(t, []Design{DesignSwitchback, DesignSlowSwitchback}, never.Design, s)
	}
	for _, k := range SettingKinds() {
		check(Setting{Kind: &k, Key: "x"})
	}
	kind := &settingKinds[slices.IndexFunc(settingKinds, func(k SettingKind) bool { return k.Name == KindHostOption })]
	for _, key := range OptionKeys() {
		check(Setting{Kind: kind, Key: key})
	}
}

func TestTrialOrder(t *testing.T) {
	require.True(t, randomised("").SlowerThan(slow("")))
	require.True(t, none("").SlowerThan(randomised("")))
	require.True(t, usual("").SlowerThan(quick("")))
	require.False(t, quick("").SlowerThan(quick("")))
	require.NotContains(t, SettingDesigns(), DesignBeforeAfter)
}
