package inventory

// PNIC is a physical NIC of a host.
type PNIC struct {
	Device string `json:"device" role:"key"`
	// Driver is the name of the driver module.
	Driver Fact[string] `json:"driver,omitzero" role:"platform"`
	// DriverVersion is the driver's version; before 8.0 it needs a call to the host. Source: pnic.driverVersion, esxcli
	// network nic get.
	DriverVersion Fact[string] `json:"driverVersion,omitzero" role:"platform"`
	// FirmwareVersion is the version of the NIC's firmware. Source: pnic.firmwareVersion, esxcli network nic get.
	FirmwareVersion Fact[string] `json:"firmwareVersion,omitzero" role:"platform"`
	// LinkMbps is the speed of the link in Mb/s; 0 is link down. Source: pnic.linkSpeed, unset when down.
	LinkMbps Fact[int64] `json:"linkMbps,omitzero" role:"state"`
	// BestMbps is the highest speed the NIC supports; 0 if it lists none. Source: pnic.validLinkSpecification.
	BestMbps Fact[int64] `json:"bestMbps,omitzero" role:"platform"`
	// FullDuplex is pnic.linkSpeed.duplex; absent while the link is down.
	FullDuplex Fact[bool] `json:"fullDuplex,omitzero" role:"state"`
	// Uplink says whether a standard, distributed or opaque switch uses the NIC.
	Uplink Fact[bool] `json:"uplink,omitzero" role:"derived"`
	// Switch is the name of the switch that uses the NIC; "" for none.
	Switch Fact[string] `json:"switch,omitzero" role:"setting"`
	// NUMANode is the NIC's NUMA node, found by PCI address in numaInfo; unread if the host lists none.
	NUMANode Fact[int64] `json:"numaNode,omitzero" role:"platform"`
	// EDP says whether the NIC runs in Enhanced Data Path mode. Source: pnic.spec.enableEnhancedNetworkingStack.
	EDP Fact[bool] `json:"edp,omitzero" role:"setting"`
	// EDPSupported says whether the NIC could run in that mode. Source: pnic.enhancedNetworkingStackSupported.
	EDPSupported Fact[bool] `json:"edpSupported,omitzero" role:"platform"`
	// RingRx counts the descriptors of the receive ring. Source: esxcli network nic ring current get.
	RingRx Fact[int64] `json:"ringRx,omitzero" role:"setting"`
	// RingTx counts the descriptors of the transmit ring. Source: esxcli network nic ring current get.
	RingTx Fact[int64] `json:"ringTx,omitzero" role:"setting"`
	// RingRxMax is the largest receive ring the driver supports. Source: esxcli network nic ring preset get.
	RingRxMax Fact[int64] `json:"ringRxMax,omitzero" role:"platform"`
	// RingTxMax is the largest transmit ring the driver supports. Source: esxcli network nic ring preset get.
	RingTxMax Fact[int64] `json:"ringTxMax,omitzero" role:"platform"`
	// CoalesceRxMicros is the interrupt moderation of receives in microseconds. Source: esxcli network nic coalesce get.
	CoalesceRxMicros Fact[int64] `json:"coalesceRxMicros,omitzero" role:"setting"`
	// CoalesceAdaptiveRx says whether the driver adapts it to the load. Source: esxcli network nic coalesce get.
	CoalesceAdaptiveRx Fact[bool] `json:"coalesceAdaptiveRx,omitzero" role:"setting"`
	// DriverOptions are the options configured for the driver's module, in force after the next load of the driver.
	DriverOptions Fact[string] `json:"driverOptions,omitzero" role:"setting"`
	// RSS is true if the driver's options spread one queue's traffic over several queues; unread if the driver or its
	// default is unknown. Source: DriverOptions.
	RSS Fact[bool] `json:"rss,omitzero" role:"derived"`
	// Live are counters measured over a while, by metric.
	Live Live `json:"live,omitempty" role:"measured"`

	host *Host
}

// Ref names the NIC under its host.
func (p *PNIC) Ref() Ref { return deviceRef(ScopePNIC, p.host, p.Device) }

// Gap returns the host's reason.
func (p *PNIC) Gap() string { return gapOf(p.host) }

// Host returns the host of the NIC.
func (p *PNIC) Host() *Host { return p.host }
