package load

import "math"

// Change is a change of the settings of a host and of its VMs. Nil functions change nothing.
type Change struct {
	Host func(*Host)
	VM   func(*VM) // called for each VM on the host; it may replace but not modify slices
}

// Suppose returns a host's values in a slot as they would be if its settings had always had a change: the same guests with the
// same noise. It is nil before the host existed.
func (l *Model) Suppose(host string, slot int64, change Change) *HostFigures {
	settings, residencies := l.History.At(host, slot)
	if settings == nil {
		return nil
	}
	changed := *settings
	if change.Host != nil {
		change.Host(&changed)
	}
	in := scene{hosts: settled(&changed)}
	for _, s := range residencies {
		if change.VM != nil {
			one, vm := *s, *s.Settings
			change.VM(&vm)
			one.Settings = &vm
			s = &one
		}
		in.residencies, in.vms = append(in.residencies, s), append(in.vms, settled(s.Settings))
	}
	p := l.pressureIn(in, slot)
	return p.sum(p.Host.Stream, slot)
}

// Measure returns a sum of what hosts do in a slot, such as their used MHz or the bits that they move.
type Measure func(*HostFigures) float64

// Effect returns the true effect of a change: the logarithm of the ratio of cost per work with it to that without it, over the same
// slots of the same hosts, from and to included. It does not depend on what the settings were at that time.
func (l *Model) Effect(hosts []string, from, to int64, without, with Change, cost, work Measure) float64 {
	var sums [2]struct{ cost, work float64 }
	for _, host := range hosts {
		for slot := from; slot <= to; slot++ {
			for i, change := range []Change{without, with} {
				if f := l.Suppose(host, slot, change); f != nil {
					sums[i].cost += cost(f)
					sums[i].work += work(f)
				}
			}
		}
	}
	return math.Log(sums[1].cost / sums[1].work / (sums[0].cost / sums[0].work))
}

// UsedMHz is the CPU that a host uses.
func UsedMHz(f *HostFigures) float64 { return float64(f.UsedMHz) }

// Gigabits is the traffic of a host's NICs in both directions.
func Gigabits(f *HostFigures) (sum float64) {
	for i := range f.PNICs {
		sum += float64(f.PNICs[i].RxBytes+f.PNICs[i].TxBytes) * 8 / 1e9
	}
	return sum
}

// Joules is the energy that a host uses.
func Joules(f *HostFigures) float64 { return float64(f.Watts * SlotSeconds) }

// UsedCycles is what a host computes, in units of 10⁹ cycles.
func UsedCycles(f *HostFigures) float64 { return float64(f.UsedMHz*SlotSeconds) / 1000 }

// VMUsedMHz returns the CPU that a VM uses.
func VMUsedMHz(name string) Measure {
	return func(f *HostFigures) float64 {
		for i, s := range f.Residencies {
			if s.Settings.Name == name {
				return float64(f.vm(s, i, f.slot).UsedMHz)
			}
		}
		return 0
	}
}

// VMCommands returns the commands that a VM's disks complete.
func VMCommands(name string) Measure {
	return func(f *HostFigures) (sum float64) {
		for i, s := range f.Residencies {
			if s.Settings.Name != name {
				continue
			}
			for _, d := range f.vm(s, i, f.slot).Disks {
				sum += float64(d.Commands)
			}
		}
		return sum
	}
}

// DeviceCommands returns the commands on a disk of a host, and DeviceMillis their latency, summed over the commands.
func DeviceCommands(name string) Measure {
	return func(f *HostFigures) float64 {
		if io := f.deviceNamed(name); io != nil {
			return float64(io.Reads + io.Writes)
		}
		return 0
	}
}

// DeviceMillis returns the total latency of the commands on a disk of a host: in the device, in the kernel and in its queue.
func DeviceMillis(name string) Measure {
	return func(f *HostFigures) float64 {
		if io := f.deviceNamed(name); io != nil {
			return float64(io.ReadTotal+io.WriteTotal) / 1000
		}
		return 0
	}
}

func (f *HostFigures) deviceNamed(name string) *IO {
	for i, d := range f.Host.Devices {
		if d.Name == name {
			return &f.Devices[i]
		}
	}
	return nil
}

// One is the work of a change whose cost is compared as it is.
func One(*HostFigures) float64 { return 1 }
