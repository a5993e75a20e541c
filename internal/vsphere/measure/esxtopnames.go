package measure

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// strangersAge is the minimum time between two reads of the roster because of unknown VMs.
const strangersAge = time.Minute

// namer assigns managed objects to rows. A host identifies its VMs only by name.
type namer struct {
	roster *Roster

	mu   sync.Mutex
	seen time.Time // when the roster was last read because of an unknown VM
}

// name sets the ids of a frame's host and VMs. It reports whether there is a VM that the roster does not know yet.
func (n *namer) name(f *esxtop.Frame, host RosterHost) (unknown bool) {
	f.Host, f.MoID = host.Name, host.MoID
	setMoID(f.Rows(esxtop.Host), func(*esxtop.Row) string { return host.MoID })

	leaders := map[string]string{} // the VM by the group's leader world
	groups := f.Rows(esxtop.Group)
	for i := range groups {
		g := &groups[i]
		if !g.VM {
			continue
		}
		vm, of := n.roster.called(host.MoID, g.Name)
		if of != 1 {
			unknown = unknown || of == 0
			continue
		}
		g.MoID = vm.MoID
		if g.VCPUs == 0 {
			g.VCPUs = vm.VCPUs
		}
		if g.Leader != "" {
			leaders[g.Leader] = vm.MoID
		}
	}
	byName := func(name string) string {
		vm, _ := n.roster.vm(host.MoID, name)
		return vm.MoID
	}
	setMoID(f.Rows(esxtop.Port), func(r *esxtop.Row) string {
		if moid := leaders[r.Leader]; moid != "" || !r.VM {
			return moid
		}
		return byName(vmOfPort(r.Name))
	})
	disks := f.Rows(esxtop.DiskVM)
	setMoID(disks, func(r *esxtop.Row) string { return byName(r.Name) })
	setMoID(f.Rows(esxtop.VDisk), func(r *esxtop.Row) string {
		if r.Parent < 0 || r.Parent >= len(disks) {
			return ""
		}
		return disks[r.Parent].MoID
	})
	return unknown
}

func setMoID(rows []esxtop.Row, of func(*esxtop.Row) string) {
	for i := range rows {
		rows[i].MoID = of(&rows[i])
	}
}

// vmOfPort returns the VM's name from the name of a vNIC: web01.eth0.
func vmOfPort(name string) string {
	if i := strings.LastIndex(name, ".eth"); i >= 0 {
		return name[:i]
	}
	return name
}

// refresh reads the roster again, unless that was recent. Errors are ignored: rows then have no ids.
func (n *namer) refresh(ctx context.Context) {
	n.mu.Lock()
	now := time.Now()
	soon := now.Sub(n.seen) < strangersAge
	if !soon {
		n.seen = now
	}
	n.mu.Unlock()
	if !soon {
		_ = n.roster.Refresh(ctx)
	}
}
