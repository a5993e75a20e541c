package simfleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

func TestHosts(t *testing.T) {
	hosts := untouched(t).hosts
	for _, row := range hostTable {
		t.Run(row.Name, func(t *testing.T) {
			checkHost(t, row, hosts[row.Name])
		})
	}
}

func checkHost(t *testing.T, row fleetdata.Host, h mo.HostSystem) {
	t.Helper()
	require.NotNil(t, h.Config)
	checkHardware(t, row, h)
	checkNetwork(t, row, h)
	checkPower(t, row, h)
	require.Equal(t, row.Version, h.Config.Product.Version)
	require.Equal(t, row.Build, h.Summary.Config.Product.Build)
	require.Equal(t, row.Booted, h.Runtime.BootTime.UTC())
	require.Equal(t, row.Threads == "", h.Config.HyperThread.Active)
	require.Equal(t, row.Threads == "" || row.Threads == fleetdata.ThreadsOff, h.Config.HyperThread.Available)
	require.Equal(t, row.Threads != fleetdata.ThreadsOff, h.Config.HyperThread.Config)
	require.True(t, h.Capability.LatencySensitivitySupported)
	require.Equal(t, row.DiskGroups != nil, *h.Config.VsanHostConfig.Enabled)
}

func checkHardware(t *testing.T, row fleetdata.Host, h mo.HostSystem) {
	t.Helper()
	hw, s := h.Hardware, h.Summary.Hardware
	require.Equal(t, row.Hz, hw.CpuInfo.Hz)
	require.Equal(t, row.Server.Virtual, strings.Contains(s.Vendor, "VMware"), "only the nested host")
	require.Equal(t, hw.SystemInfo.Model, s.Model)
	require.Equal(t, hw.CpuInfo.NumCpuCores, s.NumCpuCores)
	require.Equal(t, hw.CpuInfo.NumCpuThreads, s.NumCpuThreads)
	perCore := int16(1)
	if row.Threads == "" {
		perCore = 2
	}
	require.Equal(t, perCore*hw.CpuInfo.NumCpuCores, hw.CpuInfo.NumCpuThreads)
	require.Equal(t, hw.MemorySize, s.MemorySize)
	require.Len(t, hw.CpuPkg, row.Server.Sockets)
	require.Len(t, hw.NumaInfo.NumaNode, row.NUMANodes())
	var memory int64
	var cpus []int16
	for i, n := range hw.NumaInfo.NumaNode {
		memory += n.MemoryRangeLength
		cpus = append(cpus, n.CpuID...)
		if row.Nodes == 0 {
			require.Equal(t, hw.CpuPkg[i].ThreadId, n.CpuID)
		}
	}
	require.Equal(t, hw.MemorySize, memory)
	require.Len(t, cpus, int(hw.CpuInfo.NumCpuThreads))
}

func checkNetwork(t *testing.T, row fleetdata.Host, h mo.HostSystem) {
	t.Helper()
	n := h.Config.Network
	dns := n.DnsConfig.GetHostDnsConfig()
	require.Equal(t, row.Name, dns.HostName+"."+dns.DomainName)
	require.Equal(t, row.Address, n.Vnic[0].Spec.Ip.IpAddress)
	require.Equal(t, "vmk0", n.Vnic[0].Device)
	require.Equal(t, "vmk1", n.Vnic[1].Device)
	want := map[string][]string{"management": {"vmk0"}, "vmotion": {"vmk1"}}
	for i, v := range row.VMKs {
		want[v.Service] = append(want[v.Service], fmt.Sprintf("vmk%d", i+2))
	}
	require.Equal(t, want, adapters(h.Config.VirtualNicManagerInfo))
	require.Len(t, n.Pnic, int(h.Summary.Hardware.NumNics))
	var listed []string
	for _, node := range h.Hardware.NumaInfo.NumaNode {
		listed = append(listed, node.PciId...)
	}
	for i, p := range n.Pnic {
		require.True(t, slices.ContainsFunc(h.Hardware.PciDevice, func(d types.HostPciDevice) bool { return d.Id == p.Pci }))
		require.Equal(t, !row.HidePCI, slices.Contains(listed, p.Pci))
		if i >= len(row.Server.Slots) {
			require.Equal(t, i < len(row.Server.Slots)+row.Board, p.LinkSpeed != nil)
			require.Equal(t, p.LinkSpeed != nil, len(switchesOf(h, p.Key)) == 1)
			continue
		}
		require.Len(t, switchesOf(h, p.Key), 1, p.Device)
		require.Equal(t, row.Server.NIC.Driver, p.Driver)
		if _, own := row.Links[nicName(i)]; !own {
			require.Equal(t, row.Server.NIC.Mbps, p.LinkSpeed.SpeedMb)
		}
		if !row.HasEDP() {
			require.Nil(t, p.Spec.EnableEnhancedNetworkingStack)
			require.Nil(t, p.EnhancedNetworkingStackSupported)
			continue
		}
		require.Equal(t, row.Server.NIC.EDPCapable, *p.EnhancedNetworkingStackSupported)
		require.Equal(t, row.EDP, *p.Spec.EnableEnhancedNetworkingStack)
	}
}

// adapters returns the VMkernel adapters selected for each kind of traffic.
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

// switchesOf returns the switches that use a NIC.
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

func checkPower(t *testing.T, row fleetdata.Host, h mo.HostSystem) {
	t.Helper()
	require.Len(t, h.Config.PowerSystemCapability.AvailablePolicy, 4)
	require.Equal(t, esxi.PolicyNamed(row.Power), h.Config.PowerSystemInfo.CurrentPolicy.Key)
	require.Equal(t, esxi.PolicyWord(esxi.PolicyNamed(row.Power)), h.Hardware.CpuPowerManagementInfo.CurrentPolicy)
	require.Equal(t, row.PowerHardware, h.Hardware.CpuPowerManagementInfo.HardwareSupport)
}

// The intended faults of the fleet, independent of the table.
func TestHostFaults(t *testing.T) {
	hosts := untouched(t).hosts
	h1, h2, h3, h6 := hosts["host01.demo.local"], hosts["host02.demo.local"], hosts["host03.demo.local"], hosts["host06.demo.local"]

	require.Equal(t, int64(0), option(h1, world.NUMAIO))
	require.Equal(t, int64(0), option(h2, world.NUMAIO))
	require.Equal(t, int64(60), option(h3, world.NUMAIO))
	require.EqualValues(t, 60, definition(h2, world.NUMAIO).(*types.LongOption).Max)
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
	require.Nil(t, option(h1, esxi.PowerOption), "7.0 has no such option")
	require.Equal(t, "Balanced", option(h6, esxi.PowerOption))
}
