package simfleet

// Behind each uplink there is a port that carries nothing, its shadow. Its id lies above those of all other ports of the switch.
const (
	shadowOf = "Shadow of "
	shadowID = 1 << 20
)

// listed is the ports of a switch as the service tells them.
func listed(p *portsetCounters) []portCounters {
	list := make([]portCounters, 0, len(p.ports)+4)
	for i := range p.ports {
		own := p.ports[i]
		list = append(list, own)
		if own.uplink {
			list = append(list, portCounters{id: own.id + shadowID, client: shadowOf + own.client})
		}
	}
	return list
}

func (s *snapshot) treeOfPorts(r *rows) {
	c := &s.counted
	total := 0
	for i := range c.portsets {
		total += len(listed(&c.portsets[i]))
	}
	r.open("Net").count("TotalPorts", total).count("NetPortset", len(c.portsets)).count("PNIC", len(c.pnics)).end()
	for i := range c.portsets {
		ports := listed(&c.portsets[i])
		r.open("NetPortset").count("NetPort", len(ports)).end()
		for k := range ports {
			r.open("NetPort").id("PortID", ports[k].id).name("PortsetName", c.portsets[i].name).end()
		}
	}
}

func (s *snapshot) valuesOfPorts(r *rows) {
	c := &s.counted
	r.open("Net").n(int64(len(c.portsets)), int64(len(c.pnics))).end()
	for i := range c.portsets {
		ports := listed(&c.portsets[i])
		r.open("NetPortset").s(c.portsets[i].name).n(1, int64(len(ports))).end()
		for k := range ports {
			valuesOfPort(&ports[k], r)
		}
	}
	for _, n := range c.pnics {
		r.open("PNIC").s(n.name).n(n.port, 1).flag(n.up).n(n.mbps).flag(n.full).end()
	}
}

func valuesOfPort(p *portCounters, r *rows) {
	t := &p.traffic
	r.open("NetPort").n(p.id, 1).flag(p.uplink).s(p.client).s(teamWord(p)).
		n(p.leader, t.txPackets, t.txBytes, t.rxPackets, t.rxBytes, t.droppedTx, t.droppedRx, 0).
		n(t.txMulticast, t.txBroadcast, t.rxMulticast, t.rxBroadcast).end()
}

// teamWord is the NIC that a port goes through; an uplink has none, and for a port that carries nothing it means nothing.
func teamWord(p *portCounters) string {
	switch {
	case p.uplink:
		return "-"
	case p.team == "":
		return "n/a"
	}
	return p.team
}
