package advice

import (
	"fmt"
	"iter"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// subject is one object to evaluate, with all facts that rules can read about it.
type subject struct {
	choice
	object   inventory.Object
	on       inventory.Ref // the host that the object is or is on
	ref      inventory.Ref
	vars     memo.Variables
	measured bool // it, its VM or its host has live counters
	// unreadDevices is set if a device list could not be read: the subject then represents the devices that are unknown.
	unreadDevices *types.Unknown
	// failed reports whether another rule fails for the object, its devices or an object it belongs to; nil: unknown.
	failed  func(rule string) ref.Val
	memo    *memo.Memo             // nil: every expression is evaluated
	include []VMState              // states of VMs that every rule evaluates although they are not running
	table   *inventory.OptionTable // nil: ShippedOptions
	current *activation            // of the rule that is evaluated
	brief   bool                   // only the outcome and the severity of a finding are needed
	of      *Evaluated             // of findings; nil until there is one
}

// evaluated returns the object as its findings have it.
func (s *subject) evaluated() *Evaluated {
	if s.of == nil {
		s.of = &Evaluated{Object: s.ref, Host: s.on, Profile: s.profile, ProfileWhy: s.why, object: s.object, possible: s.possible, unread: s.unread}
	}
	return s.of
}

// objects is a list of objects. If a host's or VM's device list is unread, the host or VM itself stands for the devices,
// with the unknown in their place.
type objects iter.Seq2[inventory.Object, *types.Unknown]

// objectsOf lists the objects of a scope in one vCenter.
func objectsOf(v *inventory.VCenter, scope inventory.Scope) objects {
	if list := lists[scope]; list != nil {
		return list(v)
	}
	return func(func(inventory.Object, *types.Unknown) bool) {}
}

// lists maps a scope to a function that lists its objects.
var lists = map[inventory.Scope]func(*inventory.VCenter) objects{
	inventory.ScopeVCenter:   func(v *inventory.VCenter) objects { return managed([]*inventory.VCenter{v}) },
	inventory.ScopeCluster:   func(v *inventory.VCenter) objects { return managed(v.Clusters) },
	inventory.ScopePool:      func(v *inventory.VCenter) objects { return managed(v.Pools) },
	inventory.ScopeHost:      func(v *inventory.VCenter) objects { return managed(v.Hosts) },
	inventory.ScopeVM:        func(v *inventory.VCenter) objects { return managed(v.VMs) },
	inventory.ScopeDatastore: func(v *inventory.VCenter) objects { return managed(v.Datastores) },

	inventory.ScopePNIC:   ofHosts("Host.pnics", func(h *inventory.Host) *inventory.Fact[[]*inventory.PNIC] { return &h.PNICs }),
	inventory.ScopeVMKNIC: ofHosts("Host.vmknics", func(h *inventory.Host) *inventory.Fact[[]*inventory.VMKNIC] { return &h.VMKNICs }),
	inventory.ScopeHBA:    ofHosts("Host.hbas", func(h *inventory.Host) *inventory.Fact[[]*inventory.HBA] { return &h.HBAs }),
	inventory.ScopeLUN:    ofHosts("Host.luns", func(h *inventory.Host) *inventory.Fact[[]*inventory.LUN] { return &h.LUNs }),
	inventory.ScopeSwitch: func(v *inventory.VCenter) objects { // distributed ones, and the standard ones of each host
		standard := ofHosts("Host.vswitches", func(h *inventory.Host) *inventory.Fact[[]*inventory.Switch] { return &h.VSwitches })
		return both(managed(v.Switches), standard(v))
	},
	inventory.ScopeVDisk: ofVMs("VM.disks", func(vm *inventory.VM) *inventory.Fact[[]*inventory.VDisk] { return &vm.Disks }),
	inventory.ScopeVNIC:  ofVMs("VM.vnics", func(vm *inventory.VM) *inventory.Fact[[]*inventory.VNIC] { return &vm.VNICs }),
}

func ofHosts[D inventory.Object](fact string, list func(*inventory.Host) *inventory.Fact[[]D]) func(*inventory.VCenter) objects {
	return func(v *inventory.VCenter) objects { return devices(v.Hosts, fact, list) }
}

func ofVMs[D inventory.Object](fact string, list func(*inventory.VM) *inventory.Fact[[]D]) func(*inventory.VCenter) objects {
	return func(v *inventory.VCenter) objects { return devices(v.VMs, fact, list) }
}

func managed[T inventory.Object](list []T) objects {
	return func(yield func(inventory.Object, *types.Unknown) bool) {
		for _, o := range list {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func devices[T, D inventory.Object](owners []T, fact string, list func(T) *inventory.Fact[[]D]) objects {
	return func(yield func(inventory.Object, *types.Unknown) bool) {
		for _, o := range owners {
			all, state, reason := list(o).Get()
			if state == inventory.StateUnread && !yield(o, expr.Unread(o, fact, reason)) {
				return
			}
			for _, d := range all {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func both(a, b objects) objects {
	return func(yield func(inventory.Object, *types.Unknown) bool) {
		for _, list := range []objects{a, b} {
			for o, unread := range list {
				if !yield(o, unread) {
					return
				}
			}
		}
	}
}

// place sets the variables: the object and the objects it belongs to.
func (s *subject) place() {
	s.ref, s.vars = s.object.Ref(), memo.Variables{}
	switch x := s.object.(type) {
	case *inventory.VCenter:
		s.vars.Set(inventory.ScopeVCenter, x)
		return
	case *inventory.PNIC:
		s.measured = len(x.Live) > 0
	case *inventory.LUN:
		s.measured = len(x.Live) > 0
	case *inventory.Datastore:
		s.measured = len(x.Live) > 0
	case *inventory.VDisk:
		s.measured = len(x.Live) > 0
	}
	s.vars.Set(s.ref.Kind, s.object)
	s.placeAround()
}

// placeAround sets the variables for the objects that the object belongs to.
func (s *subject) placeAround() {
	switch x := s.object.(type) {
	case *inventory.Host:
		s.host(x)
	case *inventory.VM:
		s.vm(x)
	case *inventory.Switch:
		s.vars.Set(inventory.ScopeVCenter, x.VCenter())
		if x.Host() != nil {
			s.on = x.Host().Ref()
		}
	case *inventory.Pool:
		s.vars.Set(inventory.ScopeVCenter, x.VCenter())
		s.vars.Set(inventory.ScopeCluster, clusterOf(x, "Pool.clusterId", x.Cluster(), x.ClusterID))
	case interface{ VM() *inventory.VM }: // a device of a VM
		s.vars.Set(inventory.ScopeVM, x.VM())
		s.vm(x.VM())
	case interface{ Host() *inventory.Host }: // a device of a host
		s.vars.Set(inventory.ScopeHost, x.Host())
		s.host(x.Host())
	case interface{ VCenter() *inventory.VCenter }:
		s.vars.Set(inventory.ScopeVCenter, x.VCenter())
	}
}

// vm sets the variables around a VM.
func (s *subject) vm(v *inventory.VM) {
	s.measured = s.measured || len(v.Live) > 0
	if v.Host() != nil {
		s.vars.Set(inventory.ScopeHost, v.Host())
		s.host(v.Host())
		return
	}
	s.vars.Set(inventory.ScopeVCenter, v.VCenter())
	missing := expr.UnknownOf(missingHost(v))
	s.vars.Set(inventory.ScopeHost, missing)
	s.vars.Set(inventory.ScopeCluster, missing)
}

// missingHost returns the gap of a VM without its host.
func missingHost(v *inventory.VM) inventory.Gap {
	_, state, reason := v.HostID.Get()
	if state == inventory.StateKnown {
		reason = "its host was not read"
	}
	return inventory.GapOf(v, "VM.hostId", reason)
}

// host sets the variables around a host.
func (s *subject) host(h *inventory.Host) {
	s.on = h.Ref()
	s.measured = s.measured || len(h.Live) > 0
	s.vars.Set(inventory.ScopeVCenter, h.VCenter())
	s.vars.Set(inventory.ScopeCluster, clusterOf(h, "Host.clusterId", h.Cluster(), h.ClusterID))
}

// clusterOf returns the cluster of a host or pool, or an unknown or error in its place.
func clusterOf(o inventory.Object, fact string, c *inventory.Cluster, id inventory.Fact[string]) any {
	_, state, reason := id.Get()
	switch {
	case c != nil:
		return c
	case state == inventory.StateAbsent:
		return types.WrapErr(fmt.Errorf("cluster of %s %w: the host is standalone", o.Ref().Name, expr.ErrAbsent))
	case state == inventory.StateKnown:
		return expr.Unread(o, fact, "its cluster was not read")
	}
	return expr.Unread(o, fact, reason)
}

// activation resolves the variables of one rule's expressions for one subject.
type activation struct {
	*subject
	params map[string]any
	key    string // the setting's key, if a remedy has several
	open   bool   // a fact needs a call to the host

	vendors *vendor.List // with the published values
}

var _ memo.Subject = new(activation)

// activation returns the activation of a rule. It is valid until the next call: a large fleet has a million checks.
func (s *subject) activation(r *compiled) *activation {
	if s.current == nil {
		s.current = new(activation)
	}
	*s.current = activation{subject: s, params: r.params, vendors: r.vendors}
	return s.current
}

// ResolveName returns the value of a variable.
func (a *activation) ResolveName(name string) (any, bool) {
	if name == expr.VarProfile {
		return string(a.profile), true
	}
	if name == expr.VarFindings {
		return expr.NewFindings(a.object, a.failed), true
	}
	if name == expr.VarVendors {
		return expr.Vendors{List: a.vendors}, true
	}
	if name == expr.VarKey {
		return a.key, true
	}
	if v := a.vars.Get(inventory.Scope(name)); v != nil {
		return v, true
	}
	v, ok := a.params[name]
	return v, ok
}

// Reads implements memo.Subject.
func (a *activation) Reads() (vars *memo.Variables, own inventory.Scope, profile string) {
	return &a.vars, a.ref.Kind, string(a.profile)
}

// Parent returns nil: all variables are resolved here.
func (a *activation) Parent() cel.Activation { return nil }
