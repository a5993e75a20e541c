package simfleet

// plus adds a part of others.
func (t *traffic) plus(o *traffic, part fraction) {
	t.txPackets += part.of(o.txPackets)
	t.txBytes += part.of(o.txBytes)
	t.rxPackets += part.of(o.rxPackets)
	t.rxBytes += part.of(o.rxBytes)
	t.droppedTx += part.of(o.droppedTx)
	t.droppedRx += part.of(o.droppedRx)
	t.txMulticast += part.of(o.txMulticast)
	t.txBroadcast += part.of(o.txBroadcast)
	t.rxMulticast += part.of(o.rxMulticast)
	t.rxBroadcast += part.of(o.rxBroadcast)
}

// holds is how many packets a second a virtual NIC hands to its guest before it loses some. It may ask for many queues of a NIC
// that has them.
func (n vnicSettings) holds(rings int) float64 {
	switch {
	case n.kind == nicE1000:
		return 9000
	case n.kind == nicE1000e:
		return 9500
	case n.manyQueues && rings > 1 || n.bypass:
		return 400_000
	}
	return 44_000
}

// vmNetwork is the traffic at a VM's ports.
func (p *pressure) vmNetwork(f *vmFigures, s *stay, d demand, slot int64) {
	does := s.does
	f.nics = make([]traffic, len(s.settings.nics))
	for n, nic := range s.settings.nics {
		part, t := 1/float64(len(s.settings.nics)), &f.nics[n]
		up := p.uplinkOf(s, n)
		if up < 0 && !nic.bypass {
			continue
		}
		through, sent, lost, rings := 1.0, 1.0, 0.0, 1
		if !nic.bypass {
			through, sent, rings = p.uplinks[up].through, p.uplinks[up].sent, p.host.pnics[up].rings
		}
		rx, tx := d.rx*part*through, d.tx*part*sent
		if over := rx/nic.holds(rings) - .95; over > 0 {
			lost = min(.05, .04*over)
		}
		kind := noiseNet + uint64(n+1)<<16
		arrived := s.stream.whole(rx, kind, slot)
		if t.droppedRx = int64(lost * float64(arrived)); lost > 0 {
			t.droppedRx++
		}
		t.rxPackets = max(0, arrived-t.droppedRx)
		t.txPackets = s.stream.whole(tx, kind, -slot)
		if sent < 1 {
			t.droppedTx = int64(.002 * (1 - sent) * float64(t.txPackets))
		}
		size := .92 + .16*s.stream.unit(kind, slot+1)
		if does.paced || min(through, sent) < 1 {
			size = 1 // a full wire carries what it can, and no more
		}
		t.rxBytes, t.txBytes = int64(float64(t.rxPackets)*does.rxBytes*size), int64(float64(t.txPackets)*does.txBytes*size)
		t.rxMulticast, t.rxBroadcast = t.rxPackets/200, t.rxPackets/400
		t.txMulticast, t.txBroadcast = t.txPackets/1000, t.txPackets/500
	}
}
