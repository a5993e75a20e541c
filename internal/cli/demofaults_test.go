package cli

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/inventory"
)

// demoVCenter is the demo's vCenter as a snapshot has it.
func demoVCenter(t *testing.T) *inventory.VCenter {
	t.Helper()
	s, err := inventory.Load(bytes.NewReader(savedDemo(t)))
	require.NoError(t, err)
	return s.VCenters[0]
}

// shown is a fact as a table writes it.
func shown(f inventory.Reader) string {
	v, state, _ := f.Raw()
	return [...]string{"unread", fmt.Sprint(v), "absent"}[state]
}

func named[T inventory.Object](t *testing.T, all []T, name string) T {
	t.Helper()
	for _, o := range all {
		if o.Ref().Name == name {
			return o
		}
	}
	require.Fail(t, "the demo has no "+name)
	return *new(T)
}

func valueOf[T any](f inventory.Fact[T]) T {
	v, _ := f.Value()
	return v
}

// TestDemoShowsEachFault: each fault of the demo is read as a fact, and so is its clean counterpart.
func TestDemoShowsEachFault(t *testing.T) {
	proof.NotRaced(t)
	vc := demoVCenter(t)
	vm := func(name string) *inventory.VM { return named(t, vc.VMs, name) }
	nic := func(name string) *inventory.VNIC { return valueOf(vm(name).VNICs)[0] }
	disk := func(name string, n int) *inventory.VDisk { return valueOf(vm(name).Disks)[n] }
	key := func(name, key string) *inventory.Fact[string] { return new(vm(name).VMXKey(key)) }
	device := func(name string) *inventory.PCIDevice { return valueOf(vm(name).PCIDevices)[0] }
	cluster := func(name string) *inventory.Cluster { return named(t, vc.Clusters, name) }
	pool := func(name string) *inventory.Pool { return named(t, vc.Pools, name) }
	sw := func(name string) *inventory.Switch { return named(t, vc.Switches, name) }
	store := func(name string) *inventory.Datastore { return named(t, vc.Datastores, name) }
	for i, c := range []struct {
		fault, twin inventory.Reader
		want, clean string
	}{
		{&vm("case-4711").MonitorType, &vm("web-03").MonitorType, "debug", "release"},
		{&vm("case-4711").VirtualMMU, &vm("web-03").VirtualMMU, "off", "automatic"},
		{&vm("case-4711").VirtualExec, &vm("web-03").VirtualExec, "hvOn", "hvAuto"},
		{&vm("case-4711").Logging, &vm("web-03").Logging, "false", "true"},
		{&vm("lic-oracle-01").HTSharing, &vm("web-03").HTSharing, "none", "any"},
		{&vm("lab-esxi-01").NestedHV, &vm("web-03").NestedHV, "true", "false"},
		{&vm("lab-esxi-01").VirtualPMC, &vm("app-vbs-01").VirtualPMC, "true", "false"},
		{&vm("lab-esxi-01").VBS, &vm("app-vbs-01").VBS, "false", "true"},
		{key("hpc-keys-01", "numa.vcpu.min"), key("web-03", "numa.vcpu.min"), "6", ""},
		{key("hpc-moved-01", "numa.autosize.vcpu.maxPerVirtualNode"), key("spark-01", "numa.autosize.vcpu.maxPerVirtualNode"), "10", "16"},
		{key("app-prefer-01", "numa.vcpu.preferHT"), key("web-03", "numa.vcpu.preferHT"), "TRUE", ""},
		{&vm("app-prefer-01").MemoryAffinity, &vm("web-03").MemoryAffinity, "[1]", "[]"},
		{&vm("nfv-pages-01").MemoryReservationMB, &vm("nfv-pages-02").MemoryReservationMB, "0", "4096"},
		{key("app-nobal-01", "sched.mem.maxmemctl"), key("web-03", "sched.mem.maxmemctl"), "0", ""},
		{&vm("app-grow-01").MemoryHotAdd, &vm("web-03").MemoryHotAdd, "true", "false"},
		{&vm("app-grow-01").SwapPlacement, &vm("web-03").SwapPlacement, "hostLocal", "inherit"},
		{&vm("nfv-core-01").LatencyVCPUs, &vm("trade-gw-02").LatencyVCPUs, "2", "0"},
		{key("nfv-core-01", "sched.swap.vmxSwapEnabled"), key("trade-gw-02", "sched.swap.vmxSwapEnabled"), "FALSE", ""},
		{key("feed-keys-01", "ethernet0.udpRSS"), key("feed-keys-02", "ethernet0.udpRSS"), "TRUE", "1"},
		{key("feed-keys-01", "ethernet0.coalescingScheme"), key("feed-keys-02", "ethernet0.coalescingScheme"), "static", ""},
		{&nic("nfv-vf-01").Type, &nic("web-03").Type, "sriov", "vmxnet3"},
		{&vm("nfv-vf-01").LatencySensitivity, &vm("nfv-vf-02").LatencySensitivity, "normal", "high"},
		{&nic("nfv-upt-01").UPTv2, &nic("web-03").UPTv2, "true", "absent"},
		{&vm("nfv-upt-01").MemoryReservationLocked, &vm("nfv-upt-02").MemoryReservationLocked, "false", "true"},
		{&nic("rt-robot-01").StrictLatency, &nic("web-03").StrictLatency, "true", "absent"},
		{&nic("rt-robot-01").Switch, &nic("web-03").Switch, "dvs-general", "vSwitch0"},
		{&device("ai-gpu-01").NUMANode, &device("ai-gpu-02").NUMANode, "-1", "0"},
		{&disk("db-pile-01", 2).ControllerKey, &disk("db-spread-01", 2).ControllerKey, "1001", "1002"},
		{&disk("db-pile-01", 1).EagerZeroed, &disk("db-spread-01", 1).EagerZeroed, "false", "true"},
		{&disk("db-pile-01", 3).Thin, &disk("db-pile-01", 4).Thin, "true", "false"},
		{&disk("vdi-clone-02", 1).DeltaFormat, &disk("vdi-clone-01", 1).DeltaFormat, "redoLogFormat", "seSparseFormat"},
		{&disk("vdi-clone-02", 1).Backing, &disk("vdi-clone-01", 1).Backing, "flat", "sesparse"},
		{&disk("app-vfrc-01", 0).FlashCacheMB, &disk("web-03", 0).FlashCacheMB, "4096", "0"},
		{&vm("app-vfrc-01").FlashCacheMB, &vm("web-03").FlashCacheMB, "4096", "0"},
		{&vm("app-guest-01").RunningGuestID, &vm("web-03").RunningGuestID, "rhel9_64Guest", "rhel9_64Guest"},
		{&vm("app-guest-01").GuestID, &vm("web-03").GuestID, "otherLinux64Guest", "rhel9_64Guest"},
		{&vm("app-disc-01").ConnectedDevices, &vm("app-disc-02").ConnectedDevices, "[cdrom floppy]", "[]"},
		{&vm("app-crypt-01").Encrypted, &vm("app-crypt-02").Encrypted, "false", "true"},
		{&vm("app-crypt-01").EncryptedVMotion, &vm("web-03").EncryptedVMotion, "required", "opportunistic"},
		{&vm("agent-01").ManagedBy, &vm("web-03").ManagedBy, "com.vmware.vim.eam", ""},
		{&vm("tmpl-rhel9").PoolID, &vm("web-03").PoolID, "absent", pool("web").ID},

		{&cluster("general").DRSAutomation, &cluster("lowlat").DRSAutomation, "manual", "fullyAutomated"},
		{&cluster("general").DRSMigrationRate, &cluster("lowlat").DRSMigrationRate, "5", "3"},
		{&cluster("general").DRSDisabledVMs, &cluster("lowlat").DRSDisabledVMs, "2", "0"},
		{&cluster("general").DRSOverrides, &cluster("lowlat").DRSOverrides, "3", "0"},
		{&cluster("general").MandatoryRules, &cluster("lowlat").MandatoryRules, "1", "0"},
		{&cluster("lowlat").DPMEnabled, &cluster("general").DPMEnabled, "true", "false"},
		{&cluster("general").SwapPlacement, &cluster("lowlat").SwapPlacement, "hostLocal", "vmDirectory"},
		{&cluster("general").EVCMode, &cluster("lowlat").EVCMode, "intel-ivybridge", "intel-broadwell"},
		{&cluster("general").EVCBest, &cluster("lowlat").EVCBest, "intel-broadwell", "intel-broadwell"},
		{&cluster("general").ScaleShares, &cluster("lowlat").ScaleShares, "false", "true"},
		{&pool("batch").CPUShares, &pool("web").CPUShares, "1000", "4000"},
		{&pool("batch").VMCount, &pool("web").VMCount, "2", "3"},
		{&pool("batch").RunningVMs, &pool("drained").RunningVMs, "3", "0"},
		{&pool("batch").DirectRunningVMs, &pool("batch-night").RunningVMs, "2", "1"},
		{&named(t, vc.Hosts, "host06.demo.local").FlashVolumeIsSystem, &named(t, vc.Hosts, "host05.demo.local").FlashVolumeIsSystem, "true", "false"},
		{&named(t, vc.Hosts, "host12.demo.local").Cloud, &named(t, vc.Hosts, "host06.demo.local").Cloud, "VMware Cloud on AWS", ""},
		{&vm("agent-01").Appliance, &vm("web-03").Appliance, "managed by com.vmware.vim.eam", ""},
		{key("agent-01", "ethernet0.ctxPerDev"), key("web-03", "ethernet0.ctxPerDev"), "3", ""},
		{&pool("batch").ScaleShares, &pool("web").ScaleShares, "false", "false"},

		{&sw("dvs-general").MTU, &sw("dvs-lowlat").MTU, "1500", "9000"},
		{&valueOf(sw("dvs-lab").TrafficClasses)[2].LimitMbps, &valueOf(sw("dvs-general").TrafficClasses)[2].LimitMbps, "5000", "-1"},
		{&valueOf(sw("dvs-lab").TrafficClasses)[5].ReservationMbps, &valueOf(sw("dvs-general").TrafficClasses)[5].ReservationMbps, "5000", "0"},
		{&sw("dvs-archive").TrafficClasses, &sw("dvs-archive").Uplinks, "absent", "absent"},
		{&valueOf(sw("dvs-archive").Portgroups)[1].Teaming, &valueOf(sw("dvs-general").Portgroups)[2].Teaming, "failover_explicit", "loadbalance_loadbased"},
		{&valueOf(sw("dvs-archive").Portgroups)[1].Standby, &valueOf(sw("dvs-general").Portgroups)[2].Standby, "[Uplink 2]", "[]"},

		{&store("old01").VMFSVersion, &store("san01").VMFSVersion, "5", "6"},
		{&store("old01").UnmapPriority, &store("san01").UnmapPriority, "absent", "low"},
		{&store("san02").UnmapPriority, &store("nas01").UnmapPriority, "none", "absent"},
		{&store("san02").FreeMB, &store("san01").FreeMB, "614400", "7340032"},
		{&store("old01").SIOCEnabled, &store("san01").SIOCEnabled, "true", "false"},
		{&store("old01").SIOCThresholdMillis, &store("nas01").SIOCThresholdMillis, "25", "absent"},
		{&store("nas01").Kind, &store("archive34").Kind, "NFS", "NFS41"},
	} {
		require.Equal(t, c.want, shown(c.fault), "fault %d", i)
		require.Equal(t, c.clean, shown(c.twin), "twin %d", i)
	}
	require.Len(t, valueOf(named(t, vc.Hosts, "host05.demo.local").Datastores), 4+34)
	require.Len(t, valueOf(named(t, vc.Hosts, "host01.demo.local").Datastores), 2)
	require.EqualValues(t, 3, valueOf(vc.StatsIntervals)[0].Level)
	require.EqualValues(t, 1, valueOf(vc.StatsIntervals)[3].Level)
	require.Len(t, valueOf(vc.Libraries), 3)
	require.Equal(t, map[string]string{"vperf.profile": "general"}, valueOf(vm("app-clean-01").Attributes), "and not who owns it")
	require.Contains(t, valueOf(vm("batch-etl-01").Attributes), "vperf.waive")
	require.Equal(t, []string{"environment/production", "vperf.profile/database"}, valueOf(vm("db-pg-01").Tags))
}
