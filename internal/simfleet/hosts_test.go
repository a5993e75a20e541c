package simfleet

import (
	"slices"
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
			h := hosts[row.name]
			require.NotNil(t, h.Config)
			checkHardware(t, row, h)
			checkNetwork(t, row, h)
			checkPower(t, row, h)
			require.Equal(t, row.version, h.Config.Product.Version)
			require.Equal(t, row.build, h.Summary.Config.Product.Build)
			require.Equal(t, row.booted, h.Runtime.BootTime.UTC())
			require.True(t, h.Config.HyperThread.Active)
			require.True(t, h.Capability.LatencySensitivitySupported)
			require.False(t, *h.Config.VsanHostConfig.Enabled)
		})
	}
}

func checkHardware(t *testing.T, row hostRow, h mo.HostSystem) {
	t.Helper()
	hw, s := h.Hardware, h.Summary.Hardware
	require.Equal(t, row.hz, hw.CpuInfo.Hz)
	require.NotContains(t, s.Vendor, "VMware")
	require.Equal(t, hw.SystemInfo.Model, s.Model)
	require.Equal(t, hw.CpuInfo.NumCpuCores, s.NumCpuCores)
	require.Equal(t, hw.CpuInfo.NumCpuThreads, s.NumCpuThreads)
	require.Equal(t, 2*hw.CpuInfo.NumCpuCores, hw.CpuInfo.NumCpuThreads)
	require.Equal(t, hw.MemorySize, s.MemorySize)
	require.Len(t, hw.CpuPkg, 2)
	require.Len(t, hw.NumaInfo.NumaNode, 2)
	var memory int64
	var cpus []int16
	for i, n := range hw.NumaInfo.NumaNode {
		memory += n.MemoryRangeLength
		cpus = append(cpus, n.CpuID...)
		require.Equal(t, hw.CpuPkg[i].ThreadId, n.CpuID)
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
	require.Len(t, n.Pnic, 2)
	require.EqualValues(t, 2, h.Summary.Hardware.NumNics)
	var listed []string
	for _, node := range h.Hardware.NumaInfo.NumaNode {
		listed = append(listed, node.PciId...)
	}
	for _, p := range n.Pnic {
		require.Contains(t, n.Vswitch[0].Pnic, p.Key)
		require.Equal(t, row.server.nic.mbps, p.LinkSpeed.SpeedMb)
		require.Equal(t, row.server.nic.driver, p.Driver)
		require.Equal(t, !row.hidePCI, slices.Contains(listed, p.Pci))
		require.True(t, slices.ContainsFunc(h.Hardware.PciDevice, func(d types.HostPciDevice) bool { return d.Id == p.Pci }))
		if row.edp == edpSilent {
			require.Nil(t, p.Spec.EnableEnhancedNetworkingStack)
			require.Nil(t, p.EnhancedNetworkingStackSupported)
			continue
		}
		require.True(t, *p.EnhancedNetworkingStackSupported)
		require.Equal(t, row.edp == edpOn, *p.Spec.EnableEnhancedNetworkingStack)
	}
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
	for _, row := range hostTable {
		require.Contains(t, inventory.Releases(), row.release, row.name)
		require.Contains(t, clusterNames, row.cluster, row.name)
		require.NotEmpty(t, policyWord(row.policy), row.name)
		for key := range row.options {
			_, _, ok := tableOption(key, row.release)
			require.True(t, ok, "%s: %s has no option %s", row.name, row.release, key)
		}
	}
	require.GreaterOrEqual(t, slices.IndexFunc(hostTable, func(r hostRow) bool { return r.name == cloneHost }), 0)
}
