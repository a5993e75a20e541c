package load

// holds returns how many packets of a size a virtual NIC can pass to its guest per second without drops. It can use several
// queues if the physical NIC has them.
func (n VNIC) holds(rings int, size float64) float64 {
	switch {
	case n.Kind == E1000:
		return 9000
	case n.Kind == E1000e:
		return 9500
	case n.ManyQueues && rings > 1 || n.Bypass:
		return 400_000
	case size > wholeFrame: // a stream, limited by bytes
		return oneQueue / size
	}
	return 44_000
}

// Packets wait in the ring while the guest itself waits for a core.
const (
	harmlessWait = .05 // fraction of its time
	waitFills    = 1.5 // fraction of the ring's capacity for each fraction of the time beyond that
)

// fetches returns the fraction of packets that a guest fetches in time, for the fraction of time in which its vCPUs wait for a
// core.
func fetches(waiting float64) float64 {
	return max(.2, 1-waitFills*max(0, waiting-harmlessWait))
}

// vmNetwork computes the traffic of a VM's ports.
func (p *Pressure) vmNetwork(f *VMFigures, s *Residency, d demand, slot int64) {
	does, fetched := s.does, fetches(p.waiting(s, d))
	f.NICs = sized(f.NICs, len(s.Settings.NICs))
	for n, nic := range s.Settings.NICs {
		part, t := 1/float64(len(s.Settings.NICs)), &f.NICs[n]
		up := p.uplinkOf(s, n)
		if up < 0 && !nic.Bypass {
			continue
		}
		through, sent, lost, rings := 1.0, 1.0, 0.0, 1
		if !nic.Bypass {
			through, sent, rings = p.uplinks[up].through, p.uplinks[up].sent, p.Host.PNICs[up].Rings
		}
		rx, tx := d.rx*part*through, d.tx*part*sent
		if over := rx/(nic.holds(rings, does.RXBytes)*fetched) - .95; over > 0 {
			lost = min(.05, .04*over)
		}
		kind := noiseNet + uint64(n+1)<<16
		arrived := s.Stream.count(rx*d.frames, kind, slot)
		if t.DroppedRx = int64(lost * float64(arrived)); lost > 0 {
			t.DroppedRx++
		}
		t.RxPackets = max(0, arrived-t.DroppedRx)
		t.TxPackets = s.Stream.count(tx, kind, -slot)
		if sent < 1 {
			t.DroppedTx = int64(.002 * (1 - sent) * float64(t.TxPackets))
		}
		size := p.level.between(.92, .16, s.Stream.Unit(kind, slot+1))
		if does.Paced || min(through, sent) < 1 {
			size = 1 // a saturated link
		}
		rxSize := does.RXBytes * size
		if d.frames > 1 {
			each := does.RXBytes / d.frames
			rxSize = min(each*size, max(each, wholeFrame)) // a frame, or more while the setting of LRO settles
		}
		t.RxBytes, t.TxBytes = int64(float64(t.RxPackets)*rxSize), int64(float64(t.TxPackets)*does.TXBytes*size)
		t.RxMulticast, t.RxBroadcast = t.RxPackets/200, t.RxPackets/400
		t.TxMulticast, t.TxBroadcast = t.TxPackets/1000, t.TxPackets/500
	}
}
