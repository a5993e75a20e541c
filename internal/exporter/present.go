package exporter

import (
	"strconv"

	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/inventory"
)

// present is the exported objects, by the roster and the filter. It is immutable.
type present struct {
	hosts []source.Host          // exported hosts
	asked []source.Host          // those, and the hosts of exported VMs
	vms   map[string][]source.VM // exported VMs, by host
	whole int                    // number of hosts, including excluded ones
}

// newPresent excludes templates, which never run, and objects that the filter excludes.
func newPresent(roster *source.Roster, keep filter, tags tagsOf) present {
	p := present{vms: map[string][]source.VM{}}
	all := roster.Hosts()
	p.whole = len(all)
	for i := range all {
		host := &all[i]
		vms := selected(roster.VMs(host.MoID), func(vm *source.VM) bool { return !vm.Template && keep.vm(vm, host, tags) })
		kept := keep.host(host, tags)
		if kept {
			p.hosts = append(p.hosts, *host)
		}
		if kept || len(vms) > 0 {
			p.asked = append(p.asked, *host)
			p.vms[host.MoID] = vms
		}
	}
	return p
}

// selected returns the VMs that keep accepts. If these are all, it returns the list itself, which lists of rosters allow: they never change.
func selected(all []source.VM, keep func(*source.VM) bool) []source.VM {
	kept := make([]bool, len(all))
	n := 0
	for i := range all {
		if kept[i] = keep(&all[i]); kept[i] {
			n++
		}
	}
	if n == len(all) {
		return all
	}
	list := make([]source.VM, 0, n)
	for i := range all {
		if kept[i] {
			list = append(list, all[i])
		}
	}
	return list
}

func isOn(state string) bool {
	on, _ := source.PoweredOn(state)
	return on
}

// lost are the hosts of which nothing comes since the server itself has lost them, in words; empty: none. One that is off or
// absent as planned is not lost.
func (p *present) lost() string {
	first, more := "", 0
	for i := range p.asked {
		h := &p.asked[i]
		_, planned := inventory.PlannedAbsence(h.Down)
		if on, known := source.PoweredOn(h.Power); h.Down == "" || planned || known && !on {
			continue
		}
		if first == "" {
			first = h.Name + " with " + strconv.Itoa(len(p.vms[h.MoID])) + " VMs: " + h.Down
			continue
		}
		more++
	}
	if more > 0 {
		first += "; and " + strconv.Itoa(more) + " more"
	}
	return first
}

// down reports a host that is not expected to answer.
func (p *present) down(moid string) bool {
	for i := range p.asked {
		if p.asked[i].MoID == moid {
			return !p.asked[i].Up()
		}
	}
	return false
}

// vmsOf returns the exported VMs of a host.
func (p *present) vmsOf(host string) []source.VM { return p.vms[host] }

// away are the ids of the hosts that are not expected to answer.
func (p *present) away() map[string]bool {
	ids := map[string]bool{}
	for i := range p.asked {
		if !p.asked[i].Up() {
			ids[p.asked[i].MoID] = true
		}
	}
	return ids
}

// connected are the hosts that can be asked.
func (p *present) connected() (list []source.Host) {
	for i := range p.asked {
		if p.asked[i].Up() {
			list = append(list, p.asked[i])
		}
	}
	return list
}

// members returns the exported objects for a ledger.
func (p *present) members() (hosts []ledger.Host, vms []ledger.VM) {
	most := 0
	for _, list := range p.vms {
		most += len(list)
	}
	hosts, vms = make([]ledger.Host, 0, len(p.hosts)), make([]ledger.VM, 0, most)
	for i := range p.hosts {
		h := &p.hosts[i]
		hosts = append(hosts, ledger.Host{MoID: h.MoID, Name: h.Name, Up: h.Up()})
	}
	for i := range p.asked {
		for _, vm := range p.vms[p.asked[i].MoID] {
			vms = append(vms, ledger.VM{MoID: vm.MoID, Name: vm.Name, Host: vm.Host, On: isOn(vm.Power)})
		}
	}
	return hosts, vms
}
