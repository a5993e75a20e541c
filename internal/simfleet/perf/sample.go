package perf

import "github.com/vperf/vperf/internal/simfleet/load"

// hostSample and vmSample are the inputs of a sample.
type hostSample struct {
	*load.HostFigures
	loads *load.Model
	id    string
	slot  int64
}

type vmSample struct {
	*load.VMFigures
	residency *load.Residency
	slot      int64
}

// world returns the times of the whole VM, or of one vCPU. A vCPU that did not exist yet has zeros.
func (f *vmSample) world(n int) *load.WorldFigures {
	switch {
	case n == 0:
		return &f.CPU
	case n <= len(f.VCPUs):
		return &f.VCPUs[n-1]
	}
	return new(load.WorldFigures)
}

// share returns a time in hundredths of a percent of all vCPUs' time.
func (f *vmSample) share(ms int64) int64 {
	return ms * 10_000 / load.SlotMillis / max(int64(len(f.VCPUs)), 1)
}

func (f *hostSample) settings() *load.Host { return f.Host }

func (f *hostSample) share(ms int64) int64 {
	var vcpus int64
	for _, s := range f.Residencies {
		vcpus += s.Settings.VCPUs
	}
	return ms * 10_000 / load.SlotMillis / max(vcpus, 1)
}

func (f *hostSample) device(n int) *load.IO {
	if n < len(f.Devices) {
		return &f.Devices[n]
	}
	return new(load.IO)
}

func (f *hostSample) path(n int) *load.IO {
	for _, list := range f.Paths {
		if n < len(list) {
			return &list[n]
		}
		n -= len(list)
	}
	return new(load.IO)
}

// adapter returns the sum over its paths.
func (f *hostSample) adapter(n int) *load.IO {
	sum, h := new(load.IO), f.settings()
	names := hostAdapters(h)
	for i, d := range h.Devices {
		for k, p := range d.Paths {
			if n < len(names) && p.Adapter == names[n] {
				sum.Plus(&f.Paths[i][k], load.Whole)
			}
		}
	}
	return sum
}

func (f *vmSample) disk(n int) *load.IO {
	if n < len(f.Disks) {
		return &f.Disks[n]
	}
	return new(load.IO)
}

func (f *vmSample) store(n int) *load.IO {
	sum, names := new(load.IO), f.residency.Settings.Stores()
	for i, d := range f.residency.Settings.Disks {
		if n < len(names) && d.Store == names[n] {
			sum.Plus(f.disk(i), load.Whole)
		}
	}
	return sum
}

// store returns the VMs' I/O on a datastore: one disk may have several.
func (f *hostSample) store(n int) *load.IO {
	names := hostStoreNames(f.settings())
	if n < len(names) {
		if io := f.Stores[names[n]]; io != nil {
			return io
		}
	}
	return new(load.IO)
}
