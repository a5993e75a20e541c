package simfleet

// worldFigures is what a world did in a slot, in milliseconds: run + ready + costop + wait is all of it.
type worldFigures struct {
	run, used, sys, overlap, ready, costop, maxLimited, wait, idle, swapWait, latency, memLatency int64
}

// plus adds a part of others.
func (w *worldFigures) plus(o *worldFigures, part fraction) {
	w.run += part.of(o.run)
	w.used += part.of(o.used)
	w.sys += part.of(o.sys)
	w.overlap += part.of(o.overlap)
	w.ready += part.of(o.ready)
	w.costop += part.of(o.costop)
	w.maxLimited += part.of(o.maxLimited)
	w.wait += part.of(o.wait)
	w.idle += part.of(o.idle)
	w.swapWait += part.of(o.swapWait)
	w.latency += part.of(o.latency)
	w.memLatency += part.of(o.memLatency)
}

// vmFigures is what a VM got and did in a slot.
type vmFigures struct {
	vcpus     []worldFigures
	cpu       worldFigures // their sum
	usedMHz   int64
	demandMHz int64
	mem       memoryFigures
	nics      []traffic
	disks     []ioCounters // seen from the guest: issue and queue stay 0
	devices   []int        // of the disks, by number; -1 is no disk of the host's
	issue     []ioCounters // seen from the device
	watts     int64
}

// vm works out a slot of a VM. It is empty where there was no host.
func (l *loads) vm(s *stay, slot int64) *vmFigures {
	p := l.pressure(s.host, slot)
	if p == nil {
		return new(vmFigures)
	}
	for i, other := range p.stays {
		if other.vm == s.vm {
			return p.vm(s, i, slot)
		}
	}
	return new(vmFigures)
}

func (p *pressure) vm(s *stay, at int, slot int64) *vmFigures {
	f := new(vmFigures)
	d := p.wants[at]
	p.vmMemory(f, s, d, slot)
	p.vmDisks(f, s, d, slot)
	p.vmNetwork(f, s, d, slot)
	p.vmCPU(f, s, d, slot)
	return f
}

// gets is what a VM wants but for its limit, and what it gets of that, in vCPUs.
func (p *pressure) gets(s *stay, d demand) (want, got float64) {
	want = d.cpu - d.limited
	firm := min(want, float64(s.settings.cpu.reservation)/float64(s.mhz))
	return want, firm + p.share*(want-firm)
}

// reserved reports a VM that has next to all of its clock guaranteed: it does not wait.
func (s *stay) reserved() bool {
	return s.settings.cpu.reservation*s.settings.threads >= s.settings.vcpus*s.mhz*9/10
}

// waiting is the part of its time that a VM's vCPUs wait for a core as others have them.
func (p *pressure) waiting(s *stay, d demand) float64 {
	if s.reserved() {
		return 0
	}
	n, speed := float64(s.settings.vcpus), p.speed*p.alone
	want, got := p.gets(s, d)
	return ((want-got)/speed + min(got/speed, n)*p.queue*(1+n/32)) / n
}

// vmCPU shares what a VM gets over its vCPUs.
func (p *pressure) vmCPU(f *vmFigures, s *stay, d demand, slot int64) {
	id, n := s.stream, float64(s.settings.vcpus)
	_, got := p.gets(s, d)
	speed := p.speed * p.alone
	run := min(got/speed, n)
	ready := n * (p.waiting(s, d) + .0005 + .0015*id.unit(noiseReady, slot))
	switch {
	case s.reserved():
		ready = n * .0004 * id.unit(noiseReady, slot)
	case s.settings.latency: // it wants cores for itself and has no right to them
		ready += run * (.06 + .05*id.unit(noiseReady, slot+1))
	}
	if p.speed < .9 { // cores that sleep take long to wake up
		ready += run * .02
	}
	limited := d.limited / speed
	costop := p.costop(s, run, slot)

	weights, sum := make([]float64, s.settings.vcpus), 0.0
	for i := range weights {
		weights[i] = (.8 + .4*id.unit(noiseShare, int64(i))) * (.97 + .06*id.unit(noiseShare+uint64(i+1)<<16, slot))
		sum += weights[i]
	}
	f.vcpus = make([]worldFigures, s.settings.vcpus)
	io := p.ioWait(f, n)
	for i := range f.vcpus {
		part := weights[i] / sum
		w := &f.vcpus[i]
		left := slotMillis
		take := func(share float64) int64 {
			ms := min(int64(share*float64(slotMillis)+.5), left)
			left -= ms
			return ms
		}
		w.run = take(min(run*part, .995))
		w.maxLimited = take(limited * part)
		w.ready = w.maxLimited + take(ready*part)
		w.costop = take(costop * part)
		w.wait = left
		w.swapWait = min(int64(f.mem.stall/n*float64(slotMillis)), w.wait)
		w.memLatency = min(w.swapWait+int64(f.mem.stall/n*float64(slotMillis)/5), slotMillis)
		w.idle = w.wait - w.swapWait
		w.idle -= min(w.idle, int64(io*float64(slotMillis)))
		w.overlap = w.run * int64(id.unit(noiseOwn, slot+int64(i))*4) / 1000
		if i == 0 {
			w.sys = min(p.system(f, s), slotMillis*3/4)
		}
		w.used = max(0, int64(float64(w.run)*speed+.5)+w.sys-w.overlap)
		// What a limit holds back is no part of it, though it is of ready time.
		w.latency = w.ready - w.maxLimited + w.costop + int64(float64(w.run)*(1-p.alone)) + int64(float64(w.run)*max(0, 1-p.speed))
		w.latency = min(w.latency, slotMillis)
		f.cpu.plus(w, whole)
	}
	f.usedMHz = f.cpu.used * s.mhz / slotMillis
	f.demandMHz = int64(d.cpu * float64(s.mhz))
	f.watts = f.usedMHz*3/1000 + 1
}

// hot is how much of the time those vCPUs run that hardly rest.
func (f *vmFigures) hot() (list []float64) {
	for i := range f.vcpus {
		if part := float64(f.vcpus[i].run) / float64(slotMillis); part > hotFrom {
			list = append(list, part)
		}
	}
	return list
}

// costop is for how long siblings are stopped, so that those that found no core can catch up: the wider the VM is for
// its host, and the fuller that is. Snapshots, and moments of bad luck, do it as well.
func (p *pressure) costop(s *stay, run float64, slot int64) float64 {
	if s.settings.vcpus < 2 {
		return 0
	}
	width := float64(s.settings.vcpus) / float64(p.host.cores)
	stop := run * .42 * max(0, width-.6) * (.8 + .4*s.stream.unit(noiseCostop, slot))
	stop += run * max(0, p.queue-.4) * min(width, 1) * .3
	if s.settings.snapshots > 2 {
		stop += run * .013 * float64(s.settings.snapshots)
	}
	if luck := s.stream.unit(noiseCostop, -slot); luck > .975 {
		stop += (luck - .975) * .2
	}
	return stop
}

// system is what the host does for a VM's I/O.
func (p *pressure) system(f *vmFigures, s *stay) int64 {
	var micros int64
	for i, n := range f.nics {
		cost := 1.0
		if up := p.uplinkOf(s, i); up >= 0 && !s.settings.nics[i].bypass {
			cost = p.uplinks[up].crossing
		}
		micros += int64(cost * float64(n.rxPackets+n.txPackets))
	}
	for _, d := range f.disks {
		micros += 12 * d.commands
	}
	return micros / 1000
}

// ioWait is the part of a vCPU's time that it waits for disks with nothing else to do.
func (p *pressure) ioWait(f *vmFigures, vcpus float64) float64 {
	var micros int64
	for _, d := range f.disks {
		micros += d.readTotal
	}
	return min(.25, float64(micros)/float64(slotMillis*1000)/vcpus/12)
}
