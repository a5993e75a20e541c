package simfleet

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// units returns the disks of a host with their paths.
func units(h mo.HostSystem) []types.HostMultipathInfoLogicalUnit {
	return h.Config.StorageDevice.MultipathInfo.Lun
}

func hasUnit(holds func(types.HostMultipathInfoLogicalUnit) bool) func(mo.HostSystem) bool {
	return func(h mo.HostSystem) bool { return slices.ContainsFunc(units(h), holds) }
}

func states(u types.HostMultipathInfoLogicalUnit) (all []string) {
	for _, p := range u.Path {
		all = append(all, p.State)
	}
	return all
}

func policyOf(u types.HostMultipathInfoLogicalUnit) string {
	return u.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy
}

func arrayOf(u types.HostMultipathInfoLogicalUnit) string {
	if u.StorageArrayTypePolicy == nil {
		return ""
	}
	return u.StorageArrayTypePolicy.Policy
}

func hasDelayedAck(h mo.HostSystem) bool {
	return slices.ContainsFunc(h.Config.StorageDevice.HostBusAdapter, func(b types.BaseHostHostBusAdapter) bool {
		iscsi, ok := b.(*types.HostInternetScsiHba)
		return ok && slices.ContainsFunc(iscsi.AdvancedOptions, func(o types.HostInternetScsiHbaParamValue) bool {
			return o.Key == "DelayedAck" && o.Value == true
		})
	})
}

// flashVolume returns the volume of the virtual flash resource, or "".
func flashVolume(h mo.HostSystem) string {
	if f := h.Config.VFlashConfigInfo; f != nil && f.VFlashResourceConfigInfo != nil {
		return f.VFlashResourceConfigInfo.Vffs.Name
	}
	return ""
}

// switchOf returns the MTU of an adapter's switch and the speed of its slowest uplink that is up.
func switchOf(h mo.HostSystem, vmk types.HostVirtualNic) (mtu, mbps int32) {
	n := h.Config.Network
	var nics []string
	for _, g := range n.Portgroup {
		for _, s := range n.Vswitch {
			if vmk.Portgroup == g.Spec.Name && g.Spec.VswitchName == s.Name {
				mtu, nics = s.Mtu, s.Pnic
			}
		}
	}
	for _, s := range n.ProxySwitch {
		if p := vmk.Spec.DistributedVirtualPort; p != nil && p.SwitchUuid == s.DvsUuid {
			mtu, nics = s.Mtu, s.Pnic
		}
	}
	for _, p := range n.Pnic {
		if slices.Contains(nics, p.Key) && p.LinkSpeed != nil && (mbps == 0 || p.LinkSpeed.SpeedMb < mbps) {
			mbps = p.LinkSpeed.SpeedMb
		}
	}
	return mtu, mbps
}

func hasVMK(service string, holds func(h mo.HostSystem, vmk types.HostVirtualNic) bool) func(mo.HostSystem) bool {
	return func(h mo.HostSystem) bool {
		return slices.ContainsFunc(h.Config.Network.Vnic, func(vmk types.HostVirtualNic) bool {
			return slices.Contains(adapters(h.Config.VirtualNicManagerInfo)[service], vmk.Device) && holds(h, vmk)
		})
	}
}

func slow(h mo.HostSystem, vmk types.HostVirtualNic) bool {
	_, mbps := switchOf(h, vmk)
	return mbps < 10_000
}

func sharesSubnet(h mo.HostSystem) bool {
	seen := map[string]bool{}
	for _, vmk := range h.Config.Network.Vnic {
		net := vmk.Spec.Ip.IpAddress[:strings.LastIndexByte(vmk.Spec.Ip.IpAddress, '.')]
		if seen[net] {
			return true
		}
		seen[net] = true
	}
	return false
}

func hasTeam(holds func(t *types.HostNicTeamingPolicy) bool) func(mo.HostSystem) bool {
	return func(h mo.HostSystem) bool {
		return slices.ContainsFunc(h.Config.Network.Portgroup, func(g types.HostPortGroup) bool { return holds(g.ComputedPolicy.NicTeaming) })
	}
}

func groups(h mo.HostSystem) []types.VsanHostDiskMapInfo {
	if h.Config.VsanHostConfig.StorageInfo == nil {
		return nil
	}
	return h.Config.VsanHostConfig.StorageInfo.DiskMapInfo
}

// Each fault of hosts and their devices occurs, together with objects without it.
func TestFaultsOfHardwareNetworkAndStorage(t *testing.T) {
	t.Parallel()
	f := readFleet(t)
	for fault, want := range map[string]struct {
		holds       func(mo.HostSystem) bool
		fail, clean []string
	}{
		"a power policy of somebody's own": {
			func(h mo.HostSystem) bool { return h.Config.PowerSystemInfo.CurrentPolicy.ShortName == "custom" }, []string{"host10"}, []string{"host09"},
		},
		"a scheduler against side channels": {
			func(h mo.HostSystem) bool {
				return h.Config.CpuScheduler != nil && h.Config.CpuScheduler.Policy != "systemDefault"
			},
			[]string{"host07"}, []string{"host06"},
		},
		"processors that report their model number": {
			func(h mo.HostSystem) bool { return h.Hardware.CpuPkg[0].Family != 0 },
			[]string{"host03", "host06", "host07", "host08", "host09", "host10", "host11", "host12", "host13", "host14", "host15", "esxi-b", "esxi-c"}, []string{"host01"},
		},
		"hardware that leads its own clock": {
			func(h mo.HostSystem) bool {
				return h.Config.Product.Version >= "9" && h.Hardware.CpuPkg[0].Model == 173
			}, []string{"host14", "esxi-c"}, []string{"esxi-b"},
		},
		"node interleaving": {
			func(h mo.HostSystem) bool {
				return h.Hardware.NumaInfo.NumNodes < int32(h.Hardware.CpuInfo.NumCpuPackages)
			}, []string{"host11"}, []string{"host09"},
		},
		"sub-NUMA clustering": {
			func(h mo.HostSystem) bool {
				return h.Hardware.NumaInfo.NumNodes > int32(h.Hardware.CpuInfo.NumCpuPackages)
			},
			[]string{"host10", "host14", "esxi-c"}, []string{"host09"},
		},
		"memory tiers": {
			func(h mo.HostSystem) bool { return h.Hardware.MemoryTieringType == fleetdata.SoftwareTiering }, []string{"host11", "host14", "esxi-c"}, []string{"host09"},
		},
		"releases without memory tiers": {
			func(h mo.HostSystem) bool { return h.Hardware.MemoryTieringType == "" }, []string{"host02", "host04", "esxi-a"}, []string{"host01"},
		},
		"swap cache": {func(h mo.HostSystem) bool { return h.Config.CacheConfigurationInfo != nil }, []string{"host04"}, []string{"host06"}},
		"flash cache": {func(h mo.HostSystem) bool {
			return flashVolume(h) != "" && !strings.HasPrefix(flashVolume(h), "OSDATA-")
		}, []string{"host05"}, []string{"host06"}},
		"the system volume on flash": {func(h mo.HostSystem) bool {
			return strings.HasPrefix(flashVolume(h), "OSDATA-")
		}, []string{"host06"}, []string{"host05"}},
		"an iSCSI adapter without a target": {func(h mo.HostSystem) bool {
			return slices.ContainsFunc(h.Config.StorageDevice.HostBusAdapter, func(b types.BaseHostHostBusAdapter) bool {
				iscsi, ok := b.(*types.HostInternetScsiHba)
				return ok && len(iscsi.ConfiguredSendTarget) == 0 && iscsi.Status == "unbound"
			})
		}, []string{"esxi-b"}, []string{"host06"}},
		"a host of a managed cloud": {
			func(h mo.HostSystem) bool { return h.Hardware.SystemInfo.Vendor == "Amazon EC2" }, []string{"host12", "host13"}, []string{"host06"},
		},
		"an old NIC driver": {
			func(h mo.HostSystem) bool { return h.Config.Network.Pnic[0].Driver == "ixgbe" }, []string{"host04"}, []string{"host05"},
		},
		"frames larger than the switch's": {
			func(h mo.HostSystem) bool {
				return slices.ContainsFunc(h.Config.Network.Vnic, func(vmk types.HostVirtualNic) bool { mtu, _ := switchOf(h, vmk); return vmk.Spec.Mtu > mtu })
			},
			[]string{"host05"}, []string{"host09"},
		},
		"two adapters in one subnet": {sharesSubnet, []string{"host04", "host05"}, []string{"host06"}},
		"two vMotion adapters": {
			func(h mo.HostSystem) bool { return len(adapters(h.Config.VirtualNicManagerInfo)["vmotion"]) > 1 }, []string{"host05"}, []string{"host01"},
		},
		"vMotion on 1 Gb": {hasVMK("vmotion", slow), []string{"host04", "host05", "host07"}, []string{"host06"}},
		"vSAN on 1 Gb":    {hasVMK("vsan", slow), []string{"host10"}, []string{"host09", "host11"}},
		"an idle standby uplink": {
			hasTeam(func(t *types.HostNicTeamingPolicy) bool {
				return t.Policy == "failover_explicit" && t.NicOrder.StandbyNic != nil
			}),
			[]string{"host04"}, []string{"host06"},
		},
		"IP hash": {hasTeam(func(t *types.HostNicTeamingPolicy) bool { return t.Policy == "loadbalance_ip" }), []string{"host05"}, []string{"host06"}},
		"one path to an array's disk": {
			hasUnit(func(u types.HostMultipathInfoLogicalUnit) bool {
				return arrayOf(u) == "VMW_SATP_ALUA" && len(u.Path) == 1
			}), []string{"host04"}, []string{"host06"},
		},
		"a dead path": {hasUnit(func(u types.HostMultipathInfoLogicalUnit) bool { return slices.Contains(states(u), "dead") }), []string{"host07"}, []string{"host06"}},
		"an ALUA array without Round Robin": {
			hasUnit(func(u types.HostMultipathInfoLogicalUnit) bool {
				return arrayOf(u) == "VMW_SATP_ALUA" && policyOf(u) != pathRoundRobin
			}),
			[]string{"host02", "host05"}, []string{"host06"},
		},
		"Round Robin on a local disk": {
			hasUnit(func(u types.HostMultipathInfoLogicalUnit) bool {
				return arrayOf(u) == "VMW_SATP_LOCAL" && policyOf(u) == pathRoundRobin
			}),
			[]string{"host05"}, []string{"host06"},
		},
		"a disk without a type of array": {hasUnit(func(u types.HostMultipathInfoLogicalUnit) bool { return arrayOf(u) == "" }), []string{"host14", "esxi-c"}, []string{"host06"}},
		"delayed acknowledgements":       {hasDelayedAck, []string{"host04", "host05", "esxi-b"}, []string{"host06", "host01"}},
		"a small vSAN cache": {
			func(h mo.HostSystem) bool {
				return slices.ContainsFunc(groups(h), func(g types.VsanHostDiskMapInfo) bool {
					capacity := int64(0)
					for _, d := range g.Mapping.NonSsd {
						capacity += d.Capacity.Block
					}
					return !*g.Mapping.NonSsd[0].Ssd && g.Mapping.Ssd.Capacity.Block*10 < capacity
				})
			}, []string{"host11"}, []string{"host09"},
		},
		"a single disk group": {func(h mo.HostSystem) bool { return len(groups(h)) == 1 }, []string{"host10", "host11"}, []string{"host09"}},
	} {
		t.Run(fault, func(t *testing.T) {
			got := f.which(want.holds)
			require.ElementsMatch(t, want.fail, got)
			for _, name := range want.clean {
				require.NotContains(t, got, name)
			}
		})
	}
}
