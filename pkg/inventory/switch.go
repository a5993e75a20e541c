package inventory

// The kinds of switch.
const (
	SwitchStandard    = "standard"
	SwitchDistributed = "distributed"
)

// Switch is a virtual switch: a distributed one, or a standard one of a host.
type Switch struct {
	Entity
	// Kind is standard or distributed.
	Kind string `json:"kind"`
	// MTU is the largest frame in bytes. Source: config.maxMtu, or the standard switch's mtu.
	MTU Fact[int64] `json:"mtu,omitzero"`
	// Uplinks are the NICs of a standard switch; absent for a distributed one, where each host has its own.
	Uplinks Fact[[]string] `json:"uplinks,omitzero"`
	// Portgroups are the groups of ports on the switch.
	Portgroups Fact[[]*Portgroup] `json:"portgroups,omitzero"`
	// NIOCEnabled says whether Network I/O Control is on; absent for a standard switch. Source:
	// config.networkResourceManagementEnabled.
	NIOCEnabled Fact[bool] `json:"niocEnabled,omitzero"`
	// NIOCVersion is version2 or version3. Source: config.networkResourceControlVersion.
	NIOCVersion Fact[string] `json:"niocVersion,omitzero"`
	// TrafficClasses are the shares of system traffic. Source: config.infrastructureTrafficResourceConfig.
	TrafficClasses Fact[[]*TrafficClass] `json:"trafficClasses,omitzero"`
	// HostIDs are the hosts connected to the switch.
	HostIDs Fact[[]string] `json:"hostIds,omitzero"`

	// Hosts are the connected hosts; unread if the snapshot does not have all of them.
	Hosts Fact[[]*Host] `json:"-" cel:"hosts"`

	host *Host
}

// Ref names the switch, a standard one under its host.
func (s *Switch) Ref() Ref {
	if s.host != nil {
		return deviceRef(ScopeSwitch, s.host, s.Name)
	}
	return s.ref(ScopeSwitch)
}

// Host returns the host of a standard switch, or nil.
func (s *Switch) Host() *Host { return s.host }

// Portgroup is a group of ports with one policy.
type Portgroup struct {
	Name string `json:"name"`
	// Uplink marks the group of a distributed switch's own uplinks.
	Uplink bool `json:"uplink,omitempty"`
	// Teaming is the load balancing policy: loadbalance_srcid, loadbalance_ip, loadbalance_srcmac,
	// loadbalance_loadbased or failover_explicit.
	Teaming Fact[string] `json:"teaming,omitzero"`
	// Active are the uplinks in use by name: NICs on a standard switch, uplink ports on a distributed one.
	Active Fact[[]string] `json:"active,omitzero"`
	// Standby are the standby uplinks, by name.
	Standby Fact[[]string] `json:"standby,omitzero"`
}

// TrafficClass is the allocation of Network I/O Control for one kind of traffic.
type TrafficClass struct {
	// Name is management, faultTolerance, vmotion, virtualMachine, iSCSI, nfs, hbr, vsan, vdp, backupNfc, nvmetcp or provisioning.
	Name string `json:"name"`
	// Shares is its weight if the link is saturated.
	Shares Fact[int64] `json:"shares,omitzero"`
	// SharesLevel is low, normal, high or custom.
	SharesLevel Fact[string] `json:"sharesLevel,omitzero"`
	// ReservationMbps is the guaranteed bandwidth; 0 is none.
	ReservationMbps Fact[int64] `json:"reservationMbps,omitzero"`
	// LimitMbps is the maximum bandwidth; -1 is unlimited.
	LimitMbps Fact[int64] `json:"limitMbps,omitzero"`
}
