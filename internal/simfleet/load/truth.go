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
