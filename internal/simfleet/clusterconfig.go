package simfleet

import (
	"cmp"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// clusterRow is how a cluster is run.
type clusterRow struct {
	automation types.DrsBehavior
	rate       int32 // as the API counts: 1 moves most, 5 least
	scale      bool  // pools' shares grow with their VMs
	dpm        bool
	swap       types.VirtualMachineConfigInfoSwapPlacementType
	evc        string
	overrides  map[string]bool // VMs with a level of their own, and whether DRS may move them at all
	pairs      [][]string      // VMs that must stay together, come what may
	olderEVC   []string        // VMs that were powered on under the oldest EVC mode
	drsOption  string          // an advanced option of DRS that is set to 1; "" is none
	drsScore   int32           // in percent
	noAdmit    bool            // admission control of vSphere HA is off
}

// clusterTable is by name. The first is as it should be but for hosts that are powered off where work cannot wait.
var clusterTable = map[string]clusterRow{
	"lowlat": {
		automation: types.DrsBehaviorFullyAutomated, rate: 3, scale: true, dpm: true,
		swap: types.VirtualMachineConfigInfoSwapPlacementTypeVmDirectory, evc: evcBroadwell,
	},
	"general": {
		automation: types.DrsBehaviorManual, rate: 5, swap: types.VirtualMachineConfigInfoSwapPlacementTypeHostLocal, evc: evcIvyBridge,
		overrides: map[string]bool{"db-oltp-01": false, "web-01": false, "web-02": true},
		pairs:     [][]string{{"db-sql-01", "app-iis-01"}},
		olderEVC:  []string{"app-iis-01"},
		drsOption: "TryBalanceVmsPerHost", drsScore: 71, noAdmit: true,
	},
	clusterDR: {
		automation: types.DrsBehaviorFullyAutomated, rate: 3, scale: true,
		swap: types.VirtualMachineConfigInfoSwapPlacementTypeVmDirectory, evc: evcSkylake,
	},
	clusterCompute: { // hosts of three kinds, each for work of its own
		automation: types.DrsBehaviorFullyAutomated, rate: 3, scale: true,
		swap: types.VirtualMachineConfigInfoSwapPlacementTypeVmDirectory,
	},
	"vsan": {
		automation: types.DrsBehaviorFullyAutomated, rate: 1, dpm: true, swap: types.VirtualMachineConfigInfoSwapPlacementTypeVmDirectory,
	},
}

// EVC modes, from the oldest.
const (
	evcIvyBridge = "intel-ivybridge"
	evcBroadwell = "intel-broadwell"
	evcSkylake   = "intel-skylake"
	evcIceLake   = "intel-icelake"
)

var evcModes = []string{"intel-sandybridge", evcIvyBridge, "intel-haswell", evcBroadwell, evcSkylake, "intel-cascadelake", evcIceLake}

// evcOf is the newest mode that a CPU can be in, by a part of its name.
var evcOf = []struct{ cpu, mode string }{
	{"v4 @", evcBroadwell}, {"Gold 61", evcSkylake}, {"Gold 63", evcIceLake},
}

// dressClusters runs when all VMs are there: clusters speak of them.
func (b *builder) dressClusters() error {
	si := b.ctx.Map.Get(types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}).(*simulator.ServiceInstance)
	si.Capability = types.Capability{ProvisioningSupported: true, MultiHostSupported: true, ScalableSharesSupported: new(true)}
	for i, key := range evcModes {
		si.Capability.SupportedEVCMode = append(si.Capability.SupportedEVCMode, types.EVCMode{
			ElementDescription: types.ElementDescription{Description: types.Description{Label: key}, Key: key}, Vendor: "intel", VendorTier: int32(i + 1),
		})
	}
	for _, e := range b.hostOrder {
		for _, m := range evcOf {
			if strings.Contains(e.row.server.cpu, m.cpu) {
				e.host.Summary.MaxEVCModeKey = m.mode
			}
		}
	}
	for name, c := range b.clusters {
		b.dressCluster(c, clusterTable[name])
	}
	return nil
}

func (b *builder) dressCluster(c *simulator.ClusterComputeResource, row clusterRow) {
	config := c.ConfigurationEx.(*types.ClusterConfigInfoEx)
	config.VmSwapPlacement = string(row.swap)
	config.DrsConfig = types.ClusterDrsConfigInfo{
		Enabled: new(true), EnableVmBehaviorOverrides: new(true), DefaultVmBehavior: row.automation, VmotionRate: row.rate,
	}
	if row.drsOption != "" {
		config.DrsConfig.Option = append(config.DrsConfig.Option, &types.OptionValue{Key: row.drsOption, Value: "1"})
	}
	config.DasConfig.Enabled, config.DasConfig.AdmissionControlEnabled = new(true), new(!row.noAdmit)
	if row.scale {
		config.DrsConfig.ScaleDescendantsShares = string(types.ResourceConfigSpecScaleSharesBehaviorScaleCpuAndMemoryShares)
	}
	config.DpmConfigInfo = &types.ClusterDpmConfigInfo{Enabled: new(row.dpm), DefaultDpmBehavior: types.DpmBehaviorAutomated, HostPowerActionRate: 3}
	for _, vm := range b.vmOrder {
		if enabled, is := row.overrides[vm.Name]; is {
			config.DrsVmConfig = append(config.DrsVmConfig, types.ClusterDrsVmConfigInfo{
				Key: vm.Self, Enabled: new(enabled), Behavior: types.DrsBehaviorPartiallyAutomated,
			})
		}
	}
	for _, name := range row.olderEVC {
		b.vmNamed(name).Runtime.MinRequiredEVCModeKey = evcModes[0]
	}
	for i, pair := range row.pairs {
		rule := &types.ClusterAffinityRuleSpec{ClusterRuleInfo: types.ClusterRuleInfo{
			Key: int32(i + 1), Enabled: new(true), Mandatory: new(true), UserCreated: new(true), Name: strings.Join(pair, " with "),
		}}
		for _, name := range pair {
			rule.Vm = append(rule.Vm, b.vmNamed(name).Self)
		}
		config.Rule = append(config.Rule, rule)
	}
	summary := c.Summary.(*types.ClusterComputeResourceSummary)
	summary.CurrentEVCModeKey, summary.DrsScore = row.evc, cmp.Or(row.drsScore, 92)
}

// vmNamed is a VM of the tables.
func (b *builder) vmNamed(name string) *simulator.VirtualMachine {
	for _, vm := range b.vmOrder {
		if vm.Name == name {
			return vm
		}
	}
	return nil
}
