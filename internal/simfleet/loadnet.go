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

// holds is how many packets of a size a virtual NIC hands to its guest in a second before it loses some. It may ask for many
// queues of a NIC that has them.
func (n vnicSettings) holds(rings int, size float64) float64 {
	switch {
	case n.kind == e1000:
		return 9000
	case n.kind == e1000e:
		return 9500
	case n.manyQueues && rings > 1 || n.bypass:
		return 400_000
	case size > wholeFrame: // a stream, which goes by its bytes
		return oneQueue / size
	}
	return 44_000
}

// Packets wait in the ring of a guest that waits for a core itself.
const (
	harmlessWait = .05 // of its time
	waitFills    = 1.5 // of what its ring could take, for each part of the time beyond that
)

// fetches is the part of its packets that a guest gets to in time, by the part of its time that its vCPUs wait for a core.
func fetches(waiting float64) float64 {
	return max(.2, 1-waitFills*max(0, waiting-harmlessWait))
}

// vmNetwork is the traffic at a VM's ports.
func (p *pressure) vmNetwork(f *vmFigures, s *stay, d demand, slot int64) {
	does, fetched := s.does, fetches(p.waiting(s, d))
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
		if over := rx/(nic.holds(rings, does.rxBytes)*fetched) - .95; over > 0 {
			lost = min(.05, .04*over)
		}
		kind := noiseNet + uint64(n+1)<<16
		arrived := s.stream.whole(rx*d.frames, kind, slot)
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
		rxSize := does.rxBytes * size
		if d.frames > 1 {
			rxSize = min(does.rxBytes/d.frames*size, wholeFrame)
		}
		t.rxBytes, t.txBytes = int64(float64(t.rxPackets)*rxSize), int64(float64(t.txPackets)*does.txBytes*size)
		t.rxMulticast, t.rxBroadcast = t.rxPackets/200, t.rxPackets/400
		t.txMulticast, t.txBroadcast = t.txPackets/1000, t.txPackets/500
	}
}
