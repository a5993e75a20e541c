package esxtop

import (
	"math"
	"strconv"
	"strings"
)

// ownNumbers are the formulas with more than one field and one operation, by their name in the catalogue.
var ownNumbers = map[string]func(b *binder, f *Formula) figure{
	"kernel memory": func(b *binder, _ *Formula) figure { return b.kernelMemory() },

	"not halted":           func(b *binder, f *Formula) figure { return b.awake(f.fields[0]) },
	"core not halted":      func(b *binder, f *Formula) figure { return b.coreUtil(f.fields[0]) },
	"clock":                func(b *binder, f *Formula) figure { return b.clock(f.fields[0], f.fields[1]) },
	"CPU mean":             func(b *binder, f *Formula) figure { return b.average(f.fields[0], busy, false) },
	"CPU mean not halted":  func(b *binder, f *Formula) figure { return b.average(f.fields[0], awake, false) },
	"core mean not halted": func(b *binder, f *Formula) figure { return b.average(f.fields[0], awake, true) },
	"deviation":            func(b *binder, f *Formula) figure { return b.deviation(f.fields[0], f.fields[1], f.fields[2]) },

	"vCPUs":      func(b *binder, _ *Formula) figure { return b.vcpus() },
	"blocked":    func(b *binder, _ *Formula) figure { return b.vmWait() },
	"per second": func(b *binder, f *Formula) figure { return b.perSecond(f.fields[0]) },

	"on nodes":        func(b *binder, f *Formula) figure { return b.onNodes(times(b.gauge(f.fields[0]), f.scale)) },
	"growth on nodes": func(b *binder, f *Formula) figure { return b.onNodes(b.delta(f.fields[0])) },
	"locality":        func(b *binder, f *Formula) figure { return b.locality(f.fields[0]) },
	"pages per share": func(b *binder, f *Formula) figure { return b.pagesPerShare(f.fields[0]) },

	"paths":  func(b *binder, _ *Formula) figure { return b.count("Path") },
	"blocks": func(b *binder, f *Formula) figure { return b.blocks(f.fields[0]) },
}

// ownTexts are the same for texts.
var ownTexts = map[string]func(b *binder, f *Formula) wording{
	"port user": func(b *binder, f *Formula) wording { return b.usedBy(f.fields[0]) },
	"portset":   func(b *binder, _ *Formula) wording { return b.portset() },
}

// kernelMemory returns the rest of the machine's memory. Current hosts have no service console.
func (b *binder) kernelMemory() figure {
	all, console := b.gauge("PMem.PhysicalMemInKB"), b.gauge("PMem.COSMemInKB")
	others, free := b.gauge("PMem.NonkernelUsedInKB"), b.gauge("PMem.FreeMemInKB")
	return func(at *place) float64 {
		kb := all(at) - others(at) - free(at)
		if has := console(at); !math.IsNaN(has) {
			kb -= has
		}
		return kb * fromKB
	}
}

// busy and awake convert percent of the interval to percent of work; awake takes the complement.
func busy(percent float64) float64  { return percent }
func awake(percent float64) float64 { return max(0, 100-percent) }

func (b *binder) awake(name string) figure {
	halted := b.share(name)
	return func(at *place) float64 { return awake(halted(at)) }
}

// coreUtil is in the row of a core's first thread, because esxtop prints it once.
func (b *binder) coreUtil(name string) figure {
	util, id, threads := b.awake(name), b.gauge("LCPU.LCPUID"), b.threads()
	return func(at *place) float64 {
		if n := threads(at); n > 1 && math.Mod(id(at), n) == 0 {
			return util(at)
		}
		return math.NaN()
	}
}

// threads returns the number of logical CPUs of a core.
func (b *binder) threads() figure {
	threads, cores := b.gauge("PCPU.NumOfLCPUs"), b.gauge("PCPU.NumOfCores")
	return func(at *place) float64 { return ratio(threads(at), cores(at)) }
}

// average returns a mean over the logical CPUs, or over one of each core: esxtop shows that line only with
// hyper-threading.
func (b *binder) average(name string, work func(percent float64) float64, cores bool) figure {
	f, ok := b.find([]string{name})
	id, known := b.find([]string{"LCPU.LCPUID"})
	if !ok || !known {
		return absent
	}
	f.time = true
	threads := b.threads()
	return func(at *place) float64 {
		cpus, sum, count := at.bundles[f.source], 0.0, 0.0
		each := threads(at)
		if cores && !(each > 1) {
			return math.NaN()
		}
		for _, row := range at.raw[f.source] {
			if n, ok := cpus.gauge(row, id.counter); cores && (!ok || math.Mod(n, each) != 0) {
				continue
			}
			if d, ok := cpus.delta(row, f.counter); ok {
				sum, count = sum+work(d/at.micros()*100), count+1
			}
		}
		return sum / count // without CPUs it is NaN, which means absent
	}
}

// clock is absent if the counters are known to be invalid.
func (b *binder) clock(actual, nominal string) figure {
	ratio := b.mean(100, actual, nominal)
	return func(at *place) float64 {
		if v := ratio(at); v >= 1 && v <= 400 {
			return v
		}
		return math.NaN()
	}
}

// deviation returns a standard deviation in ms, from sums of µs and of their squares.
func (b *binder) deviation(squares, sum, count string) figure {
	sq, s, n := b.delta(squares), b.delta(sum), b.delta(count)
	return func(at *place) float64 {
		ops := n(at)
		if ops == 0 {
			return math.NaN()
		}
		mean := s(at) / ops
		return math.Sqrt(max(0, sq(at)/ops-mean*mean)) / 1000
	}
}

// VCPUWorld is the prefix of the names of a VM's vCPU worlds.
const VCPUWorld = "vmx-vcpu-"

// vcpus counts the vCPU worlds.
func (b *binder) vcpus() figure {
	name, ok := b.find([]string{"VCPU.WorldName"})
	if !ok {
		return absent
	}
	return func(at *place) float64 {
		n := 0
		for _, row := range at.raw[name.source] {
			if at.bundles[name.source].isVCPU(row, name) {
				n++
			}
		}
		return float64(n)
	}
}

func (b *bundle) isVCPU(row int32, name field) bool {
	s, _ := b.now.Text(int(row), name.index)
	return strings.HasPrefix(s, VCPUWorld)
}

// vmWait returns the time that vCPUs waited for anything other than work. Other worlds are excluded: they wait most of
// the time.
func (b *binder) vmWait() figure {
	name, ok := b.find([]string{"VCPU.WorldName"})
	wait, hasWait := b.find([]string{"VCPU.TotalWaitTimeInUsec"})
	idle, hasIdle := b.find([]string{"VCPU.IdleTimeInUsec"})
	if !ok || !hasWait || !hasIdle {
		return absent
	}
	wait.time, idle.time = true, true
	return func(at *place) float64 {
		worlds, sum, present := at.bundles[name.source], 0.0, false
		for _, row := range at.raw[name.source] {
			if !worlds.isVCPU(row, name) {
				continue
			}
			w, ok := worlds.delta(row, wait.counter)
			i, known := worlds.delta(row, idle.counter)
			if ok && known {
				sum, present = sum+w-i, true
			}
		}
		share := known(max(0, sum)/at.micros()*100, present)
		if b.object == World {
			return min(share, 100)
		}
		return share
	}
}

// perSecond converts a period in µs to a rate; a period of 0 gives 0.
func (b *binder) perSecond(name string) figure {
	period := b.gauge(name)
	return func(at *place) float64 {
		if micros := period(at); micros != 0 {
			return 1e6 / micros
		}
		return 0
	}
}

// onNodes returns f, or absent for a group that is on no NUMA node.
func (b *binder) onNodes(f figure) figure {
	valid := b.gauge("IsNUMAValid")
	return func(at *place) float64 {
		if valid(at) == 0 {
			return math.NaN()
		}
		return f(at)
	}
}

// locality is absent without memory: hosts with one node print 0 % for it, which is not a problem.
func (b *binder) locality(name string) figure {
	pct, local, remote := b.gauge(name), b.gauge("LocalMemoryInKB"), b.gauge("RemoteMemoryInKB")
	return b.onNodes(func(at *place) float64 {
		if local(at)+remote(at) == 0 {
			return math.NaN()
		}
		return pct(at)
	})
}

func (b *binder) pagesPerShare(name string) figure {
	pages := b.gauge(name)
	return func(at *place) float64 {
		if v := pages(at); v != 1<<62 {
			return v
		}
		return -1
	}
}

// count returns how many rows of a group belong to the row.
func (b *binder) count(group string) figure {
	g := b.schema.byName[group]
	if g == nil {
		return absent
	}
	source := b.source(g)
	return func(at *place) float64 { return float64(len(at.raw[source])) }
}

// blocks returns a data rate counted in blocks, of 512 bytes or, for devices, of the size they report.
func (b *binder) blocks(name string) figure {
	rate, size := b.rate(name), b.gauge("BlockSizeInBytes")
	return func(at *place) float64 {
		if bytes := size(at); bytes > 0 {
			return rate(at) * bytes * fromBytes
		}
		return rate(at) * fromBlocks
	}
}

// usedBy returns the user of a port. For a VM it includes the leader world, because two VMs may have the same name.
func (b *binder) usedBy(name string) wording {
	client, leader := b.text(name), b.gauge("WorldLeader")
	return func(at *place) (string, bool) {
		s, ok := client(at)
		if id := leader(at); ok && id > 0 {
			s = strconv.FormatUint(uint64(id), 10) + ":" + s
		}
		return s, ok
	}
}

// portset returns the switch of a port.
func (b *binder) portset() wording {
	name := b.text("NetPortset.PortsetName")
	return func(at *place) (string, bool) {
		if s, _ := name(at); s != "" {
			return s, true
		}
		s := at.now.portset(at.row.ID)
		return s, s != ""
	}
}
