package simfleet

import (
	"slices"
	"time"
)

// tally is what has been counted on a host from its start to the end of a slot. Times are microseconds.
type tally struct {
	booted, upto    int64 // Unix seconds; the last slot that is in it
	swapIn, swapOut int64
	lcpus           []lcpuFigures
	own             []int64 // by world of the host's
	devices         []ioCounters
	paths           [][]ioCounters
	nfs             []ioCounters // by mount
	pnics, vmks     []traffic
	lost            []int64
	vms             map[int]vmTally // by place
}

type vmTally struct {
	up              []int64 // by vCPU
	vcpus           []worldFigures
	nics            []traffic
	disks, issue    []ioCounters
	devices         []int
	swapIn, swapOut int64
	zipIn, unzip    int64
	migrations      int64
}

// fraction is how much of a slot is added, or how many slots.
type fraction struct{ num, den int64 }

var whole = fraction{1, 1}

func (f fraction) of(n int64) int64 { return n * f.num / f.den }

// longestGap is how many slots are looked at when nobody has asked for long. Those before are taken for granted.
const longestGap = 4320 // a day

// advance counts up to the slot before one. What ran before the first that is asked for is taken to have gone on at the same pace
// since it began. It is false for what is no host.
func (k *knownHost) advance(l *loads, host string, slot int64) bool {
	f := l.hostOf(k, host, slot)
	if f == nil {
		return false
	}
	since := func(unix int64) fraction { return fraction{max(0, slotStart(slot).Unix()-unix) / slotSeconds, 1} }
	if t := k.tally; t == nil || t.booted != f.host.booted {
		k.tally = &tally{booted: f.host.booted, upto: slot - 1, vms: map[int]vmTally{}}
		k.tally.step(f, slot, since(f.host.booted), func(s *stay) fraction { return since(max(s.since.Unix(), f.host.booted)) })
		return true
	}
	k.tally.upto = max(k.tally.upto, slot-1-longestGap)
	for k.tally.upto < slot-1 {
		k.tally.upto++
		past := l.hostOf(k, host, k.tally.upto)
		k.tally.step(past, k.tally.upto, whole, func(*stay) fraction { return whole })
	}
	return true
}

// step adds a part of a slot, or several: for the host, and for each VM. It makes new lists: another tally may have the old ones.
func (t *tally) step(f *hostFigures, slot int64, host fraction, of func(*stay) fraction) {
	ports, io := make([]traffic, len(f.pnics)), make([]ioCounters, len(f.devices))
	vms := map[int]vmTally{}
	t.nfs = fit(t.nfs, len(f.host.nfs))
	for i, v := range f.all(slot) {
		s := f.stays[i]
		part, one := of(s), t.vms[s.place]
		one.step(v, part)
		vms[s.place] = one
		t.swapIn += part.of(v.mem.swapIn * slotSeconds)
		t.swapOut += part.of(v.mem.swapOut * slotSeconds)
		for n := range v.issue {
			if at := v.devices[n]; at >= 0 {
				io[at].plus(&v.issue[n], part)
			} else if at := slices.Index(f.host.nfs, s.settings.disks[n].store); at >= 0 {
				t.nfs[at].plus(&v.issue[n], part)
			}
		}
		for n := range v.nics {
			if up := f.uplinkOf(s, n); up >= 0 && !s.settings.nics[n].bypass {
				ports[up].plus(v.nics[n].onWire(), part)
			}
		}
	}
	t.vms = vms // without those that are gone
	t.lcpus, t.own = fit(t.lcpus, len(f.lcpus)), fit(t.own, len(f.ownRun))
	t.lost, t.vmks = fit(t.lost, len(f.lost)), fit(t.vmks, len(f.vmks))
	for i, c := range f.lcpus {
		o := &t.lcpus[i]
		o.busy += host.of(c.busy * 1000)
		o.core += host.of(c.core * 1000)
		o.clocked += host.of(c.clocked * 1000)
		o.used += host.of(c.used * 1000)
		o.slow += host.of(c.slow * 1000)
		o.deep += host.of(c.deep * 1000)
	}
	for i, micros := range f.ownRun {
		t.own[i] += host.of(micros)
	}
	for i, n := range f.lost {
		t.lost[i] += host.of(n)
	}
	for i, v := range f.host.vmks() {
		t.vmks[i].plus(&f.vmks[i], host)
		if v.uplink >= 0 {
			ports[v.uplink].plus(&f.vmks[i], host)
		}
	}
	t.pnics, t.devices, t.paths = fit(t.pnics, len(ports)), fit(t.devices, len(io)), fit(t.paths, len(io))
	for i := range ports {
		t.pnics[i].plus(&ports[i], whole)
	}
	for i := range io {
		io[i].plus(&f.own[i], host)
		t.devices[i].plus(&io[i], whole)
		t.paths[i] = fit(t.paths[i], len(f.host.devices[i].paths))
		for n, part := range f.host.devices[i].split(io[i]) {
			t.paths[i][n].plus(&part, whole)
		}
	}
}

func (t *vmTally) step(f *vmFigures, part fraction) {
	t.up, t.vcpus = fit(t.up, len(f.vcpus)), fit(t.vcpus, len(f.vcpus))
	t.nics, t.disks, t.issue = fit(t.nics, len(f.nics)), fit(t.disks, len(f.disks)), fit(t.issue, len(f.issue))
	t.devices = f.devices
	for i := range f.vcpus {
		t.up[i] += part.of(slotMillis * 1000)
		t.vcpus[i].plus(&f.vcpus[i], fraction{part.num * 1000, part.den})
	}
	for i := range f.nics {
		t.nics[i].plus(&f.nics[i], part)
	}
	for i := range f.disks {
		t.disks[i].plus(&f.disks[i], part)
		t.issue[i].plus(&f.issue[i], part)
	}
	t.swapIn += part.of(f.mem.swapIn * slotSeconds)
	t.swapOut += part.of(f.mem.swapOut * slotSeconds)
	t.zipIn += part.of(f.mem.zipIn * slotSeconds)
	t.unzip += part.of(f.mem.unzip * slotSeconds)
	t.migrations += part.of(f.mem.migrations)
}

// fit is a copy of a list, of a length.
func fit[T any](list []T, n int) []T {
	own := make([]T, n)
	copy(own, list)
	return own
}

// with is the tally and a part of one more slot. The tally stays as it is.
func (t *tally) with(f *hostFigures, slot int64, part fraction) *tally {
	next := *t
	next.step(f, slot, part, func(*stay) fraction { return part })
	return &next
}

// counted is what a host has counted up to a moment, and the slot that this lies in. It does not go back: a moment before the last
// that was asked for is taken for that.
func (l *loads) counted(host string, at time.Time) (*tally, *hostFigures, time.Time) {
	k := l.of(host)
	k.mu.Lock()
	defer k.mu.Unlock()
	if at.Before(k.asked) {
		at = k.asked
	}
	k.asked = at
	slot := slotOf(at)
	if !k.advance(l, host, slot) {
		return nil, nil, at
	}
	f := l.hostOf(k, host, slot)
	const grain = 100 * time.Microsecond // finer than that, a product would not fit
	past := at.Sub(slotStart(slot)) / grain
	into := fraction{int64(past), slotSeconds * int64(time.Second/grain)}
	return k.tally.with(f, slot, into), f, slotStart(slot).Add(past * grain) // the clock goes as fine as what it times
}
