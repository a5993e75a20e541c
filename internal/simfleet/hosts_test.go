package simfleet

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestHosts(t *testing.T) {
	hosts := untouched(t).hosts
	for _, row := range hostTable {
		t.Run(row.name, func(t *testing.T) {
			checkHost(t, row, hosts[row.name])
		})
	}
}

func checkHost(t *testing.T, row hostRow, h mo.HostSystem) {
	t.Helper()
	require.NotNil(t, h.Config)
	checkHardware(t, row, h)
	checkNetwork(t, row, h)
	checkPower(t, row, h)
	require.Equal(t, row.version, h.Config.Product.Version)
	require.Equal(t, row.build, h.Summary.Config.Product.Build)
	require.Equal(t, row.booted, h.Runtime.BootTime.UTC())
	require.Equal(t, row.threads == threadsOn, h.Config.HyperThread.Active)
	require.Equal(t, row.threads == threadsOn || row.threads == threadsOff, h.Config.HyperThread.Available)
	require.Equal(t, row.threads != threadsOff, h.Config.HyperThread.Config)
	require.True(t, h.Capability.LatencySensitivitySupported)
	require.Equal(t, row.diskGroups != nil, *h.Config.VsanHostConfig.Enabled)
}

func checkHardware(t *testing.T, row hostRow, h mo.HostSystem) {
	t.Helper()
	hw, s := h.Hardware, h.Summary.Hardware
	require.Equal(t, row.hz, hw.CpuInfo.Hz)
	require.Equal(t, row.server.model == nested.model, strings.Contains(s.Vendor, "VMware"), "only the nested host")
	require.Equal(t, hw.SystemInfo.Model, s.Model)
	require.Equal(t, hw.CpuInfo.NumCpuCores, s.NumCpuCores)
	require.Equal(t, hw.CpuInfo.NumCpuThreads, s.NumCpuThreads)
	perCore := int16(1)
	if row.threads == threadsOn {
		perCore = 2
	}
	require.Equal(t, perCore*hw.CpuInfo.NumCpuCores, hw.CpuInfo.NumCpuThreads)
	require.Equal(t, hw.MemorySize, s.MemorySize)
	require.Len(t, hw.CpuPkg, row.server.sockets)
	require.Len(t, hw.NumaInfo.NumaNode, row.numaNodes())
	var memory int64
	var cpus []int16
	for i, n := range hw.NumaInfo.NumaNode {
		memory += n.MemoryRangeLength
		cpus = append(cpus, n.CpuID...)
		if row.nodes == 0 {
			require.Equal(t, hw.CpuPkg[i].ThreadId, n.CpuID)
		}
	}
	require.Equal(t, hw.MemorySize, memory)
	require.Len(t, cpus, int(hw.CpuInfo.NumCpuThreads))
}

func checkNetwork(t *testing.T, row hostRow, h mo.HostSystem) {
	t.Helper()
	n := h.Config.Network
	dns := n.DnsConfig.GetHostDnsConfig()
	require.Equal(t, row.name, dns.HostName+"."+dns.DomainName)
	require.Equal(t, row.address, n.Vnic[0].Spec.Ip.IpAddress)
	require.Equal(t, "vmk0", n.Vnic[0].Device)
	require.Equal(t, "vmk1", n.Vnic[1].Device)
	want := map[string][]string{"management": {"vmk0"}, "vmotion": {"vmk1"}}
	for i, v := range row.vmks {
		want[v.service] = append(want[v.service], vmkName(i+2))
	}
	require.Equal(t, want, adapters(h.Config.VirtualNicManagerInfo))
	require.Len(t, n.Pnic, int(h.Summary.Hardware.NumNics))
	var listed []string
	for _, node := range h.Hardware.NumaInfo.NumaNode {
		listed = append(listed, node.PciId...)
	}
	for i, p := range n.Pnic {
		require.True(t, slices.ContainsFunc(h.Hardware.PciDevice, func(d types.HostPciDevice) bool { return d.Id == p.Pci }))
		require.Equal(t, !row.hidePCI, slices.Contains(listed, p.Pci))
		if i >= len(row.server.slots) {
			require.Equal(t, i < len(row.server.slots)+row.board, p.LinkSpeed != nil)
			require.Equal(t, p.LinkSpeed != nil, len(switchesOf(h, p.Key)) == 1)
			continue
		}
		require.Len(t, switchesOf(h, p.Key), 1, p.Device)
		require.Equal(t, row.server.nic.driver, p.Driver)
		if _, own := row.links[i]; !own {
			require.Equal(t, row.server.nic.mbps, p.LinkSpeed.SpeedMb)
		}
		if row.edp == edpSilent {
			require.Nil(t, p.Spec.EnableEnhancedNetworkingStack)
			require.Nil(t, p.EnhancedNetworkingStackSupported)
			continue
		}
		require.Equal(t, row.server.nic.driver != virtual10.driver, *p.EnhancedNetworkingStackSupported)
		require.Equal(t, row.edp == edpOn, *p.Spec.EnableEnhancedNetworkingStack)
	}
}

// adapters are the VMkernel adapters selected for each kind of traffic.
func adapters(info *types.HostVirtualNicManagerInfo) map[string][]string {
	all := map[string][]string{}
	for _, c := range info.NetConfig {
		for _, vmk := range c.CandidateVnic {
			if slices.Contains(c.SelectedVnic, vmk.Key) {
				all[c.NicType] = append(all[c.NicType], vmk.Device)
			}
		}
	}
	return all
}

// switchesOf are the switches that use a NIC.
func switchesOf(h mo.HostSystem, key string) (names []string) {
	for _, s := range h.Config.Network.Vswitch {
		if slices.Contains(s.Pnic, key) {
			names = append(names, s.Name)
		}
	}
	for _, s := range h.Config.Network.ProxySwitch {
		if slices.Contains(s.Pnic, key) {
			names = append(names, s.DvsName)
		}
	}
	return names
}

func checkPower(t *testing.T, row hostRow, h mo.HostSystem) {
	t.Helper()
	require.Len(t, h.Config.PowerSystemCapability.AvailablePolicy, 4)
	require.Equal(t, row.policy, h.Config.PowerSystemInfo.CurrentPolicy.Key)
	require.Equal(t, policyWord(row.policy), h.Hardware.CpuPowerManagementInfo.CurrentPolicy)
	require.Equal(t, row.powerHardware, h.Hardware.CpuPowerManagementInfo.HardwareSupport)
}

// What the fleet exists to show, written down apart from the table.
func TestHostFaults(t *testing.T) {
	hosts := untouched(t).hosts
	h1, h2, h3, h6 := hosts["host01.demo.local"], hosts["host02.demo.local"], hosts["host03.demo.local"], hosts["host06.demo.local"]

	require.Equal(t, int64(0), option(h1, numaIO))
	require.Equal(t, int64(0), option(h2, numaIO))
	require.Equal(t, int64(60), option(h3, numaIO))
	require.EqualValues(t, 60, definition(h2, numaIO).(*types.LongOption).Max)
	for i := range 2 {
		require.Len(t, h1.Hardware.NumaInfo.NumaNode[i].PciId, 1, "one NIC on each socket")
	}
	require.Equal(t, int64(0), option(h2, "Net.Vmxnet3HwLRO"))
	require.Equal(t, int64(1), option(h1, "Net.Vmxnet3HwLRO"))
	require.Equal(t, "dynamic", h1.Config.PowerSystemInfo.CurrentPolicy.ShortName)
	require.Equal(t, "static", h2.Config.PowerSystemInfo.CurrentPolicy.ShortName)
	require.Empty(t, h3.Hardware.CpuPowerManagementInfo.HardwareSupport)
	require.Equal(t, "High Performance", h3.Hardware.CpuPowerManagementInfo.CurrentPolicy)
	require.EqualValues(t, 10_000, h6.Config.Network.Pnic[0].LinkSpeed.SpeedMb)
	require.NotZero(t, h3.Hardware.CpuInfo.Hz%1_000_000, "rounding the clock up matters")
	require.Nil(t, option(h1, powerOption), "7.0 has no such option")
	require.Equal(t, "Balanced", option(h6, powerOption))
}

func TestEveryHostRowIsComplete(t *testing.T) {
	for _, row := range slices.Concat(hostTable, standaloneTable) {
		require.Contains(t, inventory.Releases(), row.release, row.name)
		require.Equal(t, row.dvs != "", slices.Contains(clusterNames, row.cluster), row.name)
		require.NotEmpty(t, policyWord(row.policy), row.name)
		for key := range row.options {
			_, _, ok := tableOption(key, row.release)
			require.True(t, ok, "%s: %s has no option %s", row.name, row.release, key)
		}
	}
	require.GreaterOrEqual(t, slices.IndexFunc(hostTable, func(r hostRow) bool { return r.name == cloneHost }), 0)
}
