package inventory

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// NoMatchError is a target that names no host.
type NoMatchError struct {
	Target string
	Near   []string // names it was probably meant to be
}

// Error lists the near names.
func (e *NoMatchError) Error() string {
	s := fmt.Sprintf("no host is called %q", e.Target)
	if len(e.Near) == 0 {
		return s + "; give a host's inventory name, DNS name, short name, IP address or id"
	}
	return s + "; did you mean " + strings.Join(e.Near, ", ") + "?"
}

// AmbiguousError is a target that names several hosts.
type AmbiguousError struct {
	Target string
	Hosts  []string // path and id of each
}

// Error lists the hosts.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q names %d hosts: %s; give the inventory path or the id", e.Target, len(e.Hosts), strings.Join(e.Hosts, ", "))
}

// ways are the ways to name a host, the most exact first: the first way that finds any host decides.
var ways = []func(*Host, string) bool{
	func(h *Host, t string) bool { return h.Name == t || h.ID == t || h.Path == t },
	func(h *Host, t string) bool { return strings.EqualFold(h.Name, t) },
	func(h *Host, t string) bool { return strings.EqualFold(h.dnsName(), t) },
	(*Host).hasAddress,
	func(h *Host, t string) bool {
		return strings.EqualFold(firstLabel(h.Name), t) || strings.EqualFold(firstLabel(h.dnsName()), t)
	},
}

// MatchHosts finds the hosts that targets name as people type them: by inventory name, path, id, DNS name, address or
// short name. The hosts keep their order; targets may repeat each other. A target that matches nothing is a
// NoMatchError, one that matches several hosts alike an AmbiguousError.
func MatchHosts(all []*Host, targets []string) ([]*Host, error) {
	chosen := map[*Host]bool{}
	for _, t := range targets {
		h, err := matchOne(all, strings.TrimSuffix(strings.TrimSpace(t), "."))
		if err != nil {
			return nil, err
		}
		chosen[h] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(h *Host) bool { return !chosen[h] }), nil
}

func matchOne(all []*Host, target string) (*Host, error) {
	for _, way := range ways {
		var found []*Host
		for _, h := range all {
			if target != "" && way(h, target) {
				found = append(found, h)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return nil, ambiguous(target, found)
		}
	}
	return nil, &NoMatchError{Target: target, Near: nearHosts(all, target)}
}

// ambiguous names paths; where even those are equal the id tells.
func ambiguous(target string, found []*Host) error {
	e := &AmbiguousError{Target: target}
	for _, h := range found {
		e.Hosts = append(e.Hosts, h.Path+" ("+h.ID+")")
	}
	slices.Sort(e.Hosts)
	return e
}

func nearHosts(all []*Host, target string) []string {
	full := map[string]string{} // any of a host's names → its inventory name
	var names []string
	for _, h := range all {
		for _, n := range []string{h.Name, firstLabel(h.Name), h.dnsName()} {
			names = append(names, n)
			full[n] = h.Name
		}
	}
	var near []string
	for _, n := range Near(target, names) {
		if !slices.Contains(near, full[n]) {
			near = append(near, full[n])
		}
	}
	return near
}

func (h *Host) dnsName() string {
	name, _ := h.DNSName.Value()
	return name
}

func (h *Host) hasAddress(target string) bool {
	want, err := netip.ParseAddr(target)
	if err != nil {
		return false
	}
	all, _ := h.Addresses.Value()
	return slices.ContainsFunc(all, func(s string) bool {
		have, err := netip.ParseAddr(s)
		return err == nil && have == want
	})
}

// firstLabel is the short form of a DNS name; an IP address has none.
func firstLabel(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	label, _, _ := strings.Cut(name, ".")
	return label
}

// Narrow keeps the hosts that targets name, their VMs, their clusters, and the pools of those clusters; no targets keep
// everything. A target has to match at one endpoint at least.
func (s *Snapshot) Narrow(targets []string) (*Snapshot, error) {
	if len(targets) == 0 {
		return s, nil
	}
	var all []*Host
	for _, v := range s.VCenters {
		all = append(all, v.Hosts...)
	}
	hosts, err := MatchHosts(all, targets)
	if err != nil {
		return nil, err
	}
	out := &Snapshot{Schema: s.Schema, Source: s.Source}
	for _, v := range s.VCenters {
		if n := v.narrow(hosts); len(n.Hosts) > 0 {
			out.VCenters = append(out.VCenters, n)
		}
	}
	out.Link()
	return out, nil
}

func (v *VCenter) narrow(hosts []*Host) *VCenter {
	n := *v
	n.Hosts = slices.DeleteFunc(slices.Clone(v.Hosts), func(h *Host) bool { return !slices.Contains(hosts, h) })
	n.VMs = slices.DeleteFunc(slices.Clone(v.VMs), func(vm *VM) bool { return vm.host == nil || !slices.Contains(hosts, vm.host) })
	clusters := map[string]bool{}
	for _, h := range n.Hosts {
		id, _ := h.ClusterID.Value()
		clusters[id] = true
	}
	n.Clusters = slices.DeleteFunc(slices.Clone(v.Clusters), func(c *Cluster) bool { return !clusters[c.ID] })
	n.Pools = slices.DeleteFunc(slices.Clone(v.Pools), func(p *Pool) bool {
		id, _ := p.ClusterID.Value()
		return !clusters[id]
	})
	n.Switches = slices.DeleteFunc(slices.Clone(v.Switches), func(s *Switch) bool {
		members, _ := s.HostIDs.Value()
		return !slices.ContainsFunc(n.Hosts, func(h *Host) bool { return slices.Contains(members, h.ID) })
	})
	return &n
}
