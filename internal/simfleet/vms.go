package simfleet

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/overrides"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// vmRows returns the site's table, followed by clones up to n, distributed over the hosts.
func (b *builder) vmRows() []fleetdata.VM {
	table := b.site.vms
	rows := slices.Clone(table)
	for i := 0; !b.site.standalone() && len(rows) < b.cfg.VMs; i++ {
		c := table[i%len(table)]
		c.Name = fmt.Sprintf("%s-c%d", c.Name, 1+i/len(table))
		c.Host = b.hostOrder[i%len(b.hostOrder)].Row.Short()
		c.Pool, c.Attributes, c.Tags = "", nil, nil
		rows = append(rows, c)
	}
	return rows
}

func (b *builder) addVMs() error {
	now := b.cfg.Now()
	for i, row := range b.vmRows() {
		v := &vmBuilder{builder: b, row: row, number: i, host: b.hosts[row.Host+fleetdata.Domain], now: now}
		v.add()
	}
	return nil
}

// add adds the VM to the inventory. Its files are names only; the directory is created with the first one that
// the simulator writes there. Creating all of them would take most of the fleet's start.
func (v *vmBuilder) add() {
	vm := &simulator.VirtualMachine{DataSets: map[string]*simulator.DataSet{}}
	v.vm = vm
	v.vmOrder = append(v.vmOrder, vm)
	vm.Self = types.ManagedObjectReference{Type: "VirtualMachine", Value: v.id()}
	vm.Name = v.row.Name
	vm.Config = v.config()
	vm.Runtime = v.runtime()
	vm.Guest = v.guest()
	vm.GuestHeartbeatStatus = types.ManagedEntityStatusGreen
	v.addSnapshots()
	v.addFiles()
	v.summarize()
	v.place()
}

// id returns the VM's id in the vCenter's form; an ESXi host uses plain numbers.
func (v *vmBuilder) id() string {
	if v.site.standalone() {
		return strconv.Itoa(1 + v.number)
	}
	return fmt.Sprintf("vm-%d", firstVM+v.number)
}

// place adds the VM to the inventory: to every object that refers to it.
func (v *vmBuilder) place() {
	vm, self := v.vm, v.vm.Self
	folder, pool := v.folders[v.row.Folder], v.poolOf()
	vm.EnvironmentBrowser = *v.compute(v.host.Row.Cluster).EnvironmentBrowser
	vm.Datastore = v.stores()
	vm.Network = []types.ManagedObjectReference{v.network}
	if !v.row.Template { // a template is in no pool
		ref := pool.Self
		vm.ResourcePool = &ref
		pool.Vm = append(pool.Vm, self)
	}
	folder.ChildEntity = append(folder.ChildEntity, self)
	v.host.System.Vm = append(v.host.System.Vm, self)
	for _, s := range vm.Datastore {
		d := get[*simulator.Datastore](v.builder, s)
		d.Vm = append(d.Vm, self)
	}
	v.ctx.Map.PutEntity(folder, vm)
	v.putSnapshots()
}

// stores returns the datastores with files of the VM.
func (v *vmBuilder) stores() []types.ManagedObjectReference {
	all := []types.ManagedObjectReference{v.datastore.Self}
	for _, d := range v.row.Data {
		if s := v.store(d.Store); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func (v *vmBuilder) poolOf() *simulator.ResourcePool {
	return v.pools[v.host.Row.Cluster+"/"+v.row.Pool]
}

// cpuReservationMHz returns the reservation of the full clock rate for every vCPU: the number of cores in use times the clock
// rate, rounded up to whole MHz.
func (v *vmBuilder) cpuReservationMHz() int64 {
	if v.row.Reserve == fleetdata.ReserveNothing {
		return 0
	}
	mhz := (v.host.Row.Hz + 999_999) / 1_000_000
	return int64(v.row.VCPUs) / int64(max(v.row.Threads, 1)) * mhz
}

func (v *vmBuilder) memoryReservationMB() int64 {
	if v.row.Reserve != fleetdata.ReserveAll {
		return 0
	}
	return int64(v.row.MemoryMB)
}

func (v *vmBuilder) config() *types.VirtualMachineConfigInfo {
	r := v.row
	createDate := created
	c := &types.VirtualMachineConfigInfo{
		ChangeVersion: created.Format(time.RFC3339), Modified: created, CreateDate: &createDate,
		Name: r.Name, Template: r.Template, Version: fmt.Sprintf("vmx-%d", r.Hardware),
		GuestId: r.Guest.ID, GuestFullName: r.Guest.Name, AlternateGuestName: "",
		Uuid: world.UUID(r.Name), InstanceUuid: world.UUID(r.Name + " instance"), Firmware: string(types.GuestOsDescriptorFirmwareTypeEfi),
		Files: v.files(), Tools: &types.ToolsConfigInfo{AfterPowerOn: new(true), ToolsUpgradePolicy: "manual"},
		Hardware: types.VirtualHardware{
			NumCPU: r.VCPUs, NumCoresPerSocket: new(max(r.Cores, 1)), MemoryMB: r.MemoryMB,
			Device: v.devices(), SimultaneousThreads: r.Threads,
		},
		CpuAllocation:       allocation(v.cpuReservationMHz(), limit(r.CPULimitMHz), types.SharesLevelNormal, 1000*r.VCPUs),
		MemoryAllocation:    allocation(v.memoryReservationMB(), limit(r.MemoryLimitMB), types.SharesLevelNormal, 10*r.MemoryMB),
		CpuHotAddEnabled:    new(r.HotAdd),
		CpuHotRemoveEnabled: new(false),
		MemoryHotAddEnabled: new(false),
		BootOptions:         &types.VirtualMachineBootOptions{},
		SwapPlacement:       string(types.VirtualMachineConfigInfoSwapPlacementTypeInherit),
		ExtraConfig:         v.extraConfig(),
	}
	if r.Latency != "" {
		c.LatencySensitivity = &types.LatencySensitivity{Level: types.LatencySensitivitySensitivityLevel(r.Latency)}
	}
	if r.Reserve == fleetdata.ReserveAll {
		c.MemoryReservationLockedToMax = new(true)
	}
	if r.Affinity != nil {
		c.CpuAffinity = &types.VirtualMachineAffinityInfo{AffinitySet: r.Affinity}
	}
	v.topology(c)
	asMade(c)
	for _, name := range r.With {
		v.apply(fleetdata.Demo().Quirks[name], c)
	}
	return c
}

// topology adds the fields of vSphere 8: virtual NUMA on every VM, automatic cores per socket from vmx-20 on.
func (v *vmBuilder) topology(c *types.VirtualMachineConfigInfo) {
	if v.host.Row.Version < "8" {
		return
	}
	r := v.row
	c.NumaInfo = &types.VirtualMachineVirtualNumaInfo{
		CoresPerNumaNode: new(min(r.VCPUs, int32(v.host.Row.Server.Cores))), AutoCoresPerNumaNode: new(true),
		VnumaOnCpuHotaddExposed: new(r.VNUMAOnHotAdd),
	}
	if r.Hardware >= overrides.AutoCoresFrom {
		c.Hardware.AutoCoresPerSocket = new(r.Cores == 0)
	}
}

func (v *vmBuilder) runtime() types.VirtualMachineRuntimeInfo {
	host := v.host.System.Self
	info := types.VirtualMachineRuntimeInfo{
		Host:            &host,
		ConnectionState: types.VirtualMachineConnectionStateConnected,
		PowerState:      types.VirtualMachinePowerStatePoweredOff,
		MaxCpuUsage:     v.row.VCPUs * v.host.System.Summary.Hardware.CpuMhz,
		MaxMemoryUsage:  v.row.MemoryMB,

		FaultToleranceState: types.VirtualMachineFaultToleranceStateNotConfigured,
		RecordReplayState:   types.VirtualMachineRecordReplayStateInactive,
		ConsolidationNeeded: v.row.Consolidate,
	}
	if !v.row.Off {
		booted := v.host.Row.Booted.Add(time.Hour)
		info.BootTime = &booted
		info.PowerState = types.VirtualMachinePowerStatePoweredOn
	}
	return info
}

// summarize copies the configuration to the VM's summary.
func (v *vmBuilder) summarize() {
	vm, c, r := v.vm, v.vm.Config, v.row
	self := vm.Self
	vm.Summary = types.VirtualMachineSummary{
		Vm: &self, Runtime: vm.Runtime, OverallStatus: types.ManagedEntityStatusGreen,
		Guest: &types.VirtualMachineGuestSummary{
			GuestId: vm.Guest.GuestId, GuestFullName: vm.Guest.GuestFullName, HostName: vm.Guest.HostName,
			IpAddress: vm.Guest.IpAddress, ToolsStatus: vm.Guest.ToolsStatus,
			ToolsVersionStatus2: vm.Guest.ToolsVersionStatus2, ToolsRunningStatus: vm.Guest.ToolsRunningStatus,
		},
		Config: types.VirtualMachineConfigSummary{
			Name: r.Name, Template: r.Template, VmPathName: c.Files.VmPathName, MemorySizeMB: r.MemoryMB, NumCpu: r.VCPUs,
			CpuReservation: int32(v.cpuReservationMHz()), MemoryReservation: int32(v.memoryReservationMB()),
			NumEthernetCards: int32(len(r.NICs)), NumVirtualDisks: int32(1 + len(r.Data)),
			Uuid: c.Uuid, InstanceUuid: c.InstanceUuid, GuestId: c.GuestId, GuestFullName: c.GuestFullName, HwVersion: c.Version,
		},
		Storage: &types.VirtualMachineStorageSummary{
			Committed: diskBytes / 4, Uncommitted: diskBytes * 3 / 4, Unshared: diskBytes / 4, Timestamp: created,
		},
		QuickStats: types.VirtualMachineQuickStats{GuestHeartbeatStatus: vm.GuestHeartbeatStatus},
	}
}

func (v *vmBuilder) files() types.VirtualMachineFileInfo {
	dir := v.path("")
	return types.VirtualMachineFileInfo{
		VmPathName: v.path(v.row.Name + ".vmx"), SnapshotDirectory: dir, SuspendDirectory: dir, LogDirectory: dir,
	}
}

// addFiles adds the file layouts that the simulator extends when it takes a snapshot or changes a disk.
func (v *vmBuilder) addFiles() {
	layout := new(types.VirtualMachineFileLayout)
	for i := range 1 + len(v.row.Data) {
		layout.Disk = append(layout.Disk, types.VirtualMachineFileLayoutDiskLayout{
			Key: firstDiskKey + int32(i), DiskFile: []string{v.diskFile(i)},
		})
	}
	v.vm.Layout = layout
	v.vm.LayoutEx = v.snapshotFiles()
	v.vm.Storage = &types.VirtualMachineStorageInfo{
		Timestamp: created,
		PerDatastoreUsage: []types.VirtualMachineUsageOnDatastore{{
			Datastore: v.datastore.Self, Committed: diskBytes / 4, Uncommitted: diskBytes * 3 / 4, Unshared: diskBytes / 4,
		}},
	}
}
