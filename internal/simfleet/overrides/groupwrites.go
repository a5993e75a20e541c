package overrides

import (
	"slices"
	"strconv"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// EnableNetworkResourceManagement turns Network I/O Control of a distributed switch on or off. It replaces the configuration by a
// copy, because the old one may be in use for an answer.
func (*Service) EnableNetworkResourceManagement(ctx *simulator.Context, req *types.EnableNetworkResourceManagement) soap.HasFault {
	body := new(methods.EnableNetworkResourceManagementBody)
	s, ok := ctx.Map.Get(req.This).(*simulator.DistributedVirtualSwitch)
	if !ok {
		body.Fault_ = world.NotFound(req.This)
		return body
	}
	ctx.WithLock(s, func() {
		config := *s.Config.(*types.VMwareDVSConfigInfo)
		n, _ := strconv.Atoi(config.ConfigVersion)
		config.ConfigVersion = strconv.Itoa(n + 1)
		config.NetworkResourceManagementEnabled = req.Enable
		s.Config = &config // govmomi v0.56.0 simulator: it cannot send this update
	})
	body.Res = new(types.EnableNetworkResourceManagementResponse)
	return body
}

// UpdateConfig changes the allocations of a resource pool; fields that are not sent keep their values.
func (*Service) UpdateConfig(ctx *simulator.Context, req *types.UpdateConfig) (res soap.HasFault) {
	pool, ok := ctx.Map.Get(req.This).(*simulator.ResourcePool)
	if !ok {
		return &methods.UpdateConfigBody{Fault_: world.NotFound(req.This)}
	}
	ctx.WithLock(pool, func() {
		if req.Config == nil {
			res = pool.UpdateConfig(ctx, req)
			return
		}
		config := pool.Config
		config.CpuAllocation = world.Overlay(config.CpuAllocation, req.Config.CpuAllocation)
		config.MemoryAllocation = world.Overlay(config.MemoryAllocation, req.Config.MemoryAllocation)
		for name, a := range map[string]types.ResourceAllocationInfo{
			"config.cpuAllocation": config.CpuAllocation, "config.memoryAllocation": config.MemoryAllocation,
		} {
			if !fits(a) {
				res = &methods.UpdateConfigBody{Fault_: world.InvalidArgument(name)}
				return
			}
		}
		if res = pool.UpdateConfig(ctx, &types.UpdateConfig{This: req.This, Name: req.Name}); res.Fault() != nil {
			return
		}
		summary := *pool.Summary.GetResourcePoolSummary()
		summary.Name, summary.Config = pool.Name, config
		ctx.Update(pool, []types.PropertyChange{{Name: "config", Val: config}, {Name: "summary", Val: &summary}})
	})
	return res
}

// fits reports whether an allocation is valid.
func fits(a types.ResourceAllocationInfo) bool {
	reservation, limit := world.Deref(a.Reservation), int64(world.NoLimit)
	if a.Limit != nil {
		limit = *a.Limit
	}
	return reservation >= 0 && limit >= world.NoLimit && (limit == world.NoLimit || limit >= reservation)
}

// ReconfigureComputeResourceTask changes a cluster's configuration.
//
// govmomi v0.56.0 simulator: it ignores most fields, and always merges changes into the existing configuration.
func (*Service) ReconfigureComputeResourceTask(ctx *simulator.Context, req *types.ReconfigureComputeResource_Task) (res soap.HasFault) {
	c, ok := ctx.Map.Get(req.This).(*simulator.ClusterComputeResource)
	if !ok {
		return &methods.ReconfigureComputeResource_TaskBody{Fault_: world.NotFound(req.This)}
	}
	spec, ok := req.Spec.(*types.ClusterConfigSpecEx)
	ctx.WithLock(c, func() {
		if !ok || !knownDRS(spec.DrsConfig) {
			ref := failed(ctx, c, "reconfigureCluster", &types.InvalidArgument{InvalidProperty: "spec"})
			res = &methods.ReconfigureComputeResource_TaskBody{Res: &types.ReconfigureComputeResource_TaskResponse{Returnval: ref}}
			return
		}
		config := *c.ConfigurationEx.(*types.ClusterConfigInfoEx)
		if !req.Modify {
			config = freshCluster()
		}
		if spec.DrsConfig != nil {
			config.DrsConfig = world.Overlay(config.DrsConfig, *spec.DrsConfig)
		}
		if spec.DpmConfig != nil {
			config.DpmConfigInfo = new(world.Overlay(*config.DpmConfigInfo, *spec.DpmConfig))
		}
		if spec.VmSwapPlacement != "" {
			config.VmSwapPlacement = spec.VmSwapPlacement
		}
		config.Rule, config.Group = slices.Clone(config.Rule), slices.Clone(config.Group)
		config.DrsVmConfig, config.DasVmConfig = slices.Clone(config.DrsVmConfig), slices.Clone(config.DasVmConfig)
		ctx.Update(c, []types.PropertyChange{{Name: "configurationEx", Val: &config}})
		spec.DrsConfig = nil
		res = c.ReconfigureComputeResourceTask(ctx, req)
	})
	return res
}

// knownDRS reports whether a DRS configuration is valid.
func knownDRS(drs *types.ClusterDrsConfigInfo) bool {
	behaviors := []types.DrsBehavior{"", types.DrsBehaviorManual, types.DrsBehaviorPartiallyAutomated, types.DrsBehaviorFullyAutomated}
	return drs == nil || drs.VmotionRate >= 0 && drs.VmotionRate <= 5 && slices.Contains(behaviors, drs.DefaultVmBehavior)
}

// freshCluster returns a cluster's default configuration.
func freshCluster() types.ClusterConfigInfoEx {
	config := types.ClusterConfigInfoEx{
		DrsConfig: types.ClusterDrsConfigInfo{
			Enabled: new(true), EnableVmBehaviorOverrides: new(true), DefaultVmBehavior: types.DrsBehaviorFullyAutomated, VmotionRate: 3,
		},
		DasConfig:     types.ClusterDasConfigInfo{Enabled: new(false), AdmissionControlEnabled: new(true)},
		DpmConfigInfo: &types.ClusterDpmConfigInfo{Enabled: new(false), DefaultDpmBehavior: types.DpmBehaviorAutomated, HostPowerActionRate: 3},
	}
	config.VmSwapPlacement = string(types.VirtualMachineConfigInfoSwapPlacementTypeVmDirectory)
	return config
}
