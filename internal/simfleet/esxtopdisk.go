package simfleet

// issued is how many I/Os of several VMs a device may have open unless somebody has set it.
const issued = 32

func (s *snapshot) treeOfDisks(r *rows) {
	c := &s.counted
	r.open("SCSI").count("Path", len(c.paths)).count("SCSIDevice", len(c.devices)).count("Adapter", len(c.adapters)).end()
	for i := range c.paths {
		r.open("Path").name("PathName", c.paths[i].name).name("DeviceName", c.paths[i].device).end()
	}
	for i := range c.devices {
		d := &c.devices[i]
		r.open("SCSIDevice").name("DeviceName", d.name).name("DisplayName", d.display).
			count("WorldPerDev", len(d.worlds)).count("Partition", 1).end()
		for k := range d.worlds {
			r.open("WorldPerDev").id("WorldID", s.ioWorld(d.worlds[k].world)).end()
		}
		r.open("Partition").id("PartitionID", 1).end()
	}
	for _, a := range c.adapters {
		r.open("Adapter").name("AdapterName", a.name).end()
	}
	r.open("Nfs").count("NfsClient", len(c.nfs)).end()
	vms := s.vmGroups()
	r.open("Vscsi").count("VscsiGroup", len(vms)).end()
	for _, g := range vms {
		r.open("VscsiGroup").id("GroupId", g.id).name("GroupName", g.display).count("VscsiDisk", len(g.disks)).end()
		for _, d := range g.disks {
			r.open("VscsiDisk").id("DiskId", d.id).name("DiskName", d.name).end()
		}
	}
}

func (s *snapshot) valuesOfDisks(r *rows) {
	c := &s.counted
	var conflicts int64
	for i := range c.devices {
		conflicts += c.devices[i].io.conflicts
	}
	r.open("SCSI").n(0, 0, conflicts, issued, int64(len(c.adapters)), int64(len(c.devices)), int64(len(c.paths))).end()
	for _, a := range c.adapters {
		r.open("Adapter").s(a.name).n(1, a.queueDepth).end()
	}
	for i := range c.devices {
		s.valuesOfDevice(r, &c.devices[i])
	}
	for i := range c.paths {
		p := &c.paths[i]
		r.open("Path").s(p.name).s(p.device).n(1).commands(&p.io).n(0, 0, 0, 0, 0, 0, 0).times(&p.io).n(0, 0).end()
	}
	r.open("Nfs").n(int64(len(c.nfs))).end()
	for _, m := range c.nfs {
		r.open("NfsClient").s(m.name).n(m.reads, m.readBytes, m.readTime, m.writes, m.writeBytes, m.writeTime, 0, 0).end()
	}
	s.valuesOfVirtualDisks(r)
}

func (s *snapshot) valuesOfDevice(r *rows, d *deviceCounters) {
	r.open("SCSIDevice").s(d.name).n(1, d.queueDepth, blockBytes, d.blocks, d.active, d.queued).commands(&d.io).times(&d.io).
		n(make([]int64, 16)...). // what arrays do by themselves: clones, zeros, locks
		n(int64(len(d.worlds)), 1)
	if s.esxi.row.version >= newerFrom {
		r.n(0, 0)
	}
	r.end()
	for i := range d.worlds {
		w := &d.worlds[i]
		r.open("WorldPerDev").n(s.ioWorld(w.world), 1, w.active, w.queued, w.shares).commands(&w.io).times(&w.io).end()
	}
	part := d.io // all that goes to a partition, which is not all that goes to the device
	part.commands = part.reads + part.writes
	r.open("Partition").n(1, 1, part.commands, part.blocksRead, part.blocksWritten, part.reads, part.writes, 0, part.conflicts).times(&part).end()
}

const blockBytes = 512

// ioWorld is the world that a VM's I/O is counted for: the first that is hidden, not the leader.
func (s *snapshot) ioWorld(leader int64) int64 {
	for i := range s.counted.groups {
		if g := &s.counted.groups[i]; g.leader == leader && len(g.hidden) > 0 {
			return g.hidden[0].id
		}
	}
	return leader
}

func (s *snapshot) valuesOfVirtualDisks(r *rows) {
	vms := s.vmGroups()
	r.open("Vscsi").n(int64(len(vms))).end()
	for _, g := range vms {
		r.open("VscsiGroup").n(g.id, int64(len(g.disks))).end()
		for _, d := range g.disks {
			r.open("VscsiDisk").s(d.name).n(d.reads, d.readBytes, d.readTime, d.writes, d.writeBytes, d.writeTime).end()
		}
	}
}

// commands are the fields on counts that devices, paths and worlds have in common.
func (r *rows) commands(io *ioCounters) *rows {
	return r.n(io.commands, io.blocksRead, io.blocksWritten, io.aborts, 0, io.resets, 0, 0, io.resets, io.reads, io.writes, 0, io.conflicts)
}

// times are those on time: of all commands, of reads, of writes. Each has what the device took, what the kernel did, the
// part of that in queues, and the sum.
func (r *rows) times(io *ioCounters) *rows {
	issue, queue, total := io.readIssue+io.writeIssue, io.readQueue+io.writeQueue, io.readTotal+io.writeTotal
	return r.n(issue, total-issue, queue, total, io.readIssue, io.readTotal-io.readIssue, io.readQueue, io.readTotal,
		io.writeIssue, io.writeTotal-io.writeIssue, io.writeQueue, io.writeTotal)
}

// domRole is a role of vSAN's object manager, with what it has done.
type domRole struct {
	name string
	io   ioCounters
}

// What vSAN adds to a command on the way from its disks to who asked, in microseconds.
const (
	ownerMicros  = 60
	clientMicros = 180
)

// domRoles are the three of a host with vSAN. What its disks did was asked of its components; they write everything twice, so
// owners and clients asked for half of that, and wait longer.
func (s *snapshot) domRoles() []domRole {
	if !s.counted.vsan {
		return nil
	}
	var sum ioCounters
	for i := range s.counted.devices {
		if d := &s.counted.devices[i]; d.vsan {
			sum.plus(&d.io, whole)
		}
	}
	return []domRole{{"Client", askedOf(&sum, clientMicros)}, {"Owner", askedOf(&sum, ownerMicros)}, {"Component Manager", sum}}
}

// askedOf is what was asked of somebody who has each block on two hosts, with what it takes to pass it on.
func askedOf(io *ioCounters, micros int64) ioCounters {
	own := *io
	own.writes, own.blocksWritten, own.writeTotal = io.writes/2, io.blocksWritten/2, io.writeTotal/2
	own.readTotal += own.reads * micros
	own.writeTotal += own.writes * micros
	return own
}

// domSpread makes a sum of squares out of a sum of latencies: that of a tail as long as this one, in microseconds.
const domSpread = 20_000

func (s *snapshot) valuesOfVSAN(r *rows) {
	r.open("Vsan").flag(s.counted.vsan).end()
	for _, d := range s.roles {
		r.open("Dom").s(d.name).n(
			d.io.reads, d.io.blocksRead*blockBytes, d.io.readTotal*domSpread, d.io.readTotal,
			d.io.writes, d.io.blocksWritten*blockBytes, d.io.writeTotal*domSpread, d.io.writeTotal, 0, 0, 0, 0,
		).end()
	}
}
