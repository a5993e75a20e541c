package inventory

// LUN is a disk as one host sees it.
type LUN struct {
	// Device is the canonical name, such as naa.6001….
	Device string `json:"device" role:"key"`
	// Vendor is the vendor that the disk or array reports.
	Vendor Fact[string] `json:"vendor,omitzero" role:"platform"`
	// Model is the model that the disk or array reports.
	Model Fact[string] `json:"model,omitzero" role:"platform"`
	// UUID is the disk's unique id, to which raw device mappings refer. Source: uuid.
	UUID Fact[string] `json:"uuid,omitzero" role:"platform"`
	// PerenniallyReserved says whether the host skips the disk where it waits for SCSI reservations. Source: perenniallyReserved.
	PerenniallyReserved Fact[bool] `json:"perenniallyReserved,omitzero" role:"setting"`
	// Local says whether the disk is in the host; unset, as for some drivers, is unread. Source: localDisk.
	Local Fact[bool] `json:"local,omitzero" role:"platform"`
	// SSD says whether it is flash. Source: ssd.
	SSD Fact[bool] `json:"ssd,omitzero" role:"platform"`
	// MemoryTier says whether the device is a tier of the host's memory; unset, as before 8.0 U3, means it is not. Source:
	// usedByMemoryTiering.
	MemoryTier Fact[bool] `json:"memoryTier,omitzero" role:"setting"`
	// QueueDepth is the depth of the device's queue. Source: queueDepth; absent where the host gives none.
	QueueDepth Fact[int64] `json:"queueDepth,omitzero" role:"setting"`
	// HardwareAcceleration is vStorageSupported, vStorageUnsupported or vStorageUnknown. Source: vStorageSupport.
	HardwareAcceleration Fact[string] `json:"hardwareAcceleration,omitzero" role:"platform"`
	// PathPolicy is the path selection policy, such as VMW_PSP_RR. Source: multipathInfo.lun.policy.
	PathPolicy Fact[string] `json:"pathPolicy,omitzero" role:"setting"`
	// ArrayType is the storage array type plug-in, such as VMW_SATP_ALUA. Source:
	// multipathInfo.lun.storageArrayTypePolicy.
	ArrayType Fact[string] `json:"arrayType,omitzero" role:"platform"`
	// Paths counts all paths. Source: multipathInfo.lun.path.
	Paths Fact[int64] `json:"paths,omitzero" role:"state"`
	// ActivePaths counts the paths that can carry I/O. Source: multipathInfo.lun.path.
	ActivePaths Fact[int64] `json:"activePaths,omitzero" role:"state"`
	// DeadPaths counts the paths that are dead. Source: multipathInfo.lun.path.
	DeadPaths Fact[int64] `json:"deadPaths,omitzero" role:"state"`
	// OutstandingIOs is the number of I/Os in flight while several VMs compete. Source: esxcli storage core device list.
	OutstandingIOs Fact[int64] `json:"outstandingIOs,omitzero" role:"setting"`
	// QueueFullSampleSize is the number of busy responses after which adaptive queue depth reduces the queue; 0 is off.
	// Source: esxcli storage core device list.
	QueueFullSampleSize Fact[int64] `json:"queueFullSampleSize,omitzero" role:"setting"`
	// QueueFullThreshold is the number of good responses after which the queue grows again. Source: esxcli storage core
	// device list.
	QueueFullThreshold Fact[int64] `json:"queueFullThreshold,omitzero" role:"setting"`
	// RoundRobinIOs is the number of I/Os after which Round Robin changes paths. Source: esxcli storage nmp device
	// list; absent under another policy.
	RoundRobinIOs Fact[int64] `json:"roundRobinIOs,omitzero" role:"setting"`
	// RoundRobinType is the criterion for changing paths: rr, iops, bytes or latency. Source: esxcli storage nmp device
	// list.
	RoundRobinType Fact[string] `json:"roundRobinType,omitzero" role:"setting"`
	// Live are counters measured over a while, by metric.
	Live Live `json:"live,omitempty" role:"measured"`

	// Datastores are the datastores on the disk that are in the snapshot; unread if the hosts or the disks of one were not read.
	Datastores Fact[[]*Datastore] `json:"-" cel:"datastores"`

	host *Host
}

// Ref names the disk under its host.
func (l *LUN) Ref() Ref { return deviceRef(ScopeLUN, l.host, l.Device) }

// Gap returns the host's reason.
func (l *LUN) Gap() string { return gapOf(l.host) }

// Host returns the host that sees the disk.
func (l *LUN) Host() *Host { return l.host }

// HBA is a storage adapter of a host.
type HBA struct {
	Device string `json:"device" role:"key"`
	// Kind is iscsi, fibre-channel, fcoe, nvme, block or other.
	Kind Fact[string] `json:"kind,omitzero" role:"platform"`
	// Model is the adapter's model.
	Model Fact[string] `json:"model,omitzero" role:"platform"`
	// Driver is the name of its driver module.
	Driver Fact[string] `json:"driver,omitzero" role:"platform"`
	// DriverVersion is the driver's version; it needs a call to the host. Absent for adapters that the host does not list as
	// Fibre Channel or SAS, such as NVMe and iSCSI. Source: esxcli storage san fc list, esxcli storage san sas list.
	DriverVersion Fact[string] `json:"driverVersion,omitzero" role:"platform"`
	// FirmwareVersion is the version of the adapter's firmware; as DriverVersion. Source: esxcli storage san fc list, esxcli
	// storage san sas list.
	FirmwareVersion Fact[string] `json:"firmwareVersion,omitzero" role:"platform"`
	// Software says whether an iSCSI adapter is ESXi's own; absent for other kinds.
	Software Fact[bool] `json:"software,omitzero" role:"platform"`
	// Status is online, offline, unbound or unknown. Source: status.
	Status Fact[string] `json:"status,omitzero" role:"state"`
	// Targets counts the send targets and static targets of an iSCSI adapter; absent for other kinds. Source:
	// configuredSendTarget, configuredStaticTarget.
	Targets Fact[int64] `json:"targets,omitzero" role:"setting"`
	// DelayedAck is the iSCSI adapter's option of that name; absent for other kinds.
	DelayedAck Fact[bool] `json:"delayedAck,omitzero" role:"setting"`

	host *Host
}

// Kinds of storage adapter, as [HBA.Kind] has them.
const (
	HBAiSCSI        = "iscsi"
	HBAFibreChannel = "fibre-channel"
	HBAFCoE         = "fcoe"
	HBANVMe         = "nvme"
	HBABlock        = "block" // RAID controllers, most of SAS, and SATA
	HBAOther        = "other"
)

// Ref names the adapter under its host.
func (b *HBA) Ref() Ref { return deviceRef(ScopeHBA, b.host, b.Device) }

// Gap returns the host's reason.
func (b *HBA) Gap() string { return gapOf(b.host) }

// Host returns the host of the adapter.
func (b *HBA) Host() *Host { return b.host }

// Kinds of datastore, as vSphere writes them.
const (
	DatastoreVMFS = "VMFS"
	DatastoreNFS  = "NFS"
	DatastoreVSAN = "vsan"
)

// Datastore is a Datastore.
type Datastore struct {
	Entity
	// Kind is summary.type: VMFS, NFS, NFS41, vsan, VVOL.
	Kind Fact[string] `json:"kind,omitzero" role:"platform"`
	// CapacityMB is the size in MiB. Source: summary.capacity.
	CapacityMB Fact[int64] `json:"capacityMB,omitzero" role:"setting"`
	// FreeMB is the free space in MiB. Source: summary.freeSpace.
	FreeMB Fact[int64] `json:"freeMB,omitzero" role:"measured"`
	// InCluster says whether it is part of a datastore cluster. Source: parent.
	InCluster Fact[bool] `json:"inCluster,omitzero" role:"setting"`
	// UncommittedMB is the additional space that VMs may use, in MiB; absent if the server does not track it. Source:
	// summary.uncommitted.
	UncommittedMB Fact[int64] `json:"uncommittedMB,omitzero" role:"measured"`
	// Accessible says whether any host can access it; if not, nothing else is known. Source: summary.accessible.
	Accessible Fact[bool] `json:"accessible,omitzero" role:"state"`
	// InMaintenance says whether it is in maintenance mode, or on its way there; absent before 5.0. Source:
	// summary.maintenanceMode.
	InMaintenance Fact[bool] `json:"inMaintenance,omitzero" role:"state"`
	// VMFSVersion is the file system's major version; absent for other kinds. Source: info.vmfs.majorVersion.
	VMFSVersion Fact[int64] `json:"vmfsVersion,omitzero" role:"setting"`
	// UnmapPriority is none or low; absent before VMFS 6. Source: info.vmfs.unmapPriority.
	UnmapPriority Fact[string] `json:"unmapPriority,omitzero" role:"setting"`
	// Extents are the disks of a VMFS datastore, by canonical name; absent for other kinds. Source: info.vmfs.extent.
	Extents Fact[[]string] `json:"extents,omitzero" role:"setting"`
	// Local says whether it is in one host. Source: info.vmfs.local; absent for other kinds.
	Local Fact[bool] `json:"local,omitzero" role:"platform"`
	// SSD says whether it is on flash. Source: info.vmfs.ssd; absent for other kinds.
	SSD Fact[bool] `json:"ssd,omitzero" role:"platform"`
	// SIOCEnabled says whether Storage I/O Control is on. Source: iormConfiguration.enabled.
	SIOCEnabled Fact[bool] `json:"siocEnabled,omitzero" role:"setting"`
	// SIOCMode is automatic or manual. Source: iormConfiguration.congestionThresholdMode.
	SIOCMode Fact[string] `json:"siocMode,omitzero" role:"setting"`
	// SIOCThresholdMillis is the congestion threshold of manual mode in milliseconds.
	SIOCThresholdMillis Fact[int64] `json:"siocThresholdMillis,omitzero" role:"setting"`
	// HostIDs are the hosts that mount it. Source: host.
	HostIDs Fact[[]string] `json:"hostIds,omitzero" role:"placement,ids"`
	// VMCount counts the VMs with files on it. Source: vm.
	VMCount Fact[int64] `json:"vmCount,omitzero" role:"measured"`
	// HardwareAcceleration combines the hosts' reports about its disks: vStorageSupported if all support it,
	// vStorageUnsupported if one does not, else vStorageUnknown; unread if those disks were not read.
	HardwareAcceleration Fact[string] `json:"-" cel:"hardwareAcceleration"`
	// Live are counters measured over a while, by metric.
	Live Live `json:"live,omitempty" role:"measured"`

	// Pseudo says whether only appliances that appear as hosts mount it. Link computes it; unread if the kind of the
	// hosts that mount it was not read. Source: host, kind of hosts.
	Pseudo Fact[bool] `json:"pseudo,omitzero" role:"derived"`
	// Hosts are the hosts that mount it; unread if the snapshot does not have all of them.
	Hosts Fact[[]*Host] `json:"-" cel:"hosts"`
}

// Ref names the datastore.
func (d *Datastore) Ref() Ref { return d.ref(ScopeDatastore) }

// DiskGroup is a vSAN disk group of the original architecture.
type DiskGroup struct {
	// CacheMB is the size of the cache device in MiB, CapacityMB that of all capacity devices.
	CacheMB    int64 `json:"cacheMB" role:"setting"`
	CapacityMB int64 `json:"capacityMB" role:"setting"`
	// Disks counts capacity devices; AllFlash is true if they are flash.
	Disks    int64 `json:"disks" role:"setting"`
	AllFlash bool  `json:"allFlash" role:"setting"`
}
