package inventory

// Cluster is a ClusterComputeResource.
type Cluster struct {
	Entity
	// HostIDs lists all hosts of the cluster, whether the snapshot has them or not.
	HostIDs Fact[[]string] `json:"hostIds,omitzero" role:"derived"`
	// DRSEnabled says whether DRS is on. Source: configurationEx.drsConfig.enabled.
	DRSEnabled Fact[bool] `json:"drsEnabled,omitzero" role:"setting"`
	// DRSAutomation is fullyAutomated, partiallyAutomated or manual. Source: drsConfig.defaultVmBehavior.
	DRSAutomation Fact[string] `json:"drsAutomation,omitzero" role:"setting"`
	// DRSMigrationRate is drsConfig.vmotionRate as the API has it: 1 moves most, 5 least; the client's slider shows 6
	// minus this.
	DRSMigrationRate Fact[int64] `json:"drsMigrationRate,omitzero" role:"setting"`
	// DRSOverrides counts VMs with an automation level of their own. Source: configurationEx.drsVmConfig.
	DRSOverrides Fact[int64] `json:"drsOverrides,omitzero" role:"derived"`
	// DRSDisabledVMs counts the overrides that take a VM out of DRS.
	DRSDisabledVMs Fact[int64] `json:"drsDisabledVMs,omitzero" role:"setting"`
	// DRSOverrideVMs are the ids of the VMs with an override.
	DRSOverrideVMs Fact[[]string] `json:"drsOverrideVMs,omitzero" role:"setting,ids"`
	// Rules counts enabled affinity and anti-affinity rules that users created. Source: configurationEx.rule.
	Rules Fact[int64] `json:"rules,omitzero" role:"setting"`
	// MandatoryRules counts those of them that must never be broken.
	MandatoryRules Fact[int64] `json:"mandatoryRules,omitzero" role:"setting"`
	// DPMEnabled says whether hosts are powered off to save power. Source: configurationEx.dpmConfigInfo.enabled.
	DPMEnabled Fact[bool] `json:"dpmEnabled,omitzero" role:"setting"`
	// EVCMode is the key of the EVC mode in force; "" is none. Source: summary.currentEVCModeKey.
	EVCMode Fact[string] `json:"evcMode,omitzero" role:"setting"`
	// EVCBest is the key of the newest EVC mode that all hosts support, "" if they have none in common. Source: the
	// hosts'
	// summary.maxEVCModeKey, in the order of capability.supportedEVCMode.
	EVCBest Fact[string] `json:"evcBest,omitzero" role:"platform"`
	// SwapPlacement is where VMs swap to unless they say otherwise: vmDirectory or hostLocal. Source:
	// configurationEx.vmSwapPlacement.
	SwapPlacement Fact[string] `json:"swapPlacement,omitzero" role:"setting"`
	// DRSOptions are the advanced options of DRS as KEY=VALUE, sorted. Source: drsConfig.option.
	DRSOptions Fact[[]string] `json:"drsOptions,omitzero" role:"setting"`
	// DRSScore is how well the VMs get the resources they ask for, in percent; absent before 7.0 and where DRS is off.
	// Source: summary.drsScore.
	DRSScore Fact[int64] `json:"drsScore,omitzero" role:"measured"`
	// HAEnabled says whether vSphere HA is on. Source: configurationEx.dasConfig.enabled.
	HAEnabled Fact[bool] `json:"haEnabled,omitzero" role:"setting"`
	// HAAdmissionControl says whether vSphere HA keeps capacity free for the VMs of failed hosts. Source:
	// dasConfig.admissionControlEnabled.
	HAAdmissionControl Fact[bool] `json:"haAdmissionControl,omitzero" role:"setting"`
	// ScaleShares says whether pools' shares grow with their VMs. Source: drsConfig.scaleDescendantsShares, absent before 7.0.
	ScaleShares Fact[bool] `json:"scaleShares,omitzero" role:"setting"`

	// Hosts are the cluster's hosts; unread if the snapshot does not have all of them, because rules must not evaluate
	// a part of a cluster.
	Hosts Fact[[]*Host] `json:"-" cel:"hosts"`
	// Pools are the cluster's resource pools in the snapshot, including its root pool.
	Pools []*Pool `json:"-" cel:"pools"`
}

// Ref names the cluster.
func (c *Cluster) Ref() Ref { return c.ref(ScopeCluster) }

// Pool is a resource pool or vApp.
type Pool struct {
	Entity
	// Root pools mirror their cluster's capacity as reservation and limit; they are not set by users.
	Root bool `json:"root" role:"platform"`
	// ClusterID is the id of the cluster the pool divides; absent for the pool of a standalone host.
	ClusterID Fact[string] `json:"clusterId,omitzero" role:"placement,ids"`
	// ParentID is the id of the pool above; absent for a root pool.
	ParentID Fact[string] `json:"parentId,omitzero" role:"placement,ids"`
	// CPULimitMHz is the limit in MHz; -1 is none. Source: config.cpuAllocation.limit.
	CPULimitMHz Fact[int64] `json:"cpuLimitMHz,omitzero" role:"setting"`
	// MemoryLimitMB is the limit in MiB; -1 is none. Source: config.memoryAllocation.limit.
	MemoryLimitMB Fact[int64] `json:"memoryLimitMB,omitzero" role:"setting"`
	// CPUShares is the pool's weight among its siblings. Source: config.cpuAllocation.shares.shares.
	CPUShares Fact[int64] `json:"cpuShares,omitzero" role:"setting"`
	// MemoryShares is config.memoryAllocation.shares.shares.
	MemoryShares Fact[int64] `json:"memoryShares,omitzero" role:"setting"`
	// CPUReservationMHz is what the pool is guaranteed. Source: config.cpuAllocation.reservation.
	CPUReservationMHz Fact[int64] `json:"cpuReservationMHz,omitzero" role:"setting"`
	// MemoryReservationMB is what the pool is guaranteed, in MiB. Source: config.memoryAllocation.reservation.
	MemoryReservationMB Fact[int64] `json:"memoryReservationMB,omitzero" role:"setting"`
	// CPUUsageMHz is what the VMs in the pool, and in the pools below it, use; absent where the server has no quick stats of
	// the pool. Source: summary.quickStats.overallCpuUsage.
	CPUUsageMHz Fact[int64] `json:"cpuUsageMHz,omitzero" role:"measured"`
	// MemoryUsageMB is the host memory of these VMs with their overhead, in MiB; absent as CPUUsageMHz. Source:
	// summary.quickStats.hostMemoryUsage.
	MemoryUsageMB Fact[int64] `json:"memoryUsageMB,omitzero" role:"measured"`
	// ScaleShares says whether the shares below grow with the VMs. Source: config.scaleDescendantsShares, absent before 7.0.
	ScaleShares Fact[bool] `json:"scaleShares,omitzero" role:"setting"`
	// VMCount counts the VMs directly in the pool. Source: vm.
	VMCount Fact[int64] `json:"vmCount,omitzero" role:"measured"`
	// RunningVMs counts the VMs that are powered on, in the pool and in the pools below it. Link counts them; unread where the
	// snapshot does not hold all VMs of the cluster. Source: resourcePool and runtime.powerState of VMs.
	RunningVMs Fact[int64] `json:"runningVMs,omitzero" role:"measured"`
	// DirectRunningVMs counts those in the pool itself.
	DirectRunningVMs Fact[int64] `json:"directRunningVMs,omitzero" role:"measured"`

	cluster *Cluster
}

// Ref names the pool.
func (p *Pool) Ref() Ref { return p.ref(ScopePool) }

// Cluster is the pool's cluster, or nil.
func (p *Pool) Cluster() *Cluster { return p.cluster }
