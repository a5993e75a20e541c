package load

// vm returns the values of a VM. at is the index of its demand in p.Wants.
func (p *Pressure) vm(s *Residency, at int, slot int64) *VMFigures {
	f := new(VMFigures)
	p.compute(f, s, at, slot)
	return f
}

// compute overwrites f with the values of a VM, and its lists in place if they are long enough.
func (p *Pressure) compute(f *VMFigures, s *Residency, at int, slot int64) {
	*f = VMFigures{
		VCPUs: f.VCPUs, weights: f.weights, Mem: MemoryFigures{Nodes: f.Mem.Nodes}, NICs: f.NICs, Disks: f.Disks, devices: f.devices, Issue: f.Issue,
	}
	d := p.Wants[at]
	p.vmMemory(f, s, d, slot)
	p.vmDisks(f, s, d, slot)
	p.vmNetwork(f, s, d, slot)
	p.vmCPU(f, s, d, slot)
}

// sized returns a list of n zeros in the memory of another list, if that is large enough.
func sized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// vmCPU distributes a VM's CPU time over its vCPUs.
func (p *Pressure) vmCPU(f *VMFigures, s *Residency, d demand, slot int64) {
	id, n := s.Stream, float64(s.Settings.VCPUs)
	_, got := p.gets(s, d)
	speed := p.Speed * p.alone
	run := min(got/speed, n)
	ready := n * (p.waiting(s, d) + .0005 + .0015*id.Unit(noiseReady, slot))
	switch {
	case s.reserved():
		ready = n * .0004 * id.Unit(noiseReady, slot)
	case s.Settings.Latency: // it requests exclusive cores without a reservation
		ready += run * (.06 + .05*id.Unit(noiseReady, slot+1))
	}
	if p.Speed < .9 { // cores in deep C-states take long to wake up
		ready += run * .02
	}
	limited := d.limited / speed
	costop := p.costop(s, run, slot)

	f.weights = sized(f.weights, int(s.Settings.VCPUs))
	sum := 0.0
	for i := range f.weights {
		f.weights[i] = (.8 + .4*id.Unit(noiseShare, int64(i))) * (.97 + .06*id.Unit(noiseShare+uint64(i+1)<<16, slot))
		sum += f.weights[i]
	}
	f.VCPUs = sized(f.VCPUs, int(s.Settings.VCPUs))
	io := p.ioWait(f, n)
	for i := range f.VCPUs {
		part := f.weights[i] / sum
		w := &f.VCPUs[i]
		left := SlotMillis
		take := func(share float64) int64 {
			ms := min(int64(share*float64(SlotMillis)+.5), left)
			left -= ms
			return ms
		}
		w.Run = take(min(run*part, .995))
		w.MaxLimited = take(limited * part)
		w.Ready = w.MaxLimited + take(ready*part)
		w.Costop = take(costop * part)
		w.Wait = left
		w.SwapWait = min(int64(f.Mem.stall/n*float64(SlotMillis)), w.Wait)
		w.MemLatency = min(w.SwapWait+int64(f.Mem.stall/n*float64(SlotMillis)/5), SlotMillis)
		w.Idle = w.Wait - w.SwapWait
		w.Idle -= min(w.Idle, int64(io*float64(SlotMillis)))
		w.Overlap = w.Run * int64(id.Unit(noiseOwn, slot+int64(i))*4) / 1000
		if i == 0 {
			w.Sys = min(p.system(f, s), SlotMillis*3/4)
		}
		w.Used = max(0, int64(float64(w.Run)*speed+.5)+w.Sys-w.Overlap)
		// Time lost to a limit is part of ready time but not of this.
		w.Latency = w.Ready - w.MaxLimited + w.Costop + int64(float64(w.Run)*(1-p.alone)) + int64(float64(w.Run)*max(0, 1-p.Speed))
		w.Latency = min(w.Latency, SlotMillis)
		f.CPU.Plus(w, Whole)
	}
	f.UsedMHz = f.CPU.Used * s.MHz / SlotMillis
	f.DemandMHz = int64(d.CPU * float64(s.MHz))
	f.Watts = f.UsedMHz*3/1000 + 1
}

// hot returns the fraction of time that nearly saturated vCPUs run.
func (f *VMFigures) hot() (list []float64) {
	for i := range f.VCPUs {
		if part := float64(f.VCPUs[i].Run) / float64(SlotMillis); part > hotFrom {
			list = append(list, part)
		}
	}
	return list
}

// costop returns how long vCPUs are stopped so that their siblings without a core can catch up: longer for wider VMs and busier
// hosts. Snapshots and random moments add to it.
func (p *Pressure) costop(s *Residency, run float64, slot int64) float64 {
	if s.Settings.VCPUs < 2 {
		return 0
	}
	width := float64(s.Settings.VCPUs) / float64(p.Host.Cores)
	stop := run * .42 * max(0, width-.6) * (.8 + .4*s.Stream.Unit(noiseCostop, slot))
	stop += run * max(0, p.queue-.4) * min(width, 1) * .3
	if s.Settings.Snapshots > 2 {
		stop += run * .013 * float64(s.Settings.Snapshots)
	}
	if luck := s.Stream.Unit(noiseCostop, -slot); luck > .975 {
		stop += (luck - .975) * .2
	}
	return stop
}

// system returns the host's work for a VM's I/O.
func (p *Pressure) system(f *VMFigures, s *Residency) int64 {
	var micros int64
	for i, n := range f.NICs {
		cost := 1.0
		if up := p.uplinkOf(s, i); up >= 0 && !s.Settings.NICs[i].Bypass {
			cost = p.uplinks[up].crossing
		}
		micros += int64(cost * float64(n.RxPackets+n.TxPackets))
	}
	for _, d := range f.Disks {
		micros += 12 * d.Commands
	}
	return int64(float64(micros)*p.level.cost) / 1000
}

// ioWait returns the fraction of a vCPU's time in which it waits for disks and is otherwise idle.
func (p *Pressure) ioWait(f *VMFigures, vcpus float64) float64 {
	var micros int64
	for _, d := range f.Disks {
		micros += d.ReadTotal
	}
	return min(.25, float64(micros)/float64(SlotMillis*1000)/vcpus/12)
}
