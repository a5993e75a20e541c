package simfleet

// demand is what a guest wants in a slot, before anybody else is asked.
type demand struct {
	cpu     float64 // vCPUs' worth of work, at the host's nominal clock
	limited float64 // of that, what a limit holds back
	touched int64   // kB that it needs
	active  int64   // kB of that it uses now
	reads   float64 // a second, on all disks
	writes  float64
	rx, tx  float64 // packets a second, on all NICs
	frames  float64 // that each packet arrives as: more than one where the host does not join them
	burst   bool    // a moment of more packets than usual
}

// burstOneIn is how rare bursts of packets are.
const burstOneIn = 16

func (l *loads) demand(s *stay, slot int64) demand {
	p, id := s.does, s.stream
	hours := l.hours(slot)
	hour := hours + 1.5*(id.unit(noisePhase, 0)-0.5)
	hour -= 24 * float64(int64(hour/24))
	level := p.shape(hour, id.swing(noiseSwing, hours*6+id.unit(noisePhase, 1)))
	ripple := func(kind uint64, by float64) float64 {
		if p.even {
			by /= 4
		}
		return 1 + by*(2*id.unit(kind, slot)-1)
	}

	var d demand
	vcpus := float64(s.settings.vcpus)
	d.cpu = min(p.cpu.at(level)*ripple(noiseCPU, .12), 1) * vcpus
	for _, limit := range []int64{s.settings.cpu.limit, s.settings.poolMHz} {
		if limit != unbounded {
			d.limited = max(d.limited, d.cpu-float64(limit)/float64(s.mhz))
		}
	}
	size := s.settings.memoryMB << 10
	touched := p.touched * (1 - .03*id.unit(noisePhase, 2))
	if p.leak {
		touched *= .45 + .55*leaking(hour, id.swing(noiseSwing, hours*3))
	}
	d.touched = int64(touched * float64(size))
	d.active = min(int64(p.active.at(level)*ripple(noiseSwap, .06)*float64(size)), d.touched)

	iops := p.iops.at(level) * ripple(noiseDisk, .25) * (.8 + .4*id.unit(noisePhase, 3))
	d.reads, d.writes = iops*p.reads, iops*(1-p.reads)
	if n := len(s.settings.nics); n > 0 {
		each := ripple(noiseNet, .2) * (.85 + .3*id.unit(noisePhase, 4))
		if d.burst = !p.even && id.unit(noiseBurst, slot) < 1.0/burstOneIn; d.burst {
			each *= 1.6
		}
		d.rx, d.tx = p.rx.at(level)*each, p.tx.at(level)*each*(.8+.4*id.unit(noiseNet, -slot))
	}
	return d
}
