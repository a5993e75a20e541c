package simfleet

import "math"

// plus adds a part of others. What is neither read nor written is counted by itself, so that a rest of rounding never makes it less.
func (c *ioCounters) plus(o *ioCounters, part fraction) {
	c.commands += part.of(o.reads) + part.of(o.writes) + part.of(o.commands-o.reads-o.writes)
	c.reads += part.of(o.reads)
	c.writes += part.of(o.writes)
	c.blocksRead += part.of(o.blocksRead)
	c.blocksWritten += part.of(o.blocksWritten)
	c.aborts += part.of(o.aborts)
	c.resets += part.of(o.resets)
	c.conflicts += part.of(o.conflicts)
	c.readIssue += part.of(o.readIssue)
	c.readQueue += part.of(o.readQueue)
	c.readTotal += part.of(o.readTotal)
	c.writeIssue += part.of(o.writeIssue)
	c.writeQueue += part.of(o.writeQueue)
	c.writeTotal += part.of(o.writeTotal)
}

// whole is a number of things that come a second, over a slot: the fraction that is left now and then makes one more.
func (s stream) whole(perSecond float64, kind uint64, slot int64) int64 {
	n := perSecond * float64(slotSeconds)
	low := math.Floor(n)
	if s.unit(kind, slot) < n-low {
		low++
	}
	return int64(low)
}

// vmDisks is the I/O of a VM's disks, twice: as its guest sees it, and as the disks of the host do.
func (p *pressure) vmDisks(f *vmFigures, s *stay, d demand, slot int64) {
	does := s.does
	count := len(s.settings.disks)
	f.disks, f.issue, f.devices = make([]ioCounters, count), make([]ioCounters, count), make([]int, count)
	for n := range s.settings.disks {
		v := &s.settings.disks[n]
		reads, writes := s.diskShare(n, d)
		kind := noiseDisk + uint64(n+1)<<16
		io := ioCounters{reads: s.stream.whole(reads, kind, slot), writes: s.stream.whole(writes, kind, -slot)}
		io.commands = io.reads + io.writes
		blocks := int64(does.IOKB * 2 * (.9 + .2*s.stream.unit(kind, slot+1)))
		io.blocksRead, io.blocksWritten = io.reads*blocks, io.writes*blocks
		device, kernel, queue := 2.0, 0.0, 0.0 // of a volume that is no disk of the host's
		if f.devices[n] = p.host.deviceOf(v.store); f.devices[n] >= 0 {
			on := p.devices[f.devices[n]]
			device, kernel, queue = on.device, on.kernel, on.queue
		}
		micros := func(ops int64, millis float64) int64 { return int64(float64(ops) * millis * 1000) }
		io.readIssue, io.writeIssue = micros(io.reads, device), micros(io.writes, device*.8)
		io.readQueue, io.writeQueue = micros(io.reads, queue), micros(io.writes, queue)
		io.readTotal, io.writeTotal = io.readIssue+micros(io.reads, kernel), io.writeIssue+micros(io.writes, kernel)
		f.issue[n] = io
		if limited := d.reads + d.writes - reads - writes; v.iopsLimit >= 0 && reads+writes >= float64(v.iopsLimit)*.99 {
			device += min(60, 8+20*limited/(reads+writes)) // it waits for its turn before the host sees it
		}
		if v.delta || s.settings.snapshots > 0 {
			device *= 1 + .15*float64(max(1, s.settings.snapshots))
			device += 5 * float64(max(0, s.settings.snapshots-2)) // each more has to be looked through for what the last ones lack
		}
		io.readTotal, io.writeTotal = max(io.readTotal, micros(io.reads, device+kernel)), max(io.writeTotal, micros(io.writes, device*.8+kernel))
		io.readIssue, io.writeIssue, io.readQueue, io.writeQueue = 0, 0, 0, 0
		f.disks[n] = io
	}
}

// part is what goes through the nth of so many paths. The parts add up, and each grows as the whole does.
func (c *ioCounters) part(n, of int64) ioCounters {
	cut := func(v int64) int64 { return (v + n) / of }
	return ioCounters{
		commands: cut(c.reads) + cut(c.writes) + cut(c.commands-c.reads-c.writes), reads: cut(c.reads), writes: cut(c.writes),
		blocksRead: cut(c.blocksRead), blocksWritten: cut(c.blocksWritten), aborts: cut(c.aborts), resets: cut(c.resets),
		conflicts: cut(c.conflicts), readIssue: cut(c.readIssue), readQueue: cut(c.readQueue), readTotal: cut(c.readTotal),
		writeIssue: cut(c.writeIssue), writeQueue: cut(c.writeQueue), writeTotal: cut(c.writeTotal),
	}
}
