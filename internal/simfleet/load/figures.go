package load

// WorldFigures holds a world's times in a slot, in milliseconds: run + ready + costop + wait is the whole slot.
type WorldFigures struct {
	Run, Used, Sys, Overlap, Ready, Costop, MaxLimited, Wait, Idle, SwapWait, Latency, MemLatency int64
}

// Plus adds a part of others.
func (w *WorldFigures) Plus(o *WorldFigures, part fraction) {
	w.Run += part.of(o.Run)
	w.Used += part.of(o.Used)
	w.Sys += part.of(o.Sys)
	w.Overlap += part.of(o.Overlap)
	w.Ready += part.of(o.Ready)
	w.Costop += part.of(o.Costop)
	w.MaxLimited += part.of(o.MaxLimited)
	w.Wait += part.of(o.Wait)
	w.Idle += part.of(o.Idle)
	w.SwapWait += part.of(o.SwapWait)
	w.Latency += part.of(o.Latency)
	w.MemLatency += part.of(o.MemLatency)
}

// VMFigures holds a VM's use of resources in a slot.
type VMFigures struct {
	VCPUs     []WorldFigures
	weights   []float64    // of vCPUs in the run time
	CPU       WorldFigures // their sum
	UsedMHz   int64
	DemandMHz int64
	Mem       MemoryFigures
	NICs      []Traffic
	Disks     []IO  // as the guest measures it: issue and queue stay 0
	devices   []int // device index by disk; -1 for a volume that is not on a disk of the host
	Issue     []IO  // as the device measures it
	Watts     int64
}

// MemoryFigures is a VM's memory in a slot, in kilobytes; rates are kilobytes per second.
type MemoryFigures struct {
	Size, Granted, Consumed, Active, ActiveWrite int64
	Shared, Zero, saved, Overhead, OverheadMax   int64
	Balloon, BalloonTarget, BalloonMax           int64
	Swapped, SwapTarget, SwapIn, SwapOut         int64
	Zipped, ZipUsed, ZipIn, Unzip                int64 // zipIn and unzip are rates
	Entitlement                                  int64
	homes, migrations                            int64 // bit mask of nodes; number of moves between them in the slot
	Local, Remote                                int64
	Nodes                                        []int64
	stall                                        float64 // in vCPUs that wait for pages
}

func (m *MemoryFigures) plus(o *MemoryFigures) {
	m.Size += o.Size
	m.Granted += o.Granted
	m.Consumed += o.Consumed
	m.Active += o.Active
	m.ActiveWrite += o.ActiveWrite
	m.Shared += o.Shared
	m.Zero += o.Zero
	m.saved += o.saved
	m.Overhead += o.Overhead
	m.Balloon += o.Balloon
	m.BalloonTarget += o.BalloonTarget
	m.BalloonMax += o.BalloonMax
	m.Swapped += o.Swapped
	m.SwapTarget += o.SwapTarget
	m.SwapIn += o.SwapIn
	m.SwapOut += o.SwapOut
	m.Zipped += o.Zipped
	m.ZipUsed += o.ZipUsed
	m.ZipIn += o.ZipIn
	m.Unzip += o.Unzip
}

// LCPUFigures holds the milliseconds of a logical CPU: how long it ran, how long a thread of its core ran, the equivalent at
// nominal clock rate alone (Clocked) and next to the other thread (Used), how much of it was at half the clock rate, and how long
// it was in a deep C-state.
type LCPUFigures struct{ Busy, Core, Clocked, Used, Slow, Deep int64 }

// HostFigures holds a host's use of resources in a slot: the sums over its VMs, and its own.
type HostFigures struct {
	*Pressure
	CPU     WorldFigures // of all vCPUs
	UsedMHz int64
	OwnMHz  int64   // the host's own part of it
	OwnRun  []int64 // microseconds of its own worlds, as in the settings
	LCPUs   []LCPUFigures
	hot     []float64  // fraction of the time that the busiest vCPUs run
	Mem     HostMemory // SwapRead and SwapWritten are those of the slot
	Sum     MemoryFigures
	Nodes   []int64 // free, by NUMA node
	Devices []IO
	Own     []IO           // the host's own part
	Paths   [][]IO         // by device
	Stores  map[string]*IO // I/O of VMs by datastore
	PNICs   []Traffic
	Lost    []int64 // packets that a NIC dropped on arrival
	VMKs    []Traffic
	Watts   int64
}

func (f *HostFigures) onStore(name string, io *IO) {
	if f.Stores[name] == nil {
		f.Stores[name] = new(IO)
	}
	f.Stores[name].Plus(io, Whole)
}

// LCPU returns the values of a logical CPU, or the mean of all.
func (f *HostFigures) LCPU(n int) (c LCPUFigures) {
	if n > 0 {
		if n <= len(f.LCPUs) {
			return f.LCPUs[n-1]
		}
		return c
	}
	for _, o := range f.LCPUs {
		c.Busy, c.Core, c.Used = c.Busy+o.Busy, c.Core+o.Core, c.Used+o.Used
	}
	all := max(int64(len(f.LCPUs)), 1)
	return LCPUFigures{Busy: c.Busy / all, Core: c.Core / all, Used: c.Used / all}
}

// NIC returns the traffic of a NIC with its drops.
func (f *HostFigures) NIC(i int) *Traffic {
	t := f.PNICs[i]
	t.DroppedRx += f.Lost[i]
	return &t
}
