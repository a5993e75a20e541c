package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLookupSetting(t *testing.T) {
	for address, want := range map[string]string{
		"power-policies":       "no kind of setting",
		"host-option":          "needs a key",
		"host-option/":         "needs a key",
		"host-option/Net.Typo": `no release from 6.0 to 9.0 has a host option "Net.Typo"`,
		"power-policy/static":  "takes no key",
		"vm-cpu-limit/":        "takes no key",
	} {
		_, err := LookupSetting(address)
		require.ErrorContains(t, err, want, address)
	}
	for _, k := range SettingKinds() {
		address := k.Name
		switch {
		case k.Name == KindHostOption:
			address += "/Mem.ShareForceSalting"
		case k.Keyed:
			address += "/key"
		}
		s, err := LookupSetting(address)
		require.NoError(t, err)
		require.Equal(t, address, s.String())
		require.NotEmpty(t, s.Type(), address)
		require.True(t, s.Needs().Options() || len(s.Needs().Facts()) == 1)
	}
}

// TestFreeSettingsHarmNobody: a change that needs no approval is live, can be undone exactly and has a documented
// default.
func TestFreeSettingsHarmNobody(t *testing.T) {
	free, kinds := 0, 0
	check := func(address string) {
		s, err := LookupSetting(address)
		require.NoError(t, err)
		require.Equal(t, ConsentFree, s.Consent(), address)
		require.Equal(t, ActivationLive, s.Activation(), address)
		require.Equal(t, InverseExact, s.Kind.Inverse, address)
		free++
	}
	for _, k := range SettingKinds() {
		require.Contains(t, Consents(), k.Consent, k.Name)
		require.Equal(t, k.Consent != ConsentNever, k.Applicable(), k.Name)
		if k.Consent == ConsentFree {
			check(k.Name)
			require.NotEmpty(t, k.standard.text, k.Name)
			kinds++
		}
	}
	for key := range freeOptions {
		check(KindHostOption + "/" + key)
	}
	require.Equal(t, len(freeOptions)+kinds, free)

	s, err := LookupSetting("host-option/Mem.ShareForceSalting")
	require.NoError(t, err)
	require.Equal(t, ConsentNamed, s.Consent(), "an option that is not listed")
}

func TestWhatRestoresADefault(t *testing.T) {
	one := LongValue(1)
	h := &Host{Options: Known(map[string]Option{"Mem.MemZipEnable": {Value: LongValue(0), Default: &one}, "Mem.MemZipMaxPct": {Value: LongValue(5)}})}
	for _, c := range []struct{ address, to, want string }{
		{"host-option/Mem.MemZipEnable", "1", "Mem.MemZipEnable is 1 by the host's own definition"},
		{"host-option/Mem.MemZipEnable", "0", ""},
		{"host-option/Mem.MemZipMaxPct", "10", ""}, // the host reported no definition
		{"host-option/Mem.ShareForceSalting", "2", ""},
		{"power-policy", "dynamic", "Balanced is the default since ESXi 5.0 (vSphere documentation, host power management policies)"},
		{"power-policy", "static", ""},
		{"hyperthreading", "true", ""},
	} {
		s, err := LookupSetting(c.address)
		require.NoError(t, err)
		require.Equal(t, c.want, s.Restores(h, StringValue(c.to)), c.address+" "+c.to)
	}
}

func TestBootOptionsNeedAReboot(t *testing.T) {
	s, err := LookupSetting("host-option/VMkernel.Boot.hyperthreading")
	require.NoError(t, err)
	require.Equal(t, ActivationHostReboot, s.Activation())
	require.True(t, ActivationLive.MilderThan(s.Activation()))
	require.False(t, ActivationManual.MilderThan(s.Activation()))
}

// TestWhatARunningVMRefuses: a running VM refuses these changes; unlike VMX keys, they do not wait for its next power
// cycle.
func TestWhatARunningVMRefuses(t *testing.T) {
	for address, want := range map[string]Activation{
		"vm-cpu-hotadd":                       ActivationPowerOff,
		"vm-memory-hotadd":                    ActivationPowerOff,
		"vm-vnuma-on-hotadd":                  ActivationPowerOff,
		"vm-vcpus":                            ActivationPowerOff,
		"vm-cores-per-socket":                 ActivationPowerOff,
		"vm-cores-per-numa-node":              ActivationPowerOff,
		"vm-nested-hv":                        ActivationPowerOff,
		"vm-virtual-pmc":                      ActivationPowerOff,
		"vm-stats-collection":                 ActivationPowerOff,
		"vm-vmx/numa.autosize":                ActivationPowerCycle,
		"vm-vmx/sched.mem.lpage.enable1Gpage": ActivationPowerOff,
	} {
		s, err := LookupSetting(address)
		require.NoError(t, err)
		require.Equal(t, want, s.Activation(), address)
	}
}

// TestWhatAnAdapterTakesAtOnce: coalescing is an exception among the keys of an adapter: a change takes effect at once.
func TestWhatAnAdapterTakesAtOnce(t *testing.T) {
	for address, want := range map[string]Activation{
		"vnic-vmx/coalescingScheme": ActivationLive,
		"vnic-vmx/coalescingparams": ActivationLive,
		"vnic-vmx/pnicFeatures":     ActivationPowerCycle,
		"vnic-vmx/ctxPerDev":        ActivationPowerCycle,
		"vnic-vmx/udpRSS":           ActivationPowerCycle,
		// The same with the VM's key.
		"vm-vmx/ethernet0.coalescingScheme":  ActivationLive,
		"vm-vmx/Ethernet12.CoalescingParams": ActivationLive,
		"vm-vmx/ethernet0.pnicFeatures":      ActivationPowerCycle,
		"vm-vmx/ethernetx.coalescingScheme":  ActivationPowerCycle,
		"vm-vmx/coalescingScheme":            ActivationPowerCycle,
	} {
		s, err := LookupSetting(address)
		require.NoError(t, err)
		require.Equal(t, want, s.Activation(), address)
	}
}

func current(t *testing.T, address string, o Object) Fact[Value] {
	t.Helper()
	s, err := LookupSetting(address)
	require.NoError(t, err)
	return s.Current(o)
}

func TestCurrentValues(t *testing.T) {
	h := &Host{PowerPolicy: Known("dynamic"), Options: Known(map[string]Option{"Numa.PreferHT": {Value: IntValue(1)}})}
	require.Equal(t, Known(StringValue("dynamic")), current(t, "power-policy", h))
	require.Equal(t, Known(IntValue(1)), current(t, "host-option/Numa.PreferHT", h), "the type read is the type written")
	require.Equal(t, Absent[Value](), current(t, "host-option/Mem.ShareForceSalting", h))
	require.Equal(t, Unread[Value](""), current(t, "host-option/Numa.PreferHT", new(Host)))
	require.Equal(t, Absent[Value](), current(t, "power-policy", new(VM)), "a VM has no power policy")

	nic := &VNIC{Key: 4001, Label: "Network adapter 2", Type: Known(VNICE1000)}
	vm := &VM{
		CPULimitMHz: Known(int64(1000)), CPUReservationMHz: Absent[int64](), VNICs: Known([]*VNIC{nic}),
		Snapshots: Known([]*SnapshotPoint{{}, {}}), VMX: Known(map[string]string{"Ethernet1.PnicFeatures": "4"}),
	}
	(&Snapshot{VCenters: []*VCenter{{VMs: []*VM{vm}}}}).Link()
	require.Equal(t, Known(LongValue(1000)), current(t, "vm-cpu-limit", vm))
	require.Equal(t, Absent[Value](), current(t, "vm-cpu-reservation", vm))
	require.Equal(t, Known(LongValue(2)), current(t, "vm-snapshots", vm))
	require.Equal(t, Known(StringValue("4")), current(t, "vnic-vmx/pnicFeatures", nic), "ESXi does not mind the case of keys")
	require.Equal(t, Known(StringValue("")), current(t, "vnic-vmx/ctxPerDev", nic), "a key that is not set is known not to be")
	require.Equal(t, Known(StringValue(VNICE1000)), current(t, "vnic-type", nic))

	nioc := &Switch{TrafficClasses: Known([]*TrafficClass{
		{Name: "vsan", SharesLevel: Known("high"), ReservationMbps: Known(int64(750)), LimitMbps: Known(int64(NoLimit))},
		{Name: "vmotion", SharesLevel: Known("low"), ReservationMbps: Known(int64(0)), LimitMbps: Known(int64(5000))},
	})}
	require.Equal(t, Known(StringValue("high")), current(t, "switch-shares/vsan", nioc))
	require.Equal(t, Known(LongValue(750)), current(t, "switch-reservation/vsan", nioc))
	require.Equal(t, Known(LongValue(5000)), current(t, "switch-limit/vmotion", nioc))
	require.Equal(t, Absent[Value](), current(t, "switch-limit/nvmetcp", nioc), "releases differ in classes")
	require.Equal(t, Unread[Value](""), current(t, "switch-limit/vmotion", new(Switch)))
	require.Equal(t, Known(LongValue(-1)), current(t, "pool-cpu-limit", &Pool{CPULimitMHz: Known(int64(NoLimit))}))
}

// TestEachSettingReadsItsFact: each setting that is one fact reads that fact and no other: all values differ.
func TestEachSettingReadsItsFact(t *testing.T) {
	host := &Host{PowerPolicy: Known("static"), HyperThreadingConfigured: Known(true)}
	vm := &VM{
		LatencySensitivity: Known("high"), VCPUs: Known(int64(2)), CoresPerSocket: Known(int64(3)), CPUHotAdd: Known(true),
		CPUAffinity: Known([]int64{4, 5}), MemoryLimitMB: Known(int64(6)), CPUReservationMHz: Known(int64(7)),
		CPULimitMHz: Known(int64(8)), MemoryReservationMB: Known(int64(11)), MemoryReservationLocked: Known(false), ToolsStatus: Known("guestToolsCurrent"),
	}
	for address, is := range map[string]struct {
		of   Object
		want Value
	}{
		"power-policy":          {host, StringValue("static")},
		"hyperthreading":        {host, BoolValue(true)},
		"vm-latency":            {vm, StringValue("high")},
		"vm-vcpus":              {vm, LongValue(2)},
		"vm-cores-per-socket":   {vm, LongValue(3)},
		"vm-cpu-hotadd":         {vm, BoolValue(true)},
		"vm-cpu-affinity":       {vm, StringValue("4 5")},
		"vm-memory-limit":       {vm, LongValue(6)},
		"vm-memory-reservation": {vm, LongValue(11)},
		"vm-cpu-reservation":    {vm, LongValue(7)},
		"vm-cpu-limit":          {vm, LongValue(8)},
		"vm-memory-lock":        {vm, BoolValue(false)},
		"vm-tools":              {vm, StringValue("guestToolsCurrent")},
		"vdisk-iops-limit":      {&VDisk{IOPSLimit: Known(int64(9))}, LongValue(9)},
		"switch-nioc":           {&Switch{NIOCEnabled: Known(true)}, BoolValue(true)},
		"pool-cpu-limit":        {&Pool{CPULimitMHz: Known(int64(10))}, LongValue(10)},
		"vnic-type":             {&VNIC{Type: Known(VNICE1000)}, StringValue(VNICE1000)},
	} {
		require.Equal(t, Known(is.want), current(t, address, is.of), address)
	}
}
