package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// topology is the hardware of hosts and the VMs on them, by cluster.
type topology struct {
	Gist   string
	Open   bool
	Groups []hostGroup
	Size   string // the class of drawings
	Homes  homes
}

type hostGroup struct {
	Name  string
	Facts string
	Hosts []hostBox
}

// hostBox is a host ready to draw.
type hostBox struct {
	ID       string
	Name     string
	Findings string // the anchor of its findings, or ""
	Mark     mark   // of the worst finding of the host itself; without a word where there is none
	Facts    []string
	Unread   string
	Drawing  drawing
}

// A fleet with more hosts or VMs than these limits is drawn small, to show only which of them are conspicuous.
const (
	roomyHosts    = 4
	roomyVMs      = 200
	detailedHosts = 24
	detailedVMs   = 600
)

func sizeFor(hosts, vms int) scale {
	switch {
	case hosts > detailedHosts || vms > detailedVMs:
		return small
	case hosts > roomyHosts || vms > roomyVMs:
		return large
	}
	return roomy
}

// topology draws hosts. Those with findings listed link to them.
func (s *show) topology(listed findings) topology {
	hosts, vms := 0, 0
	for _, v := range s.Snapshot.VCenters {
		hosts, vms = hosts+len(v.Hosts), vms+len(v.VMs)
	}
	size := sizeFor(hosts, vms)
	t := topology{Size: size.class, Homes: s.homes(), Gist: counted(hosts, "host") + ", " + counted(vms, "VM"), Open: hosts <= roomyHosts}
	found := map[string]bool{}
	for _, h := range listed.Hosts {
		found[h.ID] = true
	}
	for _, v := range s.Snapshot.VCenters {
		on := map[*inventory.Host][]*inventory.VM{}
		for _, vm := range v.VMs {
			on[vm.Host()] = append(on[vm.Host()], vm)
		}
		for _, g := range s.groupsOf(v) {
			x := hostGroup{Name: g.name, Facts: g.facts}
			for _, h := range g.hosts {
				x.Hosts = append(x.Hosts, s.hostBox(h, on[h], size, found))
			}
			t.Groups = append(t.Groups, x)
		}
	}
	return t
}

// hostCluster is a cluster with its hosts, or the hosts that are in none.
type hostCluster struct {
	of          key // none for hosts in no cluster
	name, facts string
	hosts       []*inventory.Host
}

// groupsOf returns the clusters of an endpoint with their hosts, and the hosts without a cluster.
func (s *show) groupsOf(v *inventory.VCenter) []hostCluster {
	prefix := ""
	if len(s.Snapshot.VCenters) > 1 {
		prefix = clean(v.Name) + ": "
	}
	members := map[*inventory.Cluster][]*inventory.Host{}
	for _, h := range v.Hosts {
		members[h.Cluster()] = append(members[h.Cluster()], h)
	}
	var out []hostCluster
	for _, c := range v.Clusters {
		if hosts := members[c]; len(hosts) > 0 {
			out = append(out, hostCluster{keyOf(c.Ref()), prefix + "cluster " + clean(c.Name), clusterFacts(c, hosts), hosts})
		}
	}
	if alone := members[nil]; len(alone) > 0 {
		out = append(out, hostCluster{key{}, prefix + "hosts in no cluster", counted(len(alone), "host"), alone})
	}
	return out
}

func clusterFacts(c *inventory.Cluster, hosts []*inventory.Host) string {
	parts := []string{counted(len(hosts), "host")}
	if on, ok := c.DRSEnabled.Value(); ok {
		drs := "DRS off"
		if on {
			drs = strings.TrimSpace("DRS " + automation[cmp.Or(valueOf(c.DRSAutomation), "?")])
		}
		parts = append(parts, drs)
	}
	if evc := valueOf(c.EVCMode); evc != "" {
		parts = append(parts, "EVC "+clean(evc))
	}
	return strings.Join(parts, ", ")
}

var automation = map[string]string{"fullyAutomated": "fully automated", "partiallyAutomated": "partially automated", "manual": "manual", "?": "on"}

func (s *show) hostBox(h *inventory.Host, vms []*inventory.VM, size scale, found map[string]bool) hostBox {
	k := keyOf(h.Ref())
	b := hostBox{ID: s.linkTo(h), Name: clean(h.Name), Unread: prose(h.Unread), Facts: hostFacts(h, !size.text)}
	if found["of-"+b.ID] {
		b.Findings = "of-" + b.ID
	}
	if w, ok := s.worst[k]; ok {
		b.Mark = markOf(w)
	}
	vms = slices.DeleteFunc(slices.Clone(vms), func(vm *inventory.VM) bool { return valueOf(vm.Template) })
	slices.SortStableFunc(vms, func(a, b *inventory.VM) int {
		return cmp.Or(s.rankOf(a)-s.rankOf(b), cmp.Compare(valueOf(b.VCPUs), valueOf(a.VCPUs)), strings.Compare(a.Name, b.Name))
	})
	b.Drawing = s.draw(h, vms, size)
	return b
}

func (s *show) rankOf(vm *inventory.VM) int { return rank(s.worst[keyOf(vm.Ref())]) }

// hostFacts returns the main facts of a host.
func hostFacts(h *inventory.Host, compact bool) []string {
	var out []string
	if cores, ok := h.Cores.Value(); ok {
		text := counted(int(cores), "core")
		if sockets, ok := h.CPUPackages.Value(); ok && sockets > 0 && !compact {
			text = counted(int(sockets), "socket") + ", " + text
		}
		out = append(out, text)
	}
	if mb, ok := h.MemoryMB.Value(); ok {
		out = append(out, gigabytes(mb))
	}
	if compact {
		return out
	}
	if v, ok := h.Version.Value(); ok {
		out = append(out, "ESXi "+v.String())
	}
	if p := valueOf(h.PowerPolicy); p != "" {
		out = append(out, "power policy "+clean(p))
	}
	if m := valueOf(h.Model); m != "" {
		out = append(out, clean(m))
	}
	return out
}

// found describes the findings of an object and its devices.
func (s *show) found(k key) string {
	w, ok := s.worst[k]
	if !ok {
		return "nothing wrong"
	}
	return counted(s.fails[k], "finding") + ", the worst " + string(w)
}
