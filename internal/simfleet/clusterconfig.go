package simfleet

import (
	"cmp"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// configureClusters sets the clusters' configuration. It runs after all VMs exist, because the configuration refers to them.
func (b *builder) configureClusters() error {
	si := b.ctx.Map.Get(types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}).(*simulator.ServiceInstance)
	si.Capability = types.Capability{ProvisioningSupported: true, MultiHostSupported: true, ScalableSharesSupported: new(true)}
	for i, key := range fleetdata.Demo().EVCModes {
		si.Capability.SupportedEVCMode = append(si.Capability.SupportedEVCMode, types.EVCMode{
			ElementDescription: types.ElementDescription{Description: types.Description{Label: key}, Key: key}, Vendor: "intel", VendorTier: int32(i + 1),
		})
	}
	for _, e := range b.hostOrder {
		e.System.Summary.MaxEVCModeKey = e.Row.Server.EVC
	}
	for _, row := range fleetdata.Demo().Clusters {
		b.configureCluster(b.clusters[row.Name], row)
	}
	return nil
}

func (b *builder) configureCluster(c *simulator.ClusterComputeResource, row fleetdata.Cluster) {
	config := c.ConfigurationEx.(*types.ClusterConfigInfoEx)
	config.VmSwapPlacement = row.Swap
	config.DrsConfig = types.ClusterDrsConfigInfo{
		Enabled: new(true), EnableVmBehaviorOverrides: new(true), DefaultVmBehavior: types.DrsBehavior(row.Automation), VmotionRate: row.Rate,
	}
	if row.DRSOption != "" {
		config.DrsConfig.Option = append(config.DrsConfig.Option, &types.OptionValue{Key: row.DRSOption, Value: "1"})
	}
	config.DasConfig.Enabled, config.DasConfig.AdmissionControlEnabled = new(true), new(!row.NoAdmit)
	if row.Scale {
		config.DrsConfig.ScaleDescendantsShares = string(types.ResourceConfigSpecScaleSharesBehaviorScaleCpuAndMemoryShares)
	}
	config.DpmConfigInfo = &types.ClusterDpmConfigInfo{Enabled: new(row.DPM), DefaultDpmBehavior: types.DpmBehaviorAutomated, HostPowerActionRate: 3}
	for _, vm := range b.vmOrder {
		if enabled, is := row.Overrides[vm.Name]; is {
			config.DrsVmConfig = append(config.DrsVmConfig, types.ClusterDrsVmConfigInfo{
				Key: vm.Self, Enabled: new(enabled), Behavior: types.DrsBehaviorPartiallyAutomated,
			})
		}
	}
	for _, name := range row.OlderEVC {
		b.vmNamed(name).Runtime.MinRequiredEVCModeKey = fleetdata.Demo().EVCModes[0]
	}
	for i, pair := range row.Pairs {
		rule := &types.ClusterAffinityRuleSpec{ClusterRuleInfo: types.ClusterRuleInfo{
			Key: int32(i + 1), Enabled: new(true), Mandatory: new(true), UserCreated: new(true), Name: strings.Join(pair, " with "),
		}}
		for _, name := range pair {
			rule.Vm = append(rule.Vm, b.vmNamed(name).Self)
		}
		config.Rule = append(config.Rule, rule)
	}
	summary := c.Summary.(*types.ClusterComputeResourceSummary)
	summary.CurrentEVCModeKey, summary.DrsScore = row.EVC, cmp.Or(row.DRSScore, 92)
}

// vmNamed returns a VM of the tables.
func (b *builder) vmNamed(name string) *simulator.VirtualMachine {
	for _, vm := range b.vmOrder {
		if vm.Name == name {
			return vm
		}
	}
	return nil
}
