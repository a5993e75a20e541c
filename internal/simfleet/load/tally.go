package load

import "slices"

// Tally holds the counters of a host from its start to the end of a slot. Times are microseconds. PNICs and Lost, the packets
// that a NIC dropped on arrival, are by index in Host.PNICs.
type Tally struct {
	booted, upto    int64 // Unix seconds; the last slot included
	swapIn, swapOut int64
	lcpus           []LCPUFigures
	own             []int64 // by the host's own world
	devices         []IO
	paths           [][]IO
	nfs             []IO // by mount
	PNICs, vmks     []Traffic
	Lost            []int64
	vms             map[int]vmTally // by place
}

type vmTally struct {
	up              []int64 // by vCPU
	vcpus           []WorldFigures
	nics            []Traffic
	disks, issue    []IO
	swapIn, swapOut int64
	zipIn, unzip    int64
	migrations      int64
}

// step adds a fraction of a slot, or several slots: for the host, and for each VM. It creates new lists, because another tally
// may share the old ones.
func (t *Tally) step(f *HostFigures, slot int64, host fraction, of func(*Residency) fraction) {
	ports, io := make([]Traffic, len(f.PNICs)), make([]IO, len(f.Devices))
	vms := map[int]vmTally{}
	t.nfs = fit(t.nfs, len(f.Host.NFS))
	for i, v := range f.Each(slot) {
		s := f.Residencies[i]
		part, one := of(s), t.vms[s.Place]
		one.step(v, part)
		vms[s.Place] = one
		t.swapIn += part.of(v.Mem.SwapIn * SlotSeconds)
		t.swapOut += part.of(v.Mem.SwapOut * SlotSeconds)
		for n := range v.Issue {
			if at := v.devices[n]; at >= 0 {
				io[at].Plus(&v.Issue[n], part)
			} else if at := slices.Index(f.Host.NFS, s.Settings.Disks[n].Store); at >= 0 {
				t.nfs[at].Plus(&v.Issue[n], part)
			}
		}
		for n := range v.NICs {
			if up := f.uplinkOf(s, n); up >= 0 && !s.Settings.NICs[n].Bypass {
				ports[up].Plus(v.NICs[n].onWire(), part)
			}
		}
	}
	t.vms = vms // without VMs that are gone
	t.stepWorlds(f, host)
	t.stepNICs(f, ports, host)
	t.stepDevices(f, io, host)
}

// stepWorlds adds the times of logical CPUs and of the host's own worlds.
func (t *Tally) stepWorlds(f *HostFigures, host fraction) {
	t.lcpus, t.own = fit(t.lcpus, len(f.LCPUs)), fit(t.own, len(f.OwnRun))
	for i, c := range f.LCPUs {
		o := &t.lcpus[i]
		o.Busy += host.of(c.Busy * 1000)
		o.Core += host.of(c.Core * 1000)
		o.Clocked += host.of(c.Clocked * 1000)
		o.Used += host.of(c.Used * 1000)
		o.Slow += host.of(c.Slow * 1000)
		o.Deep += host.of(c.Deep * 1000)
	}
	for i, micros := range f.OwnRun {
		t.own[i] += host.of(micros)
	}
}

// stepNICs adds the traffic of VMs, by uplink in ports, and the host's own.
func (t *Tally) stepNICs(f *HostFigures, ports []Traffic, host fraction) {
	t.Lost, t.vmks, t.PNICs = fit(t.Lost, len(f.Lost)), fit(t.vmks, len(f.VMKs)), fit(t.PNICs, len(ports))
	for i, n := range f.Lost {
		t.Lost[i] += host.of(n)
	}
	for i, v := range f.Host.VMKs() {
		t.vmks[i].Plus(&f.VMKs[i], host)
		if v.Uplink >= 0 {
			ports[v.Uplink].Plus(&f.VMKs[i], host)
		}
	}
	for i := range ports {
		t.PNICs[i].Plus(&ports[i], Whole)
	}
}

// stepDevices adds the commands of VMs, by device in io, and the host's own.
func (t *Tally) stepDevices(f *HostFigures, io []IO, host fraction) {
	t.devices, t.paths = fit(t.devices, len(io)), fit(t.paths, len(io))
	for i := range io {
		io[i].Plus(&f.Own[i], host)
		t.devices[i].Plus(&io[i], Whole)
		t.paths[i] = fit(t.paths[i], len(f.Host.Devices[i].Paths))
		for n, part := range f.Host.Devices[i].split(io[i]) {
			t.paths[i][n].Plus(&part, Whole)
		}
	}
}

func (t *vmTally) step(f *VMFigures, part fraction) {
	t.up, t.vcpus = fit(t.up, len(f.VCPUs)), fit(t.vcpus, len(f.VCPUs))
	t.nics, t.disks, t.issue = fit(t.nics, len(f.NICs)), fit(t.disks, len(f.Disks)), fit(t.issue, len(f.Issue))
	for i := range f.VCPUs {
		t.up[i] += part.of(SlotMillis * 1000)
		t.vcpus[i].Plus(&f.VCPUs[i], fraction{part.num * 1000, part.den})
	}
	for i := range f.NICs {
		t.nics[i].Plus(&f.NICs[i], part)
	}
	for i := range f.Disks {
		t.disks[i].Plus(&f.Disks[i], part)
		t.issue[i].Plus(&f.Issue[i], part)
	}
	t.swapIn += part.of(f.Mem.SwapIn * SlotSeconds)
	t.swapOut += part.of(f.Mem.SwapOut * SlotSeconds)
	t.zipIn += part.of(f.Mem.ZipIn * SlotSeconds)
	t.unzip += part.of(f.Mem.Unzip * SlotSeconds)
	t.migrations += part.of(f.Mem.migrations)
}

// fit returns a copy of a list with length n.
func fit[T any](list []T, n int) []T {
	own := make([]T, n)
	copy(own, list)
	return own
}

// with returns the tally plus a part of one more slot. The receiver does not change.
func (t *Tally) with(f *HostFigures, slot int64, part fraction) *Tally {
	next := *t
	next.step(f, slot, part, func(*Residency) fraction { return part })
	return &next
}
