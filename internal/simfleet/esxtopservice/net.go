package esxtopservice

import "github.com/vperf/vperf/internal/simfleet/load"

// Each uplink has a shadow port without traffic. Its id is above those of all other ports of the switch.
const (
	shadowOf = "Shadow of "
	shadowID = 1 << 20
)

// listed returns the ports of a switch as the service lists them.
func listed(p *load.PortsetCounters) []load.PortCounters {
	list := make([]load.PortCounters, 0, len(p.Ports)+4)
	for i := range p.Ports {
		own := p.Ports[i]
		list = append(list, own)
		if own.Uplink {
			list = append(list, load.PortCounters{ID: own.ID + shadowID, Client: shadowOf + own.Client})
		}
	}
	return list
}

func (s *snapshot) treeOfPorts(r *rows) {
	c := &s.counted
	total := 0
	for i := range c.Portsets {
		total += len(listed(&c.Portsets[i]))
	}
	r.open("Net").count("TotalPorts", total).count("NetPortset", len(c.Portsets)).count("PNIC", len(c.PNICs)).end()
	for i := range c.Portsets {
		ports := listed(&c.Portsets[i])
		r.open("NetPortset").count("NetPort", len(ports)).end()
		for k := range ports {
			r.open("NetPort").id("PortID", ports[k].ID).name("PortsetName", c.Portsets[i].Name).end()
		}
	}
}

func (s *snapshot) valuesOfPorts(r *rows) {
	c := &s.counted
	r.open("Net").n(int64(len(c.Portsets)), int64(len(c.PNICs))).end()
	for i := range c.Portsets {
		ports := listed(&c.Portsets[i])
		r.open("NetPortset").s(c.Portsets[i].Name).n(1, int64(len(ports))).end()
		for k := range ports {
			valuesOfPort(&ports[k], r)
		}
	}
	for _, n := range c.PNICs {
		r.open("PNIC").s(n.Name).n(n.Port, 1).flag(n.Up).n(n.Mbps).flag(n.Full).end()
	}
}

func valuesOfPort(p *load.PortCounters, r *rows) {
	t := &p.Traffic
	r.open("NetPort").n(p.ID, 1).flag(p.Uplink).s(p.Client).s(teamWord(p)).
		n(p.Leader, t.TxPackets, t.TxBytes, t.RxPackets, t.RxBytes, t.DroppedTx, t.DroppedRx, 0).
		n(t.TxMulticast, t.TxBroadcast, t.RxMulticast, t.RxBroadcast).end()
}

// teamWord returns the NIC of a port; an uplink has none, and for a port without traffic it is void.
func teamWord(p *load.PortCounters) string {
	switch {
	case p.Uplink:
		return "-"
	case p.Team == "":
		return "n/a"
	}
	return p.Team
}
