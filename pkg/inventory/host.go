package inventory

import (
	"bytes"
	"encoding/json"
)

// Cluster is a ClusterComputeResource.
type Cluster struct {
	Entity
	// Hosts are the cluster's members as far as the snapshot holds them.
	Hosts []*Host `json:"-" cel:"hosts"`
}

// Ref names the cluster.
func (c *Cluster) Ref() Ref { return c.ref(ScopeCluster) }

// Pool is a resource pool or vApp.
type Pool struct {
	Entity
	// Root pools mirror their cluster's capacity as reservation and limit; nobody set those.
	Root bool `json:"root"`
	// ClusterID is the id of the cluster the pool divides; absent for the pool of a standalone host.
	ClusterID Fact[string] `json:"clusterId,omitzero"`
	// CPULimitMHz is the limit in MHz; -1 is none. Source: config.cpuAllocation.limit.
	CPULimitMHz Fact[int64] `json:"cpuLimitMHz,omitzero"`
}

// Ref names the pool.
func (p *Pool) Ref() Ref { return p.ref(ScopePool) }

// The kinds of host: hardware, NIC and power rules hold for physical ones only.
const (
	HostPhysical = "physical"
	HostNested   = "nested" // ESXi in a VM
	HostPseudo   = "pseudo" // an appliance that shows itself as a host: fake NICs, no power information
)

// Host is a HostSystem.
type Host struct {
	Entity
	// ClusterID is the id of the host's cluster; absent for a standalone host.
	ClusterID Fact[string] `json:"clusterId,omitzero"`
	// DNSName is the host's own full name. Source: config.network.dnsConfig.
	DNSName Fact[string] `json:"dnsName,omitzero"`
	// Addresses are the IP addresses of its vmkernel NICs. Source: config.network.vnic.
	Addresses Fact[[]string] `json:"addresses,omitzero"`
	// Kind is physical, nested or pseudo, told from the hardware's vendor and model.
	Kind Fact[string] `json:"kind,omitzero"`
	// Version is config.product.version; updates of 6.7 and older share one.
	Version Fact[Version] `json:"version,omitzero"`
	// Build is config.product.build.
	Build Fact[string] `json:"build,omitzero"`
	// Cores counts physical cores. Source: hardware.cpuInfo.numCpuCores.
	Cores Fact[int64] `json:"cores,omitzero"`
	// CPUMHz is the nominal clock, rounded up to whole MHz. Source: hardware.cpuInfo.hz.
	CPUMHz Fact[int64] `json:"cpuMHz,omitzero"`
	// HyperThreadingAvailable says whether the hardware, as the BIOS shows it, has it. Source: config.hyperThread.
	HyperThreadingAvailable Fact[bool] `json:"hyperThreadingAvailable,omitzero"`
	// HyperThreadingActive says whether it is in use since the last boot.
	HyperThreadingActive Fact[bool] `json:"hyperThreadingActive,omitzero"`
	// HyperThreadingConfigured says whether it will be in use after the next boot.
	HyperThreadingConfigured Fact[bool] `json:"hyperThreadingConfigured,omitzero"`
	// LatencySensitivitySupported is capability.latencySensitivitySupported; unset means it is not.
	LatencySensitivitySupported Fact[bool] `json:"latencySensitivitySupported,omitzero"`
	// NUMANodes lists the NUMA nodes. Source: hardware.numaInfo.
	NUMANodes Fact[[]*NUMANode] `json:"numaNodes,omitzero"`
	// PowerPolicy is the short name of the current policy: static, dynamic, low or custom.
	PowerPolicy Fact[string] `json:"powerPolicy,omitzero"`
	// PowerHardware is hardware.cpuPowerManagementInfo.hardwareSupport; "" means the BIOS keeps power control.
	PowerHardware Fact[string] `json:"powerHardware,omitzero"`
	// PNICs lists the physical NICs. Source: config.network.pnic.
	PNICs Fact[[]*PNIC] `json:"pnics,omitzero"`
	// VMKNICs lists the VMkernel's network adapters. Source: config.network.vnic.
	VMKNICs Fact[[]*VMKNIC] `json:"vmknics,omitzero"`
	// VSAN says whether the host takes part in vSAN. Source: config.vsanHostConfig.enabled; unset means it does not.
	VSAN Fact[bool] `json:"vsan,omitzero"`
	// Options are the host's advanced options by key. Source: config.option, bounds from config.optionDef.
	Options Fact[map[string]Option] `json:"options,omitzero"`
	// VMs are the VMs on the host as far as the snapshot holds them.
	VMs []*VM `json:"-" cel:"vms"`

	cluster *Cluster
}

// Ref names the host.
func (h *Host) Ref() Ref { return h.ref(ScopeHost) }

// Cluster is the host's cluster, or nil.
func (h *Host) Cluster() *Cluster { return h.cluster }

// Option is one advanced option as its host reports it.
type Option struct {
	Value Value `json:"value"`
	// Default, Min and Max come from the host's own definition; nil where it gave none.
	Default *Value `json:"default,omitempty"`
	Min     *int64 `json:"min,omitempty"`
	Max     *int64 `json:"max,omitempty"`
}

// UnmarshalJSON reads the full form, or the bare value as people write it in a rule's examples.
func (o *Option) UnmarshalJSON(b []byte) error {
	type plain Option // without this method
	if b[0] == '{' {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		return d.Decode((*plain)(o))
	}
	*o = Option{}
	return json.Unmarshal(b, &o.Value)
}

// NUMANode is one memory node of a host.
type NUMANode struct {
	ID int64 `json:"id"`
	// PCI lists the PCI addresses (SBDF) that hang off the node; absent where the host gives none for any node.
	PCI Fact[[]string] `json:"pci,omitzero"`
}

// PNIC is a physical NIC of a host.
type PNIC struct {
	Device string `json:"device"`
	// Driver is the name of the driver module.
	Driver Fact[string] `json:"driver,omitzero"`
	// LinkMbps is the speed of the link in Mb/s; 0 is link down. Source: pnic.linkSpeed, unset when down.
	LinkMbps Fact[int64] `json:"linkMbps,omitzero"`
	// BestMbps is the highest speed the NIC says it can run at; 0 where it lists none. Source: pnic.validLinkSpecification.
	BestMbps Fact[int64] `json:"bestMbps,omitzero"`
	// FullDuplex is pnic.linkSpeed.duplex; absent while the link is down.
	FullDuplex Fact[bool] `json:"fullDuplex,omitzero"`
	// Uplink says whether a standard, distributed or opaque switch uses the NIC.
	Uplink Fact[bool] `json:"uplink,omitzero"`
	// Switch is the name of the switch that uses the NIC; "" for none.
	Switch Fact[string] `json:"switch,omitzero"`
	// NUMANode is the node the NIC hangs off, found by PCI address in numaInfo; unread where the host lists none.
	NUMANode Fact[int64] `json:"numaNode,omitzero"`
	// EDP says whether the NIC runs in Enhanced Data Path mode. Source: pnic.spec.enableEnhancedNetworkingStack.
	EDP Fact[bool] `json:"edp,omitzero"`
	// DriverOptions are the options configured for the driver's module, in force after the next load of the driver.
	DriverOptions Fact[string] `json:"driverOptions,omitzero"`
	// RSS says whether the driver's options spread one queue's traffic over several; unread where that is not known of
	// the driver, or is left to a default that is not known. Source: DriverOptions.
	RSS Fact[bool] `json:"rss,omitzero"`

	host *Host
}

// Ref names the NIC under its host.
func (p *PNIC) Ref() Ref { return deviceRef(ScopePNIC, p.host, p.Device) }

// Gap is the host's.
func (p *PNIC) Gap() string { return gapOf(p.host) }

// Host is the host the NIC is in.
func (p *PNIC) Host() *Host { return p.host }

// VMKNIC is a network adapter of the VMkernel.
type VMKNIC struct {
	Device string `json:"device"`
	// Services are the kinds of traffic it is selected for, such as vmotion, vsan, management. Source:
	// config.virtualNicManagerInfo.netConfig.
	Services Fact[[]string] `json:"services,omitzero"`
	// NetStack is the TCP/IP stack, such as defaultTcpipStack or vmotion. Source: spec.netStackInstanceKey.
	NetStack Fact[string] `json:"netStack,omitzero"`
	// MTU is the largest frame in bytes. Source: spec.mtu.
	MTU Fact[int64] `json:"mtu,omitzero"`
}

// The kinds of switch.
const (
	SwitchStandard    = "standard"
	SwitchDistributed = "distributed"
)

// Switch is a virtual switch with an identity of its own in vCenter: a distributed one.
type Switch struct {
	Entity
	// Kind is standard or distributed.
	Kind string `json:"kind"`
	// NIOCEnabled says whether Network I/O Control is on. Source: config.networkResourceManagementEnabled.
	NIOCEnabled Fact[bool] `json:"niocEnabled,omitzero"`
	// NIOCVersion is version2 or version3. Source: config.networkResourceControlVersion.
	NIOCVersion Fact[string] `json:"niocVersion,omitzero"`
	// HostIDs are the hosts that are members of the switch.
	HostIDs Fact[[]string] `json:"hostIds,omitzero"`
}

// Ref names the switch.
func (s *Switch) Ref() Ref { return s.ref(ScopeSwitch) }

// owner is an object that has devices.
type owner interface {
	comparable
	Object
}

func deviceRef[T owner](kind Scope, of T, device string) Ref {
	var none T
	if of == none {
		return Ref{Kind: kind, Name: device}
	}
	r := of.Ref()
	return Ref{Kind: kind, Name: r.Name + "/" + device, ID: r.ID + "/" + device, VCenter: r.VCenter, Path: r.Path + "/" + device}
}

func gapOf[T owner](of T) string {
	var none T
	if of == none {
		return notRead
	}
	return of.Gap()
}
