package advice

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// subject is one object to evaluate, with all facts that rules can read about it.
type subject struct {
	object     inventory.Object
	on         inventory.Ref // the host that the object is or is on
	vars       map[inventory.Scope]any
	measured   bool // it, its VM or its host has live counters
	profile    Profile
	profileWhy string
	// unreadDevices is set if a device list could not be read: the subject then represents the devices that are unknown.
	unreadDevices *types.Unknown
	// failed reports whether another rule fails for the object, its devices or an object it belongs to; nil: unknown.
	failed  func(rule string) ref.Val
	memo    *memo                  // nil: every expression is evaluated
	include []VMState              // states of VMs that every rule evaluates although they are not running
	table   *inventory.OptionTable // nil: ShippedOptions
}

// subjectsOf lists the objects of a scope in one vCenter. If a host's or VM's device list is unread, it lists the host
// or VM itself, with blind set, so that the devices count as unknown.
func subjectsOf(v *inventory.VCenter, scope inventory.Scope) []*subject {
	if list := lists[scope]; list != nil {
		return list(v)
	}
	return nil
}

// lists maps a scope to a function that lists its objects.
var lists = map[inventory.Scope]func(*inventory.VCenter) []*subject{
	inventory.ScopeVCenter:   func(v *inventory.VCenter) []*subject { return []*subject{{object: v}} },
	inventory.ScopeCluster:   func(v *inventory.VCenter) []*subject { return subjects(v.Clusters) },
	inventory.ScopePool:      func(v *inventory.VCenter) []*subject { return subjects(v.Pools) },
	inventory.ScopeHost:      func(v *inventory.VCenter) []*subject { return subjects(v.Hosts) },
	inventory.ScopeVM:        func(v *inventory.VCenter) []*subject { return subjects(v.VMs) },
	inventory.ScopeDatastore: func(v *inventory.VCenter) []*subject { return subjects(v.Datastores) },

	inventory.ScopePNIC:   ofHosts("Host.pnics", func(h *inventory.Host) *inventory.Fact[[]*inventory.PNIC] { return &h.PNICs }),
	inventory.ScopeVMKNIC: ofHosts("Host.vmknics", func(h *inventory.Host) *inventory.Fact[[]*inventory.VMKNIC] { return &h.VMKNICs }),
	inventory.ScopeHBA:    ofHosts("Host.hbas", func(h *inventory.Host) *inventory.Fact[[]*inventory.HBA] { return &h.HBAs }),
	inventory.ScopeLUN:    ofHosts("Host.luns", func(h *inventory.Host) *inventory.Fact[[]*inventory.LUN] { return &h.LUNs }),
	inventory.ScopeSwitch: func(v *inventory.VCenter) []*subject { // distributed ones, and the standard ones of each host
		return append(subjects(v.Switches), ofHosts("Host.vswitches",
			func(h *inventory.Host) *inventory.Fact[[]*inventory.Switch] { return &h.VSwitches })(v)...)
	},
	inventory.ScopeVDisk: ofVMs("VM.disks", func(vm *inventory.VM) *inventory.Fact[[]*inventory.VDisk] { return &vm.Disks }),
	inventory.ScopeVNIC:  ofVMs("VM.vnics", func(vm *inventory.VM) *inventory.Fact[[]*inventory.VNIC] { return &vm.VNICs }),
}

func ofHosts[D inventory.Object](fact string, list func(*inventory.Host) *inventory.Fact[[]D]) func(*inventory.VCenter) []*subject {
	return func(v *inventory.VCenter) []*subject { return devices(v.Hosts, fact, list) }
}

func ofVMs[D inventory.Object](fact string, list func(*inventory.VM) *inventory.Fact[[]D]) func(*inventory.VCenter) []*subject {
	return func(v *inventory.VCenter) []*subject { return devices(v.VMs, fact, list) }
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
			found = append(found, &subject{object: o, unreadDevices: expr.Unread(o, fact, reason)})
		}
		found = append(found, subjects(all)...)
	}
	return found
}

// place sets the variables: the object and the objects it belongs to.
func (s *subject) place() {
	s.vars = map[inventory.Scope]any{}
	switch x := s.object.(type) {
	case *inventory.VCenter:
		s.vars[inventory.ScopeVCenter] = x
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
	s.vars[s.object.Ref().Kind] = s.object
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
		s.vars[inventory.ScopeVCenter] = x.VCenter()
		if x.Host() != nil {
			s.on = x.Host().Ref()
		}
	case *inventory.Pool:
		s.vars[inventory.ScopeVCenter] = x.VCenter()
		s.pool(x)
	case interface{ VM() *inventory.VM }: // a device of a VM
		s.vm(x.VM())
	case interface{ Host() *inventory.Host }: // a device of a host
		s.host(x.Host())
	case interface{ VCenter() *inventory.VCenter }:
		s.vars[inventory.ScopeVCenter] = x.VCenter()
	}
}

func (s *subject) vm(v *inventory.VM) {
	s.vars[inventory.ScopeVM] = v
	s.measured = s.measured || len(v.Live) > 0
	if v.Host() != nil {
		s.host(v.Host())
		return
	}
	s.vars[inventory.ScopeVCenter] = v.VCenter()
	_, state, reason := v.HostID.Get()
	if state == inventory.StateKnown {
		reason = "its host was not read"
	}
	missing := expr.Unread(v, "VM.hostId", reason)
	s.vars[inventory.ScopeHost], s.vars[inventory.ScopeCluster] = missing, missing
}

func (s *subject) host(h *inventory.Host) {
	s.on = h.Ref()
	s.measured = s.measured || len(h.Live) > 0
	s.vars[inventory.ScopeVCenter], s.vars[inventory.ScopeHost] = h.VCenter(), h
	s.vars[inventory.ScopeCluster] = clusterOf(h, "Host.clusterId", h.Cluster(), h.ClusterID)
}

func (s *subject) pool(p *inventory.Pool) {
	s.vars[inventory.ScopeCluster] = clusterOf(p, "Pool.clusterId", p.Cluster(), p.ClusterID)
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

var _ cel.Activation = new(activation)

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
	if v, ok := a.vars[inventory.Scope(name)]; ok {
		return v, true
	}
	v, ok := a.params[name]
	return v, ok
}

// evaluate returns the result of an expression.
func (a *activation) evaluate(p *program) (ref.Val, error) {
	if a.memo != nil && p.shared {
		return a.memo.run(p, a)
	}
	v, _, err := p.Eval(a)
	return v, err
}

// Parent returns nil: all variables are resolved here.
func (a *activation) Parent() cel.Activation { return nil }
