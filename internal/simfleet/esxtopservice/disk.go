package esxtopservice

import "github.com/vperf/vperf/internal/simfleet/load"

// issued is the default number of outstanding I/Os of a device with several VMs.
const issued = 32

func (s *snapshot) treeOfDisks(r *rows) {
	c := &s.counted
	r.open("SCSI").count("Path", len(c.Paths)).count("SCSIDevice", len(c.Devices)).count("Adapter", len(c.Adapters)).end()
	for i := range c.Paths {
		r.open("Path").name("PathName", c.Paths[i].Name).name("DeviceName", c.Paths[i].Device).end()
	}
	for i := range c.Devices {
		d := &c.Devices[i]
		r.open("SCSIDevice").name("DeviceName", d.Name).name("DisplayName", d.Display).
			count("WorldPerDev", len(d.Worlds)).count("Partition", 1).end()
		for k := range d.Worlds {
			r.open("WorldPerDev").id("WorldID", s.ioWorld(d.Worlds[k].World)).end()
		}
		r.open("Partition").id("PartitionID", 1).end()
	}
	for _, a := range c.Adapters {
		r.open("Adapter").name("AdapterName", a.Name).end()
	}
	r.open("Nfs").count("NfsClient", len(c.NFS)).end()
	vms := s.vmGroups()
	r.open("Vscsi").count("VscsiGroup", len(vms)).end()
	for _, g := range vms {
		r.open("VscsiGroup").id("GroupId", g.ID).name("GroupName", g.Display).count("VscsiDisk", len(g.Disks)).end()
		for _, d := range g.Disks {
			r.open("VscsiDisk").id("DiskId", d.ID).name("DiskName", d.Name).end()
		}
	}
}

func (s *snapshot) valuesOfDisks(r *rows) {
	c := &s.counted
	var conflicts int64
	for i := range c.Devices {
		conflicts += c.Devices[i].IO.Conflicts
	}
	r.open("SCSI").n(0, 0, conflicts, issued, int64(len(c.Adapters)), int64(len(c.Devices)), int64(len(c.Paths))).end()
	for _, a := range c.Adapters {
		r.open("Adapter").s(a.Name).n(1, a.QueueDepth).end()
	}
	for i := range c.Devices {
		s.valuesOfDevice(r, &c.Devices[i])
	}
	for i := range c.Paths {
		p := &c.Paths[i]
		r.open("Path").s(p.Name).s(p.Device).n(1).commands(&p.IO).n(0, 0, 0, 0, 0, 0, 0).times(&p.IO).n(0, 0).end()
	}
	r.open("Nfs").n(int64(len(c.NFS))).end()
	for _, m := range c.NFS {
		r.open("NfsClient").s(m.Name).n(m.Reads, m.ReadBytes, m.ReadTime, m.Writes, m.WriteBytes, m.WriteTime, 0, 0).end()
	}
	s.valuesOfVirtualDisks(r)
}

func (s *snapshot) valuesOfDevice(r *rows, d *load.DeviceCounters) {
	r.open("SCSIDevice").s(d.Name).n(1, d.QueueDepth, blockBytes, d.Blocks, d.Active, d.Queued).commands(&d.IO).times(&d.IO).
		n(make([]int64, 16)...). // operations that arrays do themselves: clones, zeros, locks
		n(int64(len(d.Worlds)), 1)
	if s.node.Row.Version >= newerFrom {
		r.n(0, 0)
	}
	r.end()
	for i := range d.Worlds {
		w := &d.Worlds[i]
		r.open("WorldPerDev").n(s.ioWorld(w.World), 1, w.Active, w.Queued, w.Shares).commands(&w.IO).times(&w.IO).end()
	}
	part := d.IO // all I/O of a partition, which is less than the device's
	part.Commands = part.Reads + part.Writes
	r.open("Partition").n(1, 1, part.Commands, part.BlocksRead, part.BlocksWritten, part.Reads, part.Writes, 0, part.Conflicts).times(&part).end()
}

const blockBytes = 512

// ioWorld returns the world to which a VM's I/O is charged: the first hidden one, not the leader.
func (s *snapshot) ioWorld(leader int64) int64 {
	for i := range s.counted.Groups {
		if g := &s.counted.Groups[i]; g.Leader == leader && len(g.Hidden) > 0 {
			return g.Hidden[0].ID
		}
	}
	return leader
}

func (s *snapshot) valuesOfVirtualDisks(r *rows) {
	vms := s.vmGroups()
	r.open("Vscsi").n(int64(len(vms))).end()
	for _, g := range vms {
		r.open("VscsiGroup").n(g.ID, int64(len(g.Disks))).end()
		for _, d := range g.Disks {
			r.open("VscsiDisk").s(d.Name).n(d.Reads, d.ReadBytes, d.ReadTime, d.Writes, d.WriteBytes, d.WriteTime).end()
		}
	}
}

// The latency that vSAN adds to a command between its disks and its client, in microseconds.
const (
	ownerMicros  = 60
	clientMicros = 180
)

// domRoles returns the three roles of a host with vSAN. The I/O of its disks belongs to its components; they write everything
// twice, so owners and clients have half of that, with a longer latency.
func (s *snapshot) domRoles() []domRole {
	if !s.counted.VSAN {
		return nil
	}
	var sum load.IO
	for i := range s.counted.Devices {
		if d := &s.counted.Devices[i]; d.VSAN {
			sum.Plus(&d.IO, load.Whole)
		}
	}
	return []domRole{{"Client", askedOf(&sum, clientMicros)}, {"Owner", askedOf(&sum, ownerMicros)}, {"Component Manager", sum}}
}

// askedOf returns the I/O of a role that has each block on two hosts, with the added latency.
func askedOf(io *load.IO, micros int64) load.IO {
	own := *io
	own.Writes, own.BlocksWritten, own.WriteTotal = io.Writes/2, io.BlocksWritten/2, io.WriteTotal/2
	own.ReadTotal += own.Reads * micros
	own.WriteTotal += own.Writes * micros
	return own
}

// domSpread converts a sum of latencies to a sum of squares, as for latencies of this value, in microseconds.
const domSpread = 20_000

func (s *snapshot) valuesOfVSAN(r *rows) {
	r.open("Vsan").flag(s.counted.VSAN).end()
	for _, d := range s.roles {
		r.open("Dom").s(d.name).n(
			d.io.Reads, d.io.BlocksRead*blockBytes, d.io.ReadTotal*domSpread, d.io.ReadTotal,
			d.io.Writes, d.io.BlocksWritten*blockBytes, d.io.WriteTotal*domSpread, d.io.WriteTotal, 0, 0, 0, 0,
		).end()
	}
}
