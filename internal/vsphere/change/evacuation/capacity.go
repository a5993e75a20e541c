package evacuation

import (
	"fmt"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
)

// capacity compares the memory reserved by the running VMs with the unreserved memory of the other hosts. A standalone host has
// no other hosts, and a host without running VMs needs no capacity.
func (e *evacuation) capacity() []string {
	if len(e.running) == 0 || e.cluster == nil {
		return nil
	}
	hosts := e.usable()
	if len(hosts) == 0 {
		return []string{"no other host of the cluster can take its virtual machines"}
	}
	free, gap := e.freeMemory(hosts)
	if gap != "" {
		return []string{gap}
	}
	need, largest, gap := e.guaranteed()
	if gap != "" {
		return []string{gap}
	}
	var sum, most int64
	for _, h := range hosts {
		sum, most = sum+max(free[h.Ref], 0), max(most, free[h.Ref])
	}
	if need <= sum && largest <= most {
		return nil
	}
	return []string{fmt.Sprintf("its virtual machines reserve %d MB (one of them %d MB), and the other %s %d MB unreserved (one has %d MB)",
		need, largest, plural.Count(len(hosts), "host")+plural.Form(len(hosts), " has", " have"), sum, most)}
}

// freeMemory returns each host's unreserved memory in MB, or what could not be read.
func (e *evacuation) freeMemory(hosts []*property.Props) (free map[ref]int64, gap string) {
	free = map[ref]int64{}
	for _, h := range hosts {
		size, known := property.Read(h, pathMemory, property.MB, property.Required).Value()
		if !known {
			return nil, "how much memory " + session.Plain(tree.NameOf(h)) + " has could not be read"
		}
		free[h.Ref] = size
	}
	for _, vm := range e.nearby {
		on, placed := property.Read(vm, tree.PathVMHost, property.As[ref], property.Required).Value()
		reserved, known := reservation(vm)
		switch {
		case !mayRun(vm):
		case !known || !placed:
			return nil, "the memory reservation of " + session.Plain(tree.NameOf(vm)) + ", on another host, could not be read"
		default:
			free[on] -= reserved
		}
	}
	return free, ""
}

// guaranteed returns the memory reserved by all running VMs together and by the VM with the largest reservation, in MB.
func (e *evacuation) guaranteed() (need, largest int64, gap string) {
	for _, vm := range e.running {
		reserved, known := reservation(vm)
		if !known {
			return 0, 0, "the memory reservation of " + session.Plain(tree.NameOf(vm)) + " could not be read"
		}
		need, largest = need+reserved, max(largest, reserved)
	}
	return need, largest, ""
}

func reservation(vm *property.Props) (int64, bool) {
	return property.Read(vm, pathReserved, property.Int, property.Required).Value()
}
