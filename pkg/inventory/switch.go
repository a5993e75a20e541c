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
	Kind string `json:"kind" role:"platform"`
	// MTU is the largest frame in bytes. Source: config.maxMtu, or the standard switch's mtu.
	MTU Fact[int64] `json:"mtu,omitzero" role:"setting"`
	// Uplinks are the NICs of a standard switch; absent for a distributed one, where each host has its own.
	Uplinks Fact[[]string] `json:"uplinks,omitzero" role:"setting"`
	// Portgroups are the groups of ports on the switch.
	Portgroups Fact[[]*Portgroup] `json:"portgroups,omitzero" role:"setting"`
	// NIOCEnabled says whether Network I/O Control is on; absent for a standard switch. Source:
	// config.networkResourceManagementEnabled.
	NIOCEnabled Fact[bool] `json:"niocEnabled,omitzero" role:"setting"`
	// NIOCVersion is version2 or version3. Source: config.networkResourceControlVersion.
	NIOCVersion Fact[string] `json:"niocVersion,omitzero" role:"setting"`
	// TrafficClasses are the shares of system traffic. Source: config.infrastructureTrafficResourceConfig.
	TrafficClasses Fact[[]*TrafficClass] `json:"trafficClasses,omitzero" role:"setting"`
	// HostIDs are the hosts connected to the switch.
	HostIDs Fact[[]string] `json:"hostIds,omitzero" role:"placement,ids"`

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
	Name string `json:"name" role:"key"`
	// Uplink marks the group of a distributed switch's own uplinks.
	Uplink bool `json:"uplink,omitempty" role:"setting"`
	// Teaming is the load balancing policy: loadbalance_srcid, loadbalance_ip, loadbalance_srcmac,
	// loadbalance_loadbased or failover_explicit.
	Teaming Fact[string] `json:"teaming,omitzero" role:"setting"`
	// Active are the uplinks in use by name: NICs on a standard switch, uplink ports on a distributed one.
	Active Fact[[]string] `json:"active,omitzero" role:"setting,ordered"`
	// Standby are the standby uplinks, by name.
	Standby Fact[[]string] `json:"standby,omitzero" role:"setting,ordered"`
}

// TrafficClass is the allocation of Network I/O Control for one kind of traffic.
type TrafficClass struct {
	// Name is management, faultTolerance, vmotion, virtualMachine, iSCSI, nfs, hbr, vsan, vdp, backupNfc, nvmetcp or provisioning.
	Name string `json:"name" role:"key"`
	// Shares is its weight if the link is saturated.
	Shares Fact[int64] `json:"shares,omitzero" role:"setting"`
	// SharesLevel is low, normal, high or custom.
	SharesLevel Fact[string] `json:"sharesLevel,omitzero" role:"setting"`
	// ReservationMbps is the guaranteed bandwidth; 0 is none.
	ReservationMbps Fact[int64] `json:"reservationMbps,omitzero" role:"setting"`
	// LimitMbps is the maximum bandwidth; -1 is unlimited.
	LimitMbps Fact[int64] `json:"limitMbps,omitzero" role:"setting"`
}
