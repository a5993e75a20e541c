package load

// demand is a guest's demand in a slot, regardless of other guests.
type demand struct {
	CPU     float64 // in vCPUs, at the host's nominal clock rate
	limited float64 // the part of it that a limit removes
	touched int64   // kB that it has used
	active  int64   // kB that it uses now
	reads   float64 // per second, on all disks
	writes  float64
	rx, tx  float64 // packets per second, on all NICs
	frames  float64 // frames per packet: more than one if the host does not combine them (LRO)
	burst   bool    // more packets than usual for a moment

	settings blend[VM]
}

// burstOneIn is the inverse frequency of packet bursts.
const burstOneIn = 16

// demand returns the guest's demand in a slot with its settings; hours is the position on the load curves, noise that of the host.
func (s *Residency) demand(settings blend[VM], slot int64, hours float64, noise noiseLevel) demand {
	p, id := s.does, s.Stream
	hour := hours + 1.5*(id.Unit(noisePhase, 0)-0.5)
	hour -= 24 * float64(int64(hour/24))
	level := shapes[p.Shape](hour, id.swing(noiseSwing, hours*6+id.Unit(noisePhase, 1)))
	ripple := func(kind uint64, by float64) float64 {
		if p.Even {
			by /= 4
		}
		by *= noise.ripple
		return 1 + by*(2*id.Unit(kind, slot)-1)
	}

	d := demand{settings: settings}
	vcpus := float64(s.Settings.VCPUs)
	wants := p.CPU.At(level) * ripple(noiseCPU, .12) * noise.work * noise.cost
	d.CPU = min(wants, 1) * vcpus
	if noise.ripple != 1 && wants > 1 { // with all its vCPUs busy it gets less done
		noise.work /= wants
	}
	d.limited = settings.of(func(v *VM) (limited float64) {
		for _, limit := range []int64{v.CPU.Limit, v.PoolMHz} {
			if limit != unbounded {
				limited = max(limited, d.CPU-float64(limit)/float64(s.MHz))
			}
		}
		return limited
	})
	size := s.Settings.MemoryMB << 10
	touched := p.Touched * (1 - .03*id.Unit(noisePhase, 2))
	if p.Leak {
		touched *= .45 + .55*leaking(hour, id.swing(noiseSwing, hours*3))
	}
	d.touched = int64(touched * float64(size))
	d.active = min(int64(p.Active.At(level)*ripple(noiseSwap, .06)*float64(size)), d.touched)

	iops := p.IOPS.At(level) * ripple(noiseDisk, .25) * (.8 + .4*id.Unit(noisePhase, 3)) * noise.work
	d.reads, d.writes = iops*p.Reads, iops*(1-p.Reads)
	if n := len(s.Settings.NICs); n > 0 {
		each := ripple(noiseNet, .2) * (.85 + .3*id.Unit(noisePhase, 4)) * noise.work
		if d.burst = !p.Even && noise.ripple == 1 && id.Unit(noiseBurst, slot) < 1.0/burstOneIn; d.burst {
			each *= 1.6
		}
		d.rx, d.tx = p.RX.At(level)*each, p.TX.At(level)*each*noise.between(.8, .4, id.Unit(noiseNet, -slot))
	}
	return d
}
