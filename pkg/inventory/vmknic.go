package inventory

// VMKNIC is a network adapter of the VMkernel.
type VMKNIC struct {
	Device string `json:"device" role:"key"`
	// Services are the kinds of traffic it is selected for, such as vmotion, vsan, management. Source:
	// config.virtualNicManagerInfo.netConfig.
	Services Fact[[]string] `json:"services,omitzero" role:"setting"`
	// NetStack is the TCP/IP stack, such as defaultTcpipStack or vmotion. Source: spec.netStackInstanceKey.
	NetStack Fact[string] `json:"netStack,omitzero" role:"setting"`
	// MTU is the largest frame in bytes. Source: spec.mtu.
	MTU Fact[int64] `json:"mtu,omitzero" role:"setting"`
	// Switch is the name of the switch it is on. Source: its portgroup's switch, or that of its distributed port.
	Switch Fact[string] `json:"switch,omitzero" role:"setting"`
	// SwitchMTU is the largest frame of that switch in bytes; absent for an opaque one.
	SwitchMTU Fact[int64] `json:"switchMTU,omitzero" role:"derived"`
	// Subnet is the network of its IPv4 address, such as 192.0.2.0/24; absent if it has none.
	Subnet Fact[string] `json:"subnet,omitzero" role:"setting"`
	// TSO says whether the NIC does the segmentation. Source: spec.tsoEnabled; unset means true.
	TSO Fact[bool] `json:"tso,omitzero" role:"setting"`

	host *Host
}

// Ref names the adapter under its host.
func (k *VMKNIC) Ref() Ref { return deviceRef(ScopeVMKNIC, k.host, k.Device) }

// Gap returns the host's reason.
func (k *VMKNIC) Gap() string { return gapOf(k.host) }

// Host returns the host of the adapter.
func (k *VMKNIC) Host() *Host { return k.host }
