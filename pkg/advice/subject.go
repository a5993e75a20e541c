package advice

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// subject is one object under judgement, with all that rules can say of it.
type subject struct {
	object     inventory.Object
	on         inventory.Ref // the host that the object is or is on
	vars       map[inventory.Scope]any
	profile    Profile
	profileWhy string
	// blind is set when a device list could not be read: it stands for the devices nobody could see.
	blind *types.Unknown
}

// subjectsOf lists the objects of a scope below one endpoint. A host or VM whose device list is unread is listed itself,
// blind, so that the devices count as unknown and do not vanish.
func subjectsOf(v *inventory.VCenter, scope inventory.Scope) []*subject {
	switch scope {
	case inventory.ScopeVCenter:
		return []*subject{{object: v}}
	case inventory.ScopeCluster:
		return subjects(v.Clusters)
	case inventory.ScopePool:
		return subjects(v.Pools)
	case inventory.ScopeHost:
		return subjects(v.Hosts)
	case inventory.ScopeVM:
		return subjects(v.VMs)
	case inventory.ScopePNIC:
		return devices(v.Hosts, "Host.pnics", func(h *inventory.Host) *inventory.Fact[[]*inventory.PNIC] { return &h.PNICs })
	case inventory.ScopeSwitch:
		return subjects(v.Switches)
	case inventory.ScopeVDisk:
		return devices(v.VMs, "VM.disks", func(vm *inventory.VM) *inventory.Fact[[]*inventory.VDisk] { return &vm.Disks })
	case inventory.ScopeVNIC:
		return devices(v.VMs, "VM.vnics", func(vm *inventory.VM) *inventory.Fact[[]*inventory.VNIC] { return &vm.VNICs })
	}
	return nil
}

func subjects[T inventory.Object](objects []T) []*subject {
	list := make([]*subject, len(objects))
	for i, o := range objects {
		list[i] = &subject{object: o}
	}
	return list
}

func devices[T, D inventory.Object](owners []T, fact string, list func(T) *inventory.Fact[[]D]) []*subject {
	var found []*subject
	for _, o := range owners {
		all, state, reason := list(o).Get()
		if state == inventory.StateUnread {
			found = append(found, &subject{object: o, blind: unread(o, fact, reason)})
		}
		found = append(found, subjects(all)...)
	}
	return found
}

// prepare works out the profile and the variables.
func (s *subject) prepare(c *chooser) {
	s.profile, s.profileWhy = c.of(s.object)
	s.vars = map[inventory.Scope]any{}
	switch x := s.object.(type) {
	case *inventory.VCenter:
		s.vars[inventory.ScopeVCenter] = x
	case *inventory.Cluster:
		s.vars[inventory.ScopeVCenter], s.vars[inventory.ScopeCluster] = x.VCenter(), x
	case *inventory.Pool:
		s.vars[inventory.ScopeVCenter], s.vars[inventory.ScopePool] = x.VCenter(), x
	case *inventory.Host:
		s.host(x)
	case *inventory.PNIC:
		s.vars[inventory.ScopePNIC] = x
		s.host(x.Host())
	case *inventory.VM:
		s.vm(x)
	case *inventory.Switch:
		s.vars[inventory.ScopeVCenter], s.vars[inventory.ScopeSwitch] = x.VCenter(), x
	case *inventory.VDisk:
		s.vars[inventory.ScopeVDisk] = x
		s.vm(x.VM())
	case *inventory.VNIC:
		s.vars[inventory.ScopeVNIC] = x
		s.vm(x.VM())
	}
}

func (s *subject) vm(v *inventory.VM) {
	s.vars[inventory.ScopeVM] = v
	if v.Host() != nil {
		s.host(v.Host())
		return
	}
	s.vars[inventory.ScopeVCenter] = v.VCenter()
	_, state, reason := v.HostID.Get()
	if state == inventory.StateKnown {
		reason = "its host was not read"
	}
	missing := unread(v, "VM.hostId", reason)
	s.vars[inventory.ScopeHost], s.vars[inventory.ScopeCluster] = missing, missing
}

func (s *subject) host(h *inventory.Host) {
	s.on = h.Ref()
	s.vars[inventory.ScopeVCenter], s.vars[inventory.ScopeHost] = h.VCenter(), h
	_, state, reason := h.ClusterID.Get()
	switch {
	case h.Cluster() != nil:
		s.vars[inventory.ScopeCluster] = h.Cluster()
	case state == inventory.StateAbsent:
		s.vars[inventory.ScopeCluster] = types.WrapErr(fmt.Errorf("cluster of %s %w: the host is standalone", h.Name, errAbsent))
	case state == inventory.StateKnown:
		s.vars[inventory.ScopeCluster] = unread(h, "Host.clusterId", "its cluster was not read")
	default:
		s.vars[inventory.ScopeCluster] = unread(h, "Host.clusterId", reason)
	}
}

// activation gives one rule's expressions their variables on one subject.
type activation struct {
	*subject
	params map[string]any
}

var _ cel.Activation = activation{}

// ResolveName finds a variable.
func (a activation) ResolveName(name string) (any, bool) {
	if name == varProfile {
		return string(a.profile), true
	}
	if v, ok := a.vars[inventory.Scope(name)]; ok {
		return v, true
	}
	v, ok := a.params[name]
	return v, ok
}

// Parent is none: every variable is known here.
func (a activation) Parent() cel.Activation { return nil }
