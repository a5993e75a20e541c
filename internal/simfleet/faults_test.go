package simfleet

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/overrides"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// fleetFacts holds the data that clients read of the whole fleet: all endpoints, including calls to each host.
type fleetFacts struct {
	hosts   []mo.HostSystem
	vms     []mo.VirtualMachine
	pools   []mo.ResourcePool
	dvs     []mo.VmwareDistributedVirtualSwitch
	modules map[string]string // driver options by host/driver
	hostOf  map[string]mo.HostSystem
}

var wholeFleet struct {
	sync.Once
	fleetFacts
}

// readFleet reads the fleet once for all tests.
func readFleet(t *testing.T) fleetFacts {
	t.Helper()
	wholeFleet.Do(func() { wholeFleet.fleetFacts = readFleetNow(t) })
	require.NotEmpty(t, wholeFleet.vms, "the first reader failed")
	return wholeFleet.fleetFacts
}

func readFleetNow(t *testing.T) fleetFacts {
	t.Helper()
	f := common(t)
	all := fleetFacts{modules: map[string]string{}, hostOf: map[string]mo.HostSystem{}}
	for _, e := range f.Endpoints() {
		c := loginTo(t, f, e.Name)
		hosts, vms := hostsAndVMs(t, f, e.Name)
		for _, h := range hosts {
			for _, n := range h.Config.Network.Pnic {
				options, err := methods.QueryConfiguredModuleOptionString(t.Context(), c, &types.QueryConfiguredModuleOptionString{
					This: *h.ConfigManager.KernelModuleSystem, Name: n.Driver,
				})
				require.NoError(t, err)
				all.modules[shortName(h.Name)+"/"+n.Driver] = options.Returnval
			}
		}
		for _, vm := range vms {
			all.vms = append(all.vms, vm)
			for _, h := range hosts {
				if h.Self == *vm.Runtime.Host {
					all.hostOf[vm.Name] = h
				}
			}
		}
		all.hosts = append(all.hosts, hosts...)
		all.pools = append(all.pools, retrieve[mo.ResourcePool](t, c, "ResourcePool", "name", "config")...)
		if e.Name == vcenterSite {
			all.dvs = retrieve[mo.VmwareDistributedVirtualSwitch](t, c, "VmwareDistributedVirtualSwitch", "name", "config")
		}
	}
	return all
}

// hostsAndVMs returns the hosts and VMs of an endpoint, in the order of the tables.
func hostsAndVMs(t *testing.T, f *Fleet, name string) (hosts []mo.HostSystem, vms []mo.VirtualMachine) {
	t.Helper()
	if name != vcenterSite {
		c := loginTo(t, f, name)
		return retrieve[mo.HostSystem](t, c, "HostSystem"), retrieve[mo.VirtualMachine](t, c, "VirtualMachine")
	}
	all := untouched(t)
	for _, row := range hostTable {
		hosts = append(hosts, all.hosts[row.Name])
	}
	for _, row := range vmTable {
		vms = append(vms, all.vms[row.Name])
	}
	return hosts, vms
}

// which returns the names of the hosts for which holds is true.
func (f fleetFacts) which(holds func(h mo.HostSystem) bool) []string {
	names := []string{}
	for _, h := range f.hosts {
		if holds(h) {
			names = append(names, shortName(h.Name))
		}
	}
	return names
}

// whichVMs returns the names of the VMs, except templates, for which holds is true.
func (f fleetFacts) whichVMs(holds func(vm mo.VirtualMachine, host mo.HostSystem) bool) []string {
	names := []string{}
	for _, vm := range f.vms {
		if !vm.Config.Template && holds(vm, f.hostOf[vm.Name]) {
			names = append(names, vm.Name)
		}
	}
	return names
}

// whichNICs returns the names of physical NICs for which holds is true.
func (f fleetFacts) whichNICs(holds func(h mo.HostSystem, n types.PhysicalNic) bool) []string {
	names := []string{}
	for _, h := range f.hosts {
		for _, n := range h.Config.Network.Pnic {
			if holds(h, n) {
				names = append(names, shortName(h.Name)+"/"+n.Device)
			}
		}
	}
	return names
}

// optionIs returns the names of the hosts whose option has a value.
func (f fleetFacts) optionIs(key string, value any) []string {
	return f.which(func(h mo.HostSystem) bool { return option(h, key) == value })
}

func fast(h mo.HostSystem) bool {
	return slices.ContainsFunc(h.Config.Network.Pnic, func(n types.PhysicalNic) bool { return n.LinkSpeed != nil && n.LinkSpeed.SpeedMb >= 40_000 })
}

func isUplink(h mo.HostSystem, n types.PhysicalNic) bool { return len(switchesOf(h, n.Key)) > 0 }

// Each fault occurs at least twice, together with objects without it.
func TestHostFaultsAndTwins(t *testing.T) {
	t.Parallel()
	f := readFleet(t)
	for rule, want := range map[string]struct{ got, fail, clean []string }{
		"power-policy": {
			f.which(func(h mo.HostSystem) bool {
				return h.Hardware.CpuPowerManagementInfo.HardwareSupport != "" && (h.Config.PowerSystemInfo.CurrentPolicy.ShortName == "low" ||
					fast(h) && h.Config.PowerSystemInfo.CurrentPolicy.ShortName != "static")
			}),
			[]string{"host01", "host05", "host11", "esxi-a"}, []string{"host02", "host06", "host09"},
		},
		"power-bios-control": {
			f.which(func(h mo.HostSystem) bool {
				return !strings.Contains(h.Hardware.CpuPowerManagementInfo.HardwareSupport, "P-states")
			}),
			[]string{"host03", "host07", "esxi-b"}, []string{"host06"},
		},
		"numa-io": {
			f.which(func(h mo.HostSystem) bool { return fast(h) && option(h, world.NUMAIO) == int64(0) }),
			[]string{"host01", "host02", "esxi-a"}, []string{"host03", "esxi-c"},
		},
		"lro":                 {slices.Concat(f.optionIs("Net.Vmxnet3HwLRO", int64(0)), f.optionIs("Net.Vmxnet3SwLRO", int64(0))), []string{"host02", "host05"}, []string{"host06"}},
		"lro-vmkernel":        {f.optionIs("Net.TcpipDefLROEnabled", int64(0)), []string{"host04", "esxi-a"}, []string{"host06"}},
		"tso":                 {slices.Concat(f.optionIs("Net.UseHwTSO", int64(0)), f.optionIs("Net.UseHwTSO6", int64(0))), []string{"host05", "host04"}, []string{"host06"}},
		"netqueue-enabled":    {f.optionIs("VMkernel.Boot.netNetqueueEnabled", false), []string{"host04", "esxi-a"}, []string{"host06"}},
		"mem-large-pages":     {slices.Concat(f.optionIs("Mem.AllocGuestLargePage", int64(0)), f.optionIs("LPage.LPageAlwaysTryForNPT", int64(0))), []string{"host04", "host05", "host16"}, []string{"host06"}},
		"vaai":                {slices.Concat(f.optionIs("DataMover.HardwareAcceleratedMove", int64(0)), f.optionIs("VMFS3.HardwareAcceleratedLocking", int64(0))), []string{"host04", "host05", "esxi-c"}, []string{"host06"}},
		"vmotion-stream-help": {f.optionIs("Migrate.VMotionStreamHelpers", int64(8)), []string{"host04", "host05"}, []string{"host02"}},
		"vmotion-vmknics": {
			f.which(func(h mo.HostSystem) bool {
				return fast(h) && h.Config.Product.Version < "7.0.3" && len(adapters(h.Config.VirtualNicManagerInfo)["vmotion"]) == 1
			}),
			[]string{"host02", "esxi-a"}, []string{"host01", "host03"},
		},
		"hyperthreading": {
			f.which(func(h mo.HostSystem) bool {
				return !h.Config.HyperThread.Active && h.Hardware.SystemInfo.Vendor != fleetTables.Servers["nested"].Vendor
			}),
			[]string{"host04", "host05"}, []string{"host06"},
		},
		"pnic-link: down": {
			f.whichNICs(func(h mo.HostSystem, n types.PhysicalNic) bool { return isUplink(h, n) && n.LinkSpeed == nil }),
			[]string{"host04/vmnic3", "host05/vmnic3"}, []string{"host07/vmnic2"}, // which is down too, but not an uplink
		},
		"pnic-link: half duplex": {
			f.whichNICs(func(_ mo.HostSystem, n types.PhysicalNic) bool { return n.LinkSpeed != nil && !n.LinkSpeed.Duplex }),
			[]string{"host04/vmnic2", "host05/vmnic2"}, []string{"host06/vmnic0"},
		},
		"pnic-link: below its best": {
			f.whichNICs(func(_ mo.HostSystem, n types.PhysicalNic) bool {
				return n.LinkSpeed != nil && slices.ContainsFunc(n.ValidLinkSpecification, func(l types.PhysicalNicLinkInfo) bool { return l.SpeedMb > n.LinkSpeed.SpeedMb })
			}),
			[]string{"host04/vmnic2", "host05/vmnic1", "host05/vmnic2", "host07/vmnic1"}, []string{"host06/vmnic1"},
		},
		"rss": {
			f.which(func(h mo.HostSystem) bool {
				driver := h.Config.Network.Pnic[0].Driver
				options := f.modules[shortName(h.Name)+"/"+driver]
				return fast(h) && (strings.Contains(options, "RSS=0") || driver == "nmlx4_en" && options == "") // whose default is off
			}),
			[]string{"host01", "esxi-a"}, []string{"host02", "host03"}, // the latter with Enhanced Data Path, which requires none
		},
		"latency-core-fit": {
			f.which(func(h mo.HostSystem) bool {
				wanted := int32(0)
				for _, vm := range f.vms {
					if f.hostOf[vm.Name].Name == h.Name && vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn &&
						vm.Config.LatencySensitivity != nil && vm.Config.LatencySensitivity.Level == high {
						wanted += vm.Config.Hardware.NumCPU
					}
				}
				return wanted > int32(h.Hardware.CpuInfo.NumCpuCores)-2
			}),
			[]string{"host01", "esxi-a"}, []string{"host02", "host03"},
		},
	} {
		t.Run(rule, func(t *testing.T) { requireFaults(t, want.got, want.fail, want.clean) })
	}
	require.Equal(t, "RSS=4 DRSS=4", f.modules["host02/nmlx5_core"])
	require.Empty(t, f.modules["esxi-a/nmlx4_en"])
}

func requireFaults(t *testing.T, got, fail, clean []string) {
	t.Helper()
	require.ElementsMatch(t, fail, got)
	require.GreaterOrEqual(t, len(fail), 2)
	require.NotEmpty(t, clean)
	for _, name := range clean {
		require.NotContains(t, got, name)
	}
}

// hasDataOnLSI reports whether a disk other than the first is on an LSI Logic controller.
func hasDataOnLSI(vm mo.VirtualMachine, _ mo.HostSystem) bool {
	devices := object.VirtualDeviceList(vm.Config.Hardware.Device)
	return slices.ContainsFunc(devices.SelectByType((*types.VirtualDisk)(nil)), func(d types.BaseVirtualDevice) bool {
		disk := d.GetVirtualDevice()
		return disk.Key != firstDiskKey && isLSI(devices.FindByKey(disk.ControllerKey))
	})
}

func isLSI(d types.BaseVirtualDevice) bool {
	switch d.(type) {
	case *types.VirtualLsiLogicController, *types.VirtualLsiLogicSASController:
		return true
	}
	return false
}

func hasKey(vm mo.VirtualMachine, starts string) bool {
	for key := range vmx(vm) {
		if strings.HasPrefix(strings.ToLower(key), starts) {
			return true
		}
	}
	return false
}

func tools(f fleetFacts, status string) []string {
	return f.whichVMs(func(vm mo.VirtualMachine, _ mo.HostSystem) bool { return vm.Guest.ToolsVersionStatus2 == status })
}

func TestVMFaultsAndTwins(t *testing.T) {
	f := readFleet(t)
	type holds = func(vm mo.VirtualMachine, host mo.HostSystem) bool
	for rule, want := range map[string]struct {
		holds       holds
		fail, clean []string
	}{
		"latency-sensitivity": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				return vm.Config.LatencySensitivity != nil && vm.Config.LatencySensitivity.Level == medium
			}, []string{"trade-mid-01", "trade-mid-02"}, []string{"feed-rx-01"},
		},
		"cpu-limit": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool { return *vm.Config.CpuAllocation.Limit != noLimit },
			[]string{"db-oltp-01", "batch-etl-01"}, []string{"web-03"},
		},
		"mem-limit": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				l := *vm.Config.MemoryAllocation.Limit
				return l != noLimit && l < int64(vm.Config.Hardware.MemoryMB)
			}, []string{"db-pg-02", "app-cache-01"}, []string{"app-cache-02", "web-03"},
		},
		"cpu-affinity": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				return vm.Config.CpuAffinity != nil && len(vm.Config.CpuAffinity.AffinitySet) > 0 || hasKey(vm, "sched.vcpu")
			}, []string{"feed-pin-01", "feed-pin-02", "feed-pin-03", "feed-pin-04"}, []string{"feed-rx-01"},
		},
		"vcpu-exceeds-cores": {
			func(vm mo.VirtualMachine, h mo.HostSystem) bool {
				return vm.Config.Hardware.NumCPU > int32(h.Hardware.CpuInfo.NumCpuCores)
			},
			[]string{"spark-01", "spark-02"}, []string{"hpc-monster-01", "hpc-monster-02"},
		},
		"vnuma-cpu-hotadd": {
			func(vm mo.VirtualMachine, h mo.HostSystem) bool {
				exposed := vm.Config.NumaInfo != nil && *vm.Config.NumaInfo.VnumaOnCpuHotaddExposed
				wide := vm.Config.Hardware.NumCPU*h.Hardware.NumaInfo.NumNodes > int32(h.Hardware.CpuInfo.NumCpuCores)
				return *vm.Config.CpuHotAddEnabled && wide && !exposed
			}, []string{"hpc-monster-03", "spark-02"}, []string{"db-ora-03", "db-my-01"},
		},
		"vnuma-cores-per-socket": {
			func(vm mo.VirtualMachine, h mo.HostSystem) bool {
				return *vm.Config.Hardware.NumCoresPerSocket > int32(h.Hardware.CpuInfo.NumCpuCores)/h.Hardware.NumaInfo.NumNodes
			}, []string{"hpc-cfd-01", "hpc-cfd-02", "spark-01", "spark-02"}, []string{"hpc-cfd-03", "hpc-monster-02"},
		},
		"vnic-vmxnet3": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				d := object.VirtualDeviceList(vm.Config.Hardware.Device)
				return len(d.SelectByType((*types.VirtualE1000)(nil)))+len(d.SelectByType((*types.VirtualE1000e)(nil))) > 0
			}, []string{"web-01", "web-02", "edge-web-01", "lab-web-01"}, []string{"web-03"},
		},
		"vscsi-pvscsi: data on LSI Logic": {
			hasDataOnLSI, []string{"db-ora-01", "db-ora-02", "db-sql-02", "hpc-monster-03"}, []string{"db-ora-03", "db-sql-01", "hpc-monster-02"},
		},
		"disk-iops-limit": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				return slices.ContainsFunc(vm.Config.Hardware.Device, func(d types.BaseVirtualDevice) bool {
					disk, ok := d.(*types.VirtualDisk)
					return ok && *disk.StorageIOAllocation.Limit == 500
				})
			}, []string{"db-pg-01", "app-files-01"}, []string{"db-pg-02"},
		},
		"snapshots": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				return vm.Runtime.ConsolidationNeeded ||
					vm.Snapshot != nil && !strings.HasPrefix(vm.Name, "cp-") && noon().Sub(vm.Snapshot.RootSnapshotList[0].CreateTime).Hours() > 72
			}, []string{"app-build-01", "app-mail-01", "app-legacy-01"}, []string{"web-03"},
		},
		"legacy-vmx-keys": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				return hasKey(vm, "ethernet0.intrmode") || hasKey(vm, "monitor_control.") || hasKey(vm, "sched.cpu.htsharing")
			}, []string{"app-lega-01", "app-lega-02"}, []string{"app-clean-01"},
		},
		"lro-guest-rsc": {
			func(vm mo.VirtualMachine, _ mo.HostSystem) bool {
				return vm.Config.GuestId == fleetTables.Guests["windows2019"].ID &&
					len(object.VirtualDeviceList(vm.Config.Hardware.Device).SelectByType((*types.VirtualVmxnet3)(nil))) > 0
			}, []string{"db-sql-02", "app-iis-01", "app-print-01"}, []string{"web-03"},
		},
	} {
		t.Run(rule, func(t *testing.T) { requireFaults(t, f.whichVMs(want.holds), want.fail, want.clean) })
	}
}

func TestToolsVersions(t *testing.T) {
	f := readFleet(t)
	require.Equal(t, []string{"appl-fw-01", "appl-fw-02"}, tools(f, "guestToolsNotInstalled"))
	require.Equal(t, []string{"app-old-01", "app-old-02"}, tools(f, "guestToolsTooOld"))
	require.Equal(t, []string{"app-print-01", "app-print-02"}, tools(f, "guestToolsBlacklisted"))
	require.Equal(t, []string{"app-iis-01", "app-next-01"}, tools(f, "guestToolsTooNew"))
	require.Equal(t, []string{"web-01", "app-legacy-01", "app-lega-01", "app-lega-02", "edge-web-01"}, tools(f, "guestToolsSupportedOld"))
	require.Greater(t, len(tools(f, "guestToolsUnmanaged")), 20, "clean")
	require.Greater(t, len(tools(f, "guestToolsCurrent")), 2, "clean")
}

func TestPoolAndSwitchFaults(t *testing.T) {
	f := readFleet(t)
	var limited, off []string
	for _, p := range f.pools {
		if p.Name != "Resources" && *p.Config.CpuAllocation.Limit != noLimit {
			limited = append(limited, p.Name)
		}
	}
	require.Equal(t, []string{"replay", "batch"}, limited)
	for _, s := range f.dvs {
		c := s.Config.GetDVSConfigInfo()
		if !c.NetworkResourceManagementEnabled || c.NetworkResourceControlVersion != niocV3 {
			off = append(off, s.Name)
		}
	}
	require.Equal(t, []string{dvsLowlat, dvsArchive}, off)
}

// Fields of a release exist from that release on, and not before.
func TestFieldsFollowTheRelease(t *testing.T) {
	f := readFleet(t)
	for _, vm := range f.vms {
		h := f.hostOf[vm.Name]
		require.Equal(t, h.Config.Product.Version >= "8", vm.Config.NumaInfo != nil, vm.Name)
		var n int
		_, err := fmt.Sscanf(vm.Config.Version, "vmx-%d", &n)
		require.NoError(t, err)
		require.Equal(t, n >= overrides.AutoCoresFrom, vm.Config.Hardware.AutoCoresPerSocket != nil, vm.Name)
		require.LessOrEqual(t, n, map[string]int{"6.5.0": 13, "6.7.0": 15, "7.0.3": 19, "8.0.3": 21, "9.0.1": 22, "9.1.0": 22}[h.Config.Product.Version], vm.Name)
		require.NotNil(t, vm.Config.CpuHotAddEnabled, vm.Name)
	}
}

func shortName(name string) string {
	short, _, _ := strings.Cut(name, ".")
	return short
}
