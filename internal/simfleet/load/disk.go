package load

// vmDisks computes the I/O of a VM's disks: as the guest measures it, and as the host's disks do.
func (p *Pressure) vmDisks(f *VMFigures, s *Residency, d demand, slot int64) {
	does := s.does
	count := len(s.Settings.Disks)
	f.Disks, f.Issue, f.devices = sized(f.Disks, count), sized(f.Issue, count), sized(f.devices, count)
	for n := range s.Settings.Disks {
		v := &s.Settings.Disks[n]
		reads, writes := s.diskShare(n, d)
		kind := noiseDisk + uint64(n+1)<<16
		io := IO{Reads: s.Stream.count(reads, kind, slot), Writes: s.Stream.count(writes, kind, -slot)}
		io.Commands = io.Reads + io.Writes
		blocks := int64(does.IOKB * 2 * p.level.between(.9, .2, s.Stream.Unit(kind, slot+1)))
		io.BlocksRead, io.BlocksWritten = io.Reads*blocks, io.Writes*blocks
		device, kernel, queue := 2.0, 0.0, 0.0 // of a volume that is not on a disk of the host
		if f.devices[n] = p.Host.DeviceOf(v.Store); f.devices[n] >= 0 {
			on := p.Devices[f.devices[n]]
			device, kernel, queue = on.device, on.kernel, on.Queue
		}
		micros := func(ops int64, millis float64) int64 { return int64(float64(ops) * millis * 1000) }
		io.ReadIssue, io.WriteIssue = micros(io.Reads, device), micros(io.Writes, device*.8)
		io.ReadQueue, io.WriteQueue = micros(io.Reads, queue), micros(io.Writes, queue)
		io.ReadTotal, io.WriteTotal = io.ReadIssue+micros(io.Reads, kernel), io.WriteIssue+micros(io.Writes, kernel)
		f.Issue[n] = io
		if limited := d.reads + d.writes - reads - writes; v.IOPSLimit >= 0 && reads+writes >= float64(v.IOPSLimit)*.99 {
			device += min(60, 8+20*limited/(reads+writes)) // it is delayed before the host counts it
		}
		if v.Delta || s.Settings.Snapshots > 0 {
			device *= 1 + .15*float64(max(1, s.Settings.Snapshots))
			device += 5 * float64(max(0, s.Settings.Snapshots-2)) // each additional one must be searched for blocks missing in the last ones
		}
		io.ReadTotal, io.WriteTotal = max(io.ReadTotal, micros(io.Reads, device+kernel)), max(io.WriteTotal, micros(io.Writes, device*.8+kernel))
		io.ReadIssue, io.WriteIssue, io.ReadQueue, io.WriteQueue = 0, 0, 0, 0
		f.Disks[n] = io
	}
}
